"""Checks on a real standalone cluster, compared with what etrace says of the whole, byte for byte.

ETRACE and ETRACE_PARQUET name the programs that are tested, EVENTS says how long the run is.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import orders
from cluster import HERE, SPARK, Cluster

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
ETRACE = os.path.abspath(os.environ.get("ETRACE", PACKAGE.parent.parent / "bin/etrace"))
ETRACE_PARQUET = os.path.abspath(os.environ.get("ETRACE_PARQUET", PACKAGE.parent.parent / "bin/etrace-parquet"))
LOGS = PACKAGE.parent.parent / "tracefmt/interop/mapping/testdata/ready"
SUITE = PACKAGE.parent.parent / "fixtures/suites/examples.yaml"
EVENTS = int(os.environ.get("EVENTS", "20000"))

os.environ |= HERE | {"PYTHONPATH": str(PACKAGE)}
sys.path.insert(0, str(PACKAGE))

from etrace_spark import __main__ as program  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


def setUpModule():
    """Makes runs and starts a cluster, for all tests."""
    global cluster
    folder = tempfile.TemporaryDirectory(prefix="etrace-spark-")
    unittest.addModuleCleanup(folder.cleanup)
    os.chdir(folder.name)
    for name, rules in (("order.txt", orders.BY_ORDER), ("shop.txt", orders.BY_SHOP)):
        pathlib.Path(name).write_text(rules, encoding="utf-8")
    orders.write("by-hand.jsonl", EVENTS)  # it leaves out causes, which an export has
    etrace("export", "by-hand.jsonl", "-o", "run.jsonl", "-q")
    parquet("to", "run.parquet", "--input", "run.jsonl")
    # The tests share a session, in which a new executor asks for the plans of all of them.
    program.tempfile = types.SimpleNamespace(TemporaryDirectory=lambda **how: contextlib.nullcontext(tempfile.mkdtemp(**how | {"dir": folder.name})))
    cluster = Cluster(folder.name)
    unittest.addModuleCleanup(cluster.stop)
    unittest.addModuleCleanup(stop)


def etrace(*args):
    """What etrace prints, and its exit status."""
    done = subprocess.run([ETRACE, *args], stdout=subprocess.PIPE)
    return done.stdout, done.returncode


def parquet(*args):
    """What etrace-parquet prints."""
    return subprocess.run([ETRACE_PARQUET, *args], stdout=subprocess.PIPE, check=True).stdout


def here(args):
    """What the program prints and says, and its exit status. The tests share a session, which takes long to start."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        saved = [os.dup(1), os.dup(2)]
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            status = program.main(args)
        except SystemExit as exit:
            status = exit.code
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for fd, old in enumerate(saved, 1):
                os.dup2(old, fd)
                os.close(old)
        out.seek(0)
        err.seek(0)
        return out.read(), status, err.read().decode(errors="replace")


def apart(*command):
    """Like here, in a process of its own, to which the workers are left."""

    def execute(args):
        stop()
        done = subprocess.run([*command, *args], capture_output=True)
        return done.stdout, done.returncode, done.stderr.decode(errors="replace")

    return execute


def stop():
    """Stops the session of the tests."""
    if session := SparkSession.getActiveSession():
        session.stop()


class OnCluster(unittest.TestCase):
    """What tests of the program have in common."""

    def setUp(self):
        self.begun = time.monotonic()

    def tearDown(self):
        print(f"{self.id().split('.', 1)[1]}: {time.monotonic() - self.begun:.1f} s", file=sys.stderr, flush=True)

    def spark(self, *args, etrace=ETRACE, shards=8, execute=here):
        """What the program prints, and its exit status. What it says besides is kept."""
        reads = ["--etrace-parquet", ETRACE_PARQUET] if args[0] == "check" else []
        out, status, self.said = execute([args[0], *reads, *args[1:], "--shards", str(shards), "--master", cluster.url, "--etrace", etrace])
        return out, status

    def same(self, *args, status=1, **how):
        """What is printed of shards, and the exit status, are those of the whole in JSON Lines."""
        want = etrace(*(arg.replace(".parquet", ".jsonl") for arg in args))
        self.assertEqual(want[1], status, "the whole is not what the test is about")
        self.assertEqual(self.spark(*args, **how), want, self.said[-4000:])

    def kill(self, victim, checks):
        """Kills a worker as soon as both have begun, which checks shows."""
        until = time.monotonic() + 300
        while started(checks) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        cluster.kill(victim)
        (checks.parent / "killed").touch()


