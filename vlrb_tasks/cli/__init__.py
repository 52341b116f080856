"""``vlrb``: what can be done with prompts and votes without a model."""
