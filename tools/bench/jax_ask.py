"""Answers each line "NAME SIZE" on stdin with the microseconds that JAX takes for it.

io_callback SIZE: one call with SIZE bytes in a device loop.
run SIZE: one execution of a jitted x + x on SIZE f32 on the device.
round SIZE: the same with an array from the host, and back to it.
"""

import functools
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

SECONDS = 0.03  # that one measurement is about to take


def identity(a):
    return a


@jax.jit
def loop(x, n):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.lax.fori_loop(0, n, lambda _, v: io_callback(identity, shape, v), x)


@jax.jit
def double(x):
    return x + x


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def repeat(f, n):
    for _ in range(n):
        f()


@functools.cache
def work(name, size):
    """Returns a function of a number of repetitions, and how many take long enough."""
    if name == "io_callback":
        x = jnp.zeros(size // 4, dtype=jnp.float32)
        f = lambda n: jax.block_until_ready(loop(x, n))
    elif name == "run":
        x = jax.block_until_ready(jnp.zeros(size, dtype=jnp.float32))
        f = lambda n: repeat(lambda: double(x).block_until_ready(), n)
    elif name == "round":
        x = np.zeros(size, dtype=np.float32)
        f = lambda n: repeat(lambda: np.asarray(double(x)), n)
    else:
        raise ValueError(name)
    f(1)
    n = 16
    while n < 1 << 20 and seconds(lambda: f(n)) < SECONDS:
        n *= 2
    return f, n


for line in sys.stdin:
    name, size = line.split()
    f, n = work(name, int(size))
    none = seconds(lambda: f(0))
    print(max(seconds(lambda: f(n)) - none, 0) * 1e6 / n, flush=True)
