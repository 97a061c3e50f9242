"""Runs JAX's own tests on the plugin and on XLA's CPU backend, and writes what fails on one of them alone.

    python ledger.py --plugin libcalliope_pjrt.so --cases 2 --results FOLDER --page PAGE.md TESTS lax_test nn_test

TESTS is the folder tests of JAX's repository, at the version of JAX that this Python has, with pytest, absl, hypothesis
and scipy beside it. A test process that crashes, or is in one test for too long, ends that test, and the next process
goes on behind it. FOLDER keeps the results of each test: another call runs only what it lacks, and with --again what
failed on the plugin, too. On PAGE what stands between two marks is replaced.

pytest loads this file as a plugin of its own, which writes the results.
"""

import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zlib

PLUGIN, XLA = "calliope", "cpu"
BEGIN, END = "<!-- ledger.py writes this -->\n", "<!-- the end -->\n"
COLLECTING = 300  # seconds that a process may take to find its tests, and to end
DYING = ("Fatal Python", "LLVM ERROR", "SIG", "fatal error", "free()", "malloc", "panic", "python:")


# In the process of the tests: one line for the begin of a test, one for its end.


def _write(**line):
    with open(os.environ["LEDGER"], "a") as f:
        f.write(json.dumps(line) + "\n")


def pytest_collection_modifyitems(items):
    done = _read(os.environ["LEDGER"])[0]
    part = int(os.environ["LEDGER_PART"])
    items[:] = [item for item in items
                if (name := item.nodeid.partition("::")[2]) not in done and zlib.crc32(name.encode()) % part == 0]


def pytest_runtest_logstart(nodeid):
    _write(test=nodeid.partition("::")[2])


def pytest_runtest_logreport(report):
    if report.failed or report.when == "call" or report.skipped:
        why = ""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = crash.message if crash else str(report.longrepr)
        _write(test=report.nodeid.partition("::")[2], end=report.outcome, why=why[:2000])


def _read(path):
    """Returns the results of tests, by name, and the test that began and has not ended."""
    done, open_test = {}, None
    if os.path.exists(path):
        for line in map(json.loads, open(path)):
            if "end" not in line:
                open_test = line["test"]
                continue
            open_test = None if open_test == line["test"] else open_test
            if done.get(line["test"], {}).get("end") != "failed":  # a test that failed, and its end, too
                done[line["test"]] = line
    return done, open_test


# In the process that starts those.


def run(file, backend, options):
    """Runs the tests of a file on a backend, and returns their results."""
    path = options.results / f"{file.stem}.{backend}.jsonl"
    if options.again and backend == PLUGIN:
        kept = [r for r in _read(path)[0].values() if r["end"] in ("passed", "skipped")]
        path.write_text("".join(json.dumps(r) + "\n" for r in kept))
    packages = options.results / "packages" / "jax_plugins"
    packages.mkdir(parents=True, exist_ok=True)
    if not (packages / "calliope").exists():
        (packages / "calliope").symlink_to(pathlib.Path(__file__).resolve().parents[2] / "python" / "calliope_jax")
    env = os.environ | {
        "LEDGER": str(path), "LEDGER_PART": str(options.part), "PYTHONPATH": f"{packages.parent}:{pathlib.Path(__file__).parent}",
        "PYTHONDONTWRITEBYTECODE": "1", "JAX_NUM_GENERATED_CASES": str(options.cases),
        "JAX_PLATFORMS": f"{PLUGIN},cpu" if backend == PLUGIN else XLA, "CALLIOPE_PJRT": str(options.plugin),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ledger", "-p", "no:cacheprovider", "--tb=short",
               f"tests/{file.name}"]
    if options.only:
        command += ["-k", options.only]
    with open(path.with_suffix(".log"), "ab") as log:
        while True:
            before = len(_read(path)[0])
            begin = log.tell()
            child = subprocess.Popen(command, cwd=options.tests.parent, env=env, stdout=log, stderr=log,
                                     start_new_session=True)
            hung = _wait(child, path, options.limit)
            done, open_test = _read(path)
            if child.returncode in (0, 1, 5) and not hung:
                return done
            text = path.with_suffix(".log").read_bytes()[begin:].decode(errors="replace").splitlines()
            why = f"more than {options.limit} s" if hung else next(
                (line for line in text if line.startswith(DYING)), f"the process ended with {child.returncode}")
            with open(path, "a") as f:
                end = "hung" if hung else "crashed"
                f.write(json.dumps({"test": open_test or "the file", "end": end, "why": why}) + "\n")
            if open_test is None and len(done) == before:
                return _read(path)[0]  # no test began: the next process would not go on


