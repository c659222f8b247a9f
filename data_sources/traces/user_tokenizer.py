"""The user's own tokenizer.json: its exact counts, where `tokenizers` is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from data_sources.traces.base import Decoded
from data_sources.traces.detect import detect
from econ.text_tokens import SCRIPTS, Counts
from messages.errors import Message, input_error

FORMAT = "tokenizer_json"
PACKAGE = "tokenizers"


class UserTokenizer:
    """Counts with the tokenizer of one file. InputError where the file is none."""

    def __init__(self, decoded: Decoded) -> None:
        from tokenizers import Tokenizer

        self.file, self.sha256 = decoded.source.name, decoded.source.sha256
        try:
            self._tokenizer = Tokenizer.from_str(decoded.path.read_text("utf-8"))
        except Exception as error:  # the library raises bare Exception
            raise input_error(
                "texts.not_a_tokenizer", file=self.file, found=str(error)[:200]
            ) from error

    def __call__(self, text: str) -> Counts:
        """The tokens of `text` without special ones, all under the first script."""
        clean = text.encode("utf-8", "replace").decode("utf-8")
        counts = np.zeros(len(SCRIPTS))
        counts[0] = len(self._tokenizer.encode(clean, add_special_tokens=False).ids)
        return counts


def apart(
    files: Sequence[Decoded],
) -> tuple[list[Decoded], UserTokenizer | None, tuple[Message, ...]]:
    """(files of text, the tokenizer among `files`, what there is to say of it)."""
    if len(files) == 1:  # a tokenizer alone comes to no reader
        return list(files), None, ()
    own = [file for file in files if detect(file).format == FORMAT]
    texts = [file for file in files if file not in own]
    return texts, *_tokenizer_of(own)


def _tokenizer_of(files: Sequence[Decoded]) -> tuple[UserTokenizer | None, tuple[Message, ...]]:
    """The tokenizer among the uploaded files and what there is to say. Without the package it is
    not used, which is said; InputError for more than one."""
    if not files:
        return None, ()
    if len(files) > 1:
        names = ", ".join(file.source.name for file in files)
        raise input_error("texts.two_tokenizers", files=names)
    if find_spec(PACKAGE) is None:
        values = {"file": files[0].source.name, "package": PACKAGE}
        return None, (Message("texts.tokenizer_not_used", values),)
    return UserTokenizer(files[0]), ()
