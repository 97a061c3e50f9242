"""A JAX program that calls Go, C and Python functions through libfunctions.so.

    go run ./examples/embed jax
"""

import ctypes
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

import calliope_mlir as calliope

library = calliope.Library(sys.argv[1])
library.register_jax()

# Go functions are registered when the library is loaded.
x = jnp.arange(4, dtype=jnp.float32)
print("a Go function:", jax.jit(lambda x: calliope.call("go.triple", x, x))(x))


# A Python function.
@library.callback("py.double")
def double(x):
    return 2 * x


print("a Python function:", jax.jit(lambda x: calliope.call("py.double", x, x))(x))

# A C function, from a library of its own.
functions = ctypes.CDLL(sys.argv[2])
count = ctypes.c_int64()
library._check(library._lib.calliope_register(b"c.count", functions.count, ctypes.byref(count), None))
jax.jit(lambda x: calliope.tap("c.count", x))(x)
jax.effects_barrier()
library.barrier()
print("a C function saw", count.value, "elements")


# In a loop.
@jax.jit
def loop(x):
    return jax.lax.fori_loop(0, 1000, lambda i, x: calliope.call("go.increment", x, x), x)


print("in a loop:", loop(x))
print("in a while loop:", jax.jit(lambda x: jax.lax.while_loop(
    lambda x: x[0] < 10, lambda x: calliope.call("go.increment", x, x), x))(x))

# Under vmap: the function gets the whole batch, or is called for each row.
for method in "broadcast_all", "sequential":
    y = jax.jit(jax.vmap(lambda x: calliope.call("go.triple", x, x, vmap_method=method)))(jnp.ones((2, 3)))
    print(f"under vmap, {method}:", y.tolist())

# On four devices: each calls with its part.
mesh = Mesh(jax.devices(), "d")
parts = []
lock = threading.Lock()


@library.callback("py.part")
def part(x):
    with lock:
        parts.append(x.tolist())
    return -x


sharded = jax.jit(jax.shard_map(
    lambda x: calliope.call("py.part", x, x), mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
print("on four devices:", sharded(jnp.arange(8, dtype=jnp.float32)).tolist(), "from", sorted(parts))

# In order, by a token.
seen = []
library.register(lambda x: seen.append(int(x)), "py.seen")


@jax.jit
def ordered(x):
    token = calliope.first_token()
    for i in range(5):
        token = calliope.tap("py.seen", x + i, token=token)
    return token


ordered(jnp.int32(10)).block_until_ready()
print("in order:", seen)

# Values pass through, and the function may change them.
library.register(lambda x: np.minimum(x, 2), "py.clip")
print("passed through:", jax.jit(lambda x: calliope.io("py.clip", x)[0])(x))

# By an id.
number = library.register(lambda x: x * x)
print("by an id:", jax.jit(lambda x: calliope.call(number, x, x))(x))


def fails(what, f, *args):
    try:
        print(what, "did not fail:", jax.block_until_ready(f(*args)))
    except jax.errors.JaxRuntimeError as e:
        print(f"{what}: {str(e).strip().splitlines()[-1]}")


# Errors are the exceptions of the execution or, if the module does not fit, of the compile.
fails("an error of Go", jax.jit(lambda x: calliope.call("go.positive", x, x)), -x)


@library.callback("py.raises")
def raises(x):
    raise ValueError("not today")


fails("an exception", jax.jit(lambda x: calliope.call("py.raises", x, x)), x)
fails("another type", jax.jit(lambda x: calliope.call("py.double", jax.ShapeDtypeStruct((2,), x.dtype), x)), x)
fails("no such callback", jax.jit(lambda x: calliope.call("py.dubble", x, x)), x)
fails("on one of four devices", jax.jit(jax.shard_map(
    lambda x: calliope.call("go.positive", x, x, pure=True), mesh=mesh, in_specs=P("d"), out_specs=P("d"),
    check_vma=False)),
    jnp.array([1, 1, 1, 1, -1, 1, 1, 1], jnp.float32))

forever = threading.Event()
library.register(lambda x: (forever.wait(), x)[1], "py.slow", dispatch="goroutine", timeout=0.2)
fails("too slow", jax.jit(lambda x: calliope.call("py.slow", x, x)), x)
forever.set()

# The errors of taps are those of the next barrier.
library.register(lambda x: 1 / 0, "py.tap", dispatch="async")
jax.jit(lambda x: calliope.tap("py.tap", x))(x)
jax.effects_barrier()
try:
    library.barrier("end of step", timeout=10)
except calliope.Error as e:
    print("a barrier:", str(e).strip().splitlines()[-1])

for misuse in (
    lambda: library.register(double, "py.double"),
    lambda: library.unregister("py.dubble"),
    lambda: library.unregister(number, registry="no such registry"),
    lambda: library.handler("", 0),
    lambda: library.handler(calliope.IO_CALLBACK, 1),
):
    try:
        misuse()
    except calliope.Error as e:
        print(f"refused with {e.status}:", e)

fired = {s["Callback"]: s["Fired"] for s in library.stats()}
print("calls of go.increment:", fired["go.increment"])
