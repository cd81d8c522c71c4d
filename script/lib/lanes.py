"""Runs commands side by side, each in a session of its own and with a limit of time. A command that exceeds its limit, or whose test does, is ended
after the stacks of all its threads have been written to its log. No process of a command outlives it."""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

sessions = set()
guard = threading.Lock()


def members(session):
    """Returns the processes of a session: pairs of the process id and the program's name. (Foundation puts each child into a process group of its
    own, but leaves it in the session.)"""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue
        if int(rest.split()[3]) == session:
            found.append((int(folder.name), name))
    return found


def end(session):
    """Kills all processes of a session."""
    while True:
        alive = [process for process, _ in members(session)]
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        # A killed child of this program remains until it is waited for.
        if not [process for process in alive if process != session]:
            return
        time.sleep(0.01)


def end_all():
    """Kills all processes of all commands that run."""
    with guard:
        for session in sessions:
            end(session)


def stacks(session):
    """Returns the stacks of all threads of the tests and of the program, by eu-stack of elfutils."""
    texts = []
    for process, name in members(session):
        if name.startswith("tonearm"):
            try:
                shown = subprocess.run(["eu-stack", "-p", str(process)], capture_output=True, text=True, timeout=120).stdout
                shown = subprocess.run(["swift", "demangle", "--simplified"], input=shown, capture_output=True, text=True, timeout=120).stdout
            except (OSError, subprocess.TimeoutExpired) as error:
                shown = "%s\n" % error
            texts.append("== %s, process %d\n%s" % (name, process, shown))
    return "\n".join(texts)


class Job:
    """A command with its log. `limit` is the longest time that the command may take, in seconds.

    A command with a `test_limit` is a program of Swift Testing; the limit holds for each of its tests, of which `test_count` must end or be skipped.
    Then `durations` has the seconds of each test.
    """

    def __init__(self, name, command, log, limit=3600, test_limit=None, test_count=0, environment=None, niceness=0):
        self.name, self.command, self.log = name, [str(part) for part in command], pathlib.Path(log)
        self.limit, self.test_limit, self.test_count, self.niceness = limit, test_limit, test_count, niceness
        self.environment = environment or {}
        self.durations = {}
        self.seconds = 0.0
        self.failure = "has not run"

    def run(self):
        """Runs the command to its end. Returns whether it succeeded; otherwise `failure` has the reason."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        events = Events(self.log.with_suffix(".events")) if self.test_limit else None
        command = self.command + (["--event-stream-output-path", str(events.path), "--event-stream-version", "0"] if events else [])
        start = time.monotonic()
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, **self.environment}, preexec_fn=lambda: os.nice(self.niceness))
            with guard:
                sessions.add(process.pid)
            late = None
            while late is None and process.poll() is None:
                time.sleep(0.1)
                late = events.late(self.test_limit) if events else None
                if late is None and time.monotonic() - start > self.limit:
                    late = "%s has run for more than %d s" % (self.name, self.limit)
            if late:
                log.write(("\nscript/test: %s; the stacks of all threads:\n%s" % (late, stacks(process.pid))).encode())
            end(process.pid)
            process.wait()
            with guard:
                sessions.discard(process.pid)
        self.seconds = time.monotonic() - start
        if events:
            events.read()
            self.durations = events.durations
        if late:
            self.failure = late
        elif process.returncode:
            self.failure = "exit status %d" % process.returncode
        elif events and len(events.ended) != self.test_count:
            self.failure = "%d of %d tests have ended" % (len(events.ended), self.test_count)
        else:
            self.failure = None
        return self.failure is None


class Events:
    """The event stream of a program of Swift Testing: which tests run since when, and how long each took."""

    def __init__(self, path):
        self.path = path
        self.path.unlink(missing_ok=True)
        self.offset = 0
        self.rest = b""
        self.names = {}
        # By test: when it began, by the stream's clock, for its duration, and when it or its last case began, by ours, for its limit.
        self.begun, self.touched = {}, {}
        self.durations = {}
        self.ended = set()

    def read(self):
        try:
            with open(self.path, "rb") as file:
                file.seek(self.offset)
                data = file.read()
        except FileNotFoundError:
            return
        self.offset += len(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if line:
                self.take(json.loads(line))

    def take(self, record):
        kind, payload = record["kind"], record["payload"]
        if kind == "test":
            if payload["kind"] == "function":
                self.names[payload["id"]] = payload["id"].split("/", 1)[0].split(".", 1)[-1] + "/" + payload.get("displayName", payload["name"])
            return
        test, event = payload.get("testID"), payload["kind"]
        if test not in self.names:
            return
        if event == "testStarted":
            self.begun[test] = payload["instant"]["absolute"]
        if event in ("testStarted", "testCaseStarted"):
            self.touched[test] = time.monotonic()
        if event in ("testEnded", "testSkipped"):
            self.ended.add(test)
        if event == "testEnded":
            self.touched.pop(test, None)
            self.durations[self.names[test]] = payload["instant"]["absolute"] - self.begun.pop(test)

    def late(self, limit):
        """Returns a sentence about a test that has run for more than `limit` seconds; None if there is none."""
        self.read()
        for test, since in self.touched.items():
            if time.monotonic() - since > limit:
                return "the test %s has run for more than %d s" % (self.names[test], limit)
        return None


def run_side_by_side(jobs, width, report):
    """Runs jobs in their order, at most `width` at once, and calls `report` with each after its end. Returns the threads, which take the jobs out of
    the list: another call with the same list adds lanes to it."""

    def lane():
        while True:
            try:
                job = jobs.pop(0)
            except IndexError:
                return
            job.run()
            report(job)

    lanes = [threading.Thread(target=lane, daemon=True) for _ in range(width)]
    for thread in lanes:
        thread.start()
    return lanes
