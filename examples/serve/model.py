"""Writes model.jaxexport: a classifier of points by how far they are from the origin, for any batch size.

    pip install jax==0.12.0.1 flatbuffers && python model.py
"""

import pathlib

import jax
import jax.numpy as jnp
from jax import export

# The file has the name of this one, without the folders of a machine.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")


@jax.jit
def probabilities(x):
    distance = jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True))
    return jax.nn.softmax(jnp.concatenate([1 - distance, distance - 1], axis=-1) * 4)


points = jax.ShapeDtypeStruct(export.symbolic_shape("batch, 2"), jnp.float32)
exported = export.export(probabilities, platforms=["cpu"])(points)
(pathlib.Path(__file__).parent / "model.jaxexport").write_bytes(exported.serialize())
