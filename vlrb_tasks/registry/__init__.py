"""YAML files of this project: prompts and benchmarks, read with errors that name file, line and field."""
