"""Writes platforms/ with JAX: functions that call LAPACK, exported for several platforms, each with
its inputs and JAX's results. Run it in this folder:

    pip install jax==0.12.0.1 flatbuffers && python platforms.py
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import jax.scipy.linalg as linalg
import numpy as np
from jax import export
from jax.sharding import Mesh, NamedSharding, PartitionSpec

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # no folder of this machine


def write(name, function, platforms, *args):
    exported = export.export(function, platforms=platforms)(*args)
    with open(f"platforms/{name}.jaxexport", "wb") as f:
        f.write(exported.serialize())
    arrays = {f"in{i}": x for i, x in enumerate(args)}
    arrays.update({f"out{i}": x for i, x in enumerate(jax.tree.leaves(exported.call(*args)))})
    np.savez(f"platforms/{name}.npz", **arrays)


matrix = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
definite = matrix @ matrix.T + 4 * np.eye(4, dtype=np.float32)

functions = {
    "cholesky": (jnp.linalg.cholesky, definite),
    "lu": (linalg.lu, matrix),
    "qr": (lambda x: tuple(jnp.linalg.qr(x)), matrix),
    "eigh": (lambda x: tuple(jnp.linalg.eigh(x)), definite),
    "svd": (lambda x: tuple(jnp.linalg.svd(x)), matrix),
    "triangular": (lambda x, y: linalg.solve_triangular(x, y), definite, matrix),
    "branches": (lambda x: jax.lax.cond(x[0, 0] > 0, jnp.linalg.inv, lambda x: jnp.linalg.qr(x)[0], x), matrix),
    "loop": (lambda x: jax.lax.scan(lambda sum, x: (sum + jnp.linalg.cholesky(x), sum), x, jnp.stack([x, x])), definite),
}
for name, (function, *args) in functions.items():
    write(name + "-cpu-cuda", jax.jit(function), ("cpu", "cuda"), *args)
    write(name + "-tpu-cpu", jax.jit(function), ("tpu", "cpu"), *args)

divided = NamedSharding(Mesh(jax.devices(), ("x",)), PartitionSpec("x"))


def on_platform(x):
    return jax.lax.platform_dependent(x, cuda=lambda x: x + 1, cpu=lambda x: x + 2)


sharded = jax.jit(on_platform, in_shardings=divided, out_shardings=divided)
x = np.arange(4, dtype=np.float32)
exported = export.export(sharded, platforms=("cuda", "cpu"))(x)
with open("platforms/sharded.jaxexport", "wb") as f:
    f.write(exported.serialize())
np.savez("platforms/sharded.npz", in0=x, out0=sharded(x))