class TestShards(OnCluster):
    """A run in many shards: undisturbed, with a worker that dies, with a shard that fails."""

    def test_many_shards_of_text(self):
        self.same("check", "run.jsonl", "--except", "default", "--spec", "order.txt", "--json", shards=16)

    def test_one_key_has_most(self):
        self.same("check", "run.parquet", "--except", "default", "--spec", "shop.txt", "--json")

    def test_worker_killed(self):
        # Each check waits for the kill, so that the worker dies while it checks a shard.
        program, checks = stubborn("kill", "until [ -e killed ]; do sleep 0.1; done")
        victim = cluster.workers.pop()
        killer = threading.Thread(target=self.kill, args=(victim, checks))
        killer.start()
        self.same("check", "run.parquet", "--except", "default", "--spec", "order.txt", "--json", etrace=program)
        killer.join()
        cluster.workers.append(cluster.start_worker())
        self.assertGreater(started(checks), 8, "no shard was begun again")

    def test_shard_fails_once(self):
        program, checks = stubborn("fail", "if mkdir once 2>/dev/null; then head -n 1000 >/dev/null; printf '{\"format\":'; exit 1; fi")
        self.same("check", "run.parquet", "--except", "default", "--spec", "order.txt", etrace=program)
        self.assertEqual(started(checks), 9)


class TestTraces(OnCluster):
    """Other traces, rules and mistakes, in few shards."""

    def test_folder_of_parquet(self):
        parquet("to", "parts.parquet", "--partition", "run,process", "--input", "run.jsonl")
        os.symlink("run.jsonl", "parts.jsonl")
        self.same("check", "parts.parquet", "--except", "default", "--spec", "order.txt", shards=4)

    def test_lines_without_causes(self):
        self.same("check", "by-hand.jsonl", "--spec", "order.txt", "-q", shards=4)

    def test_keys_that_need_the_state(self):
        rule = "each s: send(type = 'REPLY') was preceded by r: receive(order = s.order) where live(r.process)"
        self.same("check", "run.parquet", "-e", rule, "-e", "never count(leads) > 1", shards=4)

    def test_defaults(self):
        self.same("check", "run.parquet", "--only", "default,process-time-monotone", "--allow-open", status=0, shards=4)

    def test_plan_of_its_own(self):
        etrace("plan", "run.jsonl", "--except", "default", "--spec", "order.txt", "--shards", "3", "-o", "plan.json")
        self.assertEqual(self.spark("check", "run.jsonl", "--plan", "plan.json"), etrace("check", "run.jsonl", "--except", "default", "--spec", "order.txt"))

    def test_many_runs(self):
        etrace("record", "-q", "-o", "runs.db", "--runs", "40", "--loss", "0.1")
        self.same("check", "runs.db", "run.jsonl", "--json", status=1, shards=3)

    def test_many_runs_in_parquet(self):
        etrace("record", "-q", "-o", "many.db", "--runs", "10", "--loss", "0.1")
        etrace("export", "many.db", "--run", "all", "-o", "many.jsonl")
        parquet("to", "many.parquet", "--input", "many.jsonl")
        self.same("check", "many.parquet", "--json", status=1, shards=3)

    def test_parquet_through_a_pipe(self):
        lines = pathlib.Path("run.jsonl").read_bytes()
        self.assertEqual(parquet("cat", "run.parquet"), lines)
        done = subprocess.run([ETRACE, "check", "-", "--except", "default", "--spec", "order.txt"], input=lines, stdout=subprocess.PIPE)
        self.assertEqual((done.stdout, done.returncode), etrace("check", "run.jsonl", "--except", "default", "--spec", "order.txt"))

    def test_suite(self):
        self.same("suite", str(SUITE), "--all", status=0, shards=3)

    def test_lost_line(self):
        program, _ = stubborn("lose", "", tag="sed 100d")
        out, status = self.spark("check", "run.jsonl", "--except", "default", "--spec", "order.txt", etrace=program, shards=4)
        self.assertEqual((out, status), (b"", 2))
        self.assertRegex(self.said, "etrace_spark: .*exited with status 2")

    def test_other_version(self):
        other = pathlib.Path("other").resolve()
        other.write_text("#!/bin/sh\necho etrace 0.0.0\n")
        other.chmod(0o755)
        out, status = self.spark("check", "run.jsonl", "--except", "default", "--spec", "order.txt", "--worker-etrace", str(other), shards=4)
        self.assertEqual((out, status), (b"", 2))
        self.assertRegex(self.said, "etrace_spark: .*exited with status 2")

    def test_mistakes(self):
        for args, want in {
            ("check", "none.jsonl"): "etrace: none.jsonl",
            ("check", "run.jsonl", "-e", "never never"): "etrace: ",
            ("check", "run.jsonl", "--nonsense"): "--nonsense",
            ("check", "run.parquet", "--etrace-parquet", "./none"): "./none: no such program",
        }.items():
            with self.subTest(args=args):
                self.assertEqual(self.spark(*args), (b"", 2))
                self.assertIn(want, self.said)
        self.assertEqual(self.spark("check", "run.jsonl", etrace="./no-etrace"), (b"", 2))
        self.assertIn("./no-etrace: no such program", self.said)


