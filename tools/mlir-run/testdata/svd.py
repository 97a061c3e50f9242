"""Writes svd.mlirbc with JAX 0.11.2: bytecode with the dialect sdy, and calls of LAPACK. Run it in this folder."""

import io

import jax
import jax.numpy as jnp

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # no folder of this machine


def singular_values(x):
    return jnp.linalg.svd(x, compute_uv=False)


lowered = jax.jit(singular_values).lower(jnp.zeros((2, 3, 2), jnp.float32))
data = io.BytesIO()
lowered.compiler_ir("stablehlo").operation.write_bytecode(data)
with open("svd.mlirbc", "wb") as f:
    f.write(data.getvalue())
