"""Checks on the cluster that Flink has within a process, compared with what etrace says of the whole.

ETRACE names the etrace that is tested.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent.parent
ETRACE = os.path.abspath(os.environ.get("ETRACE", ROOT / "bin/etrace"))
RULES = "unique e.price per e.order over send(type = 'REPLY')", "never count(leads) > 1"

sys.path.insert(0, str(ROOT / "cmd/etrace-spark/tests"))
import orders  # noqa: E402


def setUpModule():
    """Makes runs."""
    folder = tempfile.TemporaryDirectory(prefix="etrace-flink-")
    unittest.addModuleCleanup(folder.cleanup)
    os.chdir(folder.name)
    orders.write("run.jsonl", 30_000)
    pathlib.Path("order.txt").write_text(orders.BY_ORDER, encoding="utf-8")
    etrace("record", "-q", "-o", "runs.db", "--runs", "20", "--loss", "0.1")


def etrace(*args):
    """What etrace prints, and its exit status."""
    done = subprocess.run([ETRACE, *args], stdout=subprocess.PIPE)
    return done.stdout, done.returncode


class TestFlink(unittest.TestCase):
    """The program, with four shards, two at a time."""

    def flink(self, *args, etrace=ETRACE):
        command = [sys.executable, "-m", "etrace_flink", *args, "--shards", "4", "--parallelism", "2", "--etrace", etrace]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(PACKAGE)}, capture_output=True)
        self.said = done.stderr.decode(errors="replace")
        return done.stdout, done.returncode

    def same(self, *args, status=1):
        want = etrace(*args)
        self.assertEqual(want[1], status, "the whole is not what the test is about")
        self.assertEqual(self.flink(*args), want, self.said[-4000:])

    def test_events(self):
        self.same("check", "run.jsonl", "--spec", "order.txt", "-e", RULES[1], "--json")

    def test_runs(self):
        self.same("check", "runs.db", "-q")

    def test_suite(self):
        self.same("suite", str(ROOT / "fixtures/suites/examples.yaml"), "--all", status=0)

    def test_shard_fails_once(self):
        program = instead('case "$*" in *"--shard 2"*) if mkdir once; then exit 1; fi;; esac')
        self.assertEqual(self.flink("check", "run.jsonl", "-e", RULES[0], etrace=program), etrace("check", "run.jsonl", "-e", RULES[0]))
        self.assertTrue(os.path.isdir("once"))

    def test_lost_event(self):
        program = instead(f'case "$1" in slice) {ETRACE} "$@" && exec sed -i 100d "$5"/1.jsonl;; esac')
        self.assertEqual(self.flink("check", "run.jsonl", "-e", RULES[0], etrace=program), (b"", 2))
        self.assertRegex(self.said, r"shard 1: \d+ events of \d+")

    def test_mistakes(self):
        self.assertEqual(self.flink("check", "none.jsonl"), (b"", 2))
        self.assertIn("etrace: none.jsonl", self.said)


def instead(first):
    """An etrace that does something else first."""
    script = pathlib.Path(tempfile.mkdtemp(dir=".")).resolve() / "etrace"
    script.write_text(f'#!/bin/sh\n{first}\nexec {ETRACE} "$@"\n')
    script.chmod(0o755)
    return str(script)


if __name__ == "__main__":
    unittest.main(verbosity=2)
