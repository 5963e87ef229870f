"""The playground: a local page on which programs are written, run, seen and questioned."""
