"""Two hands that use the web remote without a pointer: one presses keys, the other one knows the accessibility tree, as a screen reader does."""
from browsing import settled, until
from checking import check

# The largest number of presses of Tab, or of an arrow key, from one element to another one.
MOST_PRESSES = 60


class Tree:
    """The browser's accessibility tree."""

    def __init__(self, page):
        self.page, self.devtools = page, page.context.new_cdp_session(page)
        self.devtools.send("Accessibility.enable")

    def nodes(self):
        """The exposed nodes: role, name and element."""
        found = self.devtools.send("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""), node.get("backendDOMNodeId"))
                for node in found if not node["ignored"] and "role" in node]

    def focused(self):
        """Role and name of the element with the focus."""
        element = self.devtools.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]["objectId"]
        [node] = self.devtools.send("Accessibility.getPartialAXTree", {"objectId": element, "fetchRelatives": False})["nodes"]
        self.devtools.send("Runtime.releaseObject", {"objectId": element})
        is_none = node["ignored"] or node["role"]["value"] == "RootWebArea"
        return ("", "") if is_none else (node["role"]["value"], node.get("name", {}).get("value", ""))

    def find(self, role, name):
        """The element of a role whose name begins with a text."""
        for found_role, found_name, element in self.nodes():
            if found_role == role and found_name.startswith(name):
                return element
        return None

    def awaited(self, role, name):
        """Waits until there is an element of a role whose name begins with a text, and returns it."""
        found = []
        what = "%s “%s” is in the accessibility tree" % (role, name)
        until(self.page, what, lambda: found.append(self.find(role, name)) or found[-1] is not None)
        return found[-1]

    def perform(self, element, script):
        target = self.devtools.send("DOM.resolveNode", {"backendNodeId": element})["object"]["objectId"]
        self.devtools.send("Runtime.callFunctionOn", {"objectId": target, "functionDeclaration": "function () { %s }" % script, "userGesture": True})


class Keyboard:
    """A hand that knows only keys, and what the focused element is called."""

    def __init__(self, page):
        self.page, self.tree, self.count = page, Tree(page), 0

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1
            # A press may move the focus after an answer, or when another view is drawn.
            settled(self.page)

    def reach(self, role, name, key="Tab"):
        """Presses a key until an element has the focus, which the page may still have to make."""
        self.tree.awaited(role, name)
        seen = []
        for _ in range(MOST_PRESSES):
            found = self.tree.focused()
            if found[0] == role and found[1].startswith(name):
                return
            seen.append(found)
            self.press(key)
        raise AssertionError("%s does not reach %s “%s”: %s" % (key, role, name, seen))

    def activate(self, role, name, is_before=False):
        """Presses an element, which is before the focused one if `is_before`."""
        self.reach(role, name, "Shift+Tab" if is_before else "Tab")
        self.press("Enter")

    def activate_row(self, list_name, name):
        """Presses a row of a list, in which arrow keys move the focus."""
        self.reach_row(list_name, name)
        self.press("Enter")

    def reach_row(self, list_name, name):
        self.tree.awaited("button", name)
        is_inside = "name => document.activeElement.closest('[role=list]')?.ariaLabel === name"
        for _ in range(MOST_PRESSES):
            if self.page.evaluate(is_inside, list_name):
                return self.reach("button", name, "ArrowDown")
            self.press("Tab")
        raise AssertionError("Tab does not reach the list “%s”" % list_name)

    def type(self, role, name, text):
        self.reach(role, name)
        self.page.keyboard.type(text)

    def choose(self, name, others):
        """Yields the act that chooses a radio button of a list: Tab reaches the chosen one, the arrow keys move the focus, Space chooses."""
        self.tree.awaited("radio", name)
        for _ in range(MOST_PRESSES):
            if self.tree.focused()[0] == "radio":
                break
            self.press("Tab")
        acts = 0
        while not self.tree.focused()[1].startswith(name):
            check(acts <= others, "the arrow keys do not reach the choice “%s”" % name)
            acts += 1
            self.press("ArrowDown")
        yield lambda: self.press("Space")

    def close(self):
        self.press("Escape")

    def move(self, list_name, title, checks):
        """Moves an entry up by one row: lifts it by its handle, moves and drops it."""
        self.reach_row(list_name, title)
        self.reach("button", "Move “%s”" % title)
        for key, text in (("Space", "lifted, 4 of 4"), ("ArrowUp", "3 of 4"), ("Space", "is now 3 of 4")):
            checks.act(lambda key=key: self.press(key), text)


class Reader:
    """A hand that knows only the roles and names of the accessibility tree. It performs the action of an element, as screen readers do."""

    def __init__(self, page):
        self.page, self.tree, self.count = page, Tree(page), 0

    def activate(self, role, name, is_before=False, script="this.focus(); this.click()"):
        self.tree.perform(self.tree.awaited(role, name), script)
        self.count += 1
        settled(self.page)

    def activate_row(self, list_name, name):
        self.activate("button", name)

    def type(self, role, name, text):
        self.activate(role, name, script="this.focus(); this.value = ''")
        self.page.keyboard.insert_text(text)

    def choose(self, name, others):
        yield lambda: self.activate("radio", name)

    def close(self):
        self.activate("button", "Close")

    def move(self, list_name, title, checks):
        """Moves an entry by the number of its new position, for which a press on its handle asks."""
        self.activate("button", "Move “%s”" % title)
        self.type("spinbutton", "New position", "3")
        checks.act(lambda: self.activate("button", "Move"), "is now 3 of 4")
