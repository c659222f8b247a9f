"""The articles' figures through kvledger's own functions."""
