"""Trying interpreters on objects from files."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitops_karmada.core.check_customizations import check_customizations
from gitops_karmada.core.customize import customized
from gitops_karmada.core.federate import federate
from gitops_karmada.core.interpret import By, Interpreter, Operation
from gitops_karmada.core.interpreters import InterpretError
from gitops_karmada.model.customizations import ScriptError
from gitops_karmada.model.federation import Federation
from gitops_karmada.model.files import Manifests
from gitops_karmada.model.objects import Object
from gitops_karmada.model.problems import Location, ManifestError, Problem, SettingsError
from gitops_karmada.model.settings import Settings
from gitops_karmada.repo.manifests import read_file
from gitops_karmada.repo.yaml_reader import read_documents
from gitops_karmada.scripts.engine import LuaEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The files of a trial. `replicas` is what `revise` is asked for."""

    files: tuple[Path, ...] = ()
    desired: Path | None = None
    observed: Path | None = None
    statuses: tuple[Path, ...] = ()
    replicas: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one operation said, and which layer it was."""

    operation: Operation
    by: By
    result: Any = None
    error: str = ""
    where: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    answers: tuple[Answer, ...] = ()
    problems: tuple[Problem, ...] = ()
    scripts: int = 0


def check_scripts(trial: Trial) -> Findings:
    """Whether the customizations are as they should be, without running any."""
    federation = _customizations(trial)
    with LuaEngine() as engine:
        found = check_customizations(federation.customizations, engine)
    return Findings(problems=(*federation.problems, *found), scripts=len(federation.customizations))


def try_out(trial: Trial, only: str | None) -> Findings:
    """Ask each operation that has a rule for the object, or the one that is named."""
    federation = _customizations(trial)
    with LuaEngine() as engine:
        interpreter = Interpreter(customized=customized(federation.customizations, engine))
        answers = tuple(_answers(interpreter, trial, only))
    wrong = [_problem(answer) for answer in answers if answer.error]
    return Findings(answers=answers, problems=(*federation.problems, *wrong), scripts=len(federation.customizations))


def _problem(answer: Answer) -> Problem:
    return Problem(code="GK2050", location=answer.where, subject=str(answer.operation), message=answer.error)


def _customizations(trial: Trial) -> Federation:
    read = [_read(file) for file in trial.files]
    return federate(
        [manifest for part in read for manifest in part.manifests],
        Settings(),
        problems=[problem for part in read for problem in part.problems],
    )


def _read(file: Path) -> Manifests:
    return read_file(file.read_bytes(), str(file))


def _answers(interpreter: Interpreter, trial: Trial, only: str | None) -> Iterator[Answer]:
    desired = _object(trial.desired) if trial.desired else None
    observed = _object(trial.observed) if trial.observed else None
    subject = desired or observed
    assert subject is not None
    asks = _asks(interpreter, trial, desired, observed)
    for operation in Operation:
        if only not in (None, str(operation)):
            continue
        by = interpreter.by(operation, subject)
        if by is None or operation not in asks:
            if only is not None:
                raise SettingsError(_missing(operation, by, subject))
            continue
        yield _answer(operation, by, asks[operation])


def _missing(operation: Operation, by: By | None, subject: Object) -> str:
    if by is None:
        return f"nothing has a rule for {operation} of {subject.get('apiVersion')} {subject.get('kind')}"
    needs = {
        "revise": "--object and --replicas",
        "retain": "--object and --observed",
        "aggregate": "--object and --status",
    }
    return f"{operation} needs {needs.get(operation, '--object or --observed')}"


def _asks(
    interpreter: Interpreter, trial: Trial, desired: Object | None, observed: Object | None
) -> Mapping[Operation, Callable[[], Any]]:
    """What can be asked with the files that there are."""
    asks: dict[Operation, Callable[[], Any]] = {}
    seen = observed or desired
    if desired is not None:
        asks[Operation.REPLICAS] = lambda: _replicas(interpreter.replicas(desired))
        asks[Operation.COMPONENTS] = lambda: interpreter.components(desired)
        asks[Operation.DEPENDENCIES] = lambda: interpreter.dependencies(desired)
        if trial.replicas is not None:
            asks[Operation.REVISE] = lambda: interpreter.revise(desired, trial.replicas or 0)
        if observed is not None:
            asks[Operation.RETAIN] = lambda: interpreter.retain(desired, observed)
        if trial.statuses:
            items = [_object(file) for file in trial.statuses]
            asks[Operation.AGGREGATE] = lambda: interpreter.aggregate(desired, items)
    if seen is not None:
        asks[Operation.HEALTH] = lambda: interpreter.health(seen)
        asks[Operation.REFLECT] = lambda: interpreter.reflect(seen)
    return asks


def _replicas(answer: tuple[int, Object | None] | None) -> Object | None:
    if answer is None:
        return None
    replicas, requirements = answer
    return {"replicas": replicas, **({"replicaRequirements": requirements} if requirements else {})}


def _answer(operation: Operation, by: By, ask: Callable[[], Any]) -> Answer:
    try:
        return Answer(operation=operation, by=by, result=ask())
    except (InterpretError, ScriptError) as error:
        return Answer(operation=operation, by=by, error=str(error), where=getattr(error, "location", None))


def _object(file: Path) -> Object:
    found = read_documents(file.read_bytes(), str(file))
    if found.problems:
        raise UnreadableError(found.problems)
    values = [document.value for document in found.documents]
    if len(values) != 1 or not isinstance(values[0], Mapping):
        raise ManifestError(f"{file} holds {len(values)} documents, where one object is needed")
    return values[0]


class UnreadableError(ManifestError):
    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems
