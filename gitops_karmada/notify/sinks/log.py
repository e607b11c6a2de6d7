"""One line of JSON a notice, to a stream."""

import json
from collections.abc import Sequence
from typing import TextIO

from gitops_karmada.model.decode import encode
from gitops_karmada.model.notices import Notice
from gitops_karmada.notify.sinks import Sink


def to_log(stream: TextIO) -> Sink:
    def write(instance: str, notices: Sequence[Notice]) -> None:
        for notice in notices:
            stream.write(json.dumps({"instance": instance, **encode(notice)}) + "\n")
        stream.flush()

    return write
