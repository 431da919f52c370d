"""Experimental: checks a trace, or runs suites, in shards on Flink, and prints what etrace prints.

etrace cuts the run into slices, in a folder that all task managers see; Flink has one etrace
check each of them, restarts what fails and gathers the summaries; etrace merges them, and refuses
to report when what the shards have seen is not what the plan expects of them.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from py4j.protocol import Py4JJavaError
from pyflink.common import Configuration, Types
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink, OutputFileConfig

# The flags that are passed on to etrace, to which of its commands; those with = take a value.
PLAN = "--spec= -e/--rule= --property= --except= --max-steps= --complete= --end= --crashed= --run= --allow-quadratic --salvage"
MERGE = "--format= --json --allow-open -q/--quiet"

SHARD = "\0"  # in a command, the number of the shard

# In batch mode with its own state backend PyFlink has lost events of keyed state and called the job a success. Nothing here
# keeps state; should something do so, it is in a backend that loses nothing.
OPTIONS = {
    "execution.runtime-mode": "BATCH",
    "execution.batch-state-backend.enabled": "false",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "3",
    "restart-strategy.fixed-delay.delay": "1 s",
    "python.executable": sys.executable,
    "python.client.executable": sys.executable,
}


def main(argv=None):
    """Does what the command line says and returns the exit status, that of etrace."""
    args = arguments(argv)
    args.binary = shutil.which(args.etrace)
    if args.binary is None:
        return fail(f"{args.etrace}: no such program, expected the path of etrace (--etrace)")
    try:
        with tempfile.TemporaryDirectory(prefix="etrace-", dir=args.shared) as folder:
            return args.do(args, pathlib.Path(folder))
    except subprocess.CalledProcessError:
        return 2  # etrace has said why
    except Py4JJavaError as err:
        return fail(f"{str(err.java_exception).splitlines()[0]}; what etrace said is in the log of the task manager")


def fail(why):
    """Says in a line what is wrong, other than with a trace."""
    print(f"etrace_flink: {why}", file=sys.stderr)
    return 2


class Kept(argparse.Action):
    """A flag that is kept as it was given, with its value, for etrace."""

    def __call__(self, parser, args, value, flag=None):
        setattr(args, self.dest, [*getattr(args, self.dest), flag, *([] if self.nargs == 0 else [value])])


def arguments(argv):
    """Reads the command line."""
    parser = argparse.ArgumentParser("etrace_flink", description=__doc__.split("\n\n")[0], allow_abbrev=False)
    verbs = parser.add_subparsers(required=True)

    def verb(do, files, files_help, **passed):
        of = verbs.add_parser(do.__name__, allow_abbrev=False, help=f"experimental: {do.__doc__}")
        of.set_defaults(do=do)
        of.add_argument(files, nargs="+", help=files_help)
        of.add_argument("--shards", default=64, type=int, metavar="N", help="how many shards (default 64)")
        of.add_argument("--parallelism", type=int, metavar="N", help="how many are checked at a time (default: that of Flink)")
        of.add_argument("--jobmanager", metavar="HOST:PORT", help="a session cluster (default: one within this process)")
        of.add_argument("--etrace", default="etrace", metavar="PATH", help="etrace here; it is copied for the task managers (default: etrace)")
        of.add_argument("--shared", metavar="DIR", help="a folder that all task managers see")
        for command, flags in passed.items():
            group = of.add_argument_group(f"as in etrace {command}")
            for flag in flags.split():
                names, value = flag.strip("=").split("/"), None if "=" in flag else 0
                group.add_argument(*names, dest=f"{command}_flags", action=Kept, nargs=value, default=[], metavar="X")

    verb(check, "trace", "traces; those of several runs must be where task managers see them", plan=PLAN, merge=MERGE)
    verb(suite, "file", "files of suites, which task managers see, too", suite="--case=", merge="--all " + MERGE)
    return parser.parse_args(argv)


def etrace(args, *command):
    """Executes etrace here."""
    subprocess.run([args.binary, *command], stdout=subprocess.DEVNULL, check=True)


def check(args, folder):
    """decide the properties of recorded runs"""
    plan, slices = str(folder / "plan.json"), str(folder / "slices")
    etrace(args, "plan", *args.trace, *args.plan_flags, "--shards", str(args.shards), "-o", plan)
    cut = json.loads(pathlib.Path(plan).read_bytes())["mode"] == "events"
    if cut:
        etrace(args, "slice", "--plan", plan, "-o", slices)
    command = ["check", "--plan", plan, "--shard", SHARD, *([f"{slices}/{SHARD}.jsonl"] if cut else [])]
    return merge(args, folder, command, "--plan", plan)


def suite(args, folder):
    """record, measure and check the cases of suites"""
    return merge(args, folder, ["suite", *args.file, *args.suite_flags, "--shard", f"{SHARD}/{args.shards}"])


def merge(args, folder, command, *how):
    """Has each shard checked and returns the exit status of etrace, which prints the report."""
    binary, found = shutil.copy2(args.binary, folder / "etrace"), folder / "found"
    execute(args, shard_of([str(binary), *command], os.getcwd()), str(found))
    return subprocess.run([args.binary, "merge", found, *how, *args.merge_flags]).returncode


def shard_of(command, folder):
    """A function that executes the command for a shard and returns what it prints."""

    def of(number):
        words = [word.replace("\0", str(number)) for word in command]
        return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout.strip()

    return of


def execute(args, function, found):
    """Has Flink call the function for each shard and write what it returns to files in a folder."""
    options = Configuration()
    for key, value in OPTIONS.items():
        options.set_string(key, value)
    if args.jobmanager:
        address, _, port = args.jobmanager.rpartition(":")
        for key, value in {"execution.target": "remote", "rest.address": address, "rest.port": port}.items():
            options.set_string(key, value)
    flink = StreamExecutionEnvironment.get_execution_environment(options)
    if args.parallelism:
        flink.set_parallelism(args.parallelism)
    files = OutputFileConfig.builder().with_part_prefix("found").with_part_suffix(".json").build()
    sink = FileSink.for_row_format(found, Encoder.simple_string_encoder("UTF-8")).with_output_file_config(files)
    sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    shards = flink.from_collection(list(range(args.shards)), Types.INT()).rebalance()
    shards.map(function, Types.STRING()).sink_to(sink)
    flink.execute("etrace")


if __name__ == "__main__":
    sys.exit(main())
