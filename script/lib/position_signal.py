"""A signal whose samples tell their position, and the position of each part of a recording of it.

Each second has three tones. Their numbers are the second's number modulo 19, 20 and 21, so that no two seconds of 7,980 have the same tones. A sweep
that begins again with each second tells the position in the second. Noise above them, loud for five of nine seconds, makes a variable bit rate vary.
"""

import array
import cmath
import functools
import math
import operator
import subprocess
import wave

from long_recording import ffmpeg

RATE = 44100
# The three groups of tones: the first frequency, and the number of tones, which are 50 Hz apart. Each tone has whole periods in a second.
GROUPS = [(400, 19), (1500, 20), (2700, 21)]
STEP = 50
# The sweep over a second, in Hz, which also ends with a whole period.
SWEEP_START, SWEEP = 4000, 4000
TONE_LEVEL, SWEEP_LEVEL, NOISE_LEVEL = 0.11, 0.14, 0.25
# The period of the noise, in seconds: a multiple of the nine seconds after which its loudness repeats, and of the 21 tones of the third group.
NOISE_SECONDS = 63
NOISE = f"anoisesrc=d={NOISE_SECONDS}:a={NOISE_LEVEL}:seed=3:r={RATE}" + 2 * ",highpass=f=9500" + ",volume='if(lt(mod(t,9),5),1,0.02)':eval=frame"
SECONDS = {tuple(second % count for _, count in GROUPS): second for second in range(math.lcm(*(count for _, count in GROUPS)))}
# The number of samples of a part whose position is determined, and the number of its samples that are compared with the signal. The first estimate
# uses only every second sample.
PART, COMPARED = 2048, 1024
# The least likeness of a part to the signal at its position: 1 is equality, and the noise lowers the likeness to about 0.85. The second number is the
# least likeness of the samples around the first frame.
LIKENESS, START_LIKENESS = 0.75, 0.5
# The number of frames of the lead-in of a jump (`OutputStage`), and the number of them that are compared with the audio after the lead-in.
LEAD_IN, MIRRORED = 220, 48
# If the errors of two frames differ by less than this, either frame may be the first one. An error is a number from 0 to 4.
AMBIGUITY = 0.1


def write(folder, seconds):
    """Writes the signal as a WAV file with one channel and 16 bits, and returns its path."""
    tone = lambda hertz: [TONE_LEVEL * math.sin(2 * math.pi * hertz * at / RATE) for at in range(RATE)]
    groups = [_stem(folder / f"tones-{start}.wav", [tone(start + STEP * n) for n in range(count)]) for start, count in GROUPS]
    sweep = _stem(folder / "sweep.wav", [[SWEEP_LEVEL * math.sin(_sweep_phase(at / RATE)) for at in range(RATE)]])
    noise = folder / "noise.wav"
    ffmpeg("-f", "lavfi", "-i", NOISE, "-ac", 1, noise)
    # Two parts are mixed first: they repeat after 380 and after 63 seconds. To mix all five sources for the whole length would take much longer.
    long, short, path = folder / "long.wav", folder / "short.wav", folder / "signal.wav"
    _mix(GROUPS[0][1] * GROUPS[1][1], groups[:2], long)
    _mix(NOISE_SECONDS, [groups[2], sweep, noise], short)
    _mix(seconds, [long, short], path)
    for part in [*groups, sweep, noise, long, short]:
        part.unlink()
    return path


def _mix(seconds, parts, path):
    inputs = [argument for part in parts for argument in ("-stream_loop", -1, "-i", part)]
    ffmpeg(*inputs, "-filter_complex", f"amix=inputs={len(parts)}:normalize=0", "-t", seconds, path)


def _stem(path, seconds):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        for second in seconds:
            file.writeframes(array.array("h", [round(32767 * sample) for sample in second]).tobytes())
    return path


def _sweep_phase(time):
    return 2 * math.pi * time * (SWEEP_START + SWEEP / 2 * time)


def signal(position, count):
    """Returns samples of the signal from a position on, without its noise. The position is in frames."""
    found = [0.0] * count
    at = 0
    while at < count:
        second, first = divmod(position + at, RATE)
        size = min(count - at, RATE - first)
        hertz = [start + STEP * (second % number) for start, number in GROUPS]
        turns = [2 * math.pi * frequency / RATE for frequency in hertz]
        for n in range(size):
            frame = first + n
            tones = math.sin(turns[0] * frame) + math.sin(turns[1] * frame) + math.sin(turns[2] * frame)
            found[at + n] = TONE_LEVEL * tones + SWEEP_LEVEL * math.sin(_sweep_phase(frame / RATE))
        at += size
    return found


def _product(one, other):
    return sum(map(operator.mul, one, other))


def likeness(samples, other):
    """Returns the normalised correlation of two lists of samples."""
    return _product(samples, other) / math.sqrt((_product(samples, samples) or 1e-12) * (_product(other, other) or 1e-12))


def transform(values):
    """Returns the discrete Fourier transform; the number of values is a power of 2."""
    count = len(values)
    if count == 1:
        return values
    even, odd = transform(values[::2]), transform(values[1::2])
    turned = list(map(operator.mul, _turns(count), odd))
    return list(map(operator.add, even, turned)) + list(map(operator.sub, even, turned))


