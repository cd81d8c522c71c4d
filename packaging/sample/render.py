#!/usr/bin/env python3
"""Renders "First Light", the sample piece of Tonearm, by synthesis: plucked strings, a bell, a bass and a room.

usage: render.py OUT.wav          44.1 kHz, stereo, 16 bit; the same bytes on every machine with IEEE doubles. Needs only Python.
"""

import math
import random
import sys
import wave
from array import array

RATE = 44100
EIGHTH = round(RATE * 60 / 88 / 2)
TAIL = 3 * RATE

# Each bar: the bass note, the eight plucked ones, and what the bell plays as (eighth, note). MIDI numbers.
BARS = [
    (38, [50, 57, 62, 66, 69, 66, 62, 57], []),
    (35, [47, 54, 62, 66, 69, 66, 62, 54], [(0, 81)]),
    (43, [43, 50, 59, 62, 66, 62, 59, 50], [(0, 78), (4, 76)]),
    (45, [45, 52, 57, 62, 64, 62, 57, 52], [(0, 74), (6, 76)]),
    (38, [50, 57, 62, 66, 69, 74, 69, 66], [(0, 78), (4, 81)]),
    (35, [47, 54, 62, 66, 71, 66, 62, 54], [(0, 83), (4, 81)]),
    (43, [43, 50, 59, 62, 66, 71, 66, 62], [(0, 78), (4, 74), (6, 76)]),
    (38, [50, 57, 62, 66, 69, 74, 78, 81], [(0, 74)]),
]


def frequency(note):
    return 440.0 * 2.0 ** ((note - 69) / 12.0)


def pluck(note, velocity, seconds, noise):
    """A string after Karplus and Strong: a burst of noise goes round a delay line that loses its high partials. Tuned by an all-pass."""
    period = RATE / frequency(note) - 0.5
    length = int(period)
    fraction = period - length
    if fraction < 0.1:
        length, fraction = length - 1, fraction + 1.0
    allpass = (1.0 - fraction) / (1.0 + fraction)
    line, soft, softer = [], 0.0, 0.0
    for _ in range(length):
        soft += 0.35 * (noise.uniform(-1.0, 1.0) - soft)  # a finger, not a plectrum
        softer += 0.35 * (soft - softer)
        line.append(softer)
    mean = sum(line) / length
    power = math.sqrt(sum((value - mean) ** 2 for value in line) / length)
    line = [0.42 * velocity * (value - mean) / power for value in line]
    loss = 0.001 ** (1.0 / (frequency(note) * seconds))
    out = array("d", bytes(8 * int(seconds * RATE)))
    at, last, held_in, held_out = 0, 0.0, 0.0, 0.0
    for index in range(len(out)):
        value = line[at]
        out[index] = value
        damped = loss * 0.5 * (value + last)
        last = value
        held_out = allpass * (damped - held_out) + held_in
        held_in = damped
        line[at] = held_out
        at = at + 1 if at + 1 < length else 0
    return faded(out)


def bell(note, velocity, seconds):
    """A small bell: partials that are not quite harmonic, the higher ones gone sooner."""
    out = array("d", bytes(8 * int(seconds * RATE)))
    for ratio, level, decay in ((1.0, 1.0, 1.0), (2.004, 0.42, 0.62), (3.012, 0.16, 0.38), (4.17, 0.11, 0.22), (5.43, 0.05, 0.13)):
        turn = 2.0 * math.pi * frequency(note) * ratio / RATE
        fade = 0.001 ** (1.0 / (decay * seconds * RATE))
        gain = 0.30 * velocity * level
        for index in range(len(out)):
            out[index] += gain * math.sin(turn * index)
            gain *= fade
    for index in range(220):
        out[index] *= index / 220.0
    return faded(out)


def bass(note, velocity, seconds):
    """A round low tone that swells and goes."""
    out = array("d", bytes(8 * int(seconds * RATE)))
    turn = 2.0 * math.pi * frequency(note) / RATE
    for index in range(len(out)):
        x = index / len(out)
        shape = math.sin(math.pi * x ** 0.35) ** 2
        phase = turn * index
        out[index] = 0.20 * velocity * shape * (math.sin(phase) + 0.25 * math.sin(2.0 * phase) + 0.08 * math.sin(3.0 * phase))
    return faded(out)


