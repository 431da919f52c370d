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

# The beginning of the script of a task: it resolves the paths of etrace ($E) and the plan ($P), goes to the folder of the
# driver ($D), and fails if etrace has another version than the driver ($V).
FIRST = """case $E in /*) ;; *) E=$PWD/$E;; esac; case $P in /*) ;; *) P=$PWD/$P;; esac; cd "$D" 2>/dev/null
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
        self.env = {"E": args.worker_etrace or self.ship(args.binary), "P": self.ship(plan) if plan else "", "D": os.getcwd(), "V": version}

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
    """Returns the files of a lake of JSON Lines; for another trace, its name."""
    return sorted(str(name) for name in pathlib.Path(trace).glob("*.jsonl")) or [trace]


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


# What a task of an import does: it reads a part of an execution, or joins the parts of one. Each attempt of a task has a file of its
# own, and gives it its name when it is whole: duplicates do no harm.
PART = """while read -r task; do e=$((task / N)) i=$((task % N)) own="$PARTS/own-$task.$(uname -n)-$$.jsonl.gz"
sh "$PARTS/$e.sh" "$i/$N" "$own" && mv -f "$own" "$PARTS/$e-$i.jsonl.gz" || exit; done"""
JOIN = """while read -r e name; do own="$PARTS/own.$(uname -n)-$$.jsonl"
out=$("$E" import --join FLAGS -o "$own" "$PARTS/$e"-*.jsonl.gz 2>&1) || { echo "$out" >&2; exit 2; }
mv -f "$own" "$LAKE/$name.jsonl" && printf '%s\\n' "$out" | sed "s|$own|$LAKE/$name.jsonl|"; done"""


def import_(args, folder):
    """import logs into a lake of runs, a file for each execution"""
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
            (parts / f"{e}.sh").write_text(f'exec "$E" import --part "$1" -o "$2" {how}\n', encoding="utf-8")
        spark.env |= {"PARTS": str(parts), "LAKE": str(lake), "N": str(args.shards)}
        count = len(executions) * args.shards
        tasks = spark.session.range(count).repartitionById(count, F.col("id").cast("int")).selectExpr("string(id) AS value")
        spark.pipe(tasks, PART).collect()
        rows = [(e, f"{e} {name}") for e, (name, _) in enumerate(executions)]
        joins = spark.session.createDataFrame(rows, "id int, value string").repartitionById(len(rows), F.col("id")).select("value")
        for row in spark.pipe(joins, JOIN.replace("FLAGS", shlex.join(args.import_flags))).collect():
            print(row.value)
        shutil.rmtree(parts)
        done = True
    finally:
        if not done:
            shutil.rmtree(lake)
    return 0


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
