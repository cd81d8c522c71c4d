"""Measures the audio that a device gets: purity, level, aliases and images at all pairs of rates, steps of the volume, and the cost."""

import array
import concurrent.futures
import json
import math
import os
import random
import shutil
import subprocess
import tempfile
import time

import network_cost
import sound_servers
import sound_tones

RATES = [8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 176400, 192000, 384000]
# The rows of the table: the rate of the medium, the rate of the device, the frequencies of the tones that must be kept, and the frequencies of the
# tones that must disappear.
TABLE = [
    (44100, 48000, [997, 15000, 19000], []),
    (48000, 44100, [997, 15000, 19000], [23500]),
    (22050, 48000, [997, 9000], []),
    (96000, 48000, [997, 19000], [30000]),
]
SWEEPS = [(44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000)]
# The limits: the ratio of a tone to the rest and the error of its level in decibels, aliases and images in dBFS.
PURITY, LEVEL_ERROR, ALIAS = 130.0, 0.01, -128.0
# The amplitude (1 is full scale) of tones above half the target rate, which must not become aliases.
LOUD = 0.9
# The seconds for which the processor time is measured on a device of 48 kHz; the other measurements take a third.
COST_SECONDS = 30
# Changes of the volume. For a drag: the number of its changes, their size, and the pause between them in seconds. For switches between 0 and 1: their
# number, and the seed of their random pauses.
DRAG, DRAG_STEP, DRAG_PAUSE, SWITCHES, SEED = 40, 0.02, 0.03, 100, 24
# The limit of the third difference of consecutive samples in a drag, in units of 16 bits.
SMOOTHNESS = 40


def name_of(source, target):
    return f"{source / 1000:g} → {target / 1000:g} kHz"


class Plan:
    """The tones of one file for a device. `kept` have a limit for purity and level; `images` must not have images; `gone` must disappear."""

    def __init__(self, source, target, kept, images=(), gone=()):
        self.source, self.target, self.kept, self.images, self.gone = source, target, list(kept), list(images), list(gone)

    def tones(self):
        return [(hertz, sound_tones.LEVEL) for hertz in self.kept + self.images] + [(hertz, LOUD) for hertz in self.gone]

    def seconds(self):
        return len(self.tones()) * sound_tones.SLOT

    def measure(self, recording, start):
        """Returns the purity, error of level and dBFS of the rest for each tone that is kept, and the dBFS of images and aliases, by frequency."""
        kept, rest = {}, {}
        for slot, hertz in enumerate(self.kept):
            kept[hertz] = sound_tones.tone(recording, start, slot, hertz)
        for slot, hertz in enumerate(self.images, len(self.kept)):
            rest[hertz] = sound_tones.images(recording, start, slot, hertz)
        for slot, hertz in enumerate(self.gone, len(self.kept) + len(self.images)):
            rest[hertz] = sound_tones.silence(recording, start, slot)
        return kept, rest


def pair(source, target):
    """Returns the plan of one pair of rates: tones up to 20/22.05 of half the lower rate; and a tone below that half, which must have no image, or
    tones above it, which must disappear."""
    half = min(source, target) / 2
    edge = half * sound_tones.PASSBAND
    kept = [hertz for hertz in (sound_tones.MARKER, 15000, 19000) if hertz < edge] + [edge]
    if target > source:
        return Plan(source, target, kept, images=[0.99 * half])
    gone = [1.01 * half, (half + source / 2) / 2]
    return Plan(source, target, kept, gone=[hertz for hertz in gone if hertz < 0.49 * source])


def is_complete(found):
    """Whether a device got the tones without an interruption: on a busy machine it may have waited for audio."""
    return found is not None and all(purity >= PURITY and abs(level) <= LEVEL_ERROR for purity, level, _ in found[0].values())


