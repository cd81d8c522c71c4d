"""Long recordings of noise for `script/bench`: a minute that is encoded, and then repeated."""

import subprocess

# A minute of noise that is loud and almost silent in turn, so that a variable bit rate varies. It is repeated to the length of the recording.
SOURCE = "anoisesrc=d=60:a=0.5:seed=3:r=44100,volume='if(lt(mod(t,9),5),1,0.01)':eval=frame"
# The options for MP3 without a tag.
BARE = ["-write_xing", "0", "-id3v2_version", "0"]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)
