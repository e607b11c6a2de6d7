"""Every detector is in the table and in the documentation."""

import pkgutil
from pathlib import Path

from gitops_karmada.core import detectors
from gitops_karmada.core.detect import DETECTORS
from tests.core.detectors.test_detectors import OWNED

DOCS = Path(__file__).parents[2] / "docs" / "ownership.md"


def test_every_detector_of_the_folder_is_in_the_table() -> None:
    modules = {f"{detectors.__name__}.{module.name}" for module in pkgutil.iter_modules(detectors.__path__)}
    assert {detector.__module__ for detector in DETECTORS} == modules


def test_every_tool_is_documented() -> None:
    text = DOCS.read_text()
    tools = {tool for _, tool, _, _ in OWNED.values() if not tool.startswith("wrangler:")}
    assert len(tools) > 15
    assert sorted(tool for tool in tools if tool not in text) == []
