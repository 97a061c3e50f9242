"""Holds that calliope.tap is called as jax.debug.callback is: as often, with the same values, and under every
transformation of JAX."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import calliope_mlir as calliope

library = calliope.Library()
library.register_jax()
seen = []
library.register(lambda *xs: seen.append([np.array(x).tolist() for x in xs]), "seen")

x = jnp.arange(4, dtype=jnp.float32) / 8 + 1
rows = jnp.arange(12, dtype=jnp.float32).reshape(3, 4) / 8
mesh = Mesh(jax.devices(), "d")
policies = jax.checkpoint_policies


def tapped(tap, x):
    tap(x)
    return jnp.sin(x) * x


def chain(tap, x):
    y = jnp.sin(x)
    tap(x, y)
    z = jnp.exp(y)
    tap(z)
    return (z * y).sum()


def scanned(tap, x):
    return jax.lax.scan(lambda c, _: (tapped(tap, c), None), x, None, length=10)[0].sum()


def of_scan_checkpointed(tap, x):
    return jax.lax.scan(lambda c, _: (jax.checkpoint(functools.partial(tapped, tap))(c), None), x, None, length=10)[0].sum()


def looped(tap, x):
    return jax.lax.fori_loop(0, 5, lambda i, c: tapped(tap, c), x)


def while_(tap, x):
    def condition(c):
        tap(c[0])
        return c[1] < 5

    return jax.lax.while_loop(condition, lambda c: (tapped(tap, c[0]) + 1, c[1] + 1), (x, 0))


def branches(tap, x):
    return jax.lax.cond(x.sum() > 1, lambda x: tapped(tap, x), lambda x: tapped(tap, -x), x).sum()


def switched(tap, x):
    return jax.lax.switch(jnp.int32(x[0]), [lambda x: x.sum(), lambda x: tapped(tap, x).sum()], x)


def custom_vjp(tap, x):
    @jax.custom_vjp
    def f(x):
        return tapped(tap, x)

    def forward(x):
        tap(2 * x)
        return f(x), x

    def backward(x, g):
        tap(g)
        return (g * x,)

    f.defvjp(forward, backward)
    return f(x).sum()


def custom_jvp(tap, x):
    @jax.custom_jvp
    def f(x):
        return tapped(tap, x)

    @f.defjvp
    def derivative(primals, tangents):
        tap(3 * primals[0])
        return f(*primals), tangents[0] * 2

    return f(x).sum()


def nested(tap, x):
    return jax.jit(lambda x: jax.jit(lambda x: tapped(tap, x))(x) + tapped(tap, x))(x).sum()


def unused(tap, x):
    tap(jnp.cos(x))
    return x.sum()


def constant(tap, x):
    tap(np.float32(7))
    return x.sum()


def on_parts(tap, x, **options):
    f = jax.shard_map(lambda x: tapped(tap, x), mesh=mesh, in_specs=P("d"), out_specs=P("d"), **options)
    return f(jnp.concatenate([x, x])).sum()


def scan_on_parts(tap, x):
    f = jax.shard_map(
        lambda x: jax.lax.scan(lambda c, _: (tapped(tap, c), None), x, None, length=3)[0],
        mesh=mesh, in_specs=P("d"), out_specs=P("d"),
    )  # fmt: skip
    return f(x).sum()


def on_parts_of_some_axes(tap, x):
    both = Mesh(np.array(jax.devices()).reshape(2, -1), ("d", "e"))
    f = jax.shard_map(lambda x: tapped(tap, x), mesh=both, in_specs=P("d"), out_specs=P("d"), axis_names={"d"})
    return f(jnp.concatenate([x, x])).sum()


def divided(tap, x):
    x = jax.lax.with_sharding_constraint(jnp.concatenate([x, x]), NamedSharding(mesh, P("d")))
    return tapped(tap, x).sum()


def divided_loop(tap, x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("d")))
    return scanned(tap, x)


def row_and_whole(tap, row):
    tap(row, x)
    return (row * x).sum()


# The programs on one array, and their derivatives.
programs = {
    "tapped": lambda tap, x: tapped(tap, x).sum(), "chain": chain, "scan": scanned, "while": lambda tap, x: while_(tap, x)[0].sum(),
    "fori": lambda tap, x: looped(tap, x).sum(), "cond": branches, "switch": switched, "nested": nested,
    "unused": unused, "constant": constant, "custom_vjp": custom_vjp, "custom_jvp": custom_jvp,
    "checkpointed scan": of_scan_checkpointed,
}  # fmt: skip
transformations = {
    "plain": lambda f: f,
    "jit": jax.jit,
    "grad": jax.grad,
    "jit(grad)": lambda f: jax.jit(jax.grad(f)),
    "value_and_grad": lambda f: jax.jit(jax.value_and_grad(f)),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (2 * x,)),
    "jacfwd": jax.jacfwd,
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](x),
    "vjp": lambda f: lambda x: jax.vjp(f, x)[1](jnp.float32(1)),
    "hessian": lambda f: jax.jit(jax.hessian(f)),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
    "jit(grad(checkpoint))": lambda f: jax.jit(jax.grad(jax.checkpoint(f))),
    "everything saveable": lambda f: jax.grad(jax.checkpoint(f, policy=policies.everything_saveable)),
    "dots saveable": lambda f: jax.jit(jax.grad(jax.checkpoint(f, policy=policies.dots_saveable))),
    "vmap": lambda f: lambda x: jax.vmap(f)(rows + 1),
    "jit(vmap), columns": lambda f: jax.jit(lambda x: jax.vmap(f, in_axes=1)(rows.T + 1)),
    "vmap(vmap)": lambda f: lambda x: jax.vmap(jax.vmap(f))(jnp.stack([rows, rows + 1])),
    "vmap(grad)": lambda f: jax.jit(lambda x: jax.vmap(jax.grad(f))(rows + 1)),
    "grad(vmap)": lambda f: jax.grad(lambda x: jax.vmap(f)(rows * x).sum()),
    "checkpoint(vmap)": lambda f: jax.grad(lambda x: jax.checkpoint(jax.vmap(f))(rows * x).sum()),
    "scan": lambda f: lambda x: jax.lax.scan(lambda c, r: (c + f(r), f(r + c)), 0.0, rows),
}
everywhere = "jit(grad(checkpoint))", "jit(vmap), columns"
some = {
    "chain": transformations,
    "scan": ("jit(grad)", "checkpoint(vmap)", *everywhere),
    "while": ("jit", "jvp", "jit(vmap), columns"),
}
cases = {
    f"{t} of {p}": (transformations[t], program)
    for p, program in programs.items()
    for t in some.get(p, everywhere)
}
for t in everywhere:
    cases[f"{t} of row and whole"] = transformations[t], row_and_whole
for t in "jit", "jit(grad(checkpoint))":
    for program in on_parts, scan_on_parts, on_parts_of_some_axes, divided, divided_loop:
        cases[f"{t} of {program.__name__}"] = transformations[t], program
cases["unchecked parts"] = jax.jit, functools.partial(on_parts, check_vma=False)

in_order = [f"{t} of {p}" for p in ("chain", "scan") for t in ("jit(grad)", "jit(grad(checkpoint))")]
in_order += ["jit of while", "vmap of chain"]


def outcome(transform, program, tap):
    """Returns what a program does: its result, or the type of its error, and the calls."""
    seen.clear()
    try:
        result = transform(functools.partial(program, tap))(x)
        result = jax.tree.map(lambda r: np.asarray(r).tolist(), result)
    except Exception as e:
        result = f"{type(e).__name__}: {e}"
    jax.effects_barrier()
    library.barrier()
    return result, list(seen)


failed = calls = count = 0
for ordered in False, True:
    for name, (transform, program) in cases.items():
        if ordered and name not in in_order:
            continue
        debug = lambda *xs: jax.debug.callback(
            lambda *xs: seen.append([np.array(x).tolist() for x in xs]), *xs, ordered=ordered
        )
        want, want_seen = outcome(transform, program, debug)
        got, got_seen = outcome(transform, program, functools.partial(calliope.tap, "seen", ordered=ordered))
        calls += len(got_seen)
        count += 1
        if not ordered:  # devices and rows call in any order
            want_seen.sort()
            got_seen.sort()
        if (got, got_seen) != (want, want_seen):
            failed += 1
            print(f"{name}{', ordered' if ordered else ''}: {len(got_seen)} calls for {len(want_seen)}: {got}, want {want}", flush=True)
print(f"{count} programs, {calls} calls, {failed} differ")
sys.exit(failed > 0)
