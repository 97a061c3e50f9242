"""Holds what calls of Python functions do in JAX programs: on divided arrays, with empty arrays, under vmap, with
derivatives of their own, and after their name was registered again."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import calliope_mlir as calliope

library = calliope.Library()
library.register_jax()
seen = []
library.register(lambda x: seen.append(x.tolist()), "seen")
library.register(lambda x: -x, "negate")
library.register(lambda x, y: x + y, "add")
library.register(np.sin, "sin")

# On an array that JAX divides, device 0 calls once with the whole; in a shard_map, each with its part.
mesh = Mesh(jax.devices(), "d")
whole = np.arange(8, dtype=np.float32)
divided = jax.device_put(whole, NamedSharding(mesh, P("d")))
for program, want in {
    "tap": (lambda x: (calliope.tap("seen", x), 2 * x)[1], 2 * whole),
    "call": (lambda x: 2 * calliope.call("negate", x, x), -2 * whole),
    "pure": (lambda x: 2 * calliope.call("negate", x, x, pure=True), -2 * whole),
    "io": (lambda x: calliope.io("negate", x)[0], -whole),
    "token": (lambda x: calliope.tap("seen", x, token=calliope.first_token()), [0]),
}.values():
    np.testing.assert_array_equal(jax.jit(program)(divided), want)
    parts = jax.shard_map(lambda x: program(x), mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    assert jax.jit(parts)(divided).shape[0] in (4, 8)
jax.effects_barrier()
assert seen.count(whole.tolist()) == 2 and len(seen) == 10, seen

# Empty arrays, and operands, which are read-only unless they pass through.
empty = jnp.zeros((0, 3))
assert jax.jit(lambda x: calliope.call("negate", x, x))(empty).shape == (0, 3)


@library.callback("writes")
def writes(x):
    x[0] = 5
    return x


x = jnp.arange(4, dtype=jnp.float32)
try:
    jax.block_until_ready(jax.jit(lambda x: calliope.call("writes", x, x))(x))
    raise AssertionError("a function wrote to its operand")
except jax.errors.JaxRuntimeError as e:
    assert "read-only" in str(e), e
np.testing.assert_array_equal(jax.jit(lambda x: calliope.io("writes", x)[0])(x), [5, 1, 2, 3])
np.testing.assert_array_equal(x, [0, 1, 2, 3])

# A value that is needed after a function in a branch got it, and one that a program returns alone.
@library.callback("clears")
def clears(x):
    x[:] = 0
    return x


def branch(x):
    x = x + 1
    jax.lax.cond(x[0] > 0, lambda x: calliope.io("clears", x)[0], lambda x: -x, x)
    return x


def alone(x):
    x = x + 1
    calliope.io("clears", x)
    return x


for dtype in jnp.float32, jnp.bfloat16, jnp.int32, jnp.uint8, jnp.complex64:
    for program in branch, alone:
        y = jax.jit(program)(jnp.arange(1, 5).astype(dtype))
        np.testing.assert_array_equal(y, np.arange(2, 6), err_msg=f"{program.__name__} {dtype.__name__}")

# A name that is registered again, as in a cell of a notebook.
cell = jax.jit(lambda x: calliope.call("cell", x, x))
for factor, dispatch in (1, "inline"), (2, "inline"), (3, "goroutine"):
    library.register(lambda x: factor * x, "cell", dispatch=dispatch)
    np.testing.assert_array_equal(cell(x), factor * x)
    library.unregister("cell")

# What was registered before stays, because a program or a call that runs may have its address.
first = lambda x: x
alive = weakref.ref(first)
library.register(first, "twice")
del first
library.unregister("twice")
library.register(np.sin, "twice")
gc.collect()
assert alive() is not None, "the handler of a name that was registered again is gone"

# Under vmap.
for method in "sequential", "sequential_unrolled", "broadcast_all", "expand_dims", "parallel":
    y = jax.vmap(lambda r: calliope.call("add", r, r, x, vmap_method=method))(jnp.ones((2, 4)))
    np.testing.assert_array_equal(y, jnp.ones((2, 4)) + x)
jax.vmap(lambda r, token: calliope.tap("seen", r, token=token), in_axes=(0, None), out_axes=None)(
    jnp.ones((2, 4)), calliope.first_token()
)


# With a derivative of its own, and under checkpoint.
@jax.custom_jvp
def sin(x):
    return calliope.call("sin", x, x)


sin.defjvp(lambda p, t: (sin(*p), jnp.cos(p[0]) * t[0]))
np.testing.assert_allclose(jax.grad(jax.checkpoint(lambda x: sin(x) * x))(1.0), np.sin(1) + np.cos(1), rtol=1e-6)
try:
    jax.grad(lambda x: calliope.call("sin", x, x))(1.0)
    raise AssertionError("a call was differentiated")
except ValueError as e:
    assert "'sin' cannot be differentiated" in str(e), e
