"""The one tree of errors: what went wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from helio_dagster.domain.addresses import without_secrets


class HelioError(Exception):
    """Anything a user can cause or meet; everything else is a bug.

    Parameters
    ----------
    problem
        What is wrong, in one sentence.
    where
        The place: file, line and path of a pipeline, a URL, an asset and partition.
    hint
        What to do about it.

    Passwords and keys in addresses are left out of all three, and characters that cannot be printed are escaped: errors are
    printed, kept and recorded, and they quote files and servers.
    """

    exit_code = 1

    def __init__(self, problem: str, *, where: str = "", hint: str = "") -> None:
        self.problem = _shown(problem)
        self.where = _shown(where)
        self.hint = _shown(hint)
        super().__init__(self.problem)

    def __str__(self) -> str:
        is_said = not self.where or self.problem.startswith((f"{self.where}:", f"{self.where},"))
        text = self.problem if is_said else f"{self.where}: {self.problem}"
        return f"{text}\n  {self.hint}" if self.hint else text

    @property
    def details(self) -> str:
        """What else is known of the cause, a line each; mostly nothing."""
        return ""


class MachineShort(HelioError):
    """The machine has no memory, open files or threads left for the work."""


class InputError(HelioError):
    """The user asked for something that cannot be: bad usage, date, name or setting."""

    exit_code = 2


@dataclass(frozen=True)
class Problem:
    """One fault in a pipeline file.

    `path` is the place inside the document (`steps[2].compute.inputs.b`); `line` counts from 1, 0 where unknown.
    """

    file: str
    line: int
    path: str
    problem: str
    hint: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "problem", _shown(self.problem))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        text = f"{place}: {self.path}: {self.problem}" if self.path else f"{place}: {self.problem}"
        return f"{text}\n  {self.hint}" if self.hint else text


class PipelineError(InputError):
    """A pipeline file is wrong; carries every fault found, in file order."""

    def __init__(self, problems: list[Problem]) -> None:
        first = problems[0]
        super().__init__(first.problem, where=first.file, hint=first.hint)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class OperationFileError(PipelineError):
    """The file of a saved operation is wrong; carries every fault found, in file order."""


class RequestFileError(PipelineError):
    """A file of requests with expected answers is wrong; carries every fault found, in file order."""


class AnswerNeeded(HelioError):
    """A person must answer (a question or an approval) and none is there."""

    exit_code = 3


class ArchiveError(HelioError):
    """The archive did not deliver."""


class ArchiveUnavailable(ArchiveError):
    """Network trouble or an overloaded server, after all retries: running again later may succeed."""


class ArchiveAnswerError(ArchiveError):
    """The archive answered something that cannot be what was asked for (HTML, other JSON, wrong length)."""


class UnknownDataset(InputError):
    """The archive has no such dataset, or the dataset no such parameter; the hint offers near names."""


class CorruptFile(ArchiveError):
    """A downloaded file cannot be decoded by any reader; it is kept aside for inspection."""


class OwnFileError(ArchiveError):
    """A file of one's own cannot be read as the pipeline describes it; names the file and, where known, the line."""


class ComputeError(HelioError):
    """The numbers, units or frames do not allow what the step asks for."""


class CodeError(ComputeError):
    """A step's own code raised, or returned what is not a result.

    Parameters
    ----------
    problem, where, hint
        As in `HelioError`; `where` names the step and the line.
    line
        Line of the code, counted from 1; 0 where unknown.
    source
        That line as written.
    inputs
        What the inputs looked like: names, shapes, columns, units, span.
    """

    def __init__(
        self, problem: str, *, where: str = "", hint: str = "", line: int = 0, source: str = "", inputs: str = ""
    ) -> None:
        super().__init__(problem, where=where, hint=hint)
        self.line = line
        self.source = source
        self.inputs = inputs

    @property
    def details(self) -> str:
        """The failing line of the code with its number, and what the inputs looked like."""
        failing = f"line {self.line} of the code: {self.source.strip()}" if self.line else ""
        return "\n".join(filter(None, (failing, self.inputs)))

    def __str__(self) -> str:
        details = [f"    {self.source.strip()}"] if self.source.strip() else []
        details += [f"  {line}" for line in self.inputs.splitlines()]
        head = f"{self.where}: {self.problem}" if self.where else self.problem
        return "\n".join([head, *details, *([f"  {self.hint}"] if self.hint else [])])


class CodeRefused(ComputeError):
    """A step's code is not run: it asks for what code may not do, or this machine cannot confine it."""


class CodeStopped(ComputeError):
    """A step's code reached a limit of time, memory or size and was ended.

    `limit` is the name of that setting in `SandboxLimits`.
    """

    def __init__(self, problem: str, *, where: str = "", hint: str = "", limit: str = "") -> None:
        super().__init__(problem, where=where, hint=hint)
        self.limit = limit


class SandboxUnavailable(ComputeError):
    """The process that runs a step's code cannot be started or kept alive on this machine."""


class FigureError(HelioError):
    """A figure cannot be drawn from its data or panels."""


class StorageError(HelioError):
    """The home folder cannot be read or written, or holds a damaged file."""


class ModelError(HelioError):
    """The language model did not do its work; nothing was run or saved for it."""


class ModelUnavailable(ModelError):
    """The model cannot be asked now (network, outage, rate limit): asking again later may succeed."""


class ModelRefused(ModelError):
    """The model's server refuses the key, or has no such model: a setting is wrong."""

    exit_code = 2


class ModelMisbehaved(ModelError):
    """The model answered, and after some tries still nothing that can be used."""


class ModelLimit(ModelError):
    """A limit of requests, tool calls, tokens or time was reached before the model had an answer."""


def _shown(text: str) -> str:
    plain = without_secrets(text)
    if plain.isprintable():
        return plain
    return "".join(each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in plain)
