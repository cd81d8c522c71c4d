"""A private PulseAudio server, and a recorder that knows when each sample is heard, from the server's timing of the recording stream."""

import array
import bisect
import ctypes
import pathlib
import subprocess
import threading
import time

RATE = 44100
READY_CONTEXT, READY_STREAM = 4, 2
NO_AUTOSPAWN = 1
ADJUST_LATENCY = 0x2000
FLOAT_LITTLE_ENDIAN = 5


class SampleSpecification(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


class BufferAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("maxlength", "tlength", "prebuf", "minreq", "fragsize")]


class TimingInfo(ctypes.Structure):
    """The start of libpulse's pa_timing_info."""

    _fields_ = [
        ("seconds", ctypes.c_long), ("microseconds", ctypes.c_long), ("synchronized_clocks", ctypes.c_int), ("sink_usec", ctypes.c_uint64),
        ("source_usec", ctypes.c_uint64), ("transport_usec", ctypes.c_uint64), ("playing", ctypes.c_int), ("write_index_corrupt", ctypes.c_int),
        ("write_index", ctypes.c_int64),
    ]


class Server:
    """A server with one null sink, named `bench`. Its description is one word, which clients show."""

    def __init__(self, folder, description="bench"):
        self.description = description
        self.folder = pathlib.Path(folder)
        self.address = f"unix:{self.folder}/native"

    def __enter__(self):
        environment = {"XDG_RUNTIME_DIR": str(self.folder), "PULSE_RUNTIME_PATH": str(self.folder), "HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        loads = [
            f"module-null-sink sink_name=bench rate={RATE} format=float32le channels=2 sink_properties=device.description={self.description}",
            f"module-native-protocol-unix socket={self.folder}/native auth-anonymous=1",
        ]
        arguments = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=false", "--log-level=error"]
        for load in loads:
            arguments += ["-L", load]
        self.process = subprocess.Popen(arguments, env=environment)
        end = time.monotonic() + 10
        while not (self.folder / "native").exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.3)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)


class Recorder:
    """Records one channel of a sink's monitor. `heard_at(n)` returns the monotonic time at which sample n is heard.

    `latencies` are those of the sink, in seconds: the time from the mixing of a sample until it is heard. The recorder asks for short blocks, so that
    the sink mixes only a few milliseconds ahead.
    """

    def __init__(self, server, sink="bench"):
        self.pulse = pulse = ctypes.CDLL("libpulse.so.0")
        for name in ("pa_threaded_mainloop_new", "pa_threaded_mainloop_get_api", "pa_context_new", "pa_stream_new", "pa_stream_update_timing_info"):
            getattr(pulse, name).restype = ctypes.c_void_p
        pulse.pa_stream_get_timing_info.restype = ctypes.POINTER(TimingInfo)
        self.loop = ctypes.c_void_p(pulse.pa_threaded_mainloop_new())
        self.context = ctypes.c_void_p(pulse.pa_context_new(ctypes.c_void_p(pulse.pa_threaded_mainloop_get_api(self.loop)), b"bench"))
        pulse.pa_context_connect(self.context, server.address.encode(), NO_AUTOSPAWN, None)
        pulse.pa_threaded_mainloop_start(self.loop)
        self._wait(lambda: pulse.pa_context_get_state(self.context) == READY_CONTEXT)
        self._lock()
        specification = SampleSpecification(FLOAT_LITTLE_ENDIAN, RATE, 1)
        self.stream = ctypes.c_void_p(pulse.pa_stream_new(self.context, b"bench", ctypes.byref(specification), None))
        unset = 0xFFFFFFFF
        attributes = BufferAttributes(unset, unset, unset, unset, RATE * 4 // 100)
        pulse.pa_stream_connect_record(self.stream, f"{sink}.monitor".encode(), ctypes.byref(attributes), ADJUST_LATENCY)
        self._unlock()
        self._wait(lambda: pulse.pa_stream_get_state(self.stream) == READY_STREAM)
        self.samples = array.array("f")
        self.origins, self.counts, self.latencies = [], [], []
        self.is_over = False
        self.thread = threading.Thread(target=self._record)
        self.thread.start()

    def _lock(self):
        self.pulse.pa_threaded_mainloop_lock(self.loop)

    def _unlock(self):
        self.pulse.pa_threaded_mainloop_unlock(self.loop)

    def _wait(self, condition):
        end = time.monotonic() + 10
        while True:
            self._lock()
            is_met = condition()
            self._unlock()
            if is_met:
                return
            if time.monotonic() > end:
                raise TimeoutError("PulseAudio does not answer")
            time.sleep(0.005)

    def _record(self):
        data, size, last = ctypes.c_void_p(), ctypes.c_size_t(), None
        while not self.is_over:
            self._lock()
            while self.pulse.pa_stream_readable_size(self.stream) > 0:
                self.pulse.pa_stream_peek(self.stream, ctypes.byref(data), ctypes.byref(size))
                if size.value == 0:
                    break
                self.samples.frombytes(ctypes.string_at(data.value, size.value) if data.value else bytes(size.value))
                self.pulse.pa_stream_drop(self.stream)
            timing = self.pulse.pa_stream_get_timing_info(self.stream)
            if timing and (moment := timing.contents.seconds + timing.contents.microseconds / 1e6) != last:
                last = moment
                self._observe(timing.contents, moment)
            # libpulse's own smoothing of the timing is not used: after the server was late, it would be wrong by milliseconds for seconds. Instead,
            # each answer of the server is an observation of its own, and the median of all observations is used.
            operation = self.pulse.pa_stream_update_timing_info(self.stream, None, None)
            if operation:
                self.pulse.pa_operation_unref(ctypes.c_void_p(operation))
            self._unlock()
            time.sleep(0.005)

    def _observe(self, timing, moment):
        """Adds the time at which sample 0 was heard, by an answer of the server that was received at a time of the wall clock."""
        if timing.write_index_corrupt:
            return
        self.latencies.append(timing.sink_usec / 1e6)
        recorded = timing.write_index / 4 / RATE + (timing.transport_usec + timing.source_usec - timing.sink_usec) / 1e6
        self.origins.append(moment + time.monotonic() - time.time() - recorded)
        self.counts.append(len(self.samples))

    def close(self):
        self.is_over = True
        self.thread.join()
        self.pulse.pa_threaded_mainloop_stop(self.loop)

    def heard_at(self, sample):
        return sorted(self.origins)[len(self.origins) // 2] + sample / RATE

    def heard_near(self, sample):
        """Returns the time of `heard_at`, computed only from the observations of the half second around the sample, or from the last observation. A
        server that was late has lost samples, so earlier and later observations may not apply."""
        middle = min(sample, self.counts[-1])
        first, end = (bisect.bisect_left(self.counts, middle + offset) for offset in (-RATE // 4, RATE // 4))
        near = sorted(self.origins[min(first, len(self.counts) - 1) : max(end, first + 1)])
        return near[len(near) // 2] + sample / RATE
