"""Writes the modules in this folder, as JAX 0.12 lowers them for CPU:

    pip install 'jax==0.12.0.1'
    python3 bridge/testdata/jax/generate.py

The number in a comment of a function is the index of its callback in the module.
"""

import os
import pathlib

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import io_callback
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, SingleDeviceSharding

FOLDER = pathlib.Path(__file__).parent
MESH = jax.make_mesh((4,), ("i",))
AUTO = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Auto,))


def f32(*dims, sharding=None):
    return jax.ShapeDtypeStruct(dims, jnp.float32, sharding=sharding)


def write(name, f, *args):
    (FOLDER / (name + ".mlir")).write_text(jax.jit(f).lower(*args).as_text())


def host(*args):  # is never called
    raise NotImplementedError


def pure(x):
    return jax.pure_callback(host, f32(*x.shape), x)  # 0


def several(x, n):
    y, m = jax.pure_callback(host, (f32(*x.shape), jax.ShapeDtypeStruct((), jnp.int32)), x, n)  # 0
    return y, m


def vmap_sequential(x):
    return jax.vmap(lambda v: jax.pure_callback(host, f32(), v, vmap_method="sequential"))(x)  # 0


def vmap_broadcast(x, y):
    call = lambda v, w: jax.pure_callback(host, f32(), v, w, vmap_method="broadcast_all")  # 0
    return jax.vmap(call, in_axes=(0, None))(x, y)


def io(x):
    return io_callback(host, f32(*x.shape), x)  # 0


def io_unused(x):
    io_callback(host, f32(*x.shape), x)  # 0
    return x + 1


def io_ordered(x):
    y = io_callback(host, f32(*x.shape), x, ordered=True)  # 0
    io_callback(host, None, x, ordered=True)  # 1
    return io_callback(host, f32(*x.shape), y, ordered=True)  # 2


def io_ordered_loop(x):
    return jax.lax.fori_loop(0, 3, lambda _, v: io_callback(host, f32(*x.shape), v, ordered=True), x)  # 0


def debug(x):
    jax.debug.callback(host, x)  # 0
    jax.debug.print("x = {}, half = {}", x, x / 2)  # 1
    return x + 1


def debug_ordered(x):
    jax.debug.print("first {}", x, ordered=True)  # 0
    jax.debug.print("second {}", x + 1, ordered=True)  # 1
    return x + 2


def ordered_large(x):
    y = x @ x
    jax.debug.callback(host, y[0, 0], ordered=True)  # 0
    return y


def two_effects(x):
    jax.debug.callback(host, x, ordered=True)  # 0
    return io_callback(host, f32(*x.shape), x, ordered=True)  # 1


def debug_in_scan(x):
    def step(carry, v):
        jax.lax.cond(v > 1, lambda: jax.debug.print("{}", v), lambda: None)  # 0
        return carry + v, carry
    return jax.lax.scan(step, jnp.float32(0), x)


def on_mesh(f, mesh=MESH):
    return jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"))


def debug_partitioned(x):
    jax.debug.callback(host, x, partitioned=True)  # 0
    return x + 1


def debug_whole(x):
    jax.debug.callback(host, x)  # 0
    return x + 1


def io_on_device(x):
    return io_callback(host, f32(*x.shape), x, sharding=SingleDeviceSharding(jax.devices()[2]))  # 0


def reduced(x):
    return jax.lax.psum(x, "i") + x


def constrained(x):
    return jax.lax.with_sharding_constraint(x * 2, NamedSharding(AUTO, P())) + 1


def exported():  # for any number of rows, called with two
    rows, = export.symbolic_shape("rows")
    whole = export.export(jax.jit(lambda x, y: (x * y[:, None]).sum(0)))(f32(rows, 3), f32(rows))
    return lambda x, y: whole.call(x, y) + 1


vector = f32(4)
divided = f32(8, sharding=NamedSharding(MESH, P("i")))

write("pure", pure, vector)
write("several", several, vector, jax.ShapeDtypeStruct((), jnp.int32))
write("vmap_sequential", vmap_sequential, vector)
write("vmap_broadcast", vmap_broadcast, vector, f32())
write("io", io, vector)
write("io_unused", io_unused, vector)
write("io_ordered", io_ordered, vector)
write("io_ordered_loop", io_ordered_loop, vector)
write("debug", debug, vector)
write("debug_ordered", debug_ordered, vector)
write("two_effects", two_effects, vector)
write("ordered_large", ordered_large, f32(64, 64))
write("debug_in_scan", debug_in_scan, vector)
write("shard_map_pure", on_mesh(pure), divided)
write("shard_map_debug", on_mesh(debug_whole), divided)
write("shard_map_ordered", on_mesh(io_ordered), divided)
write("sharded_pure", pure, divided)
write("sharded_io", io, divided)
write("sharded_io_on_device", io_on_device, divided)
write("sharded_debug", debug_whole, divided)
write("sharded_debug_partitioned", debug_partitioned, divided)
write("called_export", exported(), f32(2, 3), f32(2))

jax.config.update("jax_use_shardy_partitioner", False)
divided = f32(8, sharding=NamedSharding(AUTO, P("i")))

write("gspmd_constraint", constrained, divided)
write("gspmd_shard_map", on_mesh(reduced, AUTO), divided)
write("gspmd_shard_map_pure", on_mesh(pure, AUTO), divided)
write("gspmd_shard_map_debug", on_mesh(debug_whole, AUTO), divided)
write("gspmd_debug", debug_whole, divided)
