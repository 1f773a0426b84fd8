"""Text of the page as markup: names of options that do not break at their hyphens, commands on lines of their own."""

import re

from markupsafe import Markup, escape

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_COMMAND = re.compile(r"(?<=To go on: )\S.*$")
_JOINTS = re.compile(r"(?<=[/_;])")
_PERCENT = re.compile(r"(?<=\d) %")


def mark_up(text: str) -> Markup:
    """Return a text as markup: escaped, with options and the command at its end as code, and "95 %" unbroken.

    >>> print(mark_up("a < b: --columns all does. To go on: ffbm fit --resume"))
    a &lt; b: <code>--columns</code> all does. To go on: <code class="command">ffbm fit <span>--resume</span></code>
    """
    command = _COMMAND.search(text)
    before = text[: command.start()] if command else text
    marked = _OPTION.sub(r"<code>\g<0></code>", _PERCENT.sub("\N{NO-BREAK SPACE}%", str(escape(before))))
    if command:
        words = _OPTION.sub(r"<span>\g<0></span>", str(Markup("<wbr>").join(re.split(r"(?<=/)", command[0]))))
        marked += f'<code class="command">{words}</code>'
    return Markup(marked)


def breakable(text: str) -> Markup:
    """Return a name as markup that may break after its slashes, underscores and semicolons, where a line is short.

    >>> print(breakable("a_b/<c>"))
    a_<wbr>b/<wbr>&lt;c&gt;
    """
    return Markup("<wbr>").join(_JOINTS.split(text))
