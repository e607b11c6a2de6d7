"""A map that never changes and can be hashed, so that nouns with maps can be keys."""

from typing import Any, NoReturn, TypeVar

V = TypeVar("V")


class Frozen(dict[str, V]):
    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dict that cannot change may be hashed
        return hash(frozenset((key, _hashable(value)) for key, value in self.items()))

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a frozen map never changes")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(_hashable(item) for item in value)
    return value


NOTHING: Frozen[Any] = Frozen()
