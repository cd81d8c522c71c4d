#!/usr/bin/env python3
"""Scrubs with a finger on the waveform of the web remote, records the sound, and measures how soon the sound follows the finger.

usage: scrubbing.py URL NOISE --pulse ADDRESS --sink NAME [--seek-count N] [--chromium PATH]

NOISE is a 16-bit WAV file of white noise, equal in all channels, with 44,100 frames a second. The daemon plays it through the sound server at
ADDRESS.
Every landing of a seek is found in the recording by its samples, which occur once in the file. The times are figures; what is judged is that the
landings are heard in order, one seek is in flight, and the last position is heard.
Prints one JSON object: {"ok", "faults", "figures"}. Exit status 0 if there is no fault, otherwise 1.
"""
import argparse
import collections
import json
import math
import pathlib
import statistics
import sys
import wave

from browsing import CHROMIUM, PHONE, ask, complaints, open_browser, settled, watch
from finger import Finger
from lateness import OFFSET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "script/lib"))
import pulse_recorder  # noqa: E402

RATE = pulse_recorder.RATE
# Samples after the landing that are compared, after the lead-in of 5 ms.
AFTER, LENGTH = 300, 24
# The least number of landings that are heard. A landing is not heard if the next one replaces it at once.
LEAST_HEARD = 20
# The time that is recorded after the last seek, in seconds.
TAIL = 3
LAST_TOLERANCE = 0.05

# Records the movements of the finger and the requested positions, with times on the page's clock, and the requests in flight.
WATCH = """() => {
  window.moves = [];
  window.seeks = [];
  window.flying = 0;
  window.most = 0;
  // A movement is reported at once by the first event, if the browser has it, and again by the second one in the next frame.
  for (const type of ['pointerrawupdate', 'pointermove']) {
    addEventListener(type, ({timeStamp}) => timeStamp > (window.moves.at(-1) ?? 0) && window.moves.push(timeStamp), {capture: true});
  }
  const began = (time) => {
    window.seeks.push({time, at: performance.now(), move: window.moves.at(-1) ?? 0});
    window.flying += 1;
    window.most = Math.max(window.most, window.flying);
  };
  const ended = () => (window.flying -= 1);
  const fetched = window.fetch;
  window.fetch = (target, options) => {
    if (!String(target).includes('/player/seek')) return fetched(target, options);
    began(JSON.parse(options.body).time);
    return fetched(target, options).finally(ended);
  };
  window.WebSocket = class extends WebSocket {
    #pending = new Set();
    constructor(...values) {
      super(...values);
      // This listener is the first one: the page sends the next seek in its own.
      this.addEventListener('message', ({data}) => this.#pending.delete(JSON.parse(data).id) && ended());
    }
    send(text) {
      const message = JSON.parse(text);
      if (message.command === 'seek') {
        this.#pending.add(message.id);
        began(message.arguments.time);
      }
      super.send(text);
    }
  };
}"""
# The drawing of frames and the work of scripts while the finger moves.
WATCH_FRAMES = """() => {
  window.work = [];
  const types = ['pointerrawupdate', 'pointermove', 'touchmove'];
  const request = window.requestAnimationFrame;
  const measure = action => (...values) => {
    const began = performance.now();
    try { return action(...values); } finally { window.work.push([began, performance.now() - began]); }
  };
  window.requestAnimationFrame = action => request(measure(action));
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    return add.call(this, type, types.includes(type) && typeof listener === 'function' ? measure(listener) : listener, options);
  };
}"""


def read(path):
    with wave.open(path) as file:
        assert (file.getframerate(), file.getsampwidth()) == (RATE, 2), "the noise has another format"
        return memoryview(file.readframes(file.getnframes())).cast("h")[::file.getnchannels()]


def landing(recording, source, target, begin, end):
    """The index of the recorded sample at which the position `target` is heard; None if it is not heard between two samples of the recording."""
    first = round(target * RATE) + AFTER
    wanted = [value / 32768 for value in source[first:first + LENGTH]]
    if len(wanted) < LENGTH:
        return None
    start, peak = wanted[0], 1.5 / 32768
    for index in range(max(0, begin) + AFTER, min(len(recording) - LENGTH, end)):
        if abs(recording[index] - start) < peak and all(abs(recording[index + n] - wanted[n]) < peak for n in range(1, LENGTH)):
            return index - AFTER
    return None


