"""Writes axis.json.gz: functions that JAX divides over devices, with what they compute.

Run it with JAX 0.10.2: python axis.py | gzip -9n > axis.json.gz

A newer one writes groups of devices as axes of a mesh, which the library with Shardy's dialect does not read.
"""

import base64
import json
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

jax.config.update("jax_platforms", "cpu")
rng = np.random.default_rng(5)
CASES = []


def encode(x):
    x = np.asarray(x)
    return {"type": x.dtype.name, "shape": list(x.shape), "data": base64.b64encode(x.tobytes()).decode()}


def listed(out):
    return list(out) if isinstance(out, (tuple, list)) else [out]


def mapped(name, f, *args, vmap=True):
    """A function of each device, with the numbers of vmap, if it can, which are those of the devices."""
    divided = jax.pmap(f, axis_name="i")
    out = divided(*args)
    if vmap:
        for x, y in zip(listed(out), listed(jax.vmap(f, axis_name="i")(*args))):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
    add(name, ["i"], divided.lower(*args), args, out)


def sharded(name, f, args, in_specs, out_specs):
    """A function of the devices of two axes."""
    mesh = jax.make_mesh((2, 2), ("i", "j"), axis_types=(AxisType.Auto,) * 2)
    divided = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))
    add(name, ["i", "j"], divided.lower(*args), args, divided(*args))


def add(name, axes, lowered, args, out):
    CASES.append({
        "name": name, "axes": axes, "module": lowered.as_text(), "arguments": [encode(a) for a in args],
        "results": [encode(o) for o in listed(out)],
    })  # fmt: skip


def array(*shape):
    return jnp.asarray(rng.uniform(-1.5, 1.5, shape), jnp.float32)


x, y = array(4, 8), array(4, 8)
mapped("reductions", lambda x: [lax.psum(x, "i"), lax.pmax(x, "i"), lax.pmin(x, "i"), lax.pmean(x[0], "i"), lax.psum(1, "i")], x)
mapped("a reduction of a constant", lambda x: lax.psum(jnp.ones(2) * lax.axis_index("i"), "i") + x[:2], x)
mapped("gathers", lambda x: [lax.all_gather(x, "i"), lax.all_gather(x.reshape(2, 4), "i", axis=1, tiled=True)], x)
mapped("exchanges", lambda x: [lax.all_to_all(x.reshape(4, 2), "i", 0, 1), lax.all_to_all(x.reshape(4, 2), "i", 0, 0, tiled=True), lax.all_to_all(x.reshape(2, 4), "i", 1, 0, tiled=True)], x)
mapped("scatters", lambda x: [lax.psum_scatter(x.reshape(4, 2), "i"), lax.psum_scatter(x.reshape(2, 4), "i", scatter_dimension=1, tiled=True)], x)
mapped("permutations", lambda x: [lax.ppermute(x, "i", p) for p in ([(i, (i + 1) % 4) for i in range(4)], [(3, 0), (0, 3), (2, 1), (1, 2)])], x)
mapped("zeros for some", lambda x: [lax.ppermute(x, "i", p) for p in ([(0, 1), (1, 2)], [(2, 3), (3, 0)])], x, vmap=False)
mapped("numbers of devices", lambda x: x * lax.axis_index("i"), x)
mapped("a loop", lambda x, y: lax.fori_loop(0, 3, lambda i, c: jnp.tanh(c + lax.pmean(c * y, "i")), x), x, y)
mapped("a loop that all end", lambda x: lax.while_loop(lambda c: lax.pmax(c[0], "i") < 3, lambda c: c + 1, x), x)
mapped("a branch", lambda x: lax.cond(lax.psum(x[0], "i") > 0, lambda x: lax.psum(x, "i"), lambda x: x * 2, x), x)
mapped("a branch of some", lambda x: lax.cond(lax.axis_index("i") > 1, lambda x: jnp.sin(x), lambda x: x * 2, x), x)
mapped("normalization", lambda x: (x - lax.pmean(jnp.mean(x), "i")) * lax.rsqrt(lax.pmean(jnp.var(x), "i") + 1e-3), x)
mapped("a step of training", lambda w, x: w - 0.1 * lax.pmean(jax.grad(lambda w: jnp.mean((jnp.tanh(x * w) - 1) ** 2))(w), "i"), jnp.broadcast_to(y[0], y.shape), x)

z = array(4, 8)
sharded("two axes", lambda z: [lax.psum(z, "i"), lax.psum(z, "j"), lax.psum(z, "i") + lax.psum(z, "j")], (z,), P("i", "j"), [P(None, "j"), P("i", None), P("i", "j")])
sharded("numbers on two axes", lambda z: [z * lax.axis_index("i"), z * lax.axis_index("j"), lax.ppermute(z, "i", [(0, 1), (1, 0)]), lax.ppermute(z, "j", [(0, 1)])], (z,), P("i", "j"), P("i", "j"))
sharded("two axes along one dimension", lambda z: [lax.all_gather(z, "i"), lax.psum_scatter(z, "j", tiled=True)], (array(8, 2),), P(("i", "j")), [P(None, "j"), P(("i", "j"))])
sharded("the whole on each device", lambda z, w: [lax.psum(z, "i") + w, w * 2], (z, w := array(8)), (P("i"), P()), [P(), P()])

print(json.dumps(CASES))
