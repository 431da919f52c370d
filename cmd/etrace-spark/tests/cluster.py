"""A standalone Spark cluster of processes on loopback, from the classes of the pyspark wheel."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pyspark

SPARK = pathlib.Path(pyspark.__file__).parent
HERE = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK), "SPARK_DAEMON_MEMORY": "256m"}


class Cluster:
    """A master and some workers of one core each. Each is the head of a group of processes, so
    that a worker dies with its executors and their children, as a machine does."""

    def __init__(self, folder, workers=2, memory="2g"):
        self.folder, self.memory = pathlib.Path(folder), memory
        self.started = []
        try:
            self._start("master", "master.Master", "--port", "0")
            self.url = self._await("master", r"Starting Spark master at (spark://\S+)")
            self.workers = [self.start_worker() for _ in range(workers)]
            for worker in self.workers:
                self.await_worker(worker)
        except BaseException:
            self.stop()
            raise

    def start_worker(self):
        """Starts a worker and returns its name."""
        name = f"worker-{len(self.started)}"
        self._start(name, "worker.Worker", "--cores", "1", "--memory", self.memory, "--work-dir", str(self.folder / name), self.url)
        return name

    def await_worker(self, name):
        """Waits until the master knows the worker."""
        self._await(name, "(Successfully registered) with master")

    def kill(self, name):
        """Kills a worker with its executors and their children, all by SIGKILL."""
        kill(dict(self.started)[name])

    def stop(self):
        """Kills all."""
        for _, process in reversed(self.started):
            kill(process)

    def _start(self, name, main, *args):
        with open(self.folder / f"{name}.log", "wb") as log:
            command = [SPARK / "bin/spark-class", f"org.apache.spark.deploy.{main}", "--host", "127.0.0.1", "--webui-port", "0", *args]
            process = subprocess.Popen(command, env=os.environ | HERE, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        self.started.append((name, process))

    def _await(self, name, pattern, seconds=120):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            text = (self.folder / f"{name}.log").read_text(errors="replace")
            if found := re.search(pattern, text):
                return found[1]
            time.sleep(0.2)
        raise TimeoutError(f"{name} did not start within {seconds} s:\n{text[-2000:]}")


def kill(process):
    """Kills a group of processes that was started here."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
