"""Reads `articles.yaml` as strictly as the price tables are read."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from price_tables.articles import ArticleFacts
from price_tables.load import FOLDER, validated
from price_tables.yaml_loader import data_error, read_yaml

ARTICLES_FILE = "articles.yaml"


def load_articles(folder: Path | None = None) -> ArticleFacts:
    """Every figure, in the order of the file; read once a folder.

    Raises DataError that names file, place, what was expected and what was found.
    """
    return _load((folder or FOLDER).resolve())


@lru_cache(maxsize=4)
def _load(folder: Path) -> ArticleFacts:
    file = validated(ArticleFacts, read_yaml(folder / ARTICLES_FILE), ARTICLES_FILE)
    ids = [figure.id for figure in file.figures]
    for at, name in enumerate(ids):
        if name in ids[:at]:
            raise data_error(ARTICLES_FILE, name, "id_once", name)
    return file
