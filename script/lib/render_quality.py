"""Measures the samples that "tonearm render" writes, which are those that the player sends to a device: purity at other rates, starts, joints."""

import array
import math
import random
import subprocess
import wave


def write_wave(path, samples, rate=48000):
    """Writes a WAV file, mono, 24 bit."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(3)
        file.setframerate(rate)
        file.writeframes(b"".join(int(round(x * 8388607)).to_bytes(3, "little", signed=True) for x in samples))


def render(binary, inputs, *options):
    """Returns the first channel of the output of "tonearm render"."""
    command = [binary, "render", "--output", "-", "--sample-format", "f32", *options, *map(str, inputs)]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    channels = int.from_bytes(data[22:24], "little")
    samples = array.array("f", data[data.index(b"data") + 8 :])
    return samples[::channels]


def tone_to_rest(samples, tones, rate=48000):
    """Returns the level within 4 Hz of the tones relative to the rest, in decibels, with a Blackman window."""
    count = len(samples)
    turn = 2 * math.pi / (count - 1)
    windowed = [x * (0.42 - 0.5 * math.cos(turn * n) + 0.08 * math.cos(2 * turn * n)) for n, x in enumerate(samples)]
    whole = math.fsum(x * x for x in windowed)
    kept = 0.0
    for tone in tones:
        for index in range(math.ceil((tone - 4) * count / rate), math.floor((tone + 4) * count / rate) + 1):
            # Goertzel's algorithm.
            factor, last, before = 2 * math.cos(2 * math.pi * index / count), 0.0, 0.0
            for x in windowed:
                last, before = x + factor * last - before, last
            kept += 2 * (last * last + before * before - factor * last * before) / count
    return 10 * math.log10(kept / max(whole - kept, whole * 1e-14))


def purity(binary, folder):
    return [row for rate in (44100, 48000) for row in purity_at(rate, binary, folder)]


def purity_at(rate, binary, folder, length=10):
    sounds = {"tone": [1000], "chord": [440, 1187]}
    for name, tones in sounds.items():
        level = 0.5 / len(tones)
        samples = [level * sum(math.sin(2 * math.pi * tone * n / rate) for tone in tones) for n in range(rate * length)]
        write_wave(folder / f"{name}.wav", samples, rate)
    # A click is half a millisecond of decaying noise.
    clicks = [0.0] * (rate * length)
    places = [rate // 2 * number + 37 * number for number in range(1, 19)]
    chance = random.Random(1)
    for place in places:
        for n in range(rate // 2000):
            clicks[place + n] = (0.8 if n == 0 else chance.uniform(-0.8, 0.8)) * math.exp(-n / 8)
    write_wave(folder / "clicks.wav", clicks, rate)

    rows = []
    for algorithm in ("timeDomain", "spectral"):
        worst = 0.0
        for name, tones in sounds.items():
            row = {}
            for speed in (0.5, 0.8, 1.25, 1.5, 2):
                found = render(binary, [folder / f"{name}.wav"], "--rate", str(speed), "--algorithm", algorithm)
                row[speed] = round(tone_to_rest(found[-(7 * rate) // 2 : -rate // 2], tones, rate), 1)
                worst = max(worst, abs(len(found) * speed / (rate * length) - 1) * 100)
            rows.append({f"{rate} Hz {algorithm} {name}, dB at": " ".join(f"{speed}: {value}" for speed, value in row.items())})
        found = render(binary, [folder / "clicks.wav"], "--rate", "0.5", "--algorithm", algorithm)
        errors, doubled = [], 0
        for place in places:
            around = [abs(x) for x in found[2 * place - rate // 10 : 2 * place + rate // 10]]
            loud = [n for n, x in enumerate(around) if x > 0.4 * max(around)]
            errors.append(abs(loud[0] - rate // 10) / rate * 1000)
            # A click is heard twice if it is nearly as loud again more than 5 ms after the first.
            doubled += any(n - loud[0] > rate // 200 for n in loud)
        rows.append({f"{rate} Hz {algorithm} advance % off": round(worst, 4), "clicks ms off": round(max(errors), 2), "heard twice": doubled})
    return rows


def lag(samples, reference, place, width=2048, reach=96):
    """Returns the delay of `samples` after `reference` from frame `place` on, in frames, and the largest difference, in 1/32768."""
    best = (math.inf, 0)
    for shift in sorted(range(-reach, reach + 1), key=abs):
        start = place + shift
        if start < 0 or start + width > len(reference):
            continue
        error = 0.0
        for n in range(0, width, 3):
            error += (samples[n] - reference[start + n]) ** 2
            if error > best[0]:
                break
        best = min(best, (error, shift), key=lambda pair: pair[0])
    start = place + best[1]
    return best[1], max(abs(samples[n] - reference[start + n]) for n in range(width)) * 32768


def noise(folder, length, rate=48000):
    """Creates noise in a frequency band that every codec keeps."""
    path = folder / f"noise-{length}.wav"
    source = f"anoisesrc=d={length}:c=pink:r={rate}:a=0.5:seed=7,lowpass=f=9000,aformat=sample_fmts=s16:channel_layouts=stereo"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", source, path], check=True)
    return path


# AAC without noise substitution, because its noise differs in each decoding.
CODECS = {
    "wav": [],
    "flac": [],
    "mp3": ["-b:a", "256k"],
    "m4a": ["-b:a", "192k", "-aac_pns", "0"],
    "ogg": ["-c:a", "libvorbis"],
    "opus": ["-b:a", "160k"],
}


def encode(source, path, *options):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source, *options, path], check=True)
    return path


def seek(binary, folder):
    source, rate = noise(folder, 60), 48000
    rows, chance = [], random.Random(2)
    for name, options in CODECS.items():
        path = encode(source, folder / f"seek.{name}", *options)
        whole = render(binary, [path])
        off, apart = 0, 0.0
        for _ in range(12):
            place = chance.randrange(len(whole) - rate)
            found = render(binary, [path], "--start", f"{place}/{rate}", "--duration", "0.1")
            shift, difference = lag(found, whole, place)
            off, apart = max(off, abs(shift)), max(apart, difference)
        rows.append({f"{name:5} frames off": off, "apart": round(apart, 3)})
    return rows


def gapless(binary, folder):
    source, rate, cut, total = noise(folder, 20), 48000, 481_234, 960_000
    reference = render(binary, [source])
    row = {}
    for name, options in CODECS.items():
        halves = []
        for number, part in enumerate((f"end_sample={cut}", f"start_sample={cut}")):
            halves.append(encode(source, folder / f"half-{number}.{name}", "-af", f"atrim={part},asetpts=PTS-STARTPTS", *options))
        joined = render(binary, halves)
        place = cut + rate
        shift, _ = lag(joined[place : place + 4096], reference, place)
        row[name] = f"{len(joined) - total:+d} {-shift:+d}"
    return row
