"""Models: their shape, their weights, their tokenizer, and the plain forward pass."""
