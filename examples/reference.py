# Computes the same as the example programs, with JAX and NumPy:
#
#	python reference.py > testdata/reference.txt
#
# JAX 0.12.0.1 and NumPy 2 on a CPU. It also writes taps/rnn.mlir.
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
def wave(first, *dims):
    return np.sin(np.arange(first, first + np.prod(dims), dtype=np.float64)).astype(np.float32).reshape(dims)


def text(v, form):
    if isinstance(v, list):
        return "[%s]" % " ".join(text(e, form) for e in v)
    return form % v if isinstance(v, float) else str(v)


def show(name, v, form="%.4f"):
    print(name, text(np.asarray(v).tolist(), form))


def rnn(xs, w):
    def step(hidden, x):
        hidden = jnp.tanh(hidden @ w + x)
        return hidden, hidden

    return lax.scan(step, np.zeros(3, np.float32), xs)


def mlp():
    def forward(p, x):
        return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]

    def loss(p, x, want):
        return jnp.mean((forward(p, x) - want) ** 2)

    x, want = wave(0, 8, 3), wave(40, 8, 1)
    p = {"w1": wave(10, 3, 4), "b1": wave(20, 4), "w2": wave(30, 4, 1), "b2": wave(50, 1)}
    for _ in range(10):
        p = jax.tree.map(lambda p, g: p - jnp.float32(0.1) * g, p, jax.grad(loss)(p, x, want))
    show("loss", loss(p, x, want))
    for name in ["w1", "b1", "w2", "b2"]:
        show(name, p[name].ravel())


def attention():
    q, k, v = (wave(first, 1, 2, 4, 3) for first in (0, 100, 200))

    def heads(q):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.float32(np.sqrt(3))
        scores = jnp.where(np.tril(np.ones((4, 4), bool)), scores, -jnp.inf)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    y, gradient = heads(q), jax.grad(lambda q: jnp.sum(heads(q) ** 2))(q)
    for head in range(2):
        show("head %d" % head, y[0][head])
        show("gradient of its queries", gradient[0][head])


def convolution():
    x, kernel = wave(0, 1, 8, 8, 2), wave(300, 3, 3, 2, 3)

    def layer(kernel):
        y = lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return lax.reduce_window(jnp.maximum(y, 0), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    show("pooled", layer(kernel))
    show("gradient", jax.grad(lambda kernel: jnp.sum(layer(kernel)))(kernel))


def sort():
    price, item = np.array([3, 1, 4, 1, 5, 9], np.float32), np.arange(10, 16, dtype=np.int32)
    order = np.argsort(-price, stable=True)
    show("price", price[order], "%g")
    show("item", item[order])
    top, at = lax.top_k(price, 2)
    show("top", top, "%g")
    show("at", at)
    show("order", np.argsort(price, stable=True).astype(np.int32))


def scan():
    last, all = rnn(wave(0, 5, 3), wave(60, 3, 3))
    show("last", last)
    show("all", all)


def histogram():
    counts, _ = np.histogram(wave(0, 100), 8, (-1, 1))
    show("counts", counts.astype(np.int32))


def random():
    def uniform(state):
        state, bits = lax.rng_bit_generator(state, (10000,), np.uint32, lax.RandomAlgorithm.RNG_THREE_FRY)
        return state, lax.bitcast_convert_type(bits >> np.uint32(9) | np.uint32(0x3F800000), np.float32) - np.float32(1)

    state, x = uniform(np.array([42, 7], np.uint64))
    state, y = uniform(state)
    show("state", state)
    show("x", x[:4])
    show("pi", np.float32(4) * np.mean(x * x + y * y < 1, dtype=np.float32))


def quantized():
    def quantize(x, scale):
        return np.clip(np.round(x / scale), -128, 127).astype(np.int8)

    x, w = wave(0, 2, 16), wave(70, 16, 3)
    x_scale, w_scales = np.float32(1 / 128), np.array([1 / 128, 1 / 64, 1 / 256], np.float32)
    sums = quantize(x, x_scale).astype(np.int32) @ quantize(w, w_scales).astype(np.int32)
    show("quantized", (sums.astype(np.float32) * x_scale * w_scales).ravel())
    show("exact", (x @ w).ravel())


def sharded():
    y = wave(0, 4, 6) @ wave(80, 6, 3)
    for device in range(4):
        row = device // 2
        show("device %d" % device, y[2 * row : 2 * row + 2].ravel())


def devices():
    x = np.array([1, 2, 3, 4], np.float32)
    for device in range(2):
        show("part on device %d" % device, x.reshape(2, 2)[device], "%g")
    show("reverse on device 0", x + x, "%g")
    show("result", (x + x)[::-1], "%g")


def taps():
    xs, w = wave(0, 5, 3), wave(60, 3, 3)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "taps", "rnn.mlir"), "w") as f:
        f.write(jax.jit(rnn).lower(xs, w).as_text())
    last, all = rnn(xs, w)
    for hidden in all:
        show("tapped", hidden)
    show("last", last)


def derivative():
    t = np.arange(6) / 2
    decay = lambda p: p[0] * jnp.exp(-p[1] * t)
    want = decay(np.array([2, 0.5]))
    loss = lambda p: jnp.mean((decay(p) - want) ** 2)
    p = np.array([1.0, 1.0])
    show("gradient", jax.grad(loss)(p))
    show("by the height", jax.grad(loss)(p)[0])
    show("by the rate", jax.grad(loss)(p)[1])
    for _ in range(500):
        p = p - 0.2 * jax.grad(loss)(p)
    show("loss", loss(p))
    show("trained", p)


def pendulum():
    def swing(speed):
        def step(_, s):
            angle, speed = s
            speed = speed - (jnp.sin(angle) * 9.81 + speed * 0.1) * 0.01
            return angle + speed * 0.01, speed

        return lax.fori_loop(0, 150, step, (0.0, speed))[0]

    def loss(speed):
        return (swing(speed) + 1) ** 2

    speed = 2.0
    for _ in range(20):
        speed = speed - 5 * jax.grad(loss)(speed)
    show("gradient", jax.grad(loss)(2.0))
    show("tangent", jax.jvp(loss, (2.0,), (1.0,))[1])
    show("speed", speed)
    show("loss", loss(speed))
    show("angle", swing(speed))


def eigenvalues():
    matrices = [[[1, 1, 0], [-1, 1, 0], [0, 0, 2]], [[1, 2, 3], [2, 1, 2], [1, 1, 3]]]
    values = np.linalg.eigvals(np.array(matrices, np.float32))
    show("real", values.real)
    show("imaginary", values.imag)
    show("info", np.zeros(2, np.int32))


if __name__ == "__main__":
    for program in [mlp, attention, convolution, sort, scan, histogram, random, quantized, sharded, devices, taps, derivative, pendulum, eigenvalues]:
        print("# " + program.__name__)
        program()
