"""Judge benchmarks for vision-language reward models, as lmms-eval tasks."""

__version__ = "0.1.0"
