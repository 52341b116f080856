"""YAML files for vlrb-tasks, and nothing to import."""
