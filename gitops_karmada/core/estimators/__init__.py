"""How much of something has room in a member.

A plugin answers with a number of replicas or of component sets, or None: it cannot tell, and another decides.
It reads the room and changes nothing in it.
"""

from collections.abc import Callable
from typing import TypeAlias

from gitops_karmada.core.capacity import Demand, Room

Estimator: TypeAlias = Callable[[Room, Demand], int | None]
