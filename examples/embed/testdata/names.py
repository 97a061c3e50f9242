"""Holds that calliope.jax_callbacks has the names of callbacks in the order of their indices in the module."""

import functools
import re

import jax
import jax.numpy as jnp
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import calliope_mlir as calliope

x = jnp.ones(4)
mesh = Mesh(jax.devices(), "d")


def scale(factor, x):
    return factor * x


class Store:
    def save(self, x):
        pass

    def __call__(self, x):
        return x


def everything(store, x):
    y = jax.pure_callback(functools.partial(scale, 2), x, x)
    io_callback(store.save, None, y, ordered=True)
    io_callback(store, None, y, ordered=True)
    jax.debug.callback(print, y)
    jax.debug.print("x = {}", y)
    jax.debug.print("x = {}", y, ordered=True)
    each = lambda v: jax.pure_callback(store, jax.ShapeDtypeStruct((), x.dtype), v, vmap_method="sequential")
    return jax.lax.fori_loop(0, 3, lambda _, v: jax.vmap(each)(v), y)


def named(x):
    jax.debug.print("{y:.2f} of {x}, {kind} {{y}}", y=x[0], x=x, kind="{all}")
    jax.debug.print("{0} {n:d} {0}", x, n=3)
    jax.debug.print("plain", x, skip_format_check=True)


def partitioned(x):
    jax.debug.callback(print, x, partitioned=True)
    return x


def names(f, *args):
    lowered = jax.jit(f).lower(*args)
    found = calliope.jax_callbacks(lowered)
    indices = {int(i) for i in re.findall(r"index = (\d+) : ui64", lowered.as_text())}
    assert indices == set(range(len(found))), (indices, found)
    return found


got = names(functools.partial(everything, Store()), x)
assert got == ["scale", "save", "Store", "print", "x = {}", "x = {}", "Store"], got
divided = jax.device_put(x, NamedSharding(mesh, P("d")))
got = names(jax.shard_map(partitioned, mesh=mesh, in_specs=P("d"), out_specs=P("d")), divided)
assert got == ["print"], got
assert names(jnp.sin, x) == []
# A format has the numbers of operands, whatever the arguments are called: those with a name are sorted by it.
got = names(named, x)
assert got == ["{1:.2f} of {0}, {{all}} {{y}}", "{0} {1:d} {0}", "plain {}"], got

for f in (
    lambda x: jax.pure_callback(lambda v: v, x, x),
    lambda x: jax.pure_callback(Store(), x, jax.pure_callback(Store(), x, x)),
):
    try:
        names(f, x)
    except ValueError as e:
        assert "needs a name" in str(e), e
    else:
        raise AssertionError("two functions have one name")
