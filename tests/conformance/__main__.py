"""Compare our answers with recorded ones: `python -m tests.conformance FILE.jsonl.gz …`.

Every module `tests/conformance/ops_*.py` has a table `OPS`: the name of an operation, and a function that answers None
where a case is right and says the difference where it is not. Cases that are different on purpose are listed with their
reasons in `fixtures/conformance/differences.json`, and counted.
"""

import argparse
import gzip
import importlib
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance.differences import all_differences

Case = dict[str, Any]
Compare = Callable[[Case], str | None]

SHOWN = 10


@dataclass
class Tally:
    """How many cases of one operation were right, and what was different in the others."""

    total: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    on_purpose: list[str] = field(default_factory=list)

    @property
    def right(self) -> int:
        return self.total - len(self.wrong)


def operations() -> dict[str, Compare]:
    """The tables of all modules, together."""
    found: dict[str, Compare] = {}
    for path in sorted(Path(__file__).parent.glob("ops_*.py")):
        found |= importlib.import_module(f"tests.conformance.{path.stem}").OPS
    return found


def read_cases(path: Path) -> Iterator[Case]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def run(cases: Iterable[Case], table: Mapping[str, Compare]) -> dict[str, Tally]:
    """Every case once. One whose operation nobody knows is wrong."""
    tallies: dict[str, Tally] = {}
    listed = all_differences()
    for case in cases:
        tally = tallies.setdefault(case["op"], Tally())
        tally.total += 1
        difference = _difference(case, table.get(case["op"]))
        if difference is not None and case["id"] in listed:
            tally.on_purpose.append(case["id"])
        elif difference is not None:
            tally.wrong.append((case["id"], difference))
    return tallies


def _difference(case: Case, compare: Compare | None) -> str | None:
    if compare is None:
        return "no module answers this operation"
    try:
        return compare(case)
    except Exception as error:  # noqa: BLE001  # one broken case must not hide the others
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"


def report(path: Path, tallies: Mapping[str, Tally]) -> bool:
    """Print one line an operation and the first wrong cases. Whether all are right."""
    print(path.name)
    for operation, tally in sorted(tallies.items()):
        listed = f" ({len(tally.on_purpose)} different on purpose)" if tally.on_purpose else ""
        print(f"  {operation} {tally.right}/{tally.total}{listed}")
        for case, difference in tally.wrong[:SHOWN]:
            print(f"    {case}: {difference[:400]}")
    return all(not tally.wrong for tally in tallies.values())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--op", action="append", default=[], help="only this operation; may be repeated")
    parser.add_argument("--by", action="append", default=[], help="only cases of this interpreter; may be repeated")
    parser.add_argument("--id", action="append", default=[], help="only the case with this id; may be repeated")
    options = parser.parse_args(arguments)
    table = operations()
    right = [report(path, run(_wanted(read_cases(path), options), table)) for path in options.files]
    return 0 if all(right) else 1


def _wanted(cases: Iterable[Case], options: argparse.Namespace) -> Iterator[Case]:
    for case in cases:
        wishes = ((options.op, case["op"]), (options.by, case.get("by")), (options.id, case["id"]))
        if all(not wish or value in wish for wish, value in wishes):
            yield case


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