class TestImport(OnCluster):
    """Logs that tasks read."""

    def test_100_logs(self):
        # A task fails once, when it has written its share, and a duplicate of another writes the share again, later.
        once = os.path.abspath("once")
        program, _ = stubborn("import", "", parts=f"""
*--files?7/*) etrace "$@"; mkdir {once} 2>/dev/null && exit 1; exit 0;;
*--files?5/*) etrace "$@"; cp "$5" "$PARTS/own"; (sleep 0.2; mv -f "$PARTS/own" "$PARTS/0-5.share") & exit 0;;""")
        logs = [str(log) for log in multiplied("logs", 50)]
        self.assertEqual(len(logs), 100)
        whole = etrace("import", *logs, "--map", "etcd", "-o", "whole.jsonl")
        self.assertEqual(whole[1], 0)
        out, status = self.spark("import", *logs, "--map", "etcd", "-o", "lake", etrace=program, shards=8)
        self.assertEqual(status, 0, self.said)
        lake = os.path.abspath("lake/run.jsonl").encode()
        self.assertEqual(out.splitlines()[0], whole[0].replace(b"whole.jsonl", lake).splitlines()[0])
        self.assertTrue(os.path.isdir(once), "no task has failed")
        self.assertEqual(os.listdir("lake"), ["run.jsonl"])
        self.assertEqual(pathlib.Path("lake/run.jsonl").read_bytes(), pathlib.Path("whole.jsonl").read_bytes())
        rule = "never state where role == 'leader'"
        want = etrace("check", "whole.jsonl", "-e", rule, "--except", "default")
        self.assertEqual(want[1], 1, "the whole is not what the test is about")
        got, status = self.spark("check", "lake", "-e", rule, "--except", "default", shards=4)
        self.assertEqual((got.replace(b"lake/run.jsonl", b"whole.jsonl"), status), want, self.said)

    def test_a_folder_for_each_execution(self):
        multiplied("a", 1), multiplied("b", 2)
        out, status = self.spark("import", "a", "b", "--map", "etcd", "-o", "two", shards=3)
        self.assertEqual((status, sorted(os.listdir("two"))), (0, ["a.jsonl", "b.jsonl"]), self.said)
        for name in "ab":
            etrace("import", *sorted(str(log) for log in pathlib.Path(name).iterdir()), "--map", "etcd", "-o", f"{name}.jsonl")
            self.assertEqual(pathlib.Path(f"two/{name}.jsonl").read_bytes(), pathlib.Path(f"{name}.jsonl").read_bytes())

    def test_parquet(self):
        multiplied("e", 2), multiplied("f", 1)
        out, status = self.spark("import", "e", "f", "--map", "etcd", "-o", "packed", "--parquet", "--etrace-parquet", ETRACE_PARQUET, shards=3)
        self.assertEqual((status, sorted(os.listdir("packed"))), (0, ["e.parquet", "f.parquet"]), self.said)
        for name in "ef":
            etrace("import", *sorted(str(log) for log in pathlib.Path(name).iterdir()), "--map", "etcd", "-o", f"{name}.jsonl")
            self.assertEqual(parquet("cat", f"packed/{name}.parquet"), pathlib.Path(f"{name}.jsonl").read_bytes())
        got, status = self.spark("check", "packed", "-e", "never state where role == 'leader'", "--except", "default", shards=2)
        self.assertEqual((status, got.splitlines()[-1:]), (1, [b"2 of 2 runs violated"]), (got, self.said))
        self.assertEqual(self.spark("import", "e", "--map", "etcd", "-o", "no", "--parquet", "--etrace-parquet", "./none"), (b"", 2))
        self.assertIn("./none: no such program", self.said)

    def test_worker_killed(self):
        begun = os.path.abspath("killed-import")
        program, checks = stubborn("killed-import", "", parts=f"""
*--files?[01]/*) echo >>{begun}/checks; until [ -e {begun}/killed ]; do sleep 0.1; done;;""")
        logs = [str(log) for log in multiplied("g", 2)]
        etrace("import", *logs, "--map", "etcd", "-o", "g.jsonl")
        victim = cluster.workers.pop()
        killer = threading.Thread(target=self.kill, args=(victim, checks))
        killer.start()
        _, status = self.spark("import", *logs, "--map", "etcd", "-o", "survived", etrace=program, shards=2)
        killer.join()
        cluster.workers.append(cluster.start_worker())
        self.assertEqual(status, 0, self.said)
        self.assertGreater(started(checks), 2, "no share was begun again")
        self.assertEqual(os.listdir("survived"), ["run.jsonl"])
        self.assertEqual(pathlib.Path("survived/run.jsonl").read_bytes(), pathlib.Path("g.jsonl").read_bytes())

    def test_at_once(self):
        logs = [str(log) for log in multiplied("d", 2)]
        with open(logs[1], "a", encoding="utf-8") as file:
            file.write("--- restart ---\n")
        for name, files in ("several", logs), ("single", logs[:1]):
            with self.subTest(name):
                etrace("import", *files, "--map", "etcd", "-o", f"{name}.jsonl")
                out, status = self.spark("import", *files, "--map", "etcd", "-o", name, shards=3)
                self.assertEqual(status, 0, self.said)
                self.assertEqual(b"marks a restart, perhaps of processes in other files: the files must be imported at once" in out, name == "several")
                self.assertEqual(pathlib.Path(name, "run.jsonl").read_bytes(), pathlib.Path(f"{name}.jsonl").read_bytes())

    def test_mistakes(self):
        log = str(multiplied("c", 1)[0])
        for args in (log, "--map", "none", "-o", "none"), ("none.log", "--map", "etcd", "-o", "none"):
            with self.subTest(args=args):
                self.assertEqual(self.spark("import", *args, shards=2), (b"", 2))
                self.assertFalse(os.path.exists("none"))
        self.assertEqual(self.spark("import", log, "--map", "etcd", "-o", "c"), (b"", 2))
        self.assertIn("c: exists, expected a new folder", self.said)


