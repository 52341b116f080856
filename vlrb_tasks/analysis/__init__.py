"""What votes say beyond their scores: how two runs differ, and how two columns of scores go together."""
