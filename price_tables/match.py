"""Which model a name means: exact id, then alias, then the id with listed decorations taken off.

Decorations are: a trailing date (YYYYMMDD or YYYY-MM-DD), `-latest`, `-vN`, `:N`, `@...`, `[1m]`; a
leading geography (`us.`), publisher (`anthropic.`) or `provider/`. Nothing else may remain, so a
newer sibling is never priced as its older one. Upper and lower case do not tell models apart. A
name that fits two models is unpriced, and so is one that contradicts the provider that was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from messages.errors import Message, Value
from price_tables.book import Model, PriceBook, ProviderTable, Unpriced

_TRAILING = tuple(
    re.compile(pattern)
    for pattern in (
        r"-20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$",
        r"-20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$",
        r"-latest$",
        r"-v\d{1,3}$",
        r":\d{1,3}$",
        r"@[^@/]+$",
        r"\[1m\]$",
    )
)
_LONGEST_NAME = 300

EXACT, ALIAS, DECORATION = "exact", "alias", "decoration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One model of one provider on one surface. `surface_stated`: caller or name said which."""

    provider: str
    surface: str
    surface_stated: bool
    model: Model
    matched_by: str
    asked: str


@dataclass(frozen=True, slots=True)
class _Found:
    table: ProviderTable
    model: Model
    by: str


@dataclass(frozen=True, slots=True)
class _Index:
    """Every name of a book, folded to one case."""

    ids: dict[str, dict[str, Model]]
    aliases: dict[str, dict[str, Model]]
    bare: dict[str, dict[str, tuple[Model, ...]]]
    words: dict[str, str]
    prefixes: dict[str, str]
    publishers: dict[str, str]


def resolve(
    book: PriceBook, model: str | None, provider: str | None = None, surface: str | None = None
) -> Match | Unpriced:
    """The model that `model` names, or why none. Without a provider a name means its maker, or the
    one reseller whose own id it is; `provider/` in front of the name names the provider."""
    asked = (model or "").strip()
    if not asked:
        return _unpriced("no_model")
    index = _index(book)
    given = index.words.get(provider.strip().casefold()) if provider else None
    if provider and given is None:
        return _unpriced("unknown_provider", provider=provider, known=", ".join(book.tables))
    name = asked.casefold()[:_LONGEST_NAME]
    found = _plain(book, index, name, given) or _decorated(book, index, asked, name, given)
    if isinstance(found, Unpriced):
        return found
    return _on_surface(found, asked, name.rpartition("/")[2], surface)


def table_of(book: PriceBook, provider: str) -> ProviderTable | None:
    """The table of a provider by its name or one of its other names."""
    name = _index(book).words.get(provider.strip().casefold())
    return book.tables[name] if name else None


def _unpriced(key: str, **values: Value) -> Unpriced:
    return Unpriced(reason=Message(f"prices.{key}", values))


def _plain(
    book: PriceBook, index: _Index, name: str, given: str | None
) -> _Found | Unpriced | None:
    """An exact id, else an alias; makers before resellers."""
    return _one(book, index.ids, name, given, EXACT) or _one(
        book, index.aliases, name, given, ALIAS
    )


def _one(
    book: PriceBook, names: dict[str, dict[str, Model]], name: str, given: str | None, by: str
) -> _Found | Unpriced | None:
    for scope in _scopes(book, given):
        hits = [
            _Found(table, names[table.provider][name], by)
            for table in scope
            if name in names[table.provider]
        ]
        if hits:
            return _only(hits, name)
    return None


def _only(hits: list[_Found], name: str) -> _Found | Unpriced:
    if len(hits) == 1:
        return hits[0]
    candidates = ", ".join(f"{hit.table.provider}/{hit.model.id}" for hit in hits)
    return _unpriced("ambiguous_model", model=name, candidates=candidates)


def _scopes(book: PriceBook, given: str | None) -> Iterator[list[ProviderTable]]:
    if given is not None:
        yield [book.tables[given]]
        return
    yield [table for table in book.tables.values() if table.maker]
    yield [table for table in book.tables.values() if not table.maker]


def _decorated(
    book: PriceBook, index: _Index, asked: str, name: str, given: str | None
) -> _Found | Unpriced:
    named, rest = _named_provider(index, name)
    if given and named and not _may_resell(book, given, named, name):
        return _unpriced("provider_conflict", model=asked, named=named, provider=given)
    scope = given or named
    found = _stripped(book, index, rest, scope)
    if found is not None:
        return found
    if scope:
        return _unpriced("unknown_model_of", model=asked, provider=scope)
    sellers = [seller for seller, names in index.bare.items() if rest in names]
    if sellers:
        return _unpriced("only_resold", model=asked, providers=", ".join(sellers))
    return _unpriced("unknown_model", model=asked)


