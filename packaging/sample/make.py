#!/usr/bin/env python3
"""Creates first-light.opus, the piece that script/server plays: renders it, adds tags and cover, and encodes it. Needs ffmpeg with libopus.

usage: make.py          run it after a change of render.py or cover.png, and commit the result, because users may not have ffmpeg
"""

import base64
import pathlib
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
TAGS = {
    "TITLE": "First Light",
    "ARTIST": "Tonearm",
    "ALBUM": "Test Pressing",
    "DATE": "2026",
    "TRACKNUMBER": "1",
    "GENRE": "Ambient",
    "COMMENT": "Rendered by packaging/sample/render.py",
}


def picture(png):
    """Returns a FLAC picture block (RFC 9639, section 8.8) of the front cover, in the form of METADATA_BLOCK_PICTURE in Ogg."""
    width, height = struct.unpack(">II", png[16:24])
    mime, text = b"image/png", b"A record rises over water"
    head = struct.pack(">II", 3, len(mime)) + mime + struct.pack(">I", len(text)) + text
    return base64.b64encode(head + struct.pack(">IIIII", width, height, 24, 0, len(png)) + png).decode()


def main():
    tags = dict(TAGS, METADATA_BLOCK_PICTURE=picture((HERE / "cover.png").read_bytes()))
    # FFmpeg's metadata files: = ; # \\ and line ends are escaped.
    lines = [";FFMETADATA1"] + [f"{name}=" + "".join("\\" + c if c in "=;#\\\n" else c for c in value) for name, value in tags.items()]
    with tempfile.TemporaryDirectory() as folder:
        wave, texts = pathlib.Path(folder, "piece.wav"), pathlib.Path(folder, "tags.txt")
        texts.write_text("\n".join(lines) + "\n")
        subprocess.run([HERE / "render.py", wave], check=True)
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", wave, "-f", "ffmetadata", "-i", texts,
             "-map_metadata:s:a", "1:g", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags", "+bitexact",
             "-c:a", "libopus", "-b:a", "112k", HERE / "first-light.opus"],
            check=True)


main()
