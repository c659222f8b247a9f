"""Text to token ids and back, and a model's chat template, from a GGUF or a tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kvcore.errors import KvcoreError
from kvcore.optional import is_present, require

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

    from kvcore.model.gguf_file import GgufFile

#: llama.cpp's names of the ways in which text is cut before merging (tokenizer.ggml.pre).
DIGITS = ("smollm",)
SPLITS = {
    "llama-bpe": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "qwen2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
CONTROL, USER_DEFINED = 3, 4  # tokenizer.ggml.token_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenizer:
    """A byte-level BPE vocabulary. Decoding what was encoded gives the same text back.

    Bytes that the vocabulary does not hold are left out, as in transformers; SmolLM2's lacks
    six control characters and the first bytes of planes without characters.
    """

    backend: Backend
    bos_id: int | None
    eos_id: int | None
    chat_template: str | None
    adds_bos: bool = False

    @property
    def size(self) -> int:
        """Ids there are, added tokens included."""
        return int(self.backend.get_vocab_size(with_added_tokens=True))

    def encode(self, text: str) -> list[int]:
        """Token ids of text; written control tokens such as <|im_start|> become their one id."""
        ids = list(self.backend.encode(text, add_special_tokens=False).ids)
        if self.adds_bos and self.bos_id is not None:
            ids.insert(0, self.bos_id)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, control tokens written out."""
        return str(self.backend.decode(list(ids), skip_special_tokens=False))

    def chat(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The prompt that the model's template makes of messages, ready for the reply.

        Raises KvcoreError where there is no template or it refuses these messages.
        """
        if self.chat_template is None:
            raise KvcoreError("kvcore.no_chat_template", "This model has no chat template.")
        require("jinja2", "A chat template")
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        try:
            # A template comes with the model's file: it is run without reach into Python.
            return environment.from_string(self.chat_template).render(
                messages=[dict(message) for message in messages],
                add_generation_prompt=True,
                bos_token=self._text(self.bos_id),
                eos_token=self._text(self.eos_id),
            )
        except TemplateError as error:
            raise KvcoreError(
                "kvcore.chat_template_failed",
                "The model's chat template refuses these messages: {problem}.",
                {"problem": str(error)},
            ) from error

    def _text(self, token: int | None) -> str:
        return "" if token is None else (self.backend.id_to_token(token) or "")


def gguf_tokenizer(file: GgufFile) -> tuple[Tokenizer | None, str]:
    """The tokenizer in a GGUF; else None and one sentence why (its ids can still be run)."""
    if not is_present("tokenizers"):
        return None, "the package tokenizers is not installed"
    model = file.value("tokenizer.ggml.model")
    if model != "gpt2":
        return None, f"tokenizer.ggml.model is {model}; byte-level BPE (gpt2) is read"
    pre = file.value("tokenizer.ggml.pre", "default")
    if pre not in DIGITS and pre not in SPLITS:
        return None, f"tokenizer.ggml.pre is {pre}; read are {', '.join((*DIGITS, *SPLITS))}"
    try:
        backend = _byte_level_bpe(file, pre)
    except Exception as error:  # the binding raises bare Exception for merges that do not fit
        return None, f"the vocabulary in the file does not fit together ({error})"
    return (
        Tokenizer(
            backend=backend,
            bos_id=file.value("tokenizer.ggml.bos_token_id"),
            eos_id=file.value("tokenizer.ggml.eos_token_id"),
            chat_template=file.value("tokenizer.chat_template"),
            adds_bos=bool(file.value("tokenizer.ggml.add_bos_token", False)),
        ),
        "",
    )


def _byte_level_bpe(file: GgufFile, pre: str) -> Backend:
    from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers
    from tokenizers import Tokenizer as Backend

    words = file.needed("tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ", 1)) for merge in file.needed("tokenizer.ggml.merges")]
    vocabulary = {word: index for index, word in enumerate(words)}
    # Llama 3 takes a whole word where the vocabulary has it, without merging towards it.
    whole_words = pre == "llama-bpe"
    bpe = models.BPE(vocab=vocabulary, merges=merges, ignore_merges=whole_words)
    backend = Backend(bpe)
    first: Any
    if pre in DIGITS:
        first = pre_tokenizers.Digits(individual_digits=True)
        second = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    else:
        first = pre_tokenizers.Split(Regex(SPLITS[pre]), behavior="isolated")
        second = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([first, second])
    backend.decoder = decoders.ByteLevel()
    kinds = file.value("tokenizer.ggml.token_type", [])
    special = [word for word, kind in zip(words, kinds, strict=False) if kind == CONTROL]
    defined = [word for word, kind in zip(words, kinds, strict=False) if kind == USER_DEFINED]
    backend.add_special_tokens([AddedToken(word, normalized=False) for word in special])
    backend.add_tokens([AddedToken(word, normalized=False) for word in defined])
    return backend


def folder_tokenizer(folder: Path) -> tuple[Tokenizer | None, str]:
    """The tokenizer.json of a model folder; else None and one sentence why."""
    from kvcore.model.safetensors_folder import read_json

    path = folder / "tokenizer.json"
    if not path.is_file():
        return None, "the folder holds no tokenizer.json"
    if not is_present("tokenizers"):
        return None, "the package tokenizers is not installed"
    from tokenizers import Tokenizer as Backend

    try:
        backend = Backend.from_file(str(path))
    except Exception as error:  # the binding raises bare Exception for every damaged file
        return None, f"tokenizer.json cannot be read ({error})"
    settings_path = folder / "tokenizer_config.json"
    settings = read_json(settings_path) if settings_path.is_file() else {}
    template = settings.get("chat_template")
    beside = folder / "chat_template.jinja"
    if template is None and beside.is_file():
        template = beside.read_text(encoding="utf-8")
    return (
        Tokenizer(
            backend=backend,
            bos_id=_token_id(backend, settings.get("bos_token")),
            eos_id=_token_id(backend, settings.get("eos_token")),
            chat_template=template if isinstance(template, str) else None,
            adds_bos=bool(settings.get("add_bos_token", False)),
        ),
        "",
    )


def _token_id(backend: Backend, token: object) -> int | None:
    """The id of a token written plainly or as an object with its content."""
    text = token.get("content") if isinstance(token, Mapping) else token
    return backend.token_to_id(text) if isinstance(text, str) else None
