"""Words that announce one's own object, such as `My final verdict:`.

Also with the mark of a reply they are needed: without them 338 instead of all of the
356 own verdicts in `tests/attacks/replies.jsonl` are read.
"""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text, for lists that read better as one."""
    return frozenset(text.split())


PHRASES = re.compile(
    r"\bmaterial (?=facts?\b|lists?\b)|\bin (?:(?:the |this )?debate|short|summary|sum"
    r"|conclusion|full|detail|this "
    r"(?:part|round|case))\b"
    r"|\b(?:in|as) (?:a |the |your |valid )?(?:requested |required |given "
    r"|desired )?(?:json(?: object)?(?: format)?|format)"
    r"(?: requested| required)?\b"
)
"""More of these, where a single word would say too little."""
ANNOUNCING = words(
    """
    a above after all an analysis and answer answers are as asked assessment be below
    bias both came can candidate candidates case certainly chosen come conclude
    conclusion correctness course debate decide decided decision did different
    disagreement do evaluation extracted extraction extractive fact facts final finally
    five following follows for forward found four give given gives grade graded grading
    have hence here here's i i'd i'll i've instructed is it json judge judgement judging
    judgment key legal let's level list listed lists made me my next now number object
    of ok okay on one output overall own part please put query question rate rating
    ready reason reasoned reasons reflection relevance reply requested required response
    result results return review reviewing revised revision round ruling scores see
    sentence similarity six so step structured sum summary sure table that the them then
    there therefore these this three thus to translation translations two up valid
    verdict verification we weighing well were what which with would xml yaml you your
    """
)
"""Words that announce one's own object, and attribute it to nobody else."""
ANNOUNCING_ZH = re.compile(
    r"以下|如下|作为|作出|做出|有|进行|经过|通过|认为|得出|下面|这里|这是|就是|是"
    r"|为|我们?|的|本人|本轮|本次|裁判|裁决|评判|判断|判定|判决|结论|结果|最终|最"
    r"后|综上所述|综上|因此|所以|据此"
    r"|回答|回复|答复|答案|输出|对象|核查|核验|验证|评分|评价|评估|评定|评级|等级"
    r"|评审|打分|事实|列表|候选|清单|实质|法律|提取|归纳|该案|本案|案件|请看|请见|见"
    r"|改写|后|问题|查询|检索|问法|译文|给出|返回|列出|按照?(?:您|你)?的?(?:要求"
    r"|格式)|好的?|可以|明白|当然|分歧|程度|数值|理由|相关性?|相似度?|第[一二三四五"
    r"六\d]+轮|和|与|及"
)
_QUOTE = re.compile(r"(?m)^\s*>")


def announces(name: str) -> bool:
    """True if a name has only words for one's own object, such as `verification` or
    `final_result`.
    """
    return bool(name.strip()) and only_words(
        re.sub(r"[_-]+", " ", name), ANNOUNCING, ANNOUNCING_ZH
    )


def only_words(text: str, known: frozenset[str], chinese: re.Pattern[str]) -> bool:
    """True if a text has no other words than these; an empty one, too."""
    if not text.strip():
        return True
    if len(text) > 300 or _QUOTE.search(text):
        return False
    plain = re.sub(
        r"</?(?:answer|final_answer|output|json|result|response|verdict)>",
        " ",
        text.casefold(),
    ).replace("’", "'")
    if re.search(r"[\u3400-\u9fff]", plain):
        plain = chinese.sub(" ", plain)
        if re.search(r"[\u3400-\u9fff]", plain):
            return False
    plain = re.sub(r"\[\d{1,3}\]", " ", plain)
    plain = PHRASES.sub(" ", plain)
    if re.search(r"[{}\[\]<>|=＝]", plain) or re.search(
        r"\d", re.sub(r"\b(?:round|step) \d+", "", plain)
    ):
        return False
    if re.search(r"[?？]", plain) and not re.search(r"[^\W\d_]", plain):
        return False
    return all(word in known for word in re.findall(r"[^\W\d_]+(?:'[a-z]+)?", plain))
