"""Measures the audio behind PipeWire and its pulse server: the bits at equal rates, what the signal path says, the end of a queue,
purity, and the volume.

PipeWire has one clock for all devices, 48 kHz by default. A device of another rate gets converted audio, unless the clock may follow the stream.
"""

import json
import random
import tempfile
import time
import wave

import sound_quality
import sound_servers

# The lengths of the noise, and of the silence before and after it, in seconds. The silence protects the noise: a pipe may lose its first block at the
# start, and the end of a queue may be cut.
NOISE, SILENCE = 1.0, 0.5
# The lengths of the files with which the end of a queue is examined, in seconds.
LENGTHS = [0.5, 1.0, 1.1, 2.0]
CLOCKS = {"the default clock": "", "default.clock.allowed-rates": "default.clock.allowed-rates = [ 44100 48000 96000 ]"}


def write_noise(path, rate, seconds, silence=0.0):
    """Writes a WAV file of 24 bits with noise that has no silent sample, and returns its samples."""
    chance, pause = random.Random(rate), bytes(3 * int(silence * rate))
    samples = [chance.randrange(-(1 << 22), 1 << 22) | 1 for _ in range(int(seconds * rate))]
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 3, rate, 0, "NONE", ""))
        file.writeframes(pause + b"".join(sample.to_bytes(3, "little", signed=True) for sample in samples) + pause)
    return samples


def played(daemon, recording, path):
    """Plays a file to its end. Returns the recorded samples, the signal path, and the seconds until the end was reported, or None."""
    before, start, signal, end = recording.count(), time.monotonic(), None, None
    daemon.command("PUT", "/queue", {"entries": [{"url": str(path)}], "play": True})
    while end is None and time.monotonic() < start + 8:
        state = json.loads(daemon.request("GET", "/api/v1/player")[1])
        signal = state.get("signalPath") or signal
        end = time.monotonic() - start if state.get("ended") else None
        time.sleep(0.02)
    # The server may still have audio.
    time.sleep(1)
    return recording.integers(before), signal, end


def compared(recorded, samples):
    """Returns, in words, how a recording of 32 bits differs from the samples of 24 bits that were played."""
    wide = [sample << 8 for sample in samples]
    # The recording may lack a beginning, so a part in the middle is searched too.
    for place in (0, len(wide) // 2):
        for start, sample in enumerate(recorded):
            if sample == wide[place] and list(recorded[start : start + 4]) == wide[place : place + 4]:
                count = len(wide) - sum(1 for n, value in enumerate(wide, start - place) if 0 <= n < len(recorded) and recorded[n] == value)
                if count == 0:
                    return "no bit differs"
                return f"{count} of {len(wide)} samples are lost or differ" + (f", the first {place - start}" if place > start else "")
    return "all samples differ"


def bits(make_daemon, folder, clock, settings):
    """Returns a row for each rate of a device, with a medium of the same rate."""
    rows = []
    rates = {f"at{rate}": rate for rate in (48000, 44100, 96000)}
    with tempfile.TemporaryDirectory() as runtime, sound_servers.PipeWireServer(runtime, rates, settings) as server:
        for sink, rate in rates.items():
            path = folder / f"noise-{rate}.wav"
            samples = write_noise(path, rate, NOISE, SILENCE)
            with make_daemon({"PULSE_SINK": sink}, server) as daemon:
                recorded, signal, _ = played(daemon, server.recordings[sink], path)
                found = compared(recorded, samples)
                if found.endswith("lost or differ"):
                    # The machine may have been too busy, so the medium is played once more.
                    found = compared(played(daemon, server.recordings[sink], path)[0], samples)
            rows.append({f"PipeWire, {clock}: {rate / 1000:g} on {rate / 1000:g} kHz:": found,
                         "signalPath says": signal["verdict"] if signal else "nothing"})
    return rows


def ends(make_daemon, folder):
    """Returns a row with the milliseconds that are lost at the end of a queue."""
    lost, late = [], []
    with tempfile.TemporaryDirectory() as runtime, sound_servers.PipeWireServer(runtime, {"at48000": 48000}) as server:
        for seconds in LENGTHS:
            path = folder / f"end-{seconds}.wav"
            samples = write_noise(path, 48000, seconds)
            with make_daemon({"PULSE_SINK": "at48000"}, server) as daemon:
                recorded, _, end = played(daemon, server.recordings["at48000"], path)
            heard = next((len(recorded) - n for n, sample in enumerate(reversed(recorded)) if sample), 0)
            lost.append(f"{(len(samples) - heard) / 48:.0f}")
            late.append("never" if end is None else f"{(end - seconds) * 1000:+.0f}")
    return {"PipeWire, files of " + " ".join(map(str, LENGTHS)) + " s:": "", "ms lost at the end": " ".join(lost),
            "ms from the length to `ended`": " ".join(late)}


def rows(make_daemon, folder, faults):
    """Returns all rows. If programs are missing, returns one row with their names."""
    missing = sound_servers.PipeWireServer.missing()
    if missing:
        return [{"PipeWire:": f"not measured, because {', '.join(missing)} is not installed"}]
    found = []
    for clock, settings in CLOCKS.items():
        found += bits(make_daemon, folder, clock, settings)
    found.append(ends(make_daemon, folder))
    with tempfile.TemporaryDirectory() as runtime, sound_servers.PipeWireServer(runtime, {"at48000": 48000}) as server:
        player = sound_quality.Player(make_daemon, server, folder)
        entries = [entry for entry in sound_quality.TABLE if entry[1] == 48000]
        found += [{f"PipeWire, {name}": value for name, value in row.items()} for row in sound_quality.table(player, faults, entries)]
        changed = sound_quality.changed_volume(make_daemon, server, "at48000", sound_quality.volume_tone(folder))
        found.append(sound_quality.volume_row("a device of PipeWire", changed, faults))
    return found
