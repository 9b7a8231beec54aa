# SPDX-License-Identifier: BSD-2-Clause
"""Runs every command of a README with small sizes, or checks it otherwise (tools.py), or finds it in not_run.txt."""

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import shell
from data import make_data
from tools import Tree, check_assignments, check_definition, check_elsewhere

SUBCOMMANDS = "info run reduce select unique rle reduce-by-key sort verify bench help".split()
FILE_COMMANDS = "run reduce select unique rle reduce-by-key sort".split()
PROGRAMS = ("iir_filter", "discounted_returns", "tridiagonal", "quicksort", "variable_records", "big_add", "segment_totals")
APPLICATIONS = (
    "coo_to_csr", "bfs", "particle_bins", "records", "cubes", "cub_coo_to_csr", "cub_particle_bins", "nccl_scan",
    "nccl_sort", "coo_to_csr_mpi", "curve_cuts_mpi", "mpi_costs"
)  # fmt: skip
APPLICATIONS += PROGRAMS
NEED_DEVICE = ("records", "cubes", "cub_coo_to_csr", "cub_particle_bins", "nccl_scan", "nccl_sort")
PIPED = ("seq", "sort", "tail", "head", "cat", "printf", "awk")
EXCLUSIVE = ({"--n", "--shape"}, {"--select", "--runs", "--sorts", "--random"}, {"--select", "--sort", "--split"})
COMMAND_KINDS = ("", "sh", "bash", "console")
MPI_ENVIRONMENT = {  # as root, and with more ranks than processors
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


@dataclass
class Command:
    place: str
    readme: str
    text: str
    base: str = ""  # for options without a command: the command of the same table to which they belong
    in_prose: bool = False


@dataclass
class Line:
    """A line to run. `refusable`: it was written for another device than the host."""

    place: str
    written: str
    text: str
    refusable: bool = False


@dataclass
class Report:
    faults: list = field(default_factory=list)
    lines: list = field(default_factory=list)  # lists of lines that run one after another in one folder
    counts: dict = field(default_factory=dict)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1


# ---- the choice of spans that are commands ---------------------------------------------------------------------------


def head_of(text):
    """Returns the first word after assignments, or an empty text."""
    words = text.split()
    while words and shell.ASSIGNMENT.match(words[0]):
        words.pop(0)
    return words[0] if words else ""


def completed(text):
    """Completes `verify --quick` to `scanrt verify --quick`."""
    is_short = head_of(text) in SUBCOMMANDS and re.search(r" --[a-z]", text)
    return "scanrt " + text if is_short else text


def is_command(tree, span):
    text = completed(span.text)
    head = head_of(text)
    if not head or len(text.split()) < 2:
        return False
    if head == "scanrt" or head in APPLICATIONS or tree.script(head, span.file):
        return True
    if head in ("mpirun", "cmake", "ctest", "python3", "pip", "apt", "spack", "pytest", "cc"):
        return True
    return bool(re.match(r"[a-z][\w.+/-]*$", head) and re.search(r" --[a-z]", text))


def is_complete(text):
    """True for a command of the tool that can be run: it has words besides the tool's name and options."""
    words = [word for word in shell.parse(completed(text))[0].words if word != "scanrt"]
    if not words or words[0] not in SUBCOMMANDS:
        return False
    if words[0] in FILE_COMMANDS:
        return any(not word.startswith("-") for word in words[1:]) and "--mpi" not in words
    return len(words) > 1 and not words[-1] == "--select" and not all(word.startswith("-") for word in words[1:])


def base_of(span):
    """Returns the tool's command that options in a table belong to: the last one before them in the row, or header."""
    for other in list(reversed(span.row)) + span.header:
        if is_complete(other.text) and "..." not in other.text:
            return completed(other.text)
    return ""


def commands_of_spans(tree, readme):
    for span in readme.spans:
        if span.text.startswith(("--", "-D")) and re.match(r"--?[A-Za-z]", span.text):
            yield Command(span.place, span.file, span.text, base=base_of(span))
        elif is_command(tree, span):
            yield Command(span.place, span.file, completed(span.text), in_prose=True)


def commands_of_block(block):
    """Returns one command per line; backslashes join lines. In a block `console` only lines after `$ ` count."""
    text = ""
    for index, line in enumerate(block.lines):
        if block.kind == "console" and not text and not line.startswith("$ "):
            continue
        text += shell.without_comment(line.removeprefix("$ "))
        if text.endswith("\\"):
            text = text[:-1]
            continue
        if text:
            yield Command(f"{block.file}:{block.line + 1 + index}", block.file, text)
        text = ""


# ---- small sizes -------------------------------------------------------------------------------------------------------


def small_scanrt(words):
    """Returns the words after `scanrt` with small sizes, and with the host if no device is named."""
    if words[:1] == ["bench"]:
        words = shell.shrink(words, shell.BENCH)
        words = shell.with_default(words, "--n", "2^10", unless=("--shape", "--stream"))
        words = shell.with_default(words, "--reps", "1", unless=("--cold",))
        return shell.with_default(words, "--device", "host", unless=("--mpi",))
    if words[:1] == ["verify"]:
        words = shell.with_default(shell.shrink(words, shell.VERIFY), "--quick")
        words = shell.with_default(words, "--n", "1000", unless=("--soak", "--case"))
        return shell.with_default(words, "--device", "host")
    return shell.shrink(words, shell.FILES)


def small_application(words):
    small = shell.with_default(shell.shrink(words, shell.APPLICATION), "--rounds", "1")
    if words[0] in PROGRAMS:
        small = shell.with_default(small, "--n", "1000")
    return shell.with_default(small, "--particles", "1000") if words[0].endswith("particle_bins") else small


class Runner:
    """Rewrites lines and runs them. `programs` has the path of each program that was built. Unless `keeps_devices` is
    set, all lines run on the host; one that was written for another device may be refused there."""

    def __init__(self, root, programs, mpirun, keeps_devices):
        self.root, self.programs, self.mpirun, self.keeps_devices = root, programs, mpirun, keeps_devices

    def rewrite(self, command):
        """Returns the small command, and True if it may be refused. Raises KeyError if a program was not built."""
        words, refusable = command.words, False
        if words[0] == "mpirun":
            if not self.mpirun:
                raise KeyError("mpirun")
            ranks = words.index("-n")  # options before it are those of MPI_ENVIRONMENT
            inner, refusable = self.rewrite(shell.Simple(words=words[ranks + 2 :]))
            words = [self.mpirun, *words[ranks : ranks + 2], *inner.words]
        elif words[0] == "scanrt":
            small = small_scanrt(words[1:])
            if not self.keeps_devices:
                small, refusable = shell.replace_devices(small)
            words = [self.programs["scanrt"], *small]
        elif words[0] in APPLICATIONS:
            words = [self.programs[words[0]], *small_application(words)[1:]]
        of_a_device = ("SCANRT_DEVICE=", "SCANRT_STRATEGY=")
        assignments = [text for text in command.assignments if self.keeps_devices or not text.startswith(of_a_device)]
        assignments = [re.sub(r"=[A-Z]+$", "=folder", text) for text in assignments]
        return shell.Simple(assignments, words, command.redirections, command.joint), refusable

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not re.match(r"(SCANRT|SCAN)_", name)}
        if not self.keeps_devices:
            kept.update({"SCANRT_DEVICE": "host", "OCL_ICD_VENDORS": "/nonexistent/"})
        return {**kept, **MPI_ENVIRONMENT}

    def run(self, lines):
        """Runs lines one after another in a new folder. Returns the faults."""
        faults = []
        with tempfile.TemporaryDirectory(prefix="scanrt_readmes_") as folder:
            make_data(Path(folder), " ".join(line.text for line in lines))
            (Path(folder) / "tools").symlink_to(self.root / "tools")
            for line in lines:
                done = subprocess.run(
                    ["bash", "-c", "set -o pipefail; " + line.text], cwd=folder, env=self.environment(), text=True,
                    errors="replace", stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                )  # fmt: skip
                refused = line.refusable and "[SCAN_UNSUPPORTED]" in done.stderr
                if done.returncode != 0 and not refused:
                    words = (done.stderr.strip() or done.stdout.strip() or "no words").split("\n")
                    faults.append(f"{line.place}: '{line.written}' fails ({done.returncode}): {words[-1]}\n    as {line.text}")
        return faults


