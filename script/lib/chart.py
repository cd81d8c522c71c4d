"""Line charts as SVG, which are readable in light and dark."""

import html

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 62, 14, 34, 40
STYLE = """
svg { color-scheme: light dark; font: 13px system-ui, sans-serif }
.paper { fill: #fff } .frame { fill: none; stroke: #8a8f98 } .grid { stroke: #e3e5e9 } text { fill: #2b2f36 }
.one { stroke: #0b5cc0 } .two { stroke: #c4540a } .one.name { fill: #0b5cc0 } .two.name { fill: #b04a06 }
.name { stroke: none; font-weight: 600 } .line { fill: none; stroke-width: 1.5; stroke-linejoin: round } .title { font-weight: 600 }
@media (prefers-color-scheme: dark) {
.paper { fill: #14171c } .frame { stroke: #777d88 } .grid { stroke: #2b3038 } text { fill: #dfe3ea } .one { stroke: #6fb1ff } .two { stroke: #ffa25c }
.one.name { fill: #6fb1ff } .two.name { fill: #ffa25c } .name { stroke: none }
}
"""


class Panel:
    """One pair of axes. Ranges are pairs of values; ticks are values; a line is a class of the style, a name and points."""

    def __init__(self, title, x, y, x_ticks, y_ticks, lines, x_label="", y_label="", height=240):
        self.title, self.x, self.y, self.x_ticks, self.y_ticks, self.lines = title, x, y, x_ticks, y_ticks, lines
        self.x_label, self.y_label, self.height = x_label, y_label, height

    def draw(self, top):
        """Returns the elements of the panel, whose upper edge is at `top`."""
        left, right, upper, lower = LEFT, WIDTH - RIGHT, top + TOP, top + self.height - BOTTOM
        across = lambda value: left + (value - self.x[0]) / (self.x[1] - self.x[0]) * (right - left)
        down = lambda value: lower - (value - self.y[0]) / (self.y[1] - self.y[0]) * (lower - upper)
        parts = [text(left, top + 20, self.title, "title")]
        for tick in self.x_ticks:
            parts.append(f'<path class="grid" d="M{across(tick):.1f} {upper}V{lower}"/>')
            parts.append(text(across(tick), lower + 17, f"{tick:g}".replace("-", "−"), anchor="middle"))
        for tick in self.y_ticks:
            parts.append(f'<path class="grid" d="M{left} {down(tick):.1f}H{right}"/>')
            parts.append(text(left - 8, down(tick) + 4.5, f"{tick:g}".replace("-", "−"), anchor="end"))
        parts.append(text((left + right) / 2, lower + 34, self.x_label, anchor="middle"))
        middle = (upper + lower) / 2
        parts.append(f'<g transform="rotate(-90 14 {middle:.1f})">{text(14, middle, self.y_label, anchor="middle")}</g>')
        names = "   ".join(f'<tspan class="{style} name">{html.escape(name)}</tspan>' for style, name, _ in self.lines if name)
        parts.append(f'<text x="{right}" y="{top + 20}" text-anchor="end" xml:space="preserve">{names}</text>')
        # The first line of the panel is drawn last, so that it is on top. Parts outside the axes are not shown.
        box = f'x="{left}" y="{upper}" width="{right - left}" height="{lower - upper}"'
        parts.append(f'<clipPath id="c{top}"><rect {box}/></clipPath><g clip-path="url(#c{top})">')
        for style, _, points in reversed(self.lines):
            path = "".join(f"{'L' if n else 'M'}{across(x):.1f} {down(y):.1f}" for n, (x, y) in enumerate(points))
            parts.append(f'<path class="line {style}" d="{path}"/>')
        parts.append("</g>")
        parts.append(f'<path class="frame" d="M{left} {upper}H{right}V{lower}H{left}Z"/>')
        return parts


def text(x, y, content, style="", anchor="start"):
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{html.escape(content)}</text>'


def write(path, description, panels):
    """Writes panels one below the other. The description is for those who cannot see the picture."""
    parts, top = [], 0
    for panel in panels:
        parts += panel.draw(top)
        top += panel.height
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" role="img">'
    lines = [head, f"<title>{html.escape(description)}</title>", f"<style>{STYLE}</style>", f'<rect class="paper" width="{WIDTH}" height="{top}"/>']
    path.write_text("\n".join(lines + parts + ["</svg>"]) + "\n", encoding="utf-8")
