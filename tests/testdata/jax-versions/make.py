"""Writes VERSION.zip for the version of JAX that runs it: functions as text and as exported artifacts, with arguments
and the results that JAX computed. Functions with callbacks are not exported."""
import io
import zipfile

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax import export, lax

# Files have the name of this one, without the folders of a machine.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

rng = np.random.default_rng(1)
f32 = lambda *s: rng.uniform(-0.9, 0.9, s).astype(np.float32)


def loop(x):
    def body(i, x):
        jax.debug.callback(lambda i: None, i)
        return x + i

    return lax.fori_loop(0, 4, body, x)


def calls(x):
    y = jax.pure_callback(lambda v: 2 * v, x, x)
    return y + jax.experimental.io_callback(lambda v: 3 * v, x, y, ordered=True)


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / 2) @ v


FUNCTIONS = {
    "attention": (attention, f32(8, 4), f32(8, 4), f32(8, 4)),
    "calls": (calls, f32(3)),
    "gamma": (lambda x: (lax.lgamma(x), lax.digamma(x + 2), lax.erf_inv(x)), f32(6)),
    "loop": (loop, np.int32(5)),
    "normal": (lambda k: jax.random.normal(k, (4,)), np.array([1, 2], np.uint32)),
    "solve": (jnp.linalg.solve, f32(4, 4) + 2 * np.eye(4, dtype=np.float32), f32(4, 2)),
    "sort": (lambda x: (jnp.sort(x), jnp.median(x), lax.top_k(x, 3)), f32(9)),
    "svd": (lambda x: jnp.linalg.svd(x)[1], f32(4, 3)),
    "trigonometry": (lambda x: (jnp.tan(x), jnp.arcsin(x), jnp.arctan2(x, x + 2), jnp.sinh(x)), f32(6)),
    "unique": (lambda x: jnp.unique(x, size=4), np.array([3, 1, 3, 2, 1, 7], np.int32)),
}

with zipfile.ZipFile(jax.__version__ + ".zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:

    def write(name, data):
        z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)

    for name, (f, *args) in FUNCTIONS.items():
        f = jax.jit(f)
        write(name + ".mlir", f.lower(*args).as_text())
        if name not in ("calls", "loop"):
            write(name + ".vhlo", export.export(f, platforms=["cpu"])(*args).mlir_module_serialized)
        arrays = io.BytesIO()
        np.savez(arrays, **{f"in{i}": a for i, a in enumerate(args)},
            **{f"out{i}": a for i, a in enumerate(jax.tree.leaves(f(*args)))})
        write(name + ".npz", arrays.getvalue())
