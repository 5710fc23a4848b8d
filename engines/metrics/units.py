"""The names of units behind a number, and what is exactly the same in another one."""

from __future__ import annotations

import re
from fractions import Fraction

from ...texts.patterns import lazy

Unit = tuple[str | None, frozenset[str]]
"""A known unit under its one name, or None; and the other words behind the number, in
the singular.
"""

NO_UNIT: Unit = (None, frozenset())


def table(text: str) -> dict[str, str]:
    """`kHz=khz mi=mile` as a dictionary."""
    return dict(pair.split("=") for pair in text.split())


_WORDS = """
    m: meter meters metre metres 米;
    cm: centimeter centimeters centimetre centimetres 厘米;
    mm: millimeter millimeters millimetre millimetres 毫米;
    km: kilometer kilometers kilometre kilometres 公里 千米;
    mile: mile miles 英里;
    ft: foot feet 英尺;
    inch: inch inches 英寸;
    yard: yard yards 码;
    kg: kilogram kilograms kilo kilos 公斤 千克;
    g: gram grams gramme grammes 克;
    mg: milligram milligrams 毫克;
    t: ton tons tonne tonnes 吨;
    lb: lbs;
    oz: ounce ounces 盎司;
    s: sec secs second seconds 秒 秒钟;
    ms: millisecond milliseconds 毫秒;
    min: min mins minute minutes 分钟;
    h: hr hrs hour hours 小时 个小时 钟头 个钟头;
    day: day days 天;
    week: week weeks wk wks 周 星期 个星期;
    month: month months 个月;
    year: year years yr yrs 年;
    decade: decade decades;
    century: century centuries 个世纪;
    m/s^2: 米每二次方秒;
    mol: mole moles 摩尔;
    l: liter liters litre litres 升;
    ml: milliliter milliliters millilitre millilitres 毫升;
    j: joule joules 焦耳;
    w: watt watts 瓦 瓦特;
    kw: kilowatt kilowatts 千瓦;
    kwh: kwh 千瓦时;
    v: volt volts 伏 伏特;
    a: ampere amperes amp amps 安培;
    n: newton newtons 牛顿;
    hz: hertz 赫兹;
    acre: acre acres 英亩;
    hectare: hectare hectares ha 公顷;
    byte: byte bytes 字节;
    kb: kilobyte kilobytes 千字节;
    mb: megabyte megabytes 兆字节;
    gb: gigabyte gigabytes gig gigs 吉字节;
    tb: terabyte terabytes 太字节;
    bit: bit bits 比特;
    degree: degree degrees deg 度;
    °c: celsius 摄氏度;
    °f: fahrenheit 华氏度;
    radian: radian radians rad 弧度;
    $: dollar dollars buck bucks usd 美元;
    €: euro euros eur 欧元;
    £: pound pounds gbp quid 英镑;
    cent: cent cents 美分;
    yuan: yuan rmb cny 元 块 块钱 人民币;
    yen: yen jpy 日元;
    rupee: rs rs. rupee rupees inr 卢比;
    times: time times revolution revolutions rotation rotations turn turns 次 圈 遍 倍 回
        周圈;
    person: person persons people 人 个人 名 位;
"""
"""Each unit with its names."""
BY_WORD = {
    word: group.split(":")[0].strip()
    for group in _WORDS.split(";")
    for word in group.partition(":")[2].split()
}
_SYMBOLS = table(
    """
    m=m cm=cm mm=mm km=km KM=km Km=km mi=mile ft=ft yd=yard kg=kg KG=kg Kg=kg g=g
    mg=mg t=t lb=lb oz=oz s=s ms=ms h=h d=day L=l l=l ml=ml mL=ml J=j kJ=kj MJ=mj
    W=w kW=kw MW=mw mW=milliw V=v kV=kv mV=mv A=a mA=ma N=n Hz=hz kHz=khz MHz=mhz
    GHz=ghz Pa=pa kPa=kpa K=kelvin KB=kb kB=kb MB=mb GB=gb TB=tb Mb=mbit Gb=gbit
    kWh=kwh °=degree °C=°c °F=°f °c=°c °f=°f $=$ €=€ £=£ ¥=yuan ¢=cent mmol=mmol
    kcal=kcal cal=cal mol=mol dB=db
    """
)
_ALIASES = table(
    "mph=mile/h mps=m/s kph=km/h kmh=km/h kmph=km/h KM/H=km/h sqm=m^2 cc=cm^3"
    " molar=mol/l"
)
CURRENCIES = table(
    """
    $=$ US$=$ USD=$ €=€ EUR=€ £=£ GBP=£ ¥=yuan RMB=yuan CNY=yuan RS=rupee RS.=rupee
    ₹=rupee INR=rupee
    """
)

_HAN = "\u3400-\u9fff"
_SQUARES = table("square=^2 sq=^2 sq.=^2 cubic=^3 平方=^2 立方=^3")
_SQUARE = lazy(r"sq|cu|[平立]", re.IGNORECASE)
_ONE = rf"[{_HAN}]{{1,9}}|°[CcFf]?|[$€£¥¢]|[A-Za-z]+\.?"
_UNIT = lazy(rf"(?:{_ONE})(?:\^-?\d|(?<=m)[23](?![\d.]))?")
_PER = lazy(
    r"\s*(?:/|\bper\b|\ban?\b(?=\s+(?:second|minute|hour|day|week|month|year)\b)"
    r"|每)\s*",
    re.IGNORECASE,
)
_INVERSE = lazy(r"\s*[·×*]?\s*(?P<unit>s|h|min|L|l|kg|m|mol|K)\^-(?P<power>\d)")
"""`m s^-2`, which is m/s²."""


