"""Shared by the browser tests: runs the checks of a script, and prints their results.

The output is one JSON object: {"ok", "checks": [{"name", "ok", "detail", "seconds"}], "figures"}. The exit status is 0 if every check passed, 1 if
one failed, 2 if the checks could not begin.
"""
import argparse
import json
import os
import pathlib
import sys
import time
import traceback

from browsing import CHROMIUM, PATIENCE, open_browser, save_pages

FOLDER = pathlib.Path(__file__).resolve().parent
# Whether all cases are checked, as by `script/test --thorough`.
THOROUGH = "TONEARM_THOROUGH" in os.environ


def check(condition, detail):
    if not condition:
        raise AssertionError(detail)


def lines(error):
    """The lines of the scripts from which an error comes, the check's own line first."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if pathlib.Path(frame.filename).resolve().parent == FOLDER]
    return ", ".join("%s:%d" % (pathlib.Path(frame.filename).name, frame.lineno) for frame in frames if frame.filename != __file__)


def attempt(name, perform, describe=str):
    """Performs a check, and returns its result. `describe` returns the detail of an error."""
    begun, detail, ok = time.monotonic(), "", True
    try:
        perform()
    except Exception as error:
        save_pages(error)
        detail, ok = describe(error), False
    return {"name": name, "ok": ok, "detail": detail, "seconds": round(time.monotonic() - begun, 1)}


def summary(results, figures):
    """The object that a script prints. Without any result it is a failure."""
    return {"ok": bool(results) and all(result["ok"] for result in results), "checks": results, "figures": figures}


def run(options, kind, vital, **context):
    """Runs every check of a kind, on a page of its own. Stops if a vital one fails."""
    # A new profile for each run, without stored data.
    with open_browser(options.chromium) as browser:
        page = browser.new_page(**context)
        page.set_default_timeout(PATIENCE * 1000)
        checks = kind(page, options)
        results = []
        for one in kind.ALL:
            results.append(attempt(one.__doc__, lambda: one(checks), lambda error: "%s: %s" % (lines(error), error)))
            if not results[-1]["ok"]:
                if options.screenshot:
                    page.screenshot(path=options.screenshot)
                if one in vital:
                    break
    return summary(results, checks.figures)


def report(make):
    """Prints the result, and exits with its status."""
    try:
        result = make()
    except Exception as error:
        print(json.dumps({"ok": False, "checks": [], "figures": {}, "error": str(error)}))
        sys.exit(2)
    print(json.dumps(result, indent=2, ensure_ascii=False))
    sys.exit(0 if result["ok"] else 1)


def parser(description):
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("url")
    options.add_argument("--chromium", default=CHROMIUM)
    options.add_argument("--screenshot", help="taken if a check fails")
    return options
