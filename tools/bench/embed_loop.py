"""Prints the least time in microseconds of one iteration of a device loop of JAX with 16 bytes, by
what it calls, as lines of name and value.

The arguments are the number of repetitions, the folder of calliope_mlir, and the library with the
Go function go.increment.
"""

import functools
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

sys.path.insert(0, sys.argv[2])
import calliope_mlir as calliope

library = calliope.Library(sys.argv[3])
library.register_jax()


@library.callback("py.increment")
def increment(x):
    return x + 1


def of(name):
    return lambda x: calliope.call(name, x, x)


def jax_callback(x):
    return io_callback(lambda v: np.asarray(v) + 1, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@functools.partial(jax.jit, static_argnums=(0, 1))
def loop(call, n, x):
    return jax.lax.fori_loop(0, n, lambda _, v: call(v), x)


for name, call, n in (
    ("go", of("go.increment"), 100000),
    ("calliope-python", of("py.increment"), 5000),
    ("jax-io_callback", jax_callback, 2000),
):
    x = jnp.zeros(4)
    jax.block_until_ready(loop(call, n, x))
    least = float("inf")
    for _ in range(int(sys.argv[1])):
        start = time.perf_counter()
        got = jax.block_until_ready(loop(call, n, x))
        least = min(least, time.perf_counter() - start)
    assert got.tolist() == [float(n)] * 4, got
    print(name, least * 1e6 / n, flush=True)
