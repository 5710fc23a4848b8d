"""Flags passages that address the model instead of the reader. A flag only shows it: in a prompt, every passage is data anyway."""

from __future__ import annotations

import re
import unicodedata

INSTRUCTIONS = "instructions"
MARKS = "marks"

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")

_TOLD = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b~(?:\w{1,25}~){0,4}?(?:instructions?|prompts?|rules?|guidelines?|directions|commands?)\b
    | \b(?:ignore|disregard|forget)\b~(?:everything|all|anything)~(?:\w{1,25}~){0,2}?(?:above|before|previous|prior|earlier)\b
    | \byou~are~now~(?:an?~|in~)?(?:\w{1,25}~){0,3}?(?:assistant|model|mode|bot|ai|dan|unrestricted|jailbroken)\b
    | \b(?:new|updated|additional|hidden|secret)~(?:system~)?instructions?\s{0,4}:
    | \b(?:reveal|print|show|repeat|output|leak)\b~(?:\w{1,25}~){0,3}?(?:system~prompt|your~(?:prompt|instructions))\b
    | \b(?:answer|reply|respond|output)\b~(?:only|exactly|nothing~but|with~only|the~following)\b[^.\n]{0,40}?["'“:]
    | \b(?:give|assign|rate|score|award)\b[^.\n]{0,40}?\b(?:highest|full|maximum|perfect|lowest)~(?:scores?|marks?|ratings?)\b
    | \bdo~not~(?:cite|use|trust|mention|follow)\b[^.\n]{0,30}?\b(?:references?|passages?|instructions?|rules?)\b
    | \b(?:ai|language)~(?:assistants?|models?)\b[^.\n]{0,40}?\b(?:must|should|shall|please|now)\b
    | ^[^\S\n]{0,12}(?:\#{1,6}[^\S\n]{0,4})?(?:system|assistant|developer)(?:\s{1,4}(?:message|prompt|note))?\s{0,4}:
    | ^[^\S\n]{0,12}(?:\#{1,6}[^\S\n]{0,4})?instructions?\s{0,4}:
    | <\|[\w ]{1,30}\|> | </?s> | \[/?inst\] | <</?sys>> | </?(?:system|assistant|instructions?|user_query|tool_call)>
    | (?:忽略|无视|不要理会|忘记|忘掉|抛开|跳过|不必理会)[^\u3002\n]{0,16}?
      (?:指令|指示|提示|规则|命令|要求|对话|内容)
    | (?:你现在是|从现在起[,\uff0c]?你|你将扮演|你必须(?:回答|输出|回复))
    | (?:请|务必|必须|只)(?:只|直接)?(?:回答|输出|回复)\s{0,4}["\u201c\u300c:\uff1a]
    | (?:新的|隐藏|系统)(?:指令|指示|提示词?)\s{0,4}[:\uff1a]
    | (?:打|给)(?:出|予)?(?:满分|最高分)
    | ^[^\S\n]{0,12}(?:系统|助手|开发者)\s{0,4}[:\uff1a]
    """.replace("~", r"\W{1,4}"),
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""Ways to address a model, in English and Chinese: forget what you were told, be somebody else, say or score this; role markers."""

_MARK = re.compile(
    r"[\[\u3010]\s?\^?\d{1,3}(?:\s?[,\u3001-]\s?\d{1,3}){0,20}\s?[\]\u3011]|<<<|>>>"
    r"|^[^\S\n]{0,12}(?:reference|参考(?:资料|文献))\s?\[?\d{1,3}\]?\s?:",
    re.IGNORECASE | re.MULTILINE,
)


def flags_of(text: str, title: str = "") -> list[str]:
    """The flags of a passage. `instructions`: instructions or role markers. `marks`: it has `[n]` or the signs of an enclosure in it."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", f"{title}\n{text}"))
    return [name for name, pattern in ((INSTRUCTIONS, _TOLD), (MARKS, _MARK)) if pattern.search(plain)]