class Player:
    """Plays plans on the devices of a server: by one run of the program for each device."""

    def __init__(self, make_daemon, server, folder):
        self.make, self.server, self.folder = make_daemon, server, folder
        self.again = 0

    def file(self, plan, number=0):
        path = self.folder / f"{plan.source}-{plan.target}-{len(plan.tones())}-{number}.wav"
        if not path.exists():
            sound_tones.write(path, plan.source, plan.tones())
        return path

    def play(self, sink, plans):
        """Plays plans one after the other without a gap, and returns their measurements; None for one that is not in the recording."""
        files, recording = [self.file(plan, number) for number, plan in enumerate(plans)], self.server.recordings[sink]
        before = recording.count()
        with self.make({"PULSE_SINK": sink}, self.server) as daemon:
            daemon.command("PUT", "/queue", {"entries": [{"url": str(path)} for path in files], "play": True})
            end = time.monotonic() + sum(plan.seconds() for plan in plans) * 2 + 20
            while not json.loads(daemon.request("GET", "/api/v1/player")[1]).get("ended"):
                if time.monotonic() > end:
                    raise TimeoutError(f"the queue on {sink} does not end")
                time.sleep(0.1)
            recording.wait(0.5)
        return measured(plans, recording, before)

    def repeat(self, sink, plans, found):
        """Returns the measurements. Each that is not complete is made once more, alone."""
        results = list(found)
        for number, plan in enumerate(plans):
            if not is_complete(results[number]):
                self.again += 1
                results[number] = self.play(sink, [plan])[0] or results[number]
        return results


def measured(plans, recording, before):
    """Returns the measurements of plans that were recorded without a gap between them."""
    first = recording.first(sound_tones.LEVEL / 2, before)
    results = []
    for plan in plans:
        try:
            results.append(plan.measure(recording, first))
        except (EOFError, TypeError):
            results.append(None)
        if first is not None:
            first += round(plan.seconds() * recording.rate)
    return results


