"""What is kept of a run: logs of votes, journals, and submissions, read, checked and written."""
