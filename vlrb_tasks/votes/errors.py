"""Faults of logs, journals and submissions."""


class LogError(ValueError):
    """A fault in a log, told with file and line and what to do about it."""


class JournalError(ValueError):
    """A journal that cannot be used, told with the file and what to do about it."""


class SubmissionError(ValueError):
    """A submission cannot be made or read."""
