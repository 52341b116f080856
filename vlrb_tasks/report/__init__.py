"""What becomes of votes: tables and files for people, made from logs without a model."""