@functools.lru_cache(maxsize=None)
def _turns(count):
    return [cmath.exp(-2j * math.pi * n / count) for n in range(count // 2)]


@functools.lru_cache(maxsize=None)
def _window(count):
    return [0.5 - 0.5 * math.cos(2 * math.pi * (n + 0.5) / count) for n in range(count)]


@functools.lru_cache(maxsize=None)
def _unswept():
    """Returns the factors by which a part of the sweep becomes a tone, multiplied by the window."""
    count, window = PART // 2, _window(PART // 2)
    return [window[n] * cmath.exp(-1j * math.pi * SWEEP * (2 * n / RATE) ** 2) for n in range(count)]


def _estimate(part):
    """Returns the position of a part of a recording in frames, exact to some ten frames if it is a part of the signal."""
    half, count = part[::2], PART // 2
    width = RATE / PART
    # The frequency of the sweep at the start of the part. If most of the part is after the start of a second, the frequency is extrapolated from the
    # sweep of this second, and is below the start of the sweep.
    power = [abs(value) for value in transform(list(map(operator.mul, _unswept(), half)))]
    lowest = int((SWEEP_START - SWEEP * PART / RATE) / width)
    best = max(range(lowest, int((SWEEP_START + SWEEP) / width)), key=lambda index: power[index])
    before, peak, after = power[best - 1], power[best], power[best + 1]
    # The peak between the values, by the parabola through their logarithms.
    left, middle, right = (math.log(max(value, 1e-9)) for value in (before, peak, after))
    curve = left - 2 * middle + right
    hertz = (best + (0.5 * (left - right) / curve if curve else 0)) * width
    # The time from the start of the part to the next second. The tones are determined in the longer of the two pieces before and after it.
    rest = -(hertz - SWEEP_START) / SWEEP % 1
    border = round(rest * RATE / 2)
    is_after = border <= count // 2
    kept = half[border:] if is_after else half[:border]
    tones = [abs(value) for value in transform(list(map(operator.mul, _window(len(kept)), kept)) + [0.0] * (count - len(kept)))]
    level = lambda frequency: max(tones[math.floor(frequency / width)], tones[math.ceil(frequency / width)])
    second = SECONDS[tuple(max(range(size), key=lambda number: level(first + STEP * number)) for first, size in GROUPS)]
    return round((second + (not is_after) - rest) * RATE)


def find_position(samples, start, expected=None):
    """Returns the position of sample `start` of a recording in frames, exact to the frame; None if it has no such signal. `expected` is a position
    that is tried first."""
    part = samples[start : start + PART]
    if len(part) < PART:
        return None
    if expected is not None:
        found, like = _aligned(part, expected)
        if like >= LIKENESS:
            return found
    found, like = _aligned(part, _estimate(part))
    return found if like >= LIKENESS else None


def _aligned(part, near, reach=160):
    """Returns the position near another one at which the signal is most like a part, and the likeness."""
    compared = part[PART // 2 : PART // 2 + COMPARED]
    wanted = signal(near + PART // 2 - reach, COMPARED + 2 * reach)
    best = max(range(2 * reach + 1), key=lambda shift: _product(compared, wanted[shift : shift + COMPARED]))
    return near + best - reach, likeness(compared, wanted[best : best + COMPARED])


def first_frame(samples, known, position, target):
    """Returns the first sample of the unbroken audio around a known sample: the frame after the lead-in of a jump. `position` is that of the known
    sample. The lead-in is the new audio mirrored, so the recording is symmetric about the frame, and is the signal only after it. At some positions
    the signal is almost symmetric about other frames too: then the frame at the position `target` is taken if it is about as likely."""
    size = 128
    at, misses = known, 0
    while at > size // 2 and misses < 3:
        at -= size // 2
        wanted = signal(position + at - known, size)
        misses = misses + 1 if likeness(samples[at : at + size], wanted) < START_LIKENESS else 0
    near = at + misses * size // 2
    first, end = max(near - LEAD_IN, MIRRORED), min(near + LEAD_IN, known - size)
    wanted = signal(position + first - known, end - first + MIRRORED + 1)

    def error(middle):
        after, before = samples[middle + 1 : middle + 1 + MIRRORED], samples[middle - MIRRORED : middle][::-1]
        power = _product(after, after) + _product(before, before)
        asymmetry = 1 - 2 * _product(after, before) / (power or 1e-12)
        return asymmetry + 1 - likeness(after, wanted[middle + 1 - first : middle + 1 - first + MIRRORED])

    best, wanted_frame = min(range(first, end), key=error), known + target - position
    return wanted_frame if first <= wanted_frame < end and error(wanted_frame) < error(best) + AMBIGUITY else best


def landing(samples, part, expected, target):
    """Returns the first sample of the new audio in the record of a jump, and the position of that sample in frames; None if the samples from `part`
    on are not of the signal. `expected` is the position of sample `part` if the reported position is right, `target` that of the jump."""
    position = find_position(samples, part, expected)
    if position is None:
        return None
    frame = first_frame(samples, part, position, target)
    return frame, position - part + frame


def shift(path):
    """Returns the position in the signal of the first frame of an encoded file, as FFmpeg decodes it from its start: an encoder may add frames that
    nothing tells decoders to remove. The file is read at two and at three seconds."""
    decoded = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-t", "4", "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
                             check=True, capture_output=True).stdout
    samples = array.array("f", decoded)
    found = {None if position is None else position - start for start in (2 * RATE, 3 * RATE) for position in [find_position(samples, start)]}
    if len(found) > 1 or None in found:
        raise ValueError(f"the start of {path} does not have the signal: {found}")
    return found.pop()
