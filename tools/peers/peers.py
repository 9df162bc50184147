#!/usr/bin/env python3
"""The same computations by moderngl and by quadrille, on one OpenGL, in turns: `make bench-peers`.

A round measures each row once on both sides. moderngl's loops are in this process; quadrille's side of a row is `quadrille bench` with three
rounds of its own, which checks its results against f64 before it is timed. Here they are checked by numpy, in f64. A figure is the median of
the rounds, a ratio the median of the rounds' own ratios, quadrille's time over moderngl's: below 1 quadrille is ahead.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

import moderngl
import numpy as np

QUAD = """#version 330
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }
"""


class Peer:
    """A context, and passes of one quad in it."""

    def __init__(self):
        self.context = moderngl.create_context(standalone=True, backend="egl", require=330)
        self.corners = self.context.buffer(np.array([-1, -1, 3, -1, -1, 3], "f4").tobytes())

    def kernel(self, text):
        program = self.context.program(vertex_shader=QUAD, fragment_shader="#version 330\n" + text)
        return program, self.context.vertex_array(program, [(self.corners, "2f", "corner")])

    def texture(self, values, width, height, components=4, repeat=False):
        data = None if values is None else np.asarray(values, "f4").tobytes()
        texture = self.context.texture((width, height), components, data, dtype="f4")
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        texture.repeat_x = texture.repeat_y = repeat
        return texture, self.context.framebuffer([texture])

    def read(self, framebuffer, components=4):
        return np.frombuffer(framebuffer.read(components=components, dtype="f4"), "f4")


def numbers(count, seed=1):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, count).astype("f4")


def close(what, found, expected, bound):
    error = float(np.max(np.abs(found.astype("f8") - expected)))
    if not error <= bound:
        sys.exit(f"peers: moderngl's {what} is {error:.3e} off, {bound:.3e} allowed")


class Axpy:
    """y += a x over 2048 x 1024 values, four to a texel."""

    row, suite = "axpy 2048x1024 values", "passes"
    A = 1e-3

    def __init__(self, peer):
        self.peer = peer
        x, y = numbers(2 << 20), numbers(2 << 20, 2)
        self.x, _ = peer.texture(x, 1024, 512)
        self.sides = [peer.texture(y, 1024, 512), peer.texture(None, 1024, 512)]
        self.program, self.quad = peer.kernel(
            "uniform sampler2D x, y; uniform float a; out vec4 next;"
            "void main() { vec2 at = gl_FragCoord.xy / vec2(1024.0, 512.0);"
            " next = a * texture(x, at) + texture(y, at); }"
        )
        self.program["x"], self.program["y"], self.program["a"] = 0, 1, self.A
        self.run(1)
        close("axpy", peer.read(self.sides[0][1]), self.A * x.astype("f8") + y, 3 * 2.0**-24)

    def run(self, times):
        self.x.use(0)
        for _ in range(times):
            self.sides[0][0].use(1)
            self.sides[1][1].use()
            self.quad.render(vertices=3)
            self.sides.reverse()
        self.peer.context.finish()


class Sum:
    """2^20 values to one, in steps of 4 x 4 texels."""

    row, suite = "sum 1024x1024 values", "passes"

    def __init__(self, peer):
        self.peer = peer
        values = numbers(1 << 20)
        self.first = peer.texture(values, 512, 512)
        self.levels = [(side, peer.texture(None, side, side)) for side in (128, 32, 8, 2, 1)]
        self.program, self.quad = peer.kernel(
            "uniform sampler2D values; uniform int side; out vec4 sum; void main() { ivec2 at = side * ivec2(gl_FragCoord.xy);"
            " sum = vec4(0.0); for (int y = 0; y < side; y++) for (int x = 0; x < side; x++)"
            " sum += texelFetch(values, at + ivec2(x, y), 0); }"
        )
        self.run(1)
        found = peer.read(self.levels[-1][1][1]).sum(dtype="f8")
        exact = values.sum(dtype="f8")
        # Some 90 additions on the way of each value.
        close("sum", np.array([found]), exact, 90 * 2.0**-24 * float(np.abs(values).sum(dtype="f8")))

    def run(self, times):
        for _ in range(times):
            source, before = self.first[0], 512
            for side, (texture, framebuffer) in self.levels:
                source.use(0)
                self.program["side"] = before // side
                framebuffer.use()
                self.quad.render(vertices=3)
                source, before = texture, side
        self.peer.context.finish()


class GrayScott:
    """Steps of Gray-Scott on 512 x 512 cells with periodic edges."""

    row, suite = "Gray-Scott 512x512 cells", "passes"
    F, K, DU, DV = 0.037, 0.06, 0.8, 0.4

    def __init__(self, peer):
        self.peer = peer
        state = np.abs(numbers(512 * 512 * 2)).reshape(512, 512, 2)
        self.sides = [peer.texture(state, 512, 512, 2, True), peer.texture(None, 512, 512, 2, True)]
        self.program, self.quad = peer.kernel(
            f"uniform sampler2D state; out vec2 next; void main() {{ vec2 at = gl_FragCoord.xy / 512.0;"
            " vec2 c = texture(state, at).xy, m = 0.25 * (textureOffset(state, at, ivec2(1, 0)).xy + textureOffset(state, at, ivec2(-1, 0)).xy"
            " + textureOffset(state, at, ivec2(0, 1)).xy + textureOffset(state, at, ivec2(0, -1)).xy);"
            f" vec2 d = vec2({self.DU}, {self.DV}); float reaction = c.x * c.y * c.y;"
            f" next = mix(c, m, d) + vec2(-reaction + {self.F} * (1.0 - c.x), reaction - {self.F + self.K} * c.y); }}"
        )
        self.run(1)
        u, v = state.astype("f8")[..., 0], state.astype("f8")[..., 1]
        mean = lambda a: sum(np.roll(a, hop, axis) for hop in (1, -1) for axis in (0, 1)) / 4
        r = u * v * v
        u_next = (1 - self.DU) * u + self.DU * mean(u) - r + self.F * (1 - u)
        v_next = (1 - self.DV) * v + self.DV * mean(v) + r - (self.F + self.K) * v
        close("Gray-Scott", peer.read(self.sides[0][1], 2).reshape(512, 512, 2), np.dstack([u_next, v_next]), 32 * 2.0**-24)

    def run(self, times):
        for _ in range(times):
            self.sides[0][0].use(0)
            self.sides[1][1].use()
            self.quad.render(vertices=3)
            self.sides.reverse()
        self.peer.context.finish()


class ReadBack:
    """16 MiB from a texture into memory."""

    row, suite = "read-back 16 MiB", "passes"

    def __init__(self, peer):
        values = numbers(4 << 20)
        self.texture, _ = peer.texture(values, 2048, 512)
        self.memory = bytearray(16 << 20)
        self.run(1)
        if not np.array_equal(np.frombuffer(self.memory, "f4"), values):
            sys.exit("peers: moderngl read back other values")

    def run(self, times):
        for _ in range(times):
            self.texture.read_into(self.memory)


ROWS = [Axpy, Sum, GrayScott, ReadBack]


def milliseconds(peer_row, least=0.1):
    """A repetition's time: as many as take some time."""
    times = 1
    while True:
        clock = time.perf_counter()
        peer_row.run(times)
        taken = time.perf_counter() - clock
        if taken >= least:
            return 1e3 * taken / times
        times = max(2 * times, int(times * least / max(taken, 1e-9) * 1.1))


