#!/usr/bin/env python3
"""Changes volumes and sample rates of output devices in the web remote, and compares them with those of the sound server and of the player. Then
another program suspends the device, and the remote says why nothing is heard.

usage: devices.py URL FILE --pulse ADDRESS --sink NAME

The daemon at URL uses the sound server at ADDRESS, which has the device NAME, and may play FILE. Prints the output of checking.py, and exits with the
same status.
"""
import os
import re
import subprocess

from browsing import DESK, ask, barriers, complaints, until, watch
from checking import check, parser, report, run


class Checks:
    def __init__(self, page, options):
        self.page, self.options, self.figures = page, options, {}
        watch(page, options.url)

    def pactl(self, *words):
        environment = {**os.environ, "PULSE_SERVER": self.options.pulse, "LC_ALL": "C"}
        return subprocess.run(["pactl", *words], env=environment, check=True, capture_output=True, text=True).stdout

    def volume(self):
        """The device's volume at the sound server, in per cent."""
        return int(re.search(r"(\d+)%", self.pactl("get-sink-volume", self.options.sink)).group(1))

    def is_muted(self):
        return "yes" in self.pactl("get-sink-mute", self.options.sink)

    def until(self, what, condition):
        until(self.page, what, condition)

    @property
    def slider(self):
        return self.page.get_by_role("slider", name="Volume of ")

    def shows(self, text):
        return lambda: text in self.slider.get_attribute("aria-valuetext")

    def opens(self):
        """the sheet of the outputs has the volume of each device"""
        self.pactl("set-sink-volume", self.options.sink, "30%")
        self.page.goto(self.options.url)
        self.page.locator(".row-button[data-name=output]").click()
        self.slider.wait_for()
        self.until("the volume is shown", self.shows("30%"))
        found = barriers(self.page)
        check(found == [], "axe: %s" % found)

    def sets(self):
        """a key changes the volume at the sound server"""
        self.slider.press("ArrowUp")
        self.until("35 % at the server", lambda: self.volume() == 35)
        self.until("35 % is shown", self.shows("35%"))

    def is_guarded(self):
        """a far raise stops, and only a second press goes on"""
        self.slider.press("End")
        self.until("70 % at the server", lambda: self.volume() == 70)
        self.slider.press("End")
        self.until("100 % at the server", lambda: self.volume() == 100)

    def mutes(self):
        """a button mutes the device, and ends that"""
        mute = self.page.get_by_role("button", name="Mute ", exact=False).and_(self.page.locator(".device-volume button"))
        mute.click()
        self.until("muted", self.is_muted)
        self.until("the state is shown", lambda: mute.get_attribute("aria-pressed") == "true")
        mute.click()
        self.until("not muted", lambda: not self.is_muted())

    def follows(self):
        """a change by another program is shown, also a volume that the page cannot set"""
        self.pactl("set-sink-volume", self.options.sink, "130%")
        value = self.page.locator(".device-volume output")
        self.until("130 % is shown", lambda: value.inner_text() == "130%")

    def names_rate(self):
        """the sample rate is that of the device that plays, although it was not chosen, and the label names the device"""
        others = self.page.get_by_role("radiogroup", name="without a choice of their own")
        check(others.count() == 1, "while no device plays, the choice is that of all devices")
        ask(self.page, "PUT", "queue", {"entries": [{"url": self.options.song}], "startIndex": 0, "play": True})
        name = self.device()["name"]
        own = self.page.get_by_role("radiogroup", name="Sample rate of " + name)
        own.wait_for()
        own.get_by_role("radio", name="48 kHz").check()
        self.until("the choice of the device", lambda: self.device()["outputRate"] == "48000")
        rates = {one["outputRate"] for one in ask(self.page, "GET", "outputs")["outputs"] if one["id"] != self.device()["id"]}
        check(rates == {"auto"}, "the choices of the others: %s" % rates)
        self.until("the rate of the stream", lambda: ask(self.page, "GET", "player")["signalPath"]["output"]["sampleRate"] == 48000)
        ask(self.page, "PATCH", "outputs/" + self.device()["id"], {"outputRate": "device"})
        self.until("a choice by another client", own.get_by_role("radio", name="Of the device").is_checked)

    def device(self):
        return next(one for one in ask(self.page, "GET", "outputs")["outputs"] if one["id"] == "pulse:" + self.options.sink)

    def says_why(self):
        """why nothing is heard is said in the sheet, by the chip, in the view and beside the player, until the device is back"""
        ask(self.page, "PUT", "queue", {"entries": [{"url": self.options.song}], "startIndex": 0, "play": True})
        name, reason = self.device()["name"], "another program has suspended the sound device"
        self.until("it plays", lambda: ask(self.page, "GET", "player")["timeControlStatus"] == "playing")
        told = self.page.locator(".silence")
        check(not told.is_visible(), "the sheet says: " + told.inner_text())
        self.pactl("suspend-sink", self.options.sink, "1")
        self.until("the sheet says why", lambda: told.is_visible() and told.inner_text() == "Nothing is heard: %s." % reason)
        found = barriers(self.page)
        check(found == [], "axe: %s" % found)
        self.page.keyboard.press("Escape")
        self.page.get_by_role("dialog").wait_for(state="hidden")
        chip = self.page.locator(".chip[data-name=place]")
        self.until("the chip has the name", lambda: chip.inner_text() == name)
        check(chip.get_attribute("aria-label") == "Output: %s · %s" % (name, reason), chip.get_attribute("aria-label"))
        check(self.page.locator(".mini-artist").inner_text() == reason, self.page.locator(".mini-artist").inner_text())
        check(self.page.locator(".status").inner_text().startswith("Interrupted: " + reason), self.page.locator(".status").inner_text())
        chip.click()
        self.until("the chip opens the sheet", told.is_visible)
        self.pactl("suspend-sink", self.options.sink, "0")
        self.until("the reason is gone", lambda: not told.is_visible() and chip.get_attribute("data-silent") == "false")

    def stays_quiet(self):
        """no error is logged"""
        check(complaints(self.page) == [], str(complaints(self.page)))

    ALL = [opens, sets, is_guarded, mutes, follows, names_rate, says_why, stays_quiet]


def main():
    options = parser(__doc__)
    options.add_argument("song")
    options.add_argument("--pulse", required=True)
    options.add_argument("--sink", required=True)
    parsed = options.parse_args()
    report(lambda: run(parsed, Checks, (Checks.opens,), viewport=DESK, locale="en"))


if __name__ == "__main__":
    main()
