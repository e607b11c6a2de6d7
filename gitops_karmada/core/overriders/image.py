"""Registry, repository or tag of container images."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from gitops_karmada.core.containers import containers_of
from gitops_karmada.core.images import Image, image
from gitops_karmada.core.overriders import YamlText
from gitops_karmada.core.patch import PatchError, patched
from gitops_karmada.model.objects import Object
from gitops_karmada.model.policies import ImageComponent, ImageOverrider, OverriderOperator


def override_image(obj: Object, element: ImageOverrider, _yaml: YamlText) -> Object:
    """With a predicate that one place; without one, all main containers of the kinds that are known."""
    if element.predicate is not None:
        return _override_at(obj, element.predicate.path, element)
    for place, container in containers_of(obj):
        obj = _write(obj, f"{place}/image", container.get("image") or "", element)
    return obj


def _override_at(obj: Object, path: str, element: ImageOverrider) -> Object:
    if not path.startswith("/"):
        raise PatchError(f"predicate.path {path!r} must start with '/'")
    return _write(obj, path, _looked_up(obj, path), element)


def _looked_up(obj: Object, path: str) -> object:
    # Karmada does not unescape ~0 and ~1 here.
    here: object = obj
    for key in path.strip("/").split("/"):
        if isinstance(here, Mapping) and key in here:
            here = here[key]
        elif isinstance(here, list | tuple) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        else:
            raise PatchError(f"predicate.path {path}: there is no {key!r} (missing, or an index out of range)")
    return here


def _write(obj: Object, pointer: str, text: object, element: ImageOverrider) -> Object:
    if not isinstance(text, str):
        raise PatchError(f"{pointer}: expected an image name, got {type(text).__name__}")
    try:
        changed = str(_overridden(image(text), element))
    except ValueError as wrong:
        raise PatchError(f"{pointer}: {wrong}") from wrong
    result: Object = patched(obj, pointer, OverriderOperator.REPLACE, changed)
    return result


def _overridden(old: Image, element: ImageOverrider) -> Image:
    match element.component:
        case ImageComponent.REGISTRY:
            return replace(old, registry=_text(old.registry, element))
        case ImageComponent.REPOSITORY:
            return replace(old, repository=_text(old.repository, element))
        case ImageComponent.TAG if element.operator is OverriderOperator.REMOVE:
            return replace(old, tag="", digest="") if not old.tag else replace(old, tag="")
        case ImageComponent.TAG:
            return old.with_tag_or_digest(_text(old.tag_or_digest, element))
        case None:
            raise ValueError("a component is required: Registry, Repository or Tag")


def _text(old: str, element: ImageOverrider) -> str:
    return _OPERATIONS[element.operator or OverriderOperator.REPLACE](old, element.value)


# `add` puts the value behind what is there, without a separator, as Karmada does.
_OPERATIONS: dict[OverriderOperator, Callable[[str, str], str]] = {
    OverriderOperator.ADD: lambda old, value: old + value,
    OverriderOperator.REPLACE: lambda _, value: value,
    OverriderOperator.REMOVE: lambda _old, _value: "",
}