def mpv(server, sink, path):
    """Plays a file with mpv."""
    command = ["mpv", "--no-config", "--no-terminal", "--no-video", "--ao=pulse", str(path)]
    subprocess.run(command, env=os.environ | server.environment() | {"PULSE_SINK": sink}, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    server.recordings[sink].wait(0.5)


def table(player, faults, entries=TABLE):
    """Returns the rows of the table, or some of it, each beside mpv if it is installed."""
    rows, measurements = [], []
    for source, target, kept, gone in entries:
        plan, sink = Plan(source, target, kept, gone=gone), f"at{target}"
        found = player.repeat(sink, [plan], player.play(sink, [plan]))[0]
        measurements.append((plan, found))
        rows.append({name_of(source, target) + ":": described(found)})
        if shutil.which("mpv"):
            before = player.server.recordings[sink].count()
            mpv(player.server, sink, player.file(plan))
            rows.append({name_of(source, target) + ", mpv:": described(measured([plan], player.server.recordings[sink], before)[0])})
    check(measurements, faults)
    return rows


def described(found):
    if found is None:
        return "not in the recording"
    kept, rest = found
    texts = [f"{hertz:g} Hz {purity:.1f} dB, level {level:+.4f}" for hertz, (purity, level, _) in kept.items()]
    return "; ".join(texts + [f"alias of {hertz:g} Hz {level:.0f} dBFS" for hertz, level in rest.items()])


def check(measurements, faults):
    """Adds a sentence for each limit that measurements do not meet. Measurements are pairs of a plan and what was found."""
    missing, purities, levels, rests = [], [], [], []
    for plan, found in measurements:
        name = name_of(plan.source, plan.target)
        if found is None:
            missing.append(name)
            continue
        for hertz, (purity, level, _) in found[0].items():
            purities.append((PURITY - purity, f"{name}, {hertz:.0f} Hz: a purity of {purity:.1f} dB, and {PURITY:g} are required"))
            levels.append((abs(level) - LEVEL_ERROR, f"{name}, {hertz:.0f} Hz: a level of {level:+.3f} dB, and {LEVEL_ERROR:g} are permitted"))
        for hertz, level in found[1].items():
            kind = "an alias" if hertz in plan.gone else "an image"
            rests.append((level - ALIAS, f"{name}, {hertz:.0f} Hz: {kind} of {level:.1f} dBFS, and {ALIAS:g} are permitted"))
    if missing:
        faults.append(f"sound: the tones are not in the recording: {', '.join(missing)}")
    for each in (purities, levels, rests):
        exceeded = sorted((excess, text) for excess, text in each if excess > 0)
        if exceeded:
            faults.append(f"sound: {exceeded[-1][1]}" + (f" (the worst of {len(exceeded)})" if len(exceeded) > 1 else ""))


def all_pairs(player, faults):
    """Plays all pairs and the sweeps, on all devices at the same time. Returns a row for each device, and one for each sweep."""
    rates = [rate for rate in RATES if f"at{rate}" in player.server.recordings]
    jobs = {f"at{target}": [pair(source, target) for source in rates if source != target] for target in rates}
    for number, (source, target) in enumerate(SWEEPS):
        half = min(source, target) / 2
        kept = [sound_tones.MARKER] + sound_tones.sixth_octaves(half * sound_tones.PASSBAND)
        jobs[f"sweep{number}"] = [Plan(source, target, kept)]
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        found = dict(zip(jobs, pool.map(lambda sink: player.play(sink, jobs[sink]), jobs)))
    rows, measurements = [], []
    for sink, plans in jobs.items():
        results = player.repeat(sink, plans, found[sink])
        measurements += zip(plans, results)
        rows.append(summary(sink, plans, results))
    check(measurements, faults)
    refused = [f"{rate / 1000:g}" for rate in RATES if rate not in rates]
    rows.append({"pairs": sum(len(jobs[f"at{rate}"]) for rate in rates), "measured again alone": player.again,
                 "rates that the server refuses": ", ".join(refused) or "none"})
    return rows


def summary(sink, plans, found):
    """Returns a row with the worst values of one device, each with its pair."""
    kept = [(plan, hertz, value) for plan, each in zip(plans, found) if each for hertz, value in each[0].items()]
    if not kept:
        return {sink: "nothing was recorded"}
    is_sweep = sink.startswith("sweep")
    where = lambda plan, hertz: f"({hertz:.0f} Hz)" if is_sweep else f"({name_of(plan.source, plan.target)}, {hertz:.0f} Hz)"
    plan, hertz, value = min(kept, key=lambda each: each[2][0])
    row = {f"{name_of(plan.source, plan.target)} in sixth octaves," if is_sweep else f"all → {plan.target / 1000:g} kHz,": f"{len(kept)} tones",
           "worst purity dB": f"{value[0]:.1f} {where(plan, hertz)}"}
    plan, hertz, value = max(kept, key=lambda each: abs(each[2][1]))
    row["level dB"] = f"{value[1]:+.5f} {where(plan, hertz)}"
    for name, is_alias in (("alias dBFS", True), ("image dBFS", False)):
        rest = [(plan, hertz, value) for plan, each in zip(plans, found) if each
                for hertz, value in each[1].items() if (hertz in plan.gone) == is_alias]
        if rest:
            plan, hertz, value = max(rest, key=lambda each: each[2])
            row[name] = f"{value:.1f} {where(plan, hertz)}"
    return row


def cost(make_daemon, folder):
    """Returns the rows of the processor time and memory: FLAC of 44.1 kHz on a device of 48 kHz, paused, and on a device of 44.1 kHz."""
    rows, path = [], folder / "music.flac"
    source = "aevalsrc=0.3*sin(2*PI*t*(220+40*floor(mod(t\\,7))))+0.05*(random(0)-0.5):s=44100:c=stereo:d=90"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", source, path], check=True)
    for rate, seconds in ((48000, COST_SECONDS), (44100, COST_SECONDS / 3)):
        with tempfile.TemporaryDirectory() as runtime, sound_servers.PulseServer(runtime, {}) as server:
            server.null_sink(rate)
            with make_daemon({}, server) as daemon:
                daemon.play(path)
                rows.append({f"44.1 on {rate / 1000:g} kHz:": ""} | watched(daemon.process.pid, server, seconds))
                if rate == 48000:
                    daemon.command("POST", "/player/pause")
                    # The server suspends an idle device after a second.
                    time.sleep(3)
                    rows.append({"paused:": ""} | watched(daemon.process.pid, server, seconds / 3))
            if rate == 48000 and shutil.which("mpv"):
                command = ["mpv", "--no-config", "--no-terminal", "--no-video", "--ao=pulse", str(path)]
                process = subprocess.Popen(command, env=os.environ | server.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                try:
                    rows.append({f"44.1 on {rate / 1000:g} kHz, mpv:": ""} | watched(process.pid, server, seconds))
                finally:
                    process.kill()
                    process.wait()
    return rows


def processor_time(processes):
    """Returns the processor time of processes so far, in seconds, including threads that have ended (clock_getcpuclockid)."""
    return sum(time.clock_gettime((~process << 3) | 2) for process in processes)


def watched(process, server, seconds):
    """Returns the processor time of a player and its server in per cent of one core, after two seconds, and the player's memory after twelve."""
    time.sleep(2)
    before = [processor_time(each) for each in ([process], server.processes())]
    time.sleep(10)
    size = network_cost.memory(process)
    time.sleep(seconds - 10)
    after = [processor_time(each) for each in ([process], server.processes())]
    player, sound = [(late - early) / seconds * 100 for early, late in zip(before, after)]
    return {"player and server %": f"{player + sound:.2f} ({player:.2f} + {sound:.2f})", "MB": f"{size:.1f}"}


def third_difference(samples):
    """Returns the largest third difference, in units of 16 bits."""
    slope = lambda values: list(map(int.__sub__, values[1:], values))
    return max(map(abs, slope(slope(slope(list(samples)))))) / 65536


def last_level(samples):
    """Returns the volume at the end of samples of the tone."""
    return sound_tones.fit([sample / sound_servers.FULL for sample in samples[-16384:]], 220, 48000)[0] / sound_tones.LEVEL


def volume_tone(folder):
    """Writes the tone of 220 Hz, and returns its path."""
    path, step = folder / "tone.wav", 2 * math.pi * 220 / 48000
    sound_tones.write_floats(path, 48000, array.array("f", (sound_tones.LEVEL * math.sin(step * n) for n in range(48000 * 60))))
    return path


def volume(make_daemon, folder, faults):
    """Returns the rows of a drag of the volume, and of changes between 1 and 0 at random moments, on two devices. One device takes back what the
    server has mixed ahead, as ALSA's devices do, so that each step of the volume is heard at once. The other device, a pipe, does not, and has blocks
    of 21 ms."""
    path = volume_tone(folder)
    with tempfile.TemporaryDirectory() as runtime, sound_servers.PulseServer(runtime, {"blocks": 48000}) as server:
        server.rewinding_sink("rewinding", 48000)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = list(pool.map(lambda sink: changed_volume(make_daemon, server, sink, path), ("rewinding", "blocks")))
    if found[0][1] > SMOOTHNESS:
        faults.append(f"sound: the third difference in a drag of the volume is {found[0][1]:.0f}, and {SMOOTHNESS} are permitted")
    return [volume_row(name, each, faults) for name, each in zip(("a device that rewinds", "a device with blocks of 21 ms"), found)]


def volume_row(device, found, faults):
    """Returns the row of a device, and adds a sentence for a level that is wrong after the changes."""
    steady, drag, switches, level, last = found
    for name, expected, value in (("a drag", 0.1 + DRAG * DRAG_STEP, level), ("changes between 0 and 1", 1, last)):
        if abs(value - expected) > 0.001:
            faults.append(f"sound: on {device} the gain after {name} of the volume is {value:.4f}, and {expected:g} is right")
    return {f"220 Hz on {device}, largest third difference (16 bits): steady": f"{steady:.1f}", f"{DRAG} changes of {DRAG_STEP}": f"{drag:.0f}",
            f"{SWITCHES} changes between 1 and 0": f"{switches:.0f}", "last levels": f"{level:.4f} {last:.4f}"}


def changed_volume(make_daemon, server, sink, path):
    """Returns the largest third differences while the volume is steady, in a drag and during changes between 1 and 0, and the levels after both."""
    recording = server.recordings[sink]
    with make_daemon({"PULSE_SINK": sink}, server) as daemon:
        daemon.command("PATCH", "/player", {"volume": 0.1})
        daemon.play(path)
        # The recording may be a second late.
        time.sleep(4)
        steady = third_difference(recording.integers(recording.count() - 48000))

        def changed(changes):
            """Makes changes of the volume, each after a pause, and returns the samples from the first to half a second after the last."""
            start = recording.count()
            for value, pause in changes:
                daemon.command("PATCH", "/player", {"volume": value})
                time.sleep(pause)
            recording.wait(2)
            return recording.integers(start)

        drag = changed([(round(0.1 + DRAG_STEP * (n + 1), 2), DRAG_PAUSE) for n in range(DRAG)])
        chance = random.Random(SEED)
        changed([(1, 0.1)])
        switches = changed([(n % 2, chance.uniform(0.01, 0.3)) for n in range(SWITCHES)])
    return steady, third_difference(drag), third_difference(switches), last_level(drag), last_level(switches)


def rows(make_daemon, folder, faults):
    """Returns all rows. `make_daemon` makes a run of the program from variables and a server."""
    sinks = {f"at{rate}": rate for rate in RATES} | {f"sweep{number}": target for number, (_, target) in enumerate(SWEEPS)}
    found = []
    with tempfile.TemporaryDirectory() as runtime, sound_servers.PulseServer(runtime, sinks) as server:
        player = Player(make_daemon, server, folder)
        found += table(player, faults)
        found += all_pairs(player, faults)
    return found + volume(make_daemon, folder, faults) + cost(make_daemon, folder)
