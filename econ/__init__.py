"""What things cost: pure functions over plain data."""
