"""Writes the other files of this folder: modules with Shardy's dialect, as JAX 0.12 exports and lowers them.

    pip install jax==0.12.0.1 flatbuffers && python make.py
"""

import io
import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

here = pathlib.Path(__file__).parent
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
array = jax.ShapeDtypeStruct((8, 4), jnp.float32)


def on(*axes):
    return NamedSharding(mesh, P(*axes))


def save(name, f, *args):
    (here / f"{name}.jaxexport").write_bytes(export.export(f)(*args).serialize())


save("named", jax.jit(jnp.sin, in_shardings=on("x", "y"), out_shardings=on(None, "x")), array)
save("constraint", jax.jit(lambda x: jax.lax.with_sharding_constraint(jnp.sin(x), on("x")) * 2), array)
save("eigh", jax.jit(lambda x: jnp.linalg.eigh(x)[0], in_shardings=on("x")), jax.ShapeDtypeStruct((8, 8), jnp.float32))
(n,) = export.symbolic_shape("n")
save("symbolic", jax.jit(jnp.sin, in_shardings=on("x")), jax.ShapeDtypeStruct((4 * n, 4), jnp.float32))


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y"))
def manual(x):
    x, _ = jax.lax.scan(lambda c, i: (c + i, None), x, jnp.arange(3.0))
    return jax.lax.psum(x, "x")


save("shard_map", manual, array)
data = io.BytesIO()
manual.lower(array).compiler_ir("stablehlo").operation.write_bytecode(data)
(here / "lowered.mlirbc").write_bytes(data.getvalue())

feed = """
    %t = stablehlo.create_token : !stablehlo.token
    %u = "stablehlo.outfeed"(%x, %t) : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
"""
nested = """
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%arg: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %y = sdy.manual_computation(%arg) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"}
      (%x: tensor<8xf32>) {
    """ + feed + """
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""
flat = """
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  """ + feed + """
  return
}
"""
with mlir.make_ir_context():
    (here / "nested.mlirbc").write_bytes(mlir.module_to_bytecode(ir.Module.parse(nested)))
    version = hlo.get_version_from_compatibility_requirement(hlo.StablehloCompatibilityRequirement.WEEK_4)
    (here / "flat.mlirbc").write_bytes(
        _jax.mlir.serialize_portable_artifact(mlir.module_to_bytecode(ir.Module.parse(flat)), version, True))
