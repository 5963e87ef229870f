"""The laws of the language, one a file: each a function of the same name that yields what breaks it."""
