"""Preferences among candidates. A plugin gives one cluster 0 to 100 points; the points are added up.

It reads what a filter may read: of the targets only whether this cluster is one.
"""

from collections.abc import Callable
from typing import TypeAlias

from gitops_karmada.core.filters import Request
from gitops_karmada.model.clusters import Cluster

Score: TypeAlias = Callable[[Request, Cluster], int]
