"""How fast it is: the paper's experiments and more, next to a floor and to what people would use instead, in one run."""
