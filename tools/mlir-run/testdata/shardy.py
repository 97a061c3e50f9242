"""Writes shardy.mlirbc with JAX 0.10: bytecode with the dialect sdy. Run it in this folder."""

import io

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))


def double(x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec("x")))
    return x + x


lowered = jax.jit(double).lower(jnp.zeros(4, jnp.float32))
data = io.BytesIO()
lowered.compiler_ir("stablehlo").operation.write_bytecode(data)
with open("shardy.mlirbc", "wb") as f:
    f.write(data.getvalue())
