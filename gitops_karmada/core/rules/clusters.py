"""Clusters: a short name, addresses without secrets, unique taints, and resource models without gaps."""

import re
from collections.abc import Iterator
from typing import Final

from gitops_karmada.core.label_keys import label_key_faults
from gitops_karmada.core.rules import Broken
from gitops_karmada.model.clusters import Cluster, ResourceModel, Taint
from gitops_karmada.model.selectors import is_label_value

CODE: Final = "GK2028"
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
# A host or an IPv6 address in brackets; no user, query or fragment.
_ENDPOINT: Final = re.compile(r"(https://)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?(/[^?#@]*)?")
_PROXY: Final = re.compile(r"(http|https|socks5)://.")
_LONGEST_NAME: Final = 48
_EFFECTS: Final = ("NoSchedule", "NoExecute")
_MAX_INT64: Final = 2**63 - 1


def cluster_names(cluster: Cluster) -> Iterator[Broken]:
    name = cluster.metadata.name
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        yield Broken(
            code=CODE,
            path="metadata.name",
            message=f"{name!r} is no cluster name: at most {_LONGEST_NAME} lower-case letters, digits and '-'",
        )


def cluster_addresses(cluster: Cluster) -> Iterator[Broken]:
    """The message never repeats an address: it may hold a password."""
    if cluster.spec.api_endpoint and not _ENDPOINT.fullmatch(cluster.spec.api_endpoint):
        yield Broken(
            code=CODE,
            path="spec.apiEndpoint",
            message="must be host[:port] or an https address, without user, query and fragment",
        )
    if cluster.spec.proxy_url and not _PROXY.match(cluster.spec.proxy_url):
        yield Broken(code=CODE, path="spec.proxyURL", message="must be an http, https or socks5 address")


def cluster_places(cluster: Cluster) -> Iterator[Broken]:
    spec = cluster.spec
    if spec.zone and spec.zones:
        yield Broken(code=CODE, path="spec.zone", message="zone and zones are both set, zone is the old name of zones")
    places = {"provider": spec.provider, "region": spec.region, "zone": spec.zone}
    places |= {f"zones[{number}]": zone for number, zone in enumerate(spec.zones)}
    for field, value in places.items():
        if not is_label_value(value):
            yield Broken(code=CODE, path=f"spec.{field}", message=f"{value!r} is no label value")


def cluster_taints(cluster: Cluster) -> Iterator[Broken]:
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(cluster.spec.taints):
        path = f"spec.taints[{number}]"
        yield from _taint(taint, path)
        if (taint.key, taint.effect) in seen:
            yield Broken(code=CODE, path=path, message=f"the taint {taint.key}:{taint.effect} is given twice")
        seen.add((taint.key, taint.effect))


def _taint(taint: Taint, path: str) -> Iterator[Broken]:
    for fault in label_key_faults(taint.key):
        yield Broken(code=CODE, path=f"{path}.key", message=f"{taint.key!r} is no key: {fault}")
    if not is_label_value(taint.value):
        yield Broken(code=CODE, path=f"{path}.value", message=f"{taint.value!r} is no value of a taint")
    if taint.effect not in _EFFECTS:
        yield Broken(
            code=CODE, path=f"{path}.effect", message=f"{taint.effect!r} is no effect: use {' or '.join(_EFFECTS)}"
        )


def resource_models(cluster: Cluster) -> Iterator[Broken]:
    models, place = cluster.spec.resource_models, "spec.resourceModels"
    if not models:
        return
    if len({model.grade for model in models}) != len(models):
        yield Broken(code=CODE, path=place, message="each grade must be unique")
    names = _names(models[0])
    for number, model in enumerate(models):
        path = f"{place}[{number}].ranges"
        if not model.ranges:
            yield Broken(code=CODE, path=path, message="must name at least one resource")
        if _names(model) != names:
            yield Broken(code=CODE, path=path, message=f"must name the resources {names}, in this order")
            return
        yield from _ranges(model, path)
    yield from _seams(models, place)


def _names(model: ResourceModel) -> list[str]:
    return [part.name for part in model.ranges]


def _ranges(model: ResourceModel, path: str) -> Iterator[Broken]:
    for number, part in enumerate(model.ranges):
        if part.max.nano <= part.min.nano:
            yield Broken(code=CODE, path=f"{path}[{number}].max", message=f"{part.max} is not above min {part.min}")


def _seams(models: tuple[ResourceModel, ...], place: str) -> Iterator[Broken]:
    """From nothing to no limit, each beginning where the one before ends."""
    for number, name in enumerate(_names(models[0])):
        if models[0].ranges[number].min.nano != 0:
            yield Broken(code=CODE, path=f"{place}[0].ranges[{number}].min", message=f"{name} must begin at 0")
        for grade in range(1, len(models)):
            before, here = models[grade - 1].ranges[number].max, models[grade].ranges[number].min
            if before.nano != here.nano:
                yield Broken(
                    code=CODE,
                    path=f"{place}[{grade}].ranges[{number}].min",
                    message=f"{name} must begin at {before}, where the grade before ends, got {here}",
                )
        if models[-1].ranges[number].max.value != _MAX_INT64:
            yield Broken(
                code=CODE,
                path=f"{place}[{len(models) - 1}].ranges[{number}].max",
                message=f"{name} must end at {_MAX_INT64}, which is no limit",
            )
