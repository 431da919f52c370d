"""Checks a trace, runs suites, or imports logs, in shards on Spark, and prints the report of etrace.

etrace splits the work, selects the lines for each shard, checks the shards, and merges their
summaries. Spark shuffles the lines, pipes them through etrace, and restarts failed tasks.
Python reads no event: the lines go from the JVM to etrace and back.
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from py4j.protocol import Py4JJavaError
from pyspark import SparkFiles
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# The flags that are passed to etrace plan and etrace merge. A flag with = takes a value.
PLAN = "--spec= -e/--rule= --only= --except= --max-steps= --complete= --end= --crashed= --run= --allow-quadratic --salvage"
MERGE = "--format= --json --allow-open -q/--quiet --strict"
IMPORT = "--complete= --crashed= --end= --strict"
# Flags that change the run, so that its events are not the lines of the trace: etrace must read the trace.
CHANGING = {"--run", "--crashed", "--salvage"}

# The beginning of the script of a task: it resolves the paths of etrace ($E), the plan ($P) and etrace-parquet ($Q), goes to the
# folder of the driver ($D), and fails if etrace has another version than the driver ($V).
FIRST = """case $E in /*) ;; *) E=$PWD/$E;; esac; case $P in /*) ;; *) P=$PWD/$P;; esac; case $Q in /*) ;; *) Q=$PWD/$Q;; esac
cd "$D" 2>/dev/null
v=$("$E" --version); if [ "$v" != "$V" ]; then echo "$E is ${v:-none}, expected $V" >&2; exit 2; fi
"""


def main(argv=None):
    """Executes the command line and returns the exit status of etrace."""
    args = arguments(argv)
    args.binary = shutil.which(args.etrace)
    if args.binary is None:
        return fail(f"{args.etrace}: no such program, expected the path of etrace (--etrace)")
    try:
        with tempfile.TemporaryDirectory(prefix="etrace-", dir=args.shared) as folder:
            return args.do(args, pathlib.Path(folder))
    except subprocess.CalledProcessError:
        return 2  # etrace has printed the reason
    except (Py4JJavaError, PySparkException) as err:
        reason = str(getattr(err, "java_exception", err)).strip().splitlines()[0]
        return fail(f"{reason}; the error of etrace is in the stderr of the executor")


def fail(why):
    """Prints the error in a line, and returns the exit status."""
    print(f"etrace_spark: {why}", file=sys.stderr)
    return 2


class Passed(argparse.Action):
    """Stores a flag with its value in the form in which etrace gets it."""

    def __call__(self, parser, args, value, flag=None):
        setattr(args, self.dest, [*getattr(args, self.dest), flag, *([] if self.nargs == 0 else [value])])


def arguments(argv):
    """Parses the command line."""
    parser = argparse.ArgumentParser("etrace_spark", description=__doc__.split("\n\n")[0], allow_abbrev=False)
    verbs = parser.add_subparsers(required=True)

    def verb(do, files, files_help, **passed):
        of = verbs.add_parser(do.__name__.rstrip("_"), allow_abbrev=False, help=do.__doc__)
        of.set_defaults(do=do)
        of.add_argument(files, nargs="+", help=files_help)
        of.add_argument("--shards", default=64, type=int, metavar="N", help="the number of shards; each is a task (default 64)")
        of.add_argument("--master", metavar="URL", help="the cluster (default: that of spark-submit, else local[*])")
        of.add_argument("--etrace", default="etrace", metavar="PATH", help="etrace on this machine; it is sent to the workers (default: etrace)")
        of.add_argument("--worker-etrace", metavar="PATH", help="etrace on the workers, if it is installed there")
        of.add_argument("--shared", metavar="DIR", help="a folder that the workers can read, for slices that etrace must write, and for runs in Parquet")
        for command, flags in passed.items():
            group = of.add_argument_group(f"as in etrace {command}")
            for flag in flags.split():
                names, value = flag.strip("=").split("/"), None if "=" in flag else 0
                group.add_argument(*names, dest=f"{command}_flags", action=Passed, nargs=value, default=[], metavar="X")
        return of

    of_check = verb(check, "trace", "Parquet or JSON Lines, files or folders, which the workers can read, too", plan=PLAN, merge=MERGE)
    of_check.add_argument("--etrace-parquet", default="etrace-parquet", metavar="PATH", help="etrace-parquet here, for traces in Parquet (default: etrace-parquet)")
    of_check.add_argument("--plan", metavar="FILE", help="a plan that etrace plan made of the traces")
    of_import = verb(import_, "log", "logs of an execution, or folders with those of one, which the workers can read, too", **{"import": IMPORT})
    of_import.add_argument("--map", required=True, metavar="MAP", help="the mapping of the logs: a name, or a file that the workers can read, too")
    of_import.add_argument("--parquet", action="store_true", help="write the runs in Parquet")
    of_import.add_argument("--etrace-parquet", default="etrace-parquet", metavar="PATH", help="etrace-parquet here; it is sent to the workers (default: etrace-parquet)")
    of_import.add_argument("-o", "--output", required=True, metavar="LAKE", help="write the runs into this new folder, where the workers can write, too")
    verb(suite, "file", "files of suites, which the workers can read, too", suite="--case=", merge="--all " + MERGE)
    return parser.parse_args(argv)


def etrace(args, *command, to=subprocess.PIPE):
    """Executes etrace on this machine, and returns its output, unless the output goes to a file."""
    return subprocess.run([args.binary, *command], stdout=to, check=True).stdout


class Spark:
    """A session of Spark whose tasks can execute etrace and read the plan, if there is one."""

    def __init__(self, args, plan=None):
        quiet = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": False}
        builder = SparkSession.builder.appName(f"etrace {args.do.__name__}").config(map=quiet)
        self.session = (builder.master(args.master) if args.master else builder).getOrCreate()
        version = etrace(args, "--version").decode().strip()
        self.env = {"E": args.worker_etrace or self.ship(args.binary), "P": self.ship(plan) if plan else "", "Q": "", "D": os.getcwd(), "V": version}

    def ship(self, file):
        """Sends a file to the workers, and returns its path on a worker."""
        context, name = self.session.sparkContext, os.path.basename(file)
        context.addFile(str(file))
        return SparkFiles.get(name) if context._jsc.isLocal() else name

    def pipe(self, lines, command):
        """Pipes the lines of each partition through a command. The lines do not pass through Python."""
        text = self.session._jvm.org.apache.spark.sql.Encoders.STRING()
        rdd = getattr(lines._jdf, "as")(text).toJavaRDD()
        piped = rdd.pipe(["sh", "-c", FIRST + command], self.env, False, 1 << 16, "UTF-8")
        return DataFrame(self.session._jsparkSession.createDataset(piped.rdd(), text).toDF(), self.session)


def check(args, folder):
    """decide the properties of recorded runs"""
    args.trace = [name for trace in args.trace for name in runs_in(trace)]
    plan = folder / f"{folder.name}.json"
    if args.plan:
        shutil.copyfile(args.plan, plan)
    else:
        etrace(args, "plan", *written_as_lines(args, folder), *args.plan_flags, "--shards", str(args.shards), "-o", plan)
    described, spark = json.loads(plan.read_bytes()), Spark(args, plan)
    tagged = spark.session.range(described["shards"]).selectExpr("concat(id, '\t') AS value")  # a line for each shard, because a shard without events is checked, too
    if described["mode"] == "events":
        tagged = tagged.union(events(args, spark, plan, described, folder))
    seq = F.get_json_object(F.expr("substring(value, instr(value, '\t') + 1)"), "$.seq").cast("long")
    shards = tagged.select("value", F.substring_index("value", "\t", 1).cast("int").alias("shard"), seq.alias("seq"))
    ordered = shards.repartitionById(described["shards"], "shard").sortWithinPartitions("shard", "seq").select("value")
    return merge(args, folder, spark.pipe(ordered, 'exec "$E" check --plan "$P" --shard -'), "--plan", plan)


def runs_in(trace):
    """Returns the files of a lake; for another trace, its name."""
    lake = pathlib.Path(trace)
    runs = [] if (lake / "_runs.json").exists() else [*lake.glob("*.jsonl"), *lake.glob("*.parquet")]
    return sorted(map(str, runs)) or [trace]


def written_as_lines(args, folder):
    """Returns the names of the traces. It converts those in Parquet, which etrace cannot read, to JSON Lines in the folder."""
    names = []
    for trace in args.trace:
        if is_parquet(trace):
            if shutil.which(args.etrace_parquet) is None:
                sys.exit(fail(f"{args.etrace_parquet}: no such program, expected the path of etrace-parquet (--etrace-parquet)"))
            name = folder / f"{len(names)}.jsonl"
            with open(name, "wb") as file:
                subprocess.run([args.etrace_parquet, "cat", trace], stdout=file, check=True)
            trace = str(name)
        names.append(trace)
    return names


def is_parquet(trace):
    """Reports whether a trace is a Parquet file, or a folder with Parquet files."""
    for name in [trace] if os.path.isfile(trace) else pathlib.Path(trace).rglob("*.parquet"):
        with open(name, "rb") as file:
            return file.read(4) == b"PAR1"
    return False


def suite(args, folder):
    """record, measure and check the cases of suites"""
    spark = Spark(args)
    shards = spark.session.range(args.shards).repartitionById(args.shards, F.col("id").cast("int")).selectExpr("string(id) AS value")
    command = f'while read -r i; do "$E" suite {shlex.join([*args.file, *args.suite_flags])} --shard "$i/{args.shards}" || exit; done'
    return merge(args, folder, spark.pipe(shards, command))


# What a task of an import does, for each line with an execution and a number. Each attempt of a task has a file of its own, and
# gives it its name when it is whole: duplicates do no harm.
TASK = """while read -r e i of name; do own="$PARTS/own-$e-$i.$(uname -n)-$$"
{ DO; } || { rm -f "$own"; exit 2; }; done"""
LOGS = 'sh "$PARTS/$e.sh" HOW "$i/$of" "$own.EXT" && mv -f "$own.EXT" "$PARTS/$e-$i.EXT"'
STEPS = {
    "part": LOGS.replace("HOW", "--part").replace("EXT", "part.gz"),
    "share": LOGS.replace("HOW", "--files").replace("EXT", "share"),
    "match": '"$E" import --match "$i/$of" -o "$own" "$PARTS/$e"-*.share && mv -f "$own" "$PARTS/$e-$i.match"',
    # The order prints what an import prints, or the reason why the files must be imported at once.
    "order": 'out=$("$E" import --order FLAGS -o "$own" "$PARTS/$e"-*.share "$PARTS/$e"-*.match 2>&1) || { echo "$out" >&2; exit 2; }\n'
    'mv -f "$own" "$PARTS/$e.order" && printf "%s\\n" "$out" | sed "s|$own|$LAKE/$name.jsonl|; s|^|$e\t|"',
    "piece": '"$E" import --piece "$i/$of" -o "$own" "$PARTS/$e.order" "$PARTS/$e"-*.share && mv -f "$own" "$PARTS/$e-$i.piece"',
    "run": 'for n in $(seq 0 $((of - 1))); do cat "$PARTS/$e-$n.piece" || exit 2; done > "$own.jsonl" && MOVE',
    "join": 'out=$("$E" import --join FLAGS -o "$own.jsonl" "$PARTS/$e"-*.part.gz 2>&1) || { echo "$out" >&2; exit 2; }\n'
    'MOVE && printf "%s\\n" "$out" | sed "s|$own.jsonl|$LAKE/$name.jsonl|; s|^|$e\t|"',
}
# How a whole run gets into the lake: as it is, or in Parquet.
MOVES = {
    "jsonl": 'mv -f "$own.jsonl" "$LAKE/$name.jsonl"',
    "parquet": '"$Q" to "$own.parquet" --input "$own.jsonl" && mv -f "$own.parquet" "$LAKE/$name.parquet"',
}


def import_(args, folder):
    """import logs into a lake of runs, a file for each execution"""
    if args.parquet and shutil.which(args.etrace_parquet) is None:
        return fail(f"{args.etrace_parquet}: no such program, expected the path of etrace-parquet (--etrace-parquet)")
    lake, spark = pathlib.Path(os.path.abspath(args.output)), Spark(args)
    files = [log for log in args.log if not os.path.isdir(log)]
    executions = [("run", files)] * bool(files) + [
        (os.path.basename(os.path.abspath(log)), sorted(str(name) for name in pathlib.Path(log).iterdir() if name.is_file()))
        for log in args.log if os.path.isdir(log)
    ]
    if len({name for name, _ in executions}) < len(executions):
        return fail("two folders of logs have one name, expected a name for each, which its runs get")
    try:
        lake.mkdir(parents=True)
    except FileExistsError:
        return fail(f"{args.output}: exists, expected a new folder")
    done = False
    try:
        parts = lake / "_parts"
        parts.mkdir()
        for e, (_, names) in enumerate(executions):
            how = shlex.join(["--map", args.map, "--", *names])
            (parts / f"{e}.sh").write_text(f'exec "$E" import "$1" "$2" -o "$3" {how}\n', encoding="utf-8")
        spark.env |= {"PARTS": str(parts), "LAKE": str(lake), "Q": spark.ship(shutil.which(args.etrace_parquet)) if args.parquet else ""}
        import_executions(args, spark, parts, executions)
        shutil.rmtree(parts)
        done = True
    finally:
        if not done:
            shutil.rmtree(lake)
    return 0


def import_executions(args, spark, parts, executions):
    """Imports the logs of each execution. Tasks divide the files, or the lines of files that must be imported at once."""

    def step(name, numbers):
        """Executes a step for some executions, each in several tasks or in one, and prints what it says, in their order."""
        lines = []
        for e in numbers:
            count = min(args.shards, len(executions[e][1])) if name in ("share", "match") else args.shards
            lines += [f"{e} {i} {count} {executions[e][0]}" for i in range(1 if name in ("order", "run", "join") else count)]
        if not lines:
            return
        tasks = spark.session.createDataFrame(list(enumerate(lines)), "id int, value string").repartitionById(len(lines), F.col("id"))
        command = TASK.replace("DO", STEPS[name]).replace("MOVE", MOVES["parquet" if args.parquet else "jsonl"])
        command = command.replace("FLAGS", shlex.join(args.import_flags))
        said = [row.value.split("\t", 1) for row in spark.pipe(tasks.select("value"), command).collect()]
        for _, line in sorted(said, key=lambda pair: int(pair[0])):
            print(line)

    # Statements about crashes and the end need the whole run.
    stated = {"--crashed", "--end"} & set(args.import_flags)
    by_files = [e for e, (_, names) in enumerate(executions) if len(names) > 1 and not stated]
    for name in "share", "match", "order":
        step(name, by_files)
    ordered = [e for e in by_files if not must_be_at_once(parts / f"{e}.order")]
    for name in "piece", "run":
        step(name, ordered)
    at_once = [e for e in range(len(executions)) if e not in ordered]
    for name in "part", "join":
        step(name, at_once)


def must_be_at_once(order):
    """Reports whether the files of an order must be imported at once: their lines show it."""
    with open(order, "rb") as file:
        return "at_once" in json.loads(file.readline())


def merge(args, folder, found, *how):
    """Lets etrace merge the summaries of a job and print the report, and returns its exit status."""
    summaries = folder / "summaries.json"
    summaries.write_text("".join(row.value + "\n" for row in found.collect()), encoding="utf-8")
    return subprocess.run([args.binary, "merge", summaries, *how, *args.merge_flags]).returncode


def events(args, spark, plan, described, folder):
    """Returns the lines of a run, once for each shard that needs them, as SHARD<TAB>LINE."""
    source = lines(spark.session, args.trace) if described["run"]["alone"] and not CHANGING & set(args.plan_flags) else None
    if source is not None and lines_suffice(args, plan):
        if is_parquet(args.trace[0]):  # the rows are events; the trailer of the run is not a row
            source = source.union(spark.session.createDataFrame([(last_line(described["traces"][0]["path"]),)], "value string"))
        return spark.pipe(source, 'exec "$E" slice --plan "$P" --tag')
    with open(folder / "tagged.txt", "wb") as file:
        etrace(args, "slice", "--plan", plan, "-o", "-", to=file)
    return spark.session.read.text(str(folder / "tagged.txt"))


def lines_suffice(args, plan):
    """Reports whether each line of a text shows which shards need it. Hand-written lines may lack causes, and a run its end."""
    if not args.trace[0].endswith(".jsonl") or not os.path.isfile(args.trace[0]):
        return True
    with open(args.trace[0], "rb") as file:
        first = file.read(1 << 20).rpartition(b"\n")[0]
    ended = last_line(args.trace[0]).startswith('{"end"')
    return ended and subprocess.run([args.binary, "slice", "--plan", plan, "--tag"], input=first, capture_output=True).returncode == 0


def last_line(path):
    """Returns the last line of a text, up to 4096 bytes: the trailer of a run is short."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4096))
        return file.read().rstrip().rpartition(b"\n")[2].decode(errors="replace")


def lines(session, traces):
    """Returns the lines of the traces, those in Parquet as JSON Lines; None for files that Spark cannot read."""
    names = [str(p) for t in traces for p in ([t] if not os.path.isdir(t) else pathlib.Path(t).rglob("[!._]*.*"))]
    if all(".jsonl" in name for name in names):
        return session.read.text(traces)
    if not all(name.endswith(".parquet") for name in names):
        return None
    session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", False)
    session.conf.set("spark.sql.files.maxPartitionBytes", "8m")  # a megabyte has some 100,000 events
    table = session.read.parquet(*traces)
    table = table.withColumns({c: table[c].cast("long") for c in ("seq", "time", "message", "cause", "lamport", "term")})
    fields = F.to_json(F.struct(*[c for c in table.columns if c not in ("run", "payload")])).alias("f")
    payload = F.coalesce(F.concat(F.lit(',"payload":'), "payload"), F.lit("")).alias("p")
    return table.select(fields, payload).selectExpr("concat(left(f, length(f) - 1), p, '}') AS value")


if __name__ == "__main__":
    sys.exit(main())