def _wait(child, path, limit):
    """Waits for a process, and kills it if one test takes too long. It reports whether it did."""
    start = time.time()
    try:
        while child.poll() is None:
            time.sleep(0.5)
            written = path.stat().st_mtime if path.exists() else 0
            idle = time.time() - max(start, written)
            if idle > COLLECTING or idle > limit and written > start and _read(path)[1]:
                return True
        return False
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def compare(ours, theirs):
    """Returns the counts of a row of the table, and the tests that failed on the plugin alone."""
    count, alone = collections.Counter(), []
    for name in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(name, {"end": "skipped"}), theirs.get(name, {"end": "skipped"})
        if "skipped" in (a["end"], b["end"]) and a["end"] in ("skipped", "passed"):
            count["skipped"] += 1
            continue
        count["run"] += 1
        match a["end"] == "passed", b["end"] == "passed":
            case True, True:
                count["both"] += 1
            case True, False:
                count["theirs"] += 1
            case False, False if b["end"] != "skipped":
                count["neither"] += 1
            case _:
                count["ours"] += 1
                alone.append((name, a))
    return count, alone


COLUMNS = {"run": "run", "both": "passed on both", "ours": "failed on the plugin alone",
           "theirs": "failed on XLA alone", "neither": "failed on both", "skipped": "skipped"}


def table(rows):
    """Returns the table in Markdown."""
    total = sum((count for _, count, _ in rows), collections.Counter())
    lines = ["| tests | " + " | ".join(COLUMNS.values()) + " |", "|---|" + "---|" * len(COLUMNS)]
    for name, count in [*((f"`{name}`", count) for name, count, _ in rows), ("all", total)]:
        lines.append(f"| {name} | " + " | ".join(f"{count[c]:,}" for c in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--plugin", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=2, help="of each test with generated cases; JAX has 10")
    parser.add_argument("--part", type=int, default=1, help="runs one of so many tests, always the same")
    parser.add_argument("--limit", type=int, default=100, help="seconds of a test")
    parser.add_argument("--again", action="store_true", help="runs what failed on the plugin again")
    parser.add_argument("--only", default="", help="the tests to run, as pytest's -k")
    options = parser.parse_args()
    for name in ("tests", "plugin", "results"):
        setattr(options, name, getattr(options, name).resolve())
    options.results.mkdir(exist_ok=True)
    rows = []
    for name in options.files:
        file = options.tests / f"{name}.py"
        ours, theirs = run(file, PLUGIN, options), run(file, XLA, options)
        rows.append((name, *compare(ours, theirs)))
        print(name, dict(rows[-1][1]), flush=True)
    for name, _, alone in rows:
        for test, result in alone:
            first = result["why"].strip().splitlines() or [""]
            print(f"{name}: {test}: {result['end']}: {first[0][:300]}")
    text = table(rows)
    print(text)
    if options.page:
        import jax
        head, _, rest = options.page.read_text().partition(BEGIN)
        text = (f"JAX {jax.__version__}, one of {options.part} tests, {options.cases} cases of each that generates them, "
                f"{options.limit} seconds for a test:\n\n{text}")
        options.page.write_text(head + BEGIN + text + "\n" + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
