"""Prints the least time in microseconds of one iteration of a device loop that calls Python
with io_callback and pure_callback, as lines of name, payload in bytes and value.

The first argument is the number of repetitions, the others are payloads in bytes.
"""

import functools
import sys
import time

import jax
import jax.numpy as jnp
from jax.experimental import io_callback

MOST_CALLS = 2000
SECONDS = 0.1  # that one measurement is about to take


def identity(a):
    return a


@functools.partial(jax.jit, static_argnums=0)
def loop(callback, x, n):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.lax.fori_loop(0, n, lambda _, v: callback(identity, shape, v), x)


def seconds(callback, x, n):
    start = time.perf_counter()
    jax.block_until_ready(loop(callback, x, n))
    return time.perf_counter() - start


def latency(callback, size, repeat):
    x = jnp.zeros(size // 4, dtype=jnp.float32)
    seconds(callback, x, 1)
    one = max(seconds(callback, x, 4) / 4, 1e-9)
    calls = max(1, min(MOST_CALLS, int(SECONDS / one)))
    if size == 16:
        calls = MOST_CALLS
    none = min(seconds(callback, x, 0) for _ in range(repeat))
    return max(min(seconds(callback, x, calls) for _ in range(repeat)) - none, 1e-9) * 1e6 / calls


repeat = int(sys.argv[1])
for size in map(int, sys.argv[2:]):
    for callback in io_callback, jax.pure_callback:
        print(callback.__name__, size, latency(callback, size, repeat), flush=True)
