"""Writes the modules of this folder with JAX 0.10. Run it here with the argument sdy, then with gspmd."""

import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

kind = sys.argv[1]
jax.config.update("jax_use_shardy_partitioner", kind == "sdy")
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # no folders in locations
devices = np.array(jax.devices())


def mesh(shape, names):
    return Mesh(devices[: np.prod(shape)].reshape(shape), names)


def plain(a):  # NumPy has no int4
    return np.asarray(a).astype(np.int8) if a.dtype == jnp.int4 else np.asarray(a)


def write(name, form, f, ins, outs, *args):
    if not name.endswith(kind):
        return
    jitted = jax.jit(f, in_shardings=ins) if outs is None else jax.jit(f, in_shardings=ins, out_shardings=outs)
    if form == "mlir":
        data = jitted.lower(*args).as_text().encode()
    else:
        exported = export.export(jitted)(*args)
        data = exported.serialize() if form == "jaxexport" else exported.mlir_module_serialized
    with open(f"{name}.{form}", "wb") as file:
        file.write(data)
    results = jax.tree.leaves(jitted(*args))
    arrays = {f"in{i}": plain(a) for i, a in enumerate(args)} | {f"out{i}": plain(r) for i, r in enumerate(results)}
    np.savez(name + ".npz", **arrays)


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 7


def f(a, b):
    return jnp.tanh(a @ b), (a * 2).sum(0)


def psum(a, b):
    return jax.lax.psum(a @ b, "y") + jax.lax.axis_index("x").astype(np.float32)


m2, m4, m8, m222 = mesh((2,), ("x",)), mesh((2, 2), ("x", "y")), mesh((4, 2), ("x", "y")), mesh((2, 2, 2), ("a", "b", "c"))
S = NamedSharding
manual = jax.shard_map(psum, mesh=m4, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
manual_in = (S(m4, P("x", "y")), S(m4, P("y")))
small = np.asarray((jnp.arange(16) % 8 - 4).reshape(4, 4).astype(jnp.int4))

write("axes_8_sdy", "mlir", f, (S(m8, P("x", "y")), S(m8, P("y", None))), (S(m8, P(("y", "x"))), S(m8, P("y"))), numbers(8, 6), numbers(6, 2))
write("axes_8_gspmd", "mlir", f, (S(m222, P(("a", "c"), "b")), S(m222, P("b", None))), (S(m222, P("c")), S(m222, P())), numbers(8, 6), numbers(6, 2))
write("replicated_8_gspmd", "mlir", f, (S(m8, P(None, "x")), S(m8, P())), None, numbers(8, 4), numbers(4, 2))
write("manual_4_gspmd", "mlir", manual, manual_in, None, numbers(4, 6), numbers(6, 2))
write("manual_4_sdy", "mlirbc", manual, manual_in, None, numbers(4, 6), numbers(6, 2))
write("int4_4_sdy", "mlir", lambda a: a + a, (S(m4, P("x", "y")),), S(m4, P("y")), small)
write("export_4_sdy", "jaxexport", f, (S(m4, P("y", "x")), S(m4, P("x"))), (S(m4, P("x")), None), numbers(4, 6), numbers(6, 2))
write("artifact_2_gspmd", "mlirbc", f, (S(m2, P("x")), S(m2, P(None, "x"))), (S(m2, P("x")), S(m2, P())), numbers(4, 6), numbers(6, 2))
