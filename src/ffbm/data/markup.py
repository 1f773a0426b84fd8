"""XML, event by event, with every document type declaration refused before anything in it is read."""

from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, Protocol
from xml.parsers import expat

from ffbm.errors import DataError


class Reader(Protocol):
    """What hears a document; ``listen`` turns the text between elements on and off."""

    listen: Callable[[bool], None]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Hear that an element opens."""

    def end(self, name: str) -> None:
        """Hear that an element closes."""

    def text(self, text: str) -> None:
        """Hear a piece of text."""


def parse_markup(data: bytes, where: str, reader: Reader) -> None:
    """Send the elements of an XML document to a reader, names without their prefix.

    A DOCTYPE is where entities are declared, which can be made to fill the memory or to fetch other
    files. No graph format needs one, so any is refused.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def listen(is_wanted: bool) -> None:
        parser.CharacterDataHandler = reader.text if is_wanted else None

    reader.listen = listen
    parser.StartDoctypeDeclHandler = lambda *_: _refuse(where)
    parser.StartElementHandler = lambda name, attributes: reader.start(name.rpartition(":")[2], attributes)
    parser.EndElementHandler = lambda name: reader.end(name.rpartition(":")[2])
    try:
        parser.Parse(data, True)
    except DataError:
        raise
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise DataError(
            f"{where}: not XML at line {error.lineno}: {reason}; the file may be cut short: fetch or write it again"
        ) from None
    except (ValueError, LookupError):  # an encoding that the declaration names and Python does not know
        raise DataError(f"{where}: its XML declaration names an unknown encoding: save it as UTF-8") from None


def root_element(data: bytes, where: str) -> str:
    """Return the name of the outermost element."""
    first = _First()
    with suppress(_FoundError):
        parse_markup(data, where, first)
    return first.name


class _FoundError(Exception):
    pass


class _First:
    def __init__(self) -> None:
        self.listen: Callable[[bool], None]
        self.name = ""

    def start(self, name: str, _: dict[str, str]) -> None:
        self.name = name
        raise _FoundError

    def end(self, _: str) -> None: ...

    def text(self, _: str) -> None: ...


def _refuse(where: str) -> NoReturn:
    raise DataError(f"{where}: XML with a DOCTYPE is not read (it can declare entities): delete the declaration")
