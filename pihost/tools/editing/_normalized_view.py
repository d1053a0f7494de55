"""The view of a text in which spellings that look alike are the same."""

import unicodedata

__all__ = ["has_line_end_space", "normalized_view"]

_AS_ASCII = {
    "'": "\u2018\u2019\u201a\u201b",
    '"': "\u201c\u201d\u201e\u201f",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
}
_REPLACEMENTS = tuple((odd, plain) for plain, odds in _AS_ASCII.items() for odd in odds)

_LINE_END_SPACE = _AS_ASCII[" "] + " \t\v\f\r\u2028\u2029\ufeff"
"""Unicode's space separators, and what else counts as white space at the end of a line."""

_ASCII_LINE_END_SPACE = " \t\v\f\r"


def normalized_view(text: str) -> str:
    """NFKC, without white space at line ends, and with quotes, dashes and spaces as their ASCII.

    Lines stay where they are: line ``n`` of the result comes from line ``n`` of the text.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if has_line_end_space(text):
        text = "\n".join(line.rstrip(_LINE_END_SPACE) for line in text.split("\n"))
    if not text.isascii():
        for odd, plain in _REPLACEMENTS:
            text = text.replace(odd, plain)
    return text


def has_line_end_space(text: str) -> bool:
    """Whether any line ends in white space. Quick on text that has none."""
    spaces = _ASCII_LINE_END_SPACE if text.isascii() else _LINE_END_SPACE
    return text.endswith(tuple(spaces)) or any(space in text and f"{space}\n" in text for space in spaces)