def faded(sound):
    """Ends in silence, whatever was left."""
    for index in range(1, 2206):
        sound[-index] *= (index - 1) / 2205.0
    return sound


def room(left, right):
    """Four delay lines that feed each other, each a little duller on every round: a soft room of about two seconds."""
    lengths = (1687, 2053, 2389, 2777)
    lines = [[0.0] * length for length in lengths]
    gains = [0.001 ** (length / RATE / 2.1) for length in lengths]
    places, dull = [0, 0, 0, 0], [0.0, 0.0, 0.0, 0.0]
    wet_left, wet_right = array("d", bytes(8 * len(left))), array("d", bytes(8 * len(left)))
    a_line, b_line, c_line, d_line = lines
    for index in range(len(left)):
        a, b, c, d = a_line[places[0]], b_line[places[1]], c_line[places[2]], d_line[places[3]]
        dull[0] += 0.55 * (a - dull[0])
        dull[1] += 0.55 * (b - dull[1])
        dull[2] += 0.55 * (c - dull[2])
        dull[3] += 0.55 * (d - dull[3])
        half = 0.5 * (dull[0] + dull[1] + dull[2] + dull[3])
        x, y = left[index], right[index]
        a_line[places[0]] = x + gains[0] * (dull[0] - half)
        b_line[places[1]] = y + gains[1] * (dull[1] - half)
        c_line[places[2]] = y + gains[2] * (dull[2] - half)
        d_line[places[3]] = x + gains[3] * (dull[3] - half)
        wet_left[index] = a + 0.7 * c
        wet_right[index] = b + 0.7 * d
        for which in range(4):
            places[which] = places[which] + 1 if places[which] + 1 < lengths[which] else 0
    return wet_left, wet_right


def main(path):
    noise = random.Random(1877)
    frames = len(BARS) * 8 * EIGHTH + TAIL
    left, right = array("d", bytes(8 * frames)), array("d", bytes(8 * frames))

    def place(sound, start, pan):
        louder_left, louder_right = math.cos(pan * math.pi / 2), math.sin(pan * math.pi / 2)
        for index in range(min(len(sound), frames - start)):
            left[start + index] += louder_left * sound[index]
            right[start + index] += louder_right * sound[index]

    for number, (root, notes, tune) in enumerate(BARS):
        bar = number * 8 * EIGHTH
        last = number == len(BARS) - 1
        place(bass(root, 0.9, 8 * EIGHTH / RATE * (1.5 if last else 1.15)), bar, 0.5)
        for step, note in enumerate(notes):
            # Played by a hand: beats are stressed, each note a few milliseconds off, the last bar slower.
            late = round(noise.uniform(0.0, 0.006) * RATE) + (round(EIGHTH * 0.045 * step * step / 2) if last else 0)
            velocity = (0.85 if step % 4 == 0 else 0.66) * (0.75 + 0.25 * min(1.0, number / 2)) * noise.uniform(0.92, 1.0)
            place(pluck(note, velocity, 3.2 if note < 60 else 2.6, noise), bar + step * EIGHTH + late, 0.30 + 0.40 * (note - 43) / 38)
        for step, note in tune:
            place(bell(note, 0.55, 3.5), bar + step * EIGHTH + (round(0.01 * RATE) if last else 0), 0.62)

    wet_left, wet_right = room(left, right)
    for index in range(frames):
        left[index] += 0.26 * wet_left[index]
        right[index] += 0.26 * wet_right[index]
    peak = max(max(map(abs, left)), max(map(abs, right)))
    scale = 0.80 / peak * 32767.0
    pcm = array("h", bytes(4 * frames))
    for index in range(frames):
        # Triangular dither of one step.
        pcm[2 * index] = round(left[index] * scale + noise.random() - noise.random())
        pcm[2 * index + 1] = round(right[index] * scale + noise.random() - noise.random())
    if sys.byteorder == "big":
        pcm.byteswap()
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(pcm.tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
