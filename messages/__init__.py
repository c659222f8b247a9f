"""The ground: message ids, catalogues and the error tree."""
