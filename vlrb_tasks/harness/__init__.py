"""The way into lmms-eval: registration, the judge task, and judges of our own. Only this package imports lmms_eval."""
