"""Prints the median microseconds of one iteration of a device loop that calls Python
with io_callback, 16 bytes in and out. The argument is the number of repetitions."""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
from jax.experimental import io_callback

CALLS = 2000
SHAPE = jax.ShapeDtypeStruct((4,), jnp.float32)


@jax.jit
def loop(x):
    body = lambda _, v: io_callback(lambda a: a, SHAPE, v)
    return jax.lax.fori_loop(0, CALLS, body, x)


x = jnp.arange(4, dtype=jnp.float32)
jax.block_until_ready(loop(x))
times = []
for _ in range(int(sys.argv[1])):
    start = time.perf_counter()
    jax.block_until_ready(loop(x))
    times.append(time.perf_counter() - start)
print(statistics.median(times) * 1e6 / CALLS)
