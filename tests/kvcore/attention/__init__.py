import pytest

pytest.importorskip("torch", reason="the engine needs torch, which is not installed")
