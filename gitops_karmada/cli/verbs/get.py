"""`get`: lists of what was decided, and of what decides."""

import difflib
from typing import TYPE_CHECKING

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, Where, flag, looks, where

if TYPE_CHECKING:
    from gitops_karmada.cli.output.lists import Item
    from gitops_karmada.model.selectors import LabelSelector

HELP = """List bindings, works, clusters or policies.

Bindings and works are read from the status branch, policies from the newest commit. No member is asked.

\b
  bindings (rb, crb)   where each template runs
  works (wk)           what each member gets
  clusters             the members, as they were seen last
  policies (pp, cpp, op, cop)
"""


@click.command(name="get", help=HELP)
@click.argument("kind", metavar="TYPE")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@flag("-n", "--namespace", default="", help="Only this namespace.")
@flag("-A", "--all-namespaces", is_flag=True, help="All namespaces, which is the default.")
@flag("-l", "--selector", default="", help="Only what has these labels, as kubectl selects.")
@flag("-C", "--cluster", default="", help="Only what runs in this cluster.")
@flag("--no-headers", is_flag=True, help="Rows alone.")
@where
@looks("wide", "name")
def command(
    kind: str,
    names: tuple[str, ...],
    namespace: str,
    all_namespaces: bool,
    selector: str,
    cluster: str,
    no_headers: bool,
    where: Where,
    looks: Looks,
) -> Exit:
    from gitops_karmada.cli.kinds import selector as label_selector
    from gitops_karmada.cli.ledgers import state
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.cli.output.lists import KINDS, LISTS, listing, rows
    from gitops_karmada.cli.output.tables import table
    from gitops_karmada.cli.output.terminal import line

    if kind.lower() not in KINDS:
        raise _unknown(kind, list(KINDS))
    wanted = label_selector(selector) if selector else None
    found = listing(kind.lower(), state(where))
    namespace = "" if all_namespaces else namespace
    items = [item for item in found.items if _is_meant(item, names, namespace, wanted, cluster)]
    header = (*found.header, *found.wide) if looks.output == "wide" else found.header
    lines = table(() if no_headers else header, list(rows(items, looks.output == "wide")))
    if looks.output == "name":
        lines = (line(item.full_name) for item in items)
    plural = KINDS[kind.lower()][0]
    value = report(LISTS[plural], {"items": [item.value for item in items]})
    show(looks.screen, looks.output, value, lines if items else ())
    if not items:
        looks.screen.message(f"No {plural} found{f' in namespace {namespace}' if namespace else ''}.")
    return Exit.NO if names and not items else Exit.OK


def _is_meant(
    item: "Item", names: tuple[str, ...], namespace: str, selector: "LabelSelector | None", cluster: str
) -> bool:
    from gitops_karmada.model.selectors import matches

    return (
        (not names or item.name in names)
        and (not namespace or item.namespace == namespace)
        and (selector is None or matches(selector, item.labels))
        and (not cluster or cluster in item.clusters)
    )


def _unknown(kind: str, known: list[str]) -> click.UsageError:
    close = difflib.get_close_matches(kind.lower(), known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "There are bindings, works, clusters and policies"
    return click.UsageError(f"there is no type {kind!r}. {hint}", click.get_current_context())
