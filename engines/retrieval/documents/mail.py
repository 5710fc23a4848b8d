"""Reads mails."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage

from ....texts import t
from .blocks import page_text
from .document import Document, RawFile, unreadable
from .html import parsed
from .metadata import flat
from .shortfall import compare


def mail(raw: RawFile) -> Iterator[Document]:
    """The text of a mail; attachments are named in a remark."""
    try:
        found = email.message_from_bytes(raw.data, policy=email.policy.default)
        body = found.get_body(("plain", "html"))
        text = "" if body is None else str(body.get_content())
        if body is not None and body.get_content_subtype() == "html":
            text = page_text(parsed(text))
        said = {name: str(found[name] or "") for name in ("from", "to", "date")}
        title = str(found["subject"] or "")
        compare(raw, _inline(found), text)
        attached = [one.get_filename() or "?" for one in found.iter_attachments()]
    # whatever a broken mail does to the library
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise unreadable("wrong.documents.mail", kind=type(error).__name__) from None
    if attached:
        names = ", ".join(attached[:3]) + (", \u2026" if len(attached) > 3 else "")
        raw.remark(t("wrong.documents.attached", n=len(attached), names=names))
    yield Document(title or raw.stem, text, raw.name, flat(said))


def _inline(found: EmailMessage) -> Iterator[tuple[str, str]]:
    """The texts of a mail that are no attachments, with their places."""
    for number, part in enumerate(found.walk(), 1):
        if part.get_content_maintype() == "text" and not part.is_attachment():
            said = str(part.get_content())
            if part.get_content_subtype() == "html":
                said = page_text(parsed(said))
            yield t("wrong.documents.part_place", n=number), said
