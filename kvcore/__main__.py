"""The engine's own command: `python -m kvcore bench | generate | info`. Needs torch alone."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

NO_TORCH = "kvcore needs torch, which is not installed: pip install torch"
BROKEN_TORCH = "kvcore needs torch, which is installed but cannot be loaded: {why}"
EXIT_REFUSED, EXIT_INTERRUPTED = 1, 130


def parser_of() -> argparse.ArgumentParser:
    """All commands and flags."""
    from kvcore import generate
    from kvcore.bench import command

    parser = argparse.ArgumentParser(prog="python -m kvcore", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    bench = commands.add_parser("bench", help="measure this device into a DeviceProfile")
    command.add_flags(bench)
    bench.set_defaults(run=command.bench)
    text = commands.add_parser("generate", help="continue a prompt, with the engine's own report")
    generate.add_flags(text)
    text.set_defaults(run=generate.generate)
    info = commands.add_parser("info", help="device, packages and model, as JSON")
    info.set_defaults(run=generate.info)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 refused; 2 wrong usage; 128 + n where signal n stopped it."""
    # Threads that wait by spinning take the processor from those they wait for as soon as another
    # program runs: a prefill then took several times as long. Read once, when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name == "torch":
            print(NO_TORCH, file=sys.stderr)
        else:
            print(BROKEN_TORCH.format(why=error), file=sys.stderr)
        return EXIT_REFUSED
    except (ImportError, OSError) as error:  # a shared library that is missing or of another kind
        why = " ".join(str(error).split())
        print(BROKEN_TORCH.format(why=why), file=sys.stderr)
        return EXIT_REFUSED
    parsed = parser_of().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # whoever read the answer has seen enough
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main())
