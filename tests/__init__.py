"""The test bench: cases as data, laws over random programs, fuzzing, soaking."""
