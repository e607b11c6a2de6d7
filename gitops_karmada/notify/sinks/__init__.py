"""Where notices go. A plugin delivers all notices of one turn within its deadline, or raises DeliveryError."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from gitops_karmada.model.notices import Notice
from gitops_karmada.model.problems import GitopsKarmadaError

Sink: TypeAlias = Callable[[str, Sequence[Notice]], None]
"""Called with the instance and the notices."""


class DeliveryError(GitopsKarmadaError):
    """A sink did not take the notices."""
