"""The engine on a CUDA device: paged decode attention in Triton, graphs, prefill by SDPA."""
