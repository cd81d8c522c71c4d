"""Files with tones one after the other, and the measurement of each tone in a recording, by the method of least squares."""

import array
import functools
import math
import operator

# In seconds: a slot, which is a pause and then a tone of a quarter of a second; its pause; and the fade at both ends of the tone. A slot is a whole
# number of frames at all common rates.
SLOT, PAUSE, FADE = 0.32, 0.07, 0.01
# A tone is measured from SETTLING seconds after its start, when the filters and the fade have settled, for PART seconds and at most MOST samples.
SETTLING, PART, MOST = 0.06, 0.15, 16384
LEVEL = 0.5
# The first tone of each file, whose start is found in the recording.
MARKER = 997.0
# The frequencies up to this part of half the lower rate keep their level: 20 kHz of 22.05 kHz.
PASSBAND = 20 / 22.05


def write(path, rate, tones):
    """Writes a WAV file of 32-bit floats with one channel: the tones, as pairs of frequency and amplitude."""
    slot, pause, fade = round(SLOT * rate), round(PAUSE * rate), round(FADE * rate)
    samples = array.array("f")
    for hertz, level in tones:
        step, count = 2 * math.pi * hertz / rate, slot - pause
        samples.extend([0.0] * pause)
        edge = [0.5 - 0.5 * math.cos(math.pi * n / fade) for n in range(fade)]
        tone = [level * math.sin(step * n) for n in range(count)]
        for n, factor in enumerate(edge):
            tone[n] *= factor
            tone[count - 1 - n] *= factor
        samples.extend(tone)
    write_floats(path, rate, samples)


def write_floats(path, rate, samples, channels=1):
    """Writes a WAV file of 32-bit floats."""
    data = samples.tobytes()
    number = lambda value, size: value.to_bytes(size, "little")
    head = b"WAVEfmt " + number(16, 4) + number(3, 2) + number(channels, 2) + number(rate, 4) + number(4 * channels * rate, 4)
    head += number(4 * channels, 2) + number(32, 2) + b"data" + number(len(data), 4)
    with open(path, "wb") as file:
        file.write(b"RIFF" + number(len(head) + len(data), 4) + head + data)


@functools.lru_cache(maxsize=64)
def waves(hertz, rate, count):
    """Returns a sine and a cosine, and the sums of their products."""
    step = 2 * math.pi * hertz / rate
    sine = [math.sin(step * n) for n in range(count)]
    cosine = [math.cos(step * n) for n in range(count)]
    return sine, cosine, product(sine, sine), product(cosine, cosine), product(sine, cosine)


def product(one, other):
    return math.fsum(map(operator.mul, one, other))


def fit(samples, hertz, rate):
    """Returns the amplitude of a tone, and the mean square of everything else."""
    sine, cosine, ss, cc, sc = waves(hertz, rate, len(samples))
    xs, xc = product(samples, sine), product(samples, cosine)
    determinant = ss * cc - sc * sc
    a, b = (xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant
    rest = math.fsum((x - a * s - b * c) ** 2 for x, s, c in zip(samples, sine, cosine)) / len(samples)
    return math.hypot(a, b), rest


def decibels(power):
    return 10 * math.log10(max(power, 1e-30))


def measured_part(recording, start, slot):
    """Returns the samples of the inner part of a slot. `start` is the frame at which the tone of the slot 0 begins."""
    rate = recording.rate
    count = min(int(PART * rate), MOST)
    first = start + round((slot * SLOT + SETTLING + PART / 2) * rate) - count // 2
    samples = recording.samples(first, count)
    if len(samples) < count:
        raise EOFError("the recording is too short")
    return samples


def tone(recording, start, slot, hertz, level=LEVEL):
    """Returns the ratio of a tone to everything else, and its error of level, both in decibels, and the level of the rest in dBFS."""
    amplitude, rest = fit(measured_part(recording, start, slot), hertz, recording.rate)
    if amplitude < level / 1000:
        raise EOFError(f"no tone of {hertz} Hz in the recording")
    return decibels(amplitude**2 / 2 / max(rest, 1e-30)), 20 * math.log10(amplitude / level), decibels(2 * rest)


def images(recording, start, slot, hertz):
    """Returns the level of everything but a tone in dBFS. The tone itself may be attenuated: it lies in the transition of the filter."""
    return decibels(2 * fit(measured_part(recording, start, slot), hertz, recording.rate)[1])


def silence(recording, start, slot):
    """Returns the level of all audio in the measured part of a slot, in dBFS: 0 is a sine of full scale."""
    samples = measured_part(recording, start, slot)
    return decibels(2 * math.fsum(x * x for x in samples) / len(samples))


def sixth_octaves(highest):
    """Returns the frequencies of 20 Hz to 20 kHz in sixth octaves, to a highest one."""
    return [hertz for hertz in (1000 * 2 ** (n / 6) for n in range(-34, 27)) if 19 < hertz <= min(highest, 20400)]
