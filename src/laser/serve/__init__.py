"""The playground: a local page to write programs, run them, see the answers and ask for explanations."""
