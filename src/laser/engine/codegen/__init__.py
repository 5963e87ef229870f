"""Rules compiled to Python source."""
