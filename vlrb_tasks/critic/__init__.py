"""Critic data: from scored, compared and corrected responses to what a critic is trained on."""
