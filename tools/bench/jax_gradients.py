"""Lowers functions to a folder: NAME.mlir, a loss of arrays, NAME.grad.mlir, JAX's gradient of it with respect to all arrays, and
NAME.npz with the arrays in0, in1 and so on.

The argument is the folder. The names are printed on one line.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(1)


def array(*shape):
    return (0.1 * rng.standard_normal(shape)).astype(np.float32)


def mlp(x, *ws):
    for w in ws:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def softmax(x):
    """Is jax.nn.softmax without stop_gradient, of which nothing is left in a lowered function."""
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return e / jnp.sum(e, axis=-1, keepdims=True)


def attend(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
    return jnp.einsum("bhqk,bkhd->bqhd", softmax(scores), v)


def attention(q, k, v):
    return jnp.mean(attend(q, k, v) ** 2)


def convolution(x, *kernels):
    for w in kernels:
        x = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jnp.mean(x**2)


def gru(w, u, h, xs):
    def step(h, x):
        z = jax.nn.sigmoid(x @ w[0] + h @ u[0])
        r = jax.nn.sigmoid(x @ w[1] + h @ u[1])
        n = jnp.tanh(x @ w[2] + (r * h) @ u[2])
        h = (1 - z) * h + z * n
        return h, h

    return jnp.mean(jax.lax.scan(step, h, xs)[1] ** 2)


def norm(x, scale):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-5) * scale


def transformer(x, qkv, out, up, down, scales):
    y = norm(x, scales[0])
    q, k, v = (jnp.einsum("bse,ehd->bshd", y, w) for w in qkv)
    x = x + jnp.einsum("bshd,hde->bse", attend(q, k, v), out)
    x = x + jax.nn.gelu(norm(x, scales[1]) @ up) @ down
    return jnp.mean(x**2)


def squares(accumulate):
    return lambda *x: jnp.sum(accumulate(*x) ** 2)


FUNCTIONS = {
    "mlp": (mlp, array(64, 256), array(256, 512), array(512, 512), array(512, 256)),
    "attention": (attention, array(4, 128, 8, 32), array(4, 128, 8, 32), array(4, 128, 8, 32)),
    "convolution": (convolution, array(8, 32, 32, 3), array(3, 3, 3, 16), array(3, 3, 16, 32)),
    "gru": (gru, array(3, 64, 128), array(3, 128, 128), array(16, 128), array(64, 16, 64)),
    "cumsum": (squares(jax.lax.cumsum), array(100000)),
    "cummax": (squares(jax.lax.cummax), array(20000)),
    "cumprod": (squares(jax.lax.cumprod), 1 + 0.01 * array(1000)),
    "cumlogsumexp": (squares(jax.lax.cumlogsumexp), array(1000)),
    "logsumexp": (squares(lambda x: jnp.log(jnp.sum(jnp.exp(x), axis=-1))), array(256, 1024)),
    "solve": (squares(jnp.linalg.solve), np.eye(256, dtype=np.float32) + array(256, 256), array(256, 16)),
    "slogdet": (lambda x: jnp.linalg.slogdet(x)[1], np.eye(256, dtype=np.float32) + array(256, 256)),
    "svd": (squares(lambda x: jnp.linalg.svd(x, compute_uv=False)), array(128, 128)),
    "transformer": (transformer, array(2, 64, 128), array(3, 128, 4, 32), array(4, 32, 128), array(128, 512), array(512, 128), array(2, 128)),
}

folder = pathlib.Path(sys.argv[1])
for name, (function, *inputs) in FUNCTIONS.items():
    (folder / f"{name}.mlir").write_text(jax.jit(function).lower(*inputs).as_text())
    grad = jax.jit(jax.grad(function, tuple(range(len(inputs)))), keep_unused=True)
    (folder / f"{name}.grad.mlir").write_text(grad.lower(*inputs).as_text())
    np.savez(folder / f"{name}.npz", **{f"in{i}": x for i, x in enumerate(inputs)})
print(*FUNCTIONS)