def _named_provider(index: _Index, name: str) -> tuple[str | None, str]:
    """The provider that a name itself states, and the name without a leading `provider/`."""
    named: str | None = None
    head, slash, tail = name.partition("/")
    if slash and head in index.words:
        named, name = index.words[head], tail
    for prefix, owner in index.prefixes.items():
        if name.startswith(prefix):
            return owner, name
    publisher, dot, _ = name.partition(".")
    if dot and publisher in index.publishers:
        return index.publishers[publisher], name
    return named, name


def _may_resell(book: PriceBook, given: str, named: str, name: str) -> bool:
    """`anthropic/claude-opus-5` bought at a reseller names the maker, which is no contradiction."""
    if given == named:
        return True
    return "/" in name and book.tables[named].maker and not book.tables[given].maker


def _stripped(
    book: PriceBook, index: _Index, name: str, scope: str | None
) -> _Found | Unpriced | None:
    level, seen = {name}, {name}
    while level:
        hits = {
            (found.table.provider, found.model.id) if isinstance(found, _Found) else found: found
            for candidate in level
            if (found := _plain(book, index, candidate, scope)) is not None
        }
        if hits:
            return _first(list(hits.values()), name)
        level = {less for candidate in level for less in _less(index, candidate)} - seen
        seen |= level
    return _by_bare_id(book, index, name, scope) if scope else None


def _first(hits: list[_Found | Unpriced], name: str) -> _Found | Unpriced:
    refused = [hit for hit in hits if isinstance(hit, Unpriced)]
    if refused:
        return refused[0]
    found = _only([hit for hit in hits if isinstance(hit, _Found)], name)
    return found if isinstance(found, Unpriced) else _Found(found.table, found.model, DECORATION)


def _by_bare_id(book: PriceBook, index: _Index, name: str, scope: str) -> _Found | Unpriced | None:
    """Some ids carry decorations themselves: `claude-opus-5` at Bedrock."""
    models = index.bare[scope].get(_bare(index, name), ())
    hits = [_Found(book.tables[scope], model, DECORATION) for model in models]
    return _only(hits, name) if hits else None


def _less(index: _Index, name: str) -> Iterator[str]:
    """`name` with one decoration taken off, in each possible way."""
    for pattern in _TRAILING:
        if (found := pattern.search(name)) and found.start() > 0:
            yield name[: found.start()]
    yield from _less_in_front(index, name)


def _less_in_front(index: _Index, name: str) -> Iterator[str]:
    head, slash, tail = name.partition("/")
    if slash and head in index.words and tail:
        yield tail
    for prefix in index.prefixes:
        if name.startswith(prefix) and len(name) > len(prefix):
            yield name[len(prefix) :]
    publisher, dot, tail = name.partition(".")
    if dot and publisher in index.publishers and tail:
        yield tail


def _bare(index: _Index, name: str) -> str:
    """`name` with all decorations off."""
    while (less := next(_less(index, name), None)) is not None:
        name = less
    return name


def _on_surface(found: _Found, asked: str, name: str, surface: str | None) -> Match | Unpriced:
    table = found.table
    named = next((to for prefix, to in table.id_prefixes.items() if name.startswith(prefix)), None)
    given = surface.strip().casefold() if surface else None
    if given and given not in table.surfaces:
        known = ", ".join(table.surfaces)
        return _unpriced("unknown_surface", surface=surface, provider=table.provider, known=known)
    if given and named and given != named:
        return _unpriced("surface_conflict", model=asked, named=named, surface=given)
    by_id = name.partition(".")[0] in table.publishers
    return Match(
        provider=table.provider,
        surface=given or named or table.default_surface,
        surface_stated=bool(given or named or by_id or len(table.surfaces) == 1),
        model=found.model,
        matched_by=found.by,
        asked=asked,
    )


def _index(book: PriceBook) -> _Index:
    known = book.memo.get("names")
    if isinstance(known, _Index):
        return known
    index = _build_index(book)
    book.memo["names"] = index
    return index


def _build_index(book: PriceBook) -> _Index:
    tables = book.tables.values()
    index = _Index(
        ids={t.provider: {m.id.casefold(): m for m in t.models} for t in tables},
        aliases={
            t.provider: {a.casefold(): m for m in t.models for a in m.aliases} for t in tables
        },
        bare={},
        words={
            word.casefold(): t.provider for t in tables for word in (t.provider, *t.also_called)
        },
        prefixes={prefix: t.provider for t in tables for prefix in t.id_prefixes},
        publishers={publisher: t.provider for t in tables for publisher in t.publishers},
    )
    for t in tables:
        index.bare[t.provider] = _bare_ids(index, t.models)
    return index


def _bare_ids(index: _Index, models: Iterable[Model]) -> dict[str, tuple[Model, ...]]:
    bare: dict[str, tuple[Model, ...]] = {}
    for model in models:
        name = model.id.casefold()
        if not name.endswith("-latest"):  # a moving name says nothing about the fixed one
            key = _bare(index, name)
            bare[key] = (*bare.get(key, ()), model)
    return bare