def scrub(page, finger, seek_count):
    """Moves a finger to and fro over the waveform until it has caused some seeks, as fast as a person looks for something. Leaves it where it
    ended."""
    box = page.get_by_role("slider", name="Position", exact=True).bounding_box()
    middle, half, y = box["x"] + box["width"] / 2, box["width"] * 0.4, box["y"] + box["height"] / 2
    finger.send("touchStart", (middle, y))
    step = 0
    while page.evaluate("seeks.length") < seek_count:
        step += 1
        finger.send("touchMove", (middle + half * math.sin(step / 60 * 2 * math.pi / 4), y))
        page.wait_for_timeout(14)
    # The last position is sought after the answer to the seek before.
    settled(page)


def measure(page, options):
    Server = collections.namedtuple("Server", "address")
    source = read(options.noise)
    duration = len(source) / RATE
    ask(page, "PUT", "player/item?wait=10", {"url": options.noise, "play": True})
    ask(page, "PATCH", "player", {"volume": 1})
    ask(page, "POST", "player/seek", {"time": duration / 2})
    page.wait_for_timeout(1500)
    recorder = pulse_recorder.Recorder(Server(options.pulse), options.sink)
    while len(recorder.samples) < RATE:
        page.wait_for_timeout(20)
    del recorder.origins[:]
    page.evaluate("() => { moves.length = seeks.length = work.length = 0; most = 0; }")
    finger = Finger(page)
    scrub(page, finger, options.seek_count)
    shown = float(page.get_by_role("slider", name="Position", exact=True).input_value())
    finger.send("touchEnd")
    settled(page)
    end = len(recorder.samples) + TAIL * RATE
    while len(recorder.samples) < end:
        page.wait_for_timeout(20)
    offset, _ = page.evaluate(OFFSET)
    recorder.close()
    seeks, moves, work = page.evaluate("[seeks, moves, work]")
    most = page.evaluate("most")
    start = recorder.heard_at(0)

    def sample(at):
        return round((at / 1000 + offset - start) * RATE)

    latencies, unheard, after = [], 0, 0
    for seek in seeks[:-1]:
        begin = max(after, sample(seek["at"]) - RATE // 50)
        found = landing(recorder.samples, source, seek["time"], begin, len(recorder.samples))
        if found is None:
            unheard += 1
            continue
        after = found
        latencies.append((start + found / RATE - offset) * 1000 - seek["move"])
    final = seeks[-1]
    last = landing(recorder.samples, source, final["time"], sample(final["at"]) - RATE // 50, len(recorder.samples))
    faults = []
    if len(latencies) < LEAST_HEARD:
        faults.append("only %d of %d seeks were found in the recording" % (len(latencies), len(seeks)))
        return faults, {}
    # Several handlers may run for one frame.
    frames = {}
    for at, took in work:
        frames[int(at / 16.7)] = frames.get(int(at / 16.7), 0) + took
    per_frame = sorted(frames.values())
    ninth = statistics.quantiles(latencies, n=10)[8]
    figures = {
        "moves": len(moves), "seeks": len(seeks), "unheard": unheard, "mostInFlight": most,
        "fingerToSoundMs": {"median": round(statistics.median(latencies), 1), "p90": round(ninth, 1), "worst": round(max(latencies), 1)},
        "fingerToRequestMs": round(statistics.median(seek["at"] - seek["move"] for seek in seeks), 1),
        "lastShown": round(shown, 3), "lastRequested": round(final["time"], 3),
        "scriptMsPerFrame": {"median": round(statistics.median(per_frame), 2), "p95": round(per_frame[int(len(per_frame) * 0.95)], 2),
                             "worst": round(per_frame[-1], 2)} if per_frame else None,
    }
    if most != 1:
        faults.append("%d seeks were in flight at once" % most)
    if last is None:
        faults.append("the last position %.3f s is not heard" % final["time"])
    if abs(final["time"] - shown) > LAST_TOLERANCE:
        faults.append("%.3f s was shown last, %.3f s is heard" % (shown, final["time"]))
    return faults, figures


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("url")
    options.add_argument("noise")
    options.add_argument("--pulse", required=True)
    options.add_argument("--sink", required=True)
    options.add_argument("--seek-count", type=int, default=100)
    options.add_argument("--chromium", default=CHROMIUM)
    parsed = options.parse_args()
    with open_browser(parsed.chromium) as browser:
        page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, locale="en").new_page()
        watch(page, parsed.url)
        page.add_init_script("(%s)(); (%s)()" % (WATCH, WATCH_FRAMES))
        page.goto(parsed.url)
        page.locator("[data-hook=timeline]").wait_for(state="attached")
        faults, figures = measure(page, parsed)
        faults += [text for text in complaints(page) if "404" not in text]
    print(json.dumps({"ok": not faults, "faults": faults, "figures": figures}, indent=2, ensure_ascii=False))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