def ours(program, row):
    command = [program, "bench", row.suite, "--only", row.row, "--rounds", "3", "--json"]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    found = [r for r in report["rows"] if f"{r['name']} {r['size']}" == row.row]
    if len(found) != 1:
        sys.exit(f"peers: quadrille has no one row \"{row.row}\"")
    return found[0]["library_ms"], report["renderer"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program quadrille")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    asked = parser.parse_args()
    chosen = [row for row in ROWS if asked.only.lower() in row.row.lower()]
    if not chosen or asked.rounds < 1:
        sys.exit(f"peers: no such row, or no round; rows are {'; '.join(row.row for row in ROWS)}")
    peer = Peer()
    sides = {row: row(peer) for row in chosen}
    figures, renderer = {row: [] for row in chosen}, peer.context.info["GL_RENDERER"]
    for turn in range(asked.rounds):
        for row in chosen:
            theirs = milliseconds(sides[row])
            mine, on = ours(asked.program, row)
            if on != renderer:
                sys.exit(f"peers: moderngl draws on {renderer}, quadrille on {on}")
            figures[row].append((mine, theirs))
        print(f"round {turn + 1} of {asked.rounds}", file=sys.stderr)
    print(f"{renderer}; moderngl {moderngl.__version__}; {asked.rounds} rounds in turns\n")
    print("| row | quadrille | moderngl | ratio |\n|---|---|---|---|")
    for row in chosen:
        mine, theirs = (statistics.median(column) for column in zip(*figures[row]))
        ratio = statistics.median(a / b for a, b in figures[row])
        print(f"| {row.row} | {mine:.4f} ms | {theirs:.4f} ms | {ratio:.3f} |")


if __name__ == "__main__":
    main()