# ---- one command -------------------------------------------------------------------------------------------------------


def check_options(tree, command):
    """Checks options in prose without a command: each must belong to a program of the tree."""
    for word in command.text.split():
        fault = check_definition(tree, word) if word.startswith("-D") else None
        option = re.match(r"--[a-z][a-z0-9-]*", word)
        if option and option[0] not in tree.options:
            fault = f"no program of tools/ has the option '{option[0]}'"
        if fault:
            yield f"{command.place}: {fault}"


def merged(base, options):
    """Returns the base command, with these options replacing its own ones of the same names."""
    words, added, index = shell.parse(base)[0].words, shell.parse(options)[0].words, 0
    names = {word for word in added if word.startswith("--")}
    for family in EXCLUSIVE:
        names |= family if names & family else set()
    kept = []
    while index < len(words):
        takes = index + 1 < len(words) and not words[index + 1].startswith("--")
        if words[index] in names:
            index += 2 if takes else 1
            continue
        kept.append(words[index])
        index += 1
    return shell.as_text([shell.Simple(words=kept + added)])


class Checker:
    def __init__(self, root, build, runner, allowed):
        self.tree, self.runner, self.allowed, self.report = Tree(root, build), runner, allowed, Report()
        self.seen = set()

    def fault(self, command, text):
        self.report.faults.append(f"{command.place}: {text}")

    def line_of(self, command, text):
        """Returns the line that runs `text`, or None if that is checked otherwise or listed."""
        try:
            parts = shell.parse(text)
        except ValueError as error:
            return self.fault(command, f"'{text}': {error}")
        ours = [part for part in parts if self.is_ours(part)]
        if not ours:
            return self.check_otherwise(command, parts)
        refusable, small = False, []
        try:
            for part in parts:
                for fault in check_assignments(self.tree, part):
                    self.fault(command, fault)
                one, may = self.runner.rewrite(part) if self.is_ours(part) else (part, False)
                small.append(one)
                refusable |= may
        except KeyError:
            self.report.count("not built here")
            return None
        return Line(command.place, text, shell.as_text(small), refusable)

    def is_ours(self, part):
        head = part.words[0] if part.words else ""
        return head in ("scanrt", "mpirun", "tools/plot.py", *APPLICATIONS)

    def check_otherwise(self, command, parts):
        for part in parts:
            faults = check_elsewhere(self.tree, part, command.readme)
            if faults is None:
                self.fault(command, f"'{command.text}' is neither run nor checked: see tests/readmes/not_run.txt")
                return
            for fault in faults:
                self.fault(command, fault)
        self.report.count("checked otherwise")

    def mention(self, command):
        """Checks a command in prose that is too incomplete to run: its sub-command and options must exist."""
        words = shell.parse(command.text)[0].words
        head = words[1] if words[0] == "scanrt" else ""
        if words[0] == "scanrt" and head not in SUBCOMMANDS and not head.startswith("-") and head != "COMMAND":
            self.fault(command, f"scanrt has no command '{head}'")
        self.report.faults += check_options(self.tree, command)
        self.report.count("named")

    def lines_of(self, command):
        if self.allowed(command, command.text):
            self.report.count("listed in not_run.txt")
            return []
        if command.text.startswith("-") and not command.base:
            self.report.faults += check_options(self.tree, command)
            self.report.count("options alone")
            return []
        if command.in_prose and "scanrt " in command.text and not is_complete(command.text.split("scanrt ", 1)[1]):
            self.mention(command)
            return []
        text = merged(command.base, command.text) if command.base else command.text
        line = self.line_of(command, text)
        return [line] if line else []

    def add(self, lines):
        """Adds lines that are new."""
        key = tuple(line.text for line in lines)
        if lines and key not in self.seen:
            self.seen.add(key)
            self.report.lines.append(lines)

    def collect(self, readmes):
        for readme in readmes:
            for block in readme.blocks:
                if block.info in COMMAND_KINDS:
                    self.add([line for command in commands_of_block(block) for line in self.lines_of(command)])
            for command in commands_of_spans(self.tree, readme):
                self.add(self.lines_of(command))

    def run(self):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for faults in pool.map(self.runner.run, self.report.lines):
                self.report.faults += faults
        self.report.counts["run"] = sum(len(lines) for lines in self.report.lines)


def find_mpirun(build):
    """Returns the mpirun of the MPI that the tool's module was built with, or None without a module."""
    if not (build / "bin/libscanrt_tool_mpi.so").is_file():
        return None
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return shutil.which(found[1]) if found else None


def check_commands(root, build, readmes, allowed, keeps_devices=False):
    """Returns the faults, and a sentence that counts commands."""
    folder = Path(build) / "bin"
    names = [name for name in ("scanrt", *APPLICATIONS) if keeps_devices or name not in NEED_DEVICE]
    programs = {name: str(folder / name) for name in names if (folder / name).is_file()}
    runner = Runner(root, programs, find_mpirun(Path(build)), keeps_devices)
    checker = Checker(root, build, runner, allowed)
    checker.collect(readmes)
    checker.run()
    return checker.report.faults, ", ".join(f"{count} {what}" for what, count in sorted(checker.report.counts.items()))
