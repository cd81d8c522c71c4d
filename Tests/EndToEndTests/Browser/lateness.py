"""How late a page shows what is heard. It is judged by the page's frames: on a busy machine a page has few, and shows a change in the next one."""

# Notes the times of all frames in `window.frames`, on the page's clock.
WATCH_FRAMES = """() => {
  window.frames = [];
  const note = () => (window.frames.push(performance.now()), requestAnimationFrame(note));
  requestAnimationFrame(note);
}"""
# The server's clock minus the page's, in seconds, by the shortest of some round trips, and the largest error of this difference.
OFFSET = """async () => {
  let best = {width: Infinity};
  for (let round = 0; round < 30; round += 1) {
    const sent = performance.now();
    const {hostTime} = await (await fetch('api/v1/clock')).json();
    const received = performance.now();
    if (received - sent < best.width) best = {width: received - sent, offset: hostTime - (sent + received) / 2000};
  }
  return [best.offset, best.width / 2000];
}"""


def lateness(shown, due, frames):
    """By how many milliseconds something was shown later than in the first frame after it was due; negative if it was shown too early."""
    return shown - due if shown < due else max(0, shown - min((at for at in frames if at >= due), default=due))


def seconds_of(text):
    """The seconds of a shown time, such as 1:02:03."""
    return sum(int(part) * 60 ** place for place, part in enumerate(reversed(text.split(":"))))


def seconds_shown(flips):
    """The changes of a shown time by one second, as pairs of the moment and the new second. A jump is none."""
    seconds = [(at, seconds_of(text)) for at, text in flips]
    return [(at, second) for (_, before), (at, second) in zip(seconds, seconds[1:]) if second == before + 1]
