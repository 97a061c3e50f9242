"""Runs programs of JAX for several devices on the plugin, and compares them with what one device computes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

shard_map = getattr(jax, "shard_map", None) or jax.experimental.shard_map.shard_map
devices = jax.devices("calliope")
assert len(devices) == 4 and [d.id for d in devices] == [0, 1, 2, 3], devices
mesh = Mesh(np.array(devices).reshape(2, 2), ("a", "b"))
x = jnp.arange(32.0).reshape(4, 8)
w = jnp.cos(jnp.arange(24.0)).reshape(8, 3)


def put(v, *spec):
    return jax.device_put(v, NamedSharding(mesh, P(*spec)))


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, atol=1e-5)


over = functools.partial(shard_map, mesh=mesh)
close(jax.jit(lambda x, w: jnp.tanh(x @ w))(put(x, "a", "b"), put(w, "b")), jnp.tanh(x @ w))
close(jax.jit(jnp.sin, out_shardings=NamedSharding(mesh, P("b", "a")))(put(x, "a")), jnp.sin(x))
close(jax.jit(over(lambda x: jax.lax.psum(x, "a"), in_specs=P("a", "b"), out_specs=P(None, "b")))(put(x, "a", "b")),
      x[:2] + x[2:])
close(jax.jit(over(lambda x: jax.lax.psum(x, ("a", "b")), in_specs=P("a", "b"), out_specs=P()))(x),
      x.reshape(2, 2, 2, 4).sum((0, 2)))
close(jax.jit(over(lambda x: jax.lax.ppermute(x, "b", [(0, 1), (1, 0)]), in_specs=P("a", "b"), out_specs=P("a", "b")))(x),
      jnp.concatenate([x[:, 4:], x[:, :4]], 1))
close(jax.jit(over(lambda x: x + jax.lax.axis_index("b"), in_specs=P("a", "b"), out_specs=P("a", "b")))(x),
      x + jnp.repeat(jnp.arange(2), 4))
close(jax.jit(over(lambda x: jax.lax.all_to_all(x, "b", 1, 0, tiled=True), in_specs=P("a", "b"), out_specs=P(("a", "b"))))(x)
      .sum(), x.sum())
loss = lambda w, x: jnp.sum(jax.jit(over(lambda w, x: jax.lax.psum(jnp.sin(x) @ w, "b"), in_specs=(P("b"), P("a", "b")),
                                         out_specs=P("a")))(w, x) ** 2)
close(jax.grad(loss)(put(w, "b"), put(x, "a", "b")), jax.grad(lambda w, x: jnp.sum((jnp.sin(x) @ w) ** 2))(w, x))
close(jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i", devices=devices)(x)[0], x.sum(0))

third = jax.device_put(x, devices[2])
assert jax.jit(jnp.cos)(third).devices() == {devices[2]}
reverse = Mesh(np.array(devices[::-1]), ("i",))
y = jax.jit(jnp.exp)(jax.device_put(x, NamedSharding(reverse, P("i"))))
close(y, jnp.exp(x))
print("devices:", y.sharding, flush=True)
