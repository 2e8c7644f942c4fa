"""The fields of a dataclass as UCI options."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Iterator, Optional


def number(default: int, low: int, high: int) -> Any:
    """Declares a number field with bounds: `contempt: int = number(0, -100, 100)`."""
    return dataclasses.field(default=default, metadata={"bounds": (low, high)})


def declarations(options: Any) -> Iterator[str]:
    """Returns a UCI line for each option."""
    for field in _fields(options):
        value = getattr(options, field.name)
        if isinstance(value, bool):
            kind = f"check default {_text(value)}"
        elif isinstance(value, int):
            low, high = _bounds(field)
            kind = f"spin default {value} min {low} max {high}"
        elif isinstance(value, enum.Enum):
            kind = f"combo default {value.value}" + "".join(
                f" var {choice.value}" for choice in type(value)
            )
        elif isinstance(value, str):
            kind = f"string default {value or '<empty>'}"
        else:
            found = type(value).__name__
            raise TypeError(
                f"the option {field.name} is a {found}, expected bool, int, str or "
                "an Enum of strings"
            )
        yield f"option name {field.name} type {kind}"


def changed(options: Any, name: str, text: str) -> Any:
    """Returns a copy of the options with one of them set.

    Raises ValueError for an unknown name or a value that the option does not allow.
    """
    field = _named(options, name)
    if field is None:
        known = ", ".join(field.name for field in _fields(options)) or "none"
        raise ValueError(f"found no option {name!r}; the options are: {known}")
    value = getattr(options, field.name)
    if isinstance(value, bool):
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name} is {text!r}, expected true or false")
        new: Any = text.lower() == "true"
    elif isinstance(value, int):
        low, high = _bounds(field)
        if not text.lstrip("-").isdigit() or not low <= int(text) <= high:
            raise ValueError(f"{name} is {text!r}, expected a number from {low} to {high}")
        new = int(text)
    elif isinstance(value, enum.Enum):
        choices = {str(choice.value).lower(): choice for choice in type(value)}
        if text.lower() not in choices:
            raise ValueError(f"{name} is {text!r}, expected one of {', '.join(choices)}")
        new = choices[text.lower()]
    else:
        new = "" if text == "<empty>" else text
    return dataclasses.replace(options, **{field.name: new})


def _fields(options: Any) -> tuple[dataclasses.Field[Any], ...]:
    return () if options is None else dataclasses.fields(options)


def _named(options: Any, name: str) -> Optional[dataclasses.Field[Any]]:
    return next((field for field in _fields(options) if field.name.lower() == name.lower()), None)


def _bounds(field: dataclasses.Field[Any]) -> tuple[int, int]:
    bounds: tuple[int, int] = field.metadata.get("bounds", (-(2**31), 2**31 - 1))
    return bounds


def _text(value: bool) -> str:
    return "true" if value else "false"
