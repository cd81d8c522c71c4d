"""Opens several tabs in one window, as a user does: the browser shows one, and the others are hidden.

Playwright shows every page that it controls, so these tabs are controlled by messages of the browser's protocol.
"""
import contextlib
import json
import time

from browsing import PATIENCE


class Tabs:
    """The tabs of one window of a new profile. The first one is visible."""

    def __init__(self, browser, count, script=""):
        """`script` runs in each page before its own scripts."""
        self.browser = browser.new_browser_cdp_session()
        self.answers, self.number = {}, 0
        self.browser.on("Target.receivedMessageFromTarget", self.received)
        self.profile = self.browser.send("Target.createBrowserContext")["browserContextId"]
        self.targets, self.sessions = [], []
        for index in range(count):
            place = {"background": True} if index else {"newWindow": True}
            target = self.browser.send("Target.createTarget", {"url": "about:blank", "browserContextId": self.profile, **place})["targetId"]
            self.targets.append(target)
            self.sessions.append(self.browser.send("Target.attachToTarget", {"targetId": target, "flatten": False})["sessionId"])
            self.send(index, "Page.enable")
            if script:
                self.send(index, "Page.addScriptToEvaluateOnNewDocument", source=script)

    def received(self, event):
        message = json.loads(event["message"])
        if "id" in message:
            self.answers[message["id"]] = message

    def post(self, index, method, **parameters):
        """Sends a command without waiting for its answer, and returns its number."""
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": parameters})
        self.browser.send("Target.sendMessageToTarget", {"sessionId": self.sessions[index], "message": text})
        return self.number

    def answer(self, number):
        end = time.monotonic() + PATIENCE
        while number not in self.answers:
            if time.monotonic() > end:
                raise AssertionError("a tab does not answer")
            time.sleep(0.005)
            self.browser.send("Target.getTargetInfo")  # Playwright receives messages while it waits for an answer.
        message = self.answers.pop(number)
        if "error" in message or message["result"].get("exceptionDetails"):
            raise AssertionError("a tab refuses: %s" % message)
        return message["result"]

    def send(self, index, method, **parameters):
        return self.answer(self.post(index, method, **parameters))

    def evaluate(self, index, expression):
        result = self.send(index, "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def evaluate_all(self, expression):
        numbers = [self.post(index, "Runtime.evaluate", expression=expression, returnByValue=True) for index in range(len(self.sessions))]
        return [self.answer(number)["result"].get("value") for number in numbers]

    def open(self, url):
        """Opens the address in all tabs at the same time."""
        for number in [self.post(index, "Page.navigate", url=url) for index in range(len(self.sessions))]:
            self.answer(number)

    def show(self, index):
        """Makes a tab the visible one."""
        self.browser.send("Target.activateTarget", {"targetId": self.targets[index]})

    def close(self):
        self.browser.send("Target.disposeBrowserContext", {"browserContextId": self.profile})
        self.browser.detach()


@contextlib.contextmanager
def open_tabs(browser, count, script=""):
    tabs = Tabs(browser, count, script)
    try:
        yield tabs
    finally:
        tabs.close()
