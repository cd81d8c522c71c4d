#!/usr/bin/env python3
"""Draws the cover of "First Light": a record that rises over water, and a tonearm. Standard library only.

usage: cover.py OUT.png [SIZE]
"""
import math
import struct
import sys
import zlib

HORIZON = 0.69
CENTRE = (0.47, HORIZON)
RADIUS = 0.355
LABEL = 0.118
RING = 0.0158
PIVOT = (0.845, 0.2)
ELBOW = (0.79, 0.44)
NEEDLE = (0.655, 0.545)

# Colours are rounded to multiples of this: invisible, and sufficient for good compression.
STEP = 3

# Colours by height, from the top of the sky to the horizon, and from the horizon to the bottom of the water.
SKY = [(0.0, (24, 31, 58)), (0.3, (69, 62, 104)), (0.56, (186, 104, 112)), (0.69, (246, 186, 124))]
WATER = [(0.69, (196, 108, 100)), (0.78, (112, 70, 98)), (1.0, (22, 27, 50))]
SUN = [(0.0, (255, 244, 214)), (0.6, (253, 200, 128)), (1.0, (238, 120, 84))]
LABEL_COLOUR = (206, 74, 62)
ARM = (20, 24, 44)
ARM_LIGHT = (240, 190, 150)


def gradient(stops, at):
    """Returns the colour at a position between stops, eased so that no edge is visible."""
    for (low, first), (high, second) in zip(stops, stops[1:]):
        if at <= high:
            part = max(0.0, (at - low) / (high - low))
            return tuple(a + (b - a) * part for a, b in zip(first, second))
    return stops[-1][1]


def over(colour, base, cover):
    return tuple(b + (c - b) * cover for c, b in zip(colour, base)) if cover > 0 else base


def segment(x, y, start, end):
    """Returns the distance from a point to a line segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    part = max(0.0, min(1.0, ((x - start[0]) * dx + (y - start[1]) * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - start[0] - part * dx, y - start[1] - part * dy)


def disc(x, y, pixel):
    """Returns the record's colour and coverage at a point."""
    distance = math.hypot(x - CENTRE[0], y - CENTRE[1])
    cover = edge(RADIUS - distance, pixel)
    if cover == 0:
        return None, 0.0
    # Flat rings, each a little warmer than the one inside it, with a wider step between the pieces as on a real record.
    ring = int((distance - LABEL) / RING)
    within = (distance - LABEL) - ring * RING
    colour = gradient(SUN, (LABEL + ring * RING) / RADIUS)
    inner = gradient(SUN, (LABEL + (ring - 1) * RING) / RADIUS)
    colour = over(inner, colour, edge(-within, pixel))
    if distance > LABEL + RING and RADIUS - distance > RING / 2:
        shade = 0.34 if ring % 5 == 0 else 0.17
        colour = over((178, 70, 62), colour, shade * edge(0.0026 - abs(within - RING / 2), pixel))
    colour = over(LABEL_COLOUR, colour, edge(LABEL - distance, pixel))
    colour = over((255, 226, 180), colour, 0.5 * edge(0.0022 - abs(distance - LABEL * 0.8), pixel))
    return over((60, 34, 52), colour, edge(0.0125 - distance, pixel)), cover


def edge(depth, pixel):
    """Returns the part of a pixel inside a shape whose edge is at distance `depth`."""
    return max(0.0, min(1.0, depth / pixel + 0.5))


def colour_at(x, y, pixel):
    if y < HORIZON:
        colour = gradient(SKY, y)
        glow = max(0.0, 1 - max(0.0, math.hypot(x - CENTRE[0], y - CENTRE[1]) - RADIUS) / 0.16)
        colour = over((255, 196, 140), colour, 0.42 * glow ** 2)
        record, cover = disc(x, y, pixel)
        colour = over(record, colour, cover) if cover else colour
    else:
        colour = gradient(WATER, y)
        depth = y - HORIZON
        # The reflection: the mirrored record, broken into strokes that thin out with the distance from the horizon.
        phase = math.sqrt(depth) * 34
        stroke = 0.5 + 0.5 * math.cos(phase * math.pi)
        width = RADIUS * (1 - depth * 1.5) * (0.8 + 0.2 * math.cos(int(phase / 2 + 0.5) * 2.4))
        inside = edge(width - abs(x - CENTRE[0]), 0.03)
        lit = max(0.0, 1 - depth * 3.1) * inside * max(0.0, min(1.0, (stroke - 0.38) * 3.2))
        colour = over((252, 176, 112), colour, 0.85 * lit)
    arm = min(segment(x, y, PIVOT, ELBOW) - 0.0085, segment(x, y, ELBOW, NEEDLE) - 0.0085)
    head = segment(x, y, NEEDLE, (NEEDLE[0] - 0.038, NEEDLE[1] + 0.03)) - 0.0185
    weight = segment(x, y, (PIVOT[0] + 0.008, PIVOT[1] - 0.035), (PIVOT[0] + 0.018, PIVOT[1] - 0.079)) - 0.027
    base = math.hypot(x - PIVOT[0], y - PIVOT[1]) - 0.058
    for distance in (arm, weight, head, base):
        colour = over(ARM, colour, edge(-distance, pixel))
    ring = abs(math.hypot(x - PIVOT[0], y - PIVOT[1]) - 0.041)
    colour = over(ARM_LIGHT, colour, 0.85 * edge(0.0016 - ring, pixel))
    colour = over(ARM_LIGHT, colour, edge(0.011 - math.hypot(x - PIVOT[0], y - PIVOT[1]), pixel))
    return colour


def paeth(left, above, corner):
    """Returns the neighbour nearest to left + above − corner (PNG specification, 9.4)."""
    guess = left + above - corner
    distances = (abs(guess - left), abs(guess - above), abs(guess - corner))
    return (left, above, corner)[distances.index(min(distances))]


def filtered(row, above):
    """Returns the number of the filter with the smallest differences, followed by the row's differences from its neighbours."""
    left, corner = bytes(3) + row, bytes(3) + above
    choices = {
        1: bytes((now - before) & 255 for now, before in zip(row, left)),
        2: bytes((now - up) & 255 for now, up in zip(row, above)),
        4: bytes((now - paeth(*near)) & 255 for now, near in zip(row, zip(left, above, corner))),
    }
    number = min(choices, key=lambda choice: sum(min(part, 256 - part) for part in choices[choice]))
    return bytes([number]) + choices[number]


def png(size, rows):
    """Returns a true-colour PNG."""
    raw = b"".join(filtered(row, above) for row, above in zip(rows, [bytes(size * 3), *rows]))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    packed = [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    size = int(sys.argv[2]) if len(sys.argv) == 3 else 600
    pixel = 1 / size
    rows = []
    for line in range(size):
        y = (line + 0.5) * pixel
        row = bytearray()
        for column in range(size):
            row += bytes(min(255, max(0, round(part / STEP) * STEP)) for part in colour_at((column + 0.5) * pixel, y, pixel))
        rows.append(bytes(row))
    with open(sys.argv[1], "wb") as file:
        file.write(png(size, rows))


if __name__ == "__main__":
    main()
