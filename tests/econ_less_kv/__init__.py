"""Less KV: levers, residence, spend, switches, energy."""
