"""Writes jax.json: arguments and results of functions of JAX that nn has, too.

Run it with JAX 0.12.0.1: python make.py > jax.json
"""

import json

import jax
import jax.numpy as jnp
import numpy as np

x = np.float32([[-2, -0.5, 0, 1.5], [30, -30, 1e-3, 88]])
far = np.float32([[10000, 10001, 9999.5, -np.inf], [-20000, -20000, -20001, -20000], [0, -np.inf, np.inf, 1]])
scale, shift = np.float32([1, 2, -1, 0.5]), np.float32([0, 1, 0, -3])


def norm(x, scale, shift):
    return jax.nn.standardize(x, epsilon=1e-5) * scale + shift


def rms(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * scale


def entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


def text(a):
    """An array as lists, with NaN and infinities as strings, which Go's JSON lacks."""
    if isinstance(a, list):
        return [text(v) for v in a]
    return a if isinstance(a, int) or np.isfinite(a) else str(a)


CASES = [
    ("Relu", jax.nn.relu, x),
    ("Silu", jax.nn.silu, x),
    ("Gelu", lambda x: jax.nn.gelu(x, approximate=False), x),
    ("Softplus", jax.nn.softplus, x),
    ("Softmax", lambda x: jax.nn.softmax(x, axis=0), x),
    ("Softmax", lambda x: jax.nn.softmax(x, axis=0), far[:2]),
    ("LogSoftmax", jax.nn.log_softmax, x),
    ("LogSoftmax", jax.nn.log_softmax, far[:2]),
    ("LogSumExp", lambda x: jax.nn.logsumexp(x, axis=1), x),
    ("LogSumExp", lambda x: jax.nn.logsumexp(x, axis=1), far),
    ("CrossEntropy", entropy, x, np.int32([3, 0])),
    ("CrossEntropy", entropy, far[:2], np.int32([1, 2])),
    ("OneHot", lambda i: jax.nn.one_hot(i, 3), np.int32([1, -1, 3, 0])),
    ("LayerNorm", norm, x, scale, shift),
    ("RMSNorm", rms, x, scale),
]
print("[")
lines = []
for name, f, *args in CASES:
    arrays = [text(np.asarray(a).tolist()) for a in (*args, f(*args))]
    lines.append(json.dumps({"name": name, "args": arrays[:-1], "result": arrays[-1]}))
print(",\n".join(lines))
print("]")
