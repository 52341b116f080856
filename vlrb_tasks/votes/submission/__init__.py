"""Submissions: a judge's votes and numbers in a folder that anyone can check without a model."""
