"""Benchmarks: the paper's experiments and more, compared in one run with a floor and with the tools that people would use instead."""
