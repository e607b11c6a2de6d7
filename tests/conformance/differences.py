"""What is different on purpose, with the reason of each: `fixtures/conformance/differences.json`.

The key is the id of a case. For a step of a story it is `id/step: words`, where the words are in what differs.
"""

import json
from pathlib import Path

FILE = Path(__file__).parent.parent.parent / "fixtures" / "conformance" / "differences.json"


def all_differences() -> dict[str, str]:
    listed: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return listed
