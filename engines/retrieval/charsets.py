"""The character sets that pages name."""

from __future__ import annotations

import codecs
from functools import cache


@cache
def _known() -> frozenset[str]:
    """Python's names of the encodings.

    Python knows further codecs that are no encodings, and some take hours for a page.
    """
    return frozenset(
        codecs.lookup(name).name
        for name in (
            "utf-8 utf-8-sig ascii utf-16 utf-16-le utf-16-be utf-32 gb18030 gbk "
            "gb2312 hz big5 big5hkscs shift_jis cp932 euc-jp "
            "iso-2022-jp euc-kr cp949 johab koi8-r koi8-u tis-620 mac-roman "
            + " ".join(f"iso8859-{n}" for n in (*range(1, 12), 13, 14, 15, 16))
            + " ".join(
                ("", *(f"cp{n}" for n in (437, 850, 852, 866, 874, *range(1250, 1259))))
            )
        ).split()
    )


def encodings(name: str) -> tuple[str, ...]:
    """The character set of that name, if it is one of those that pages have.

    ISO 8859-1 means windows-1252 on the web.
    """
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ()
    if found in ("ascii", "iso8859-1"):
        return "cp1252", "iso8859-1"
    if found in _known():
        return (found,)
    return ()
