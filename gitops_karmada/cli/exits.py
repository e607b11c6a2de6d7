"""What the exit codes mean. Part of the interface: only ever added to."""

from enum import IntEnum


class Exit(IntEnum):
    OK = 0
    NO = 1
    """The answer is no: findings, differences, unhealthy."""
    USAGE = 2
    """A flag, an argument or a setting is wrong; nothing was contacted."""
    FAILED = 3
    """Git, the network or an API server failed."""
    UNAUTHORIZED = 4
    HELD = 5
    """Something needs a person's approval: the deletion budget, an object that somebody else owns."""
    PARTIAL = 6
    """Some members are done, some are not."""
    TIMEOUT = 7
    RACE = 8
    """Somebody else pushed first; it is safe to run this again."""
    BUG = 70
    INTERRUPTED = 130
    TERMINATED = 143
