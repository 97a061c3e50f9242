"""Lowers models to a folder, and answers each line "NAME 1" on stdin with the microseconds that JAX takes for a run of one.

The argument is the folder. It gets NAME.mlir, the text that JAX lowers, and NAME.npz with its inputs in0, in1 and so
on. The names are printed on one line first.
"""

import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

SECONDS = 0.1  # that one measurement is about to take

rng = np.random.default_rng(1)


def array(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def indices(n, *shape):
    return rng.integers(0, n, shape, dtype=np.int32)


def mlp(x, w, v):
    return jnp.tanh(x @ w) @ v


def loss(w, x, y):
    return jnp.mean((jax.nn.relu(x @ w) - y) ** 2)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def layer_norm(x, scale, shift):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-5) * scale + shift


def convolution(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def network(x, w, v, u):
    for kernel in w, v:
        x = jax.nn.relu(convolution(x, kernel))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ u


def recurrent(x, w, u):
    step = lambda h, row: (jnp.tanh(row @ w + h @ u),) * 2
    return jax.lax.scan(step, jnp.zeros((x.shape[1], u.shape[0]), x.dtype), x)[1]


def iterate(a, x):
    return jax.lax.fori_loop(0, 50, lambda _, x: (y := a @ x) / jnp.linalg.norm(y), x)


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


def adam(w, m, v, g):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v


MODELS = {
    "adam": (adam, array(512, 512), array(512, 512), array(512, 512) ** 2, array(512, 512)),
    "argmax": (lambda x: jnp.argmax(x, axis=-1), array(512, 1000)),
    "attention": (attention, array(4, 128, 8, 32), array(4, 128, 8, 32), array(4, 128, 8, 32)),
    "convolution": (convolution, array(8, 32, 32, 16), array(3, 3, 16, 32)),
    "cross_entropy": (jax.grad(cross_entropy), array(256, 1000), indices(1000, 256)),
    "cumulative_sum": (lambda x: jnp.cumsum(x, axis=1), array(256, 512)),
    "embedding": (lambda table, i: table[i], array(10000, 128), indices(10000, 512)),
    "gelu": (jax.nn.gelu, array(512, 1024)),
    "gradient": (jax.grad(loss), array(256, 256), array(128, 256), array(128, 256)),
    "iterate": (iterate, array(256, 256), array(256)),
    "layer_norm": (layer_norm, array(512, 512), array(512), array(512)),
    "matrix_product": (lambda x, y: x @ y, array(512, 512), array(512, 512)),
    "maximum": (lambda x: jnp.max(x, axis=-1), array(512, 1000)),
    "mlp": (mlp, array(64, 256), array(256, 512), array(512, 10)),
    "network": (network, array(8, 28, 28, 1), array(3, 3, 1, 16), array(3, 3, 16, 32), array(7 * 7 * 32, 10)),
    "recurrent": (recurrent, array(64, 16, 64), array(64, 128), array(128, 128)),
    "scatter_add": (lambda x, i, u: x.at[i].add(u), array(1000, 64), indices(1000, 2000), array(2000, 64)),
    "softmax": (jax.nn.softmax, array(512, 1000)),
    "sort": (lambda x: jnp.sort(x, axis=-1), array(256, 1000)),
}

folder = pathlib.Path(sys.argv[1])
runs = {}
for name, (function, *inputs) in MODELS.items():
    jitted = jax.jit(function)
    text = jitted.lower(*inputs).as_text()
    (folder / f"{name}.mlir").write_text(text)
    np.savez(folder / f"{name}.npz", **{f"in{i}": x for i, x in enumerate(inputs)})
    runs[name] = (jitted, [jax.device_put(x) for x in inputs])
    jax.block_until_ready(jitted(*runs[name][1]))
print(*MODELS, flush=True)


def microseconds(name):
    jitted, inputs = runs[name]
    n, start = 0, time.perf_counter()
    while n == 0 or time.perf_counter() - start < SECONDS:
        jax.block_until_ready(jitted(*inputs))
        n += 1
    return (time.perf_counter() - start) * 1e6 / n


for line in sys.stdin:
    name, _ = line.split()
    print(microseconds(name), flush=True)
