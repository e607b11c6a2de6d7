"""The metadata that every Kubernetes object carries, as far as decisions need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from gitops_karmada.model.frozen import NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectMeta:
    open_ended: ClassVar[bool] = True

    name: str = ""
    namespace: str = ""
    labels: Mapping[str, str] = field(default=NOTHING)
    annotations: Mapping[str, str] = field(default=NOTHING)
    uid: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
