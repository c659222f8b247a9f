"""What a reader sees when something went wrong: one sentence, never a traceback."""

from __future__ import annotations

import logging
import secrets

import streamlit as st

from messages.errors import KvledgerError, Message
from ui.numerals import md
from ui.words import say, t

log = logging.getLogger("kvledger.ui")


def show(error: KvledgerError) -> None:
    """An error that we raised on purpose: its own sentence."""
    show_message(error.message)


def show_message(message: Message | None) -> None:
    """A sentence that came as a message, for instance from a job."""
    text = say(message) if message is not None else t("ui.error.unknown")
    st.error(md(text, longest=1000), icon=":material/error:")


def show_unexpected(error: Exception) -> bool:
    """An error that nobody expected: a number that stands in the log beside the traceback.

    Returns True, which tells the server that the error has been shown.
    """
    if isinstance(error, KvledgerError):
        show(error)
        return True
    number = secrets.token_hex(4)
    log.error("error %s on a page", number, exc_info=error)
    st.error(t("ui.error.unexpected", number=number), icon=":material/error:")
    return True
