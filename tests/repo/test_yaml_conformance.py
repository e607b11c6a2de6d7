"""Every case of the YAML corpus is read as kubectl reads it."""

import gzip
import json
from pathlib import Path

from tests.conformance.ops_yaml import OPS


def test_the_whole_corpus() -> None:
    with gzip.open(Path("fixtures/conformance/yaml.jsonl.gz"), "rt") as lines:
        cases = [json.loads(line) for line in lines]
    assert len(cases) == 984
    wrong = {case["id"]: difference for case in cases if (difference := OPS[case["op"]](case))}
    assert wrong == {}
