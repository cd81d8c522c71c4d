"""Private sound servers whose devices are recorded to the bit, in 32-bit integers."""

import array
import os
import pathlib
import shutil
import subprocess
import time

FULL = 2.0**31


class Recording:
    """The recorded samples of one device with one channel. The file grows while the server runs."""

    def __init__(self, path, rate):
        self.path, self.rate = pathlib.Path(path), rate

    def count(self):
        return self.path.stat().st_size // 4 if self.path.exists() else 0

    def integers(self, start=0, count=-1):
        """Returns samples as integers of 32 bits."""
        with open(self.path, "rb") as file:
            file.seek(4 * start)
            data = file.read(4 * count if count >= 0 else -1)
        return array.array("i", data[: len(data) // 4 * 4])

    def samples(self, start, count):
        """Returns samples relative to full scale."""
        return [sample / FULL for sample in self.integers(start, count)]

    def first(self, level, start=0):
        """Returns the index of the first sample above a level, from `start` on, or None."""
        limit = int(level * FULL)
        while True:
            block = self.integers(start, 1 << 16)
            if not block:
                return None
            if max(block) > limit or min(block) < -limit:
                return start + next(n for n, sample in enumerate(block) if abs(sample) > limit)
            start += len(block)

    def wait(self, seconds):
        """Waits until the device has played for `seconds` more, or has got nothing for a second: some devices stop after the last audio."""
        goal, last, changed = self.count() + int(seconds * self.rate), self.count(), time.monotonic()
        while last < goal and time.monotonic() < changed + 1:
            time.sleep(0.01)
            if self.count() != last:
                last, changed = self.count(), time.monotonic()


class PulseServer:
    """A PulseAudio server in its default configuration. Its devices are pipes, which get exactly the samples that hardware would get.

    `sinks` are rates by the names of the devices. `recordings` are by the same names, without the rates that the server refuses.
    """

    name = "PulseAudio"

    def __init__(self, folder, sinks):
        self.folder, self.sinks, self.recordings, self.copies, self.servers = pathlib.Path(folder), sinks, {}, [], []
        self.address = f"unix:{self.folder}/native"

    def environment(self):
        """The variables with which clients find the server, and nothing of the user's."""
        folder = str(self.folder)
        return {"XDG_RUNTIME_DIR": folder, "PULSE_RUNTIME_PATH": folder, "HOME": folder, "PATH": os.environ["PATH"], "PULSE_SERVER": self.address}

    def control(self, *arguments):
        """Runs `pactl`, and returns whether it succeeded."""
        return subprocess.run(["pactl", *arguments], env=self.environment(), capture_output=True).returncode == 0

    def start(self):
        arguments = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=false", "--log-level=error"]
        self.launch(*arguments, "-L", f"module-native-protocol-unix socket={self.folder}/native auth-anonymous=1")

    def launch(self, *command):
        """Starts a process of the server, without its log."""
        environment = {name: value for name, value in self.environment().items() if name != "PULSE_SERVER"}
        none = subprocess.DEVNULL
        self.servers.append(subprocess.Popen(command, env=environment, stdin=none, stdout=none, stderr=none))

    def pipe_options(self):
        return ["use_system_clock_for_timing=yes"]

    def __enter__(self):
        self.start()
        awaited(lambda: self.control("info"), f"{self.name} does not answer")
        for name, rate in self.sinks.items():
            self.pipe(name, rate)
        return self

    def pipe(self, name, rate):
        """Adds a pipe as a device, and its recording, if the server accepts the rate."""
        pipe = self.folder / f"{name}.pipe"
        if self.control("load-module", "module-pipe-sink", f"sink_name={name}", f"file={pipe}", f"rate={rate}", "format=s32le", "channels=1",
                        *self.pipe_options()):
            awaited(pipe.exists, f"{self.name} makes no pipe")
            path = self.folder / f"{name}.s32"
            with open(path, "wb") as file:
                self.copies.append(subprocess.Popen(["cat", pipe], stdout=file))
            self.recordings[name] = Recording(path, rate)

    def rewinding_sink(self, name, rate):
        """Adds a device that mixes ahead, and takes mixed audio back, as ALSA's devices do. It is recorded a second late, so that no withdrawn audio
        is recorded."""
        self.pipe(f"{name}-tape", rate)
        self.control("load-module", "module-null-sink", f"sink_name={name}", f"rate={rate}", "format=s32le", "channels=1")
        self.control("load-module", "module-loopback", f"source={name}.monitor", f"sink={name}-tape", "latency_msec=1000", "adjust_time=0")
        self.recordings[name] = self.recordings[f"{name}-tape"]

    def null_sink(self, rate):
        """Adds a device without a recording, as the default one, which is suspended a second after the last audio."""
        self.control("load-module", "module-null-sink", "sink_name=null", f"rate={rate}", "format=s32le", "channels=2")
        self.control("load-module", "module-suspend-on-idle", "timeout=1")
        self.control("set-default-sink", "null")

    def __exit__(self, *_):
        # A reader of a pipe waits as long as no program writes to the pipe. So the readers are ended by a signal too, after the server.
        for process in [*reversed(self.servers), *self.copies]:
            process.terminate()
            process.wait(10)

    def processes(self):
        """The numbers of the processes whose processor time is that of the server."""
        return [process.pid for process in self.servers]


class PipeWireServer(PulseServer):
    """PipeWire with WirePlumber and its pulse server, in their default configuration, but with `settings` as properties of the context."""

    name = "PipeWire"
    PROGRAMS = ["dbus-daemon", "pipewire", "wireplumber", "pipewire-pulse"]

    def __init__(self, folder, sinks, settings=""):
        super().__init__(folder, sinks)
        self.address = f"unix:{self.folder}/pulse/native"
        self.settings = settings

    @classmethod
    def missing(cls):
        """The programs that are not installed."""
        return [name for name in cls.PROGRAMS if not shutil.which(name)]

    def environment(self):
        folder = str(self.folder)
        found = super().environment() | {"XDG_CONFIG_HOME": f"{folder}/config", "XDG_STATE_HOME": f"{folder}/state", "LC_ALL": "C"}
        del found["PULSE_RUNTIME_PATH"]
        return found | {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}

    def start(self):
        self.folder.chmod(0o700)
        if self.settings:
            snippets = self.folder / "config/pipewire/pipewire.conf.d"
            snippets.mkdir(parents=True)
            (snippets / "bench.conf").write_text(f"context.properties = {{ {self.settings} }}\n")
        # WirePlumber ends without a bus.
        self.launch("dbus-daemon", "--session", "--nofork", f"--address=unix:path={self.folder}/bus")
        awaited((self.folder / "bus").exists, "the bus does not start")
        self.launch("pipewire")
        awaited((self.folder / "pipewire-0").exists, "PipeWire does not start")
        self.launch("wireplumber")
        self.launch("pipewire-pulse")
        # WirePlumber makes this device when it is ready, because there is no other.
        awaited(lambda: b"auto_null" in self.sink_list(), "WirePlumber does not start")

    def sink_list(self):
        return subprocess.run(["pactl", "list", "short", "sinks"], env=self.environment(), capture_output=True).stdout

    def pipe_options(self):
        return []


def awaited(condition, failure):
    """Waits until a condition is met."""
    end = time.monotonic() + 15
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(failure)
        time.sleep(0.05)
