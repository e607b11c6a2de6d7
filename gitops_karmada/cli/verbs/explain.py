"""`explain`: what a code means, and what to do about it."""

import click

from gitops_karmada.cli.exits import Exit
from gitops_karmada.cli.options import Looks, looks


@click.command(name="explain", help="Explain an error code.\n\nWithout a code, list them all.")
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@looks()
def command(codes: tuple[str, ...], looks: Looks) -> Exit:
    from gitops_karmada.cli.output.explanations import explanations, listing, values
    from gitops_karmada.cli.output.formats import report, show
    from gitops_karmada.model.codes import CODES

    wanted = [code.upper() for code in codes]
    if unknown := [code for code in wanted if code not in CODES]:
        raise _unknown(unknown, list(CODES))
    chosen = [CODES[code] for code in wanted] or list(CODES.values())
    lines = explanations(chosen) if wanted else listing(chosen)
    show(looks.screen, looks.output, report("Explanation", {"codes": values(chosen)}), lines)
    return Exit.OK


def _unknown(codes: list[str], known: list[str]) -> click.UsageError:
    import difflib

    longer = [code for code in known if len(codes[0]) > 2 and code.startswith(codes[0])]
    close = (longer or difflib.get_close_matches(codes[0], known, cutoff=0.7))[:3]
    hint = f". Did you mean {' or '.join(close)}?" if close else ". All of them: gitops-karmada explain"
    return click.UsageError(f"there is no code {codes[0]!r}{hint}", click.get_current_context())