def unit_at(text: str, start: int) -> tuple[Unit, int]:
    """The unit at `start`, and its end.

    An empty unit ends where it starts.
    """
    place = _skip(text, start)
    known, end = _known_at(text, place)
    if known is not None:
        return (known, frozenset()), end
    return NO_UNIT, start


def _skip(text: str, place: int) -> int:
    while (
        place < len(text)
        and text[place] in " -"
        and (text[place] == " " or text[place + 1 : place + 2].isalpha())
    ):
        place += 1
    return place


def _known_at(text: str, place: int) -> tuple[str | None, int]:
    """The name of a known unit at this place, compound ones (`km/h`, `miles per hour`,
    米每秒) as one; and its end.
    """
    first, end = _simple_at(text, place)
    if first is None:
        return None, place
    while True:
        inverse = _INVERSE.match(text, end)
        if inverse is not None:
            power = "" if inverse["power"] == "1" else f"^{inverse['power']}"
            first, end = f"{first}/{_named(inverse['unit'])}{power}", inverse.end()
            continue
        joined = _PER.match(text, end)
        if joined is None:
            return first.replace("/s/s", "/s^2"), end
        following, after = _simple_at(text, joined.end())
        if following is None:
            return first.replace("/s/s", "/s^2"), end
        first, end = f"{first}/{following}", after


_DEGREES = lazy(
    r"(?:degrees?|deg\.?|°)\s*(?:(?P<c>celsius|centigrade|c)|(?P<f>fahrenheit|f))\b",
    re.IGNORECASE,
)
_RAISED = lazy(r"\s+(?:(?P<two>squared)|cubed)\b", re.IGNORECASE)


def _simple_at(text: str, place: int) -> tuple[str | None, int]:
    degrees = _DEGREES.match(text, place)
    if degrees is not None:
        return ("°c" if degrees["c"] else "°f"), degrees.end()
    name, end = _named_at(text, place)
    raised = _RAISED.match(text, end) if name is not None and "^" not in name else None
    if raised is None:
        return name, end
    return f"{name}^{2 if raised['two'] else 3}", raised.end()


def _named_at(text: str, place: int) -> tuple[str | None, int]:
    power, began = "", place
    squares = _SQUARES if _SQUARE.match(text, place) else {}
    for word, sign in squares.items():
        if text[place : place + len(word)].casefold() == word and (
            not word[-1].isascii()
            or text[place + len(word) : place + len(word) + 1] in " -"
        ):
            power, place = sign, _skip(text, place + len(word))
            break
    match = _UNIT.match(text, place)
    if match is None:
        return None, began
    raw, caret, digits = match[0].partition("^")
    if raw == "ms" and digits.startswith("-"):
        return f"m/s^{digits[1:]}".removesuffix("^1"), match.end()
    if raw[-1] in "23":
        raw, caret, digits = raw[:-1], "^", raw[-1]
    if raw.casefold() in ("in", "in.") and not text[match.end() :].strip():
        return "inch" + (power or caret + digits), match.end()
    if "\u3400" <= raw[0] <= "\u9fff":
        for length in range(len(raw), 0, -1):
            if raw[:length] in BY_WORD:
                if length < len(raw):
                    caret = digits = ""
                return BY_WORD[
                    raw[:length]
                ] + power + caret + digits, place + length + (
                    len(caret + digits) if length == len(raw) else 0
                )
        return None, began
    name = _named(raw) or _named(raw.rstrip("."))
    if name is None:
        return None, began
    end = match.end() - (raw.endswith(".") and _named(raw) is None and not caret)
    return name + (power or caret + digits), end


def _named(word: str) -> str | None:
    if word in _ALIASES or word.casefold() in _ALIASES:
        return _ALIASES.get(word) or _ALIASES[word.casefold()]
    return _SYMBOLS.get(word) or BY_WORD.get(word.casefold())


# ------------------------------------------------------------------ conversions

_SYSTEMS = """
    time: ms=1/1000 s=1 min=60 h=3600 day=86400 week=604800
    calendar: month=1 year=12 decade=120 century=1200
    length: mm=1 cm=10 m=1000 km=1000000
    feet: inch=1 ft=12 yard=36 mile=63360
    mass: mg=1 g=1000 kg=1000000
    pounds: oz=1 lb=16
    energy: j=1 kj=1000 mj=1000000
    power: milliw=1/1000 w=1 kw=1000 mw=1000000
    voltage: mv=1/1000 v=1 kv=1000
    current: ma=1/1000 a=1
    frequency: hz=1 khz=1000 mhz=1000000 ghz=1000000000
    dollars: cent=1 $=100
    length^3: ml=1000 l=1000000"""
"""Each system with its units, in the first one."""
_CONVERTED = {
    unit: (line.split(":")[0].strip(), Fraction(factor))
    for line in _SYSTEMS.strip().splitlines()
    for unit, factor in table(line.partition(":")[2]).items()
}


def converted(unit: str | None) -> tuple[str, Fraction] | None:
    """The system of a unit and how many of the system's first unit it is; None where it
    is in none. Squares and cubes are in systems of their own."""
    name, raised, power = (unit or "").partition("^")
    found = _CONVERTED.get(name)
    if found is None or not raised:
        return found
    if power not in ("2", "3"):
        return None
    return f"{found[0]}^{power}", found[1] ** int(power)
