"""`run`: the daemon."""

import contextlib
import signal

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Where, flag, where

HELP = """Run turns for ever: on a schedule, and when the repository changes.

A failed turn is tried again, later and later; it never ends the daemon. SIGTERM and SIGINT end it after the turn that
is under way. A repository on this machine is watched, a remote one is asked every --interval seconds.
"""


@click.command(name="run", help=HELP)
@where
@flag("--interval", type=click.FloatRange(min=0.1), default=None, help="Seconds between turns; default: the settings.")
@flag("--health", metavar="HOST:PORT", default="", help="Serve /livez and /readyz there; off by default.")
@flag("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How the log looks.")
@flag(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="The least that is logged.",
)
def command(where: Where, interval: float | None, health: str, log_format: str, log_level: str) -> Exit:
    from gitops_karmada.cli.health import HealthServer
    from gitops_karmada.cli.log import Log
    from gitops_karmada.cli.running import failed_turn, pace_of, watches_of
    from gitops_karmada.cli.turns import Turns
    from gitops_karmada.daemon import Daemon

    log = Log(log_format, log_level)
    turns = Turns(where, log)
    pace, watches = pace_of(where, interval, log), watches_of(where)
    daemon = Daemon(turns, failed_turn(log), pace=pace, watches=watches)
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        daemon.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    server = HealthServer(health, lambda: daemon.pulse) if health else contextlib.nullcontext()
    with server, contextlib.closing(turns):
        log("info", "started", interval=f"{pace.interval:g}", watching=" ".join(str(watch.folder) for watch in watches))
        daemon.run()
    log("info", "ended after the turn under way")
    return Exit.INTERRUPTED if received[:1] == [signal.SIGINT] else Exit.TERMINATED
