"""Pure rules of judging: items, orders, verdicts, votes, scores. No I/O, no model, no YAML."""