class TestWholeProgram(OnCluster):
    """The program in a process of its own. These tests are the last: before them the others' session is stopped."""

    def test_module(self):
        module = apart(sys.executable, "-m", "etrace_spark")
        self.same("check", "run.parquet", "--except", "default", "--spec", "order.txt", execute=module)

    def test_spark_submit(self):
        submit = apart(SPARK / "bin/spark-submit", PACKAGE / "etrace_spark/__main__.py")
        self.same("check", "run.parquet", "--except", "default", "--spec", "order.txt", execute=submit, shards=4)


def multiplied(folder, times):
    """Copies of the logs of two members of etcd in a folder, each pair with other names and ids."""
    os.mkdir(folder)
    for i in range(times):
        for name in ("m1", "m2"):
            log = (LOGS / f"etcd.{name}.log").read_text(encoding="utf-8")
            log = log.replace("fedcba9876543210", f"fedcba98765432{i:02}").replace("123456789abcdef", f"123456789abcd{i:02}")
            pathlib.Path(folder, f"s{i:02}{name}.log").write_text(log, encoding="utf-8")
    return sorted(pathlib.Path(folder).iterdir())


def stubborn(name, first, tag="cat", parts=""):
    """An etrace that does something else before it checks a shard, and the file where it notes each. parts are cases of a command line."""
    folder = pathlib.Path(name).resolve()
    folder.mkdir()
    script, checks = folder / f"etrace-{name}", folder / "checks"
    script.write_text(f"""#!/bin/sh
etrace() {{ {ETRACE} "$@"; }}
case "$1 $4" in
check*) echo >>{checks}; cd {folder}; {first or ":"};;
*--tag) etrace "$@" | {tag}; exit;;
esac
case "$*" in{parts}
esac
etrace "$@"
""")
    script.chmod(0o755)
    return str(script), checks


def started(checks):
    """How many checks of shards were begun."""
    return len(checks.read_text().splitlines()) if checks.exists() else 0


if __name__ == "__main__":
    unittest.main(verbosity=2)
