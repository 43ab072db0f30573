"""The nouns every room speaks: frozen, without input or output, clock or randomness. Not: rules, numbers, formats."""
