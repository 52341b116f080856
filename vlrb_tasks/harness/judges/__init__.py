"""Judges of our own, as lmms-eval models."""
