"""Writes programs of JAX as modules and exports, with what JAX computes of them and of their transformations:

    python generate.py testdata

It writes testdata/VERSION.zip, with NAME.mlir or NAME.jaxexport, and NAME.npz, for the version of JAX that runs it, on
four devices of the CPU. The files here are of 0.12.0.1, 0.11.2 and 0.10.2. Run it with the newest version first,
because a file that is the same as one of a newer version is not written again: same.txt lists it with that version. It
prints the programs that a version lacks.

The arrays of NAME.npz are
    in0, in1, …          the arguments, one for each parameter of main;
    out0, …              the results, whole even if they are split among devices;
    jvp_t0, jvp_out0     tangents of the arguments in0, … and of the results out0, …;
    vjp_c0, vjp_in0      cotangents of the results, and what reverse mode makes of them for the arguments;
    batch_in0, batch_out0    three calls at once, along a new first axis of each argument and result.
Integers and booleans have no tangents and no cotangents: their numbers are left out. Complex cotangents and gradients
are those of JAX, which transposes and does not conjugate. Where JAX cannot batch, or makes other numbers, three calls
are stacked. What else it cannot compute is left out, and WITHOUT has the reasons. Of the programs in TEXT_ONLY there
are only arguments, because they call functions of Python or of a library that nobody has.
"""

import contextlib
import functools
import io
import os
import pathlib
import re
import sys
import warnings
import zipfile
import zlib

os.environ["JAX_PLATFORMS"] = "cpu"
# Programs compile sooner without optimizations.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax.experimental import io_callback
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

# Exports have no lines of this file, so that they do not change with it.
jax.config.update("jax_traceback_in_locations_limit", 0)
warnings.filterwarnings("ignore")

AUTO4 = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Auto,))
AUTO22 = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
EXPLICIT4 = jax.make_mesh((4,), ("i",), axis_types=(AxisType.Explicit,))
EXPLICIT22 = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Explicit,) * 2)
MIXED22 = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Explicit, AxisType.Auto))
BATCH = 3


# Arguments are functions that draw an array. A program draws one of each for itself and three for its batch.


def real(*shape, low=-1.0, high=1.0, dtype=np.float32):
    """Numbers of which no two are close, and none is close to the middle of low and high, where functions may break."""

    def draw(rng):
        n = int(np.prod(shape))
        grid = rng.permutation(n) + (0.25 if n % 2 else 0.5) + rng.uniform(-0.1, 0.1, n)
        return (low + (high - low) * grid / max(n, 1)).astype(dtype).reshape(shape)

    return draw


def cplx(*shape, low=-1.0, high=1.0):
    return lambda rng: (real(*shape, low=low, high=high)(rng) + 1j * real(*shape, low=low, high=high)(rng)).astype(
        np.complex64
    )


def ints(*shape, low=0, high=10, dtype=np.int32):
    return lambda rng: rng.integers(low, high, shape).astype(dtype)


def unlike(n, high):
    """Integers below high of which no two are the same."""
    return lambda rng: rng.permutation(high)[:n].astype(np.int32)


def flags(*shape):
    return lambda rng: rng.integers(0, 2, shape).astype(bool)


def given(value, dtype=None):
    return lambda rng: np.array(value, dtype)


def positive_definite(n):
    def draw(rng):
        x = rng.uniform(-1, 1, (n, n))
        return (x @ x.T + np.diag(np.arange(1, n + 1))).astype(np.float32)

    return draw


def symmetric(n):
    def draw(rng):
        x = rng.uniform(-0.3, 0.3, (n, n))
        return (x + x.T + np.diag(np.arange(n) * 2 - 1.5)).astype(np.float32)

    return draw


def well_conditioned(m, n):
    return lambda rng: (rng.uniform(-0.4, 0.4, (m, n)) + np.eye(m, n) * np.arange(1.5, 1.5 + n)).astype(np.float32)


PROGRAMS = {}


class Program:
    def __init__(self, f, args, *, jit={}, mesh=None, specs=None, exports=None, lower=None, platform="cpu"):
        self.f, self.args, self.jit, self.mesh = f, args, jit, mesh
        self.specs = specs  # of the leaves of args, if they are put on a mesh
        self.exports = exports  # options of the export, if it is one
        self.lower = lower  # makes the function and arguments to lower from the leaves, if they are not f and args
        self.platform = platform  # that it is lowered for, if it is no export


def program(name, f, *args, **options):
    assert name not in PROGRAMS, name
    PROGRAMS[name] = Program(f, args, **options)


def mapped(body, ins, outs, mesh=AUTO4, **more):
    return jax.shard_map(body, mesh=mesh, in_specs=ins, out_specs=outs, **more)


# Collectives on four devices.

I = P("i")
weigh = lambda x: x * (1 + lax.axis_index("i")).astype(x.dtype)

program("psum", mapped(lambda x: lax.psum(jnp.sin(x) * x, "i"), I, P()), real(8, 3))
program("psum_unchecked", mapped(lambda x: lax.psum(jnp.sin(x), "i") * x, I, I, check_vma=False), real(8, 3))
program("psum_unchecked_whole", mapped(lambda x: lax.psum(jnp.sin(x), "i"), I, P(), check_vma=False), real(8, 3))
program("psum_int", mapped(lambda x: lax.psum(x, "i"), I, P()), ints(8, 2))
program("psum_bfloat16", mapped(lambda x: lax.psum(x.astype(jnp.bfloat16), "i").astype(x.dtype), I, P()), real(8, 2))
program("psum_complex", mapped(lambda x: lax.psum(x * x, "i"), I, P()), cplx(8))
program(
    "psum_tree",
    mapped(lambda x, y: lax.psum({"x": x * y, "sums": (x.sum(), jnp.cos(y))}, "i"), (I, I), P()),
    real(8),
    real(8, low=1, high=2),
)
program("psum_tree_of_types", mapped(lambda x, n: lax.psum((x, n), "i"), (I, I), P()), real(8), ints(8))
program("pmax", mapped(lambda x: lax.pmax(x, "i"), I, P()), real(8, 3))
program("pmin", mapped(lambda x: lax.pmin(x, "i"), I, P()), real(8, 3))
program("pmax_stopped", mapped(lambda x: jnp.exp(x - lax.pmax(lax.stop_gradient(x), "i")), I, I), real(8, 3))
program("pmax_int", mapped(lambda x: (lax.pmax(x, "i"), lax.pmin(x, "i")), I, P()), ints(8))
program("pmean", mapped(lambda x: lax.pmean(jnp.exp(x), "i"), I, P()), real(8, 3))
program("all_gather", mapped(lambda x: weigh(lax.all_gather(jnp.sin(x), "i").sum(0)), I, I), real(8, 2))
program("all_gather_tiled", mapped(lambda x: weigh(lax.all_gather(x * x, "i", axis=1, tiled=True)), I, I), real(8, 2))
program(
    "all_gather_whole",
    mapped(lambda x: lax.all_gather(jnp.sin(x), "i", tiled=True), I, P(), check_vma=False),
    real(8, 2),
)
program("psum_scatter", mapped(lambda x: lax.psum_scatter(jnp.sin(x), "i"), I, I), real(16, 2))
program("psum_scatter_tiled", mapped(lambda x: lax.psum_scatter(weigh(x), "i", tiled=True), I, I), real(16, 2))
program("all_to_all", mapped(lambda x: lax.all_to_all(weigh(x), "i", 0, 1), I, I), real(16, 2))
program("all_to_all_tiled", mapped(lambda x: lax.all_to_all(weigh(x), "i", 0, 1, tiled=True), I, I), real(16, 2))
program(
    "all_to_all_same_axis",
    mapped(lambda x: lax.all_to_all(jnp.sin(x), "i", 1, 1, tiled=True), P(None, "i"), P(None, "i")),
    real(2, 16),
)
program(
    "ppermute", mapped(lambda x: lax.ppermute(jnp.sin(x), "i", [(i, (i + 1) % 4) for i in range(4)]), I, I), real(8)
)
program("ppermute_partly", mapped(lambda x: lax.ppermute(x * x, "i", [(0, 2), (3, 1)]), I, I), real(8))
program("pshuffle", mapped(lambda x: lax.pshuffle(weigh(x), "i", [3, 1, 0, 2]), I, I), real(8))
program("pswapaxes", mapped(lambda x: lax.pswapaxes(weigh(x), "i", 1), I, I), real(8, 4))
# The CPU has no pbroadcast and no ragged_all_to_all. The numbers are those of another collective.
program(
    "pbroadcast",
    mapped(lambda x: weigh(lax.all_gather(x, "i")[2]), I, I),
    real(8),
    platform="cuda",
    lower=lambda x: (mapped(lambda x: weigh(lax.pbroadcast(x, "i", 2)), I, I, check_vma=False), (x,)),
)
program("pcast", mapped(lambda x, y: lax.pcast(y, "i", to="varying") * x, (I, P()), I), real(8), real(2))
program("axis_index", mapped(lambda x: x * lax.axis_index("i") + lax.axis_size("i"), I, I), real(8))
program("axis_index_alone", mapped(lambda: lax.axis_index("i")[None], (), I))
program(
    "psum_groups",
    mapped(lambda x: lax.psum(jnp.sin(x), "i", axis_index_groups=[[0, 3], [1, 2]]), I, I, check_vma=False),
    real(8),
)
program(
    "all_gather_groups",
    mapped(lambda x: lax.all_gather(jnp.sin(x), "i", axis_index_groups=[[0, 1], [2, 3]]), I, I, check_vma=False),
    real(8),
)
program(
    "psum_scatter_groups",
    mapped(
        lambda x: lax.psum_scatter(weigh(x), "i", axis_index_groups=[[0, 2], [1, 3]], tiled=True), I, I, check_vma=False
    ),
    real(8),
)
program(
    "all_to_all_groups",
    mapped(
        lambda x: lax.all_to_all(weigh(x), "i", 0, 0, axis_index_groups=[[0, 1], [2, 3]], tiled=True),
        I,
        I,
        check_vma=False,
    ),
    real(8),
)
program(
    "ragged_all_to_all",
    mapped(lambda x, out, *_: lax.all_to_all(x, "i", 0, 0, tiled=True), (I,) * 6, I),
    real(16),
    real(16),
    given(np.tile(np.arange(4), 4), np.int32),
    given(np.ones(16), np.int32),
    given(np.repeat(np.arange(4), 4), np.int32),
    given(np.ones(16), np.int32),
    lower=lambda *args: (
        mapped(functools.partial(lax.ragged_all_to_all, axis_name="i"), (I,) * 6, I, check_vma=False),
        args,
    ),
)
program("shard_map_whole", mapped(lambda x, w: jnp.tanh(x @ w), (I, P()), I), real(8, 3), real(3, 2))
program("shard_map_jit", jax.jit(mapped(jax.jit(lambda x: jnp.sin(weigh(x))), I, I)), real(8))
program(
    "shard_map_softmax",
    mapped(
        lambda x: (lambda e: e / lax.psum(e.sum(1, keepdims=True), "i"))(
            jnp.exp(x - lax.pmax(lax.stop_gradient(x).max(1, keepdims=True), "i"))
        ),
        P(None, "i"),
        P(None, "i"),
    ),
    real(2, 8),
)
program(
    "shard_map_grad",
    mapped(jax.grad(lambda w, x: lax.pmean(jnp.sum(jnp.tanh(x @ w) ** 2), "i")), (P(), I), P()),
    real(3, 2),
    real(8, 3),
)
program("shard_map_sort", mapped(lambda x: jnp.sort(lax.all_gather(x, "i", tiled=True)), I, I), real(8))
program("shard_map_vmap", mapped(jax.vmap(lambda x: lax.psum(jnp.sin(x), "i")), I, P()), real(8, 2))
program(
    "shard_map_random",
    mapped(
        lambda s, x: x * jax.random.uniform(jax.random.fold_in(jax.random.key(s), lax.axis_index("i")), x.shape),
        (P(), I),
        I,
    ),
    given(5, np.int32),
    real(8),
)

# Two axes.

AB = P("a", "b")
program("psum_two_axes", mapped(lambda x: lax.psum(jnp.sin(x), ("a", "b")), AB, P(), AUTO22), real(4, 6))
program("psum_one_of_two", mapped(lambda x: lax.psum(jnp.sin(x), "b"), AB, P("a"), AUTO22), real(4, 4))
program(
    "all_gather_two_axes",
    mapped(lambda x: lax.all_gather(jnp.sin(x), ("b", "a"), tiled=True), P(("a", "b")), P(("a", "b")), AUTO22),
    real(8),
)
program(
    "all_to_all_two_axes",
    mapped(lambda x: lax.all_to_all(x * x, ("a", "b"), 0, 0, tiled=True), P(("a", "b")), P(("a", "b")), AUTO22),
    real(16),
)
program(
    "psum_scatter_two_axes",
    mapped(
        lambda x: lax.psum_scatter(jnp.sin(x), ("a", "b"), tiled=True),
        P(None, "b"),
        P(("a", "b"), None),
        AUTO22,
        check_vma=False,
    ),
    real(4, 4),
)
program(
    "ppermute_two_axes",
    mapped(lambda x: lax.ppermute(x * x, ("a", "b"), [(i, (i + 3) % 4) for i in range(4)]), AB, AB, AUTO22),
    real(4, 4),
)
program(
    "axis_index_two_axes",
    mapped(lambda x: x + lax.axis_index(("a", "b")) + 10 * lax.axis_index("b"), AB, AB, AUTO22),
    real(2, 4),
)
program(
    "matmul_two_axes",
    mapped(lambda x, w: lax.psum(x @ w, "b"), (AB, P("b", None)), P("a", None), AUTO22),
    real(4, 4),
    real(4, 3),
)

# Control flow with collectives.

ring = [(i, (i + 1) % 4) for i in range(4)]
program(
    "scan_psum",
    mapped(
        lambda x, xs: lax.scan(lambda c, y: (c * 0.5 + lax.psum(jnp.sin(y) * c, "i"), lax.pmean(c, "i")), x, xs),
        (I, P(None, "i")),
        (I, P()),
    ),
    real(8),
    real(3, 8),
)
program(
    "scan_ppermute",
    mapped(
        lambda x: lax.scan(lambda c, _: (lax.ppermute(jnp.sin(c), "i", ring), c.sum()[None]), x, length=3),
        I,
        (I, P(None, "i")),
    ),
    real(8),
)
program(
    "fori_loop_ppermute",
    mapped(lambda x: lax.fori_loop(0, 3, lambda k, c: c + lax.ppermute(c, "i", ring) * k, x), I, I),
    real(8),
)
program(
    "while_loop_psum",
    mapped(lambda x: lax.while_loop(lambda c: lax.psum(c.sum(), "i") < 20, lambda c: c * 1.5, x), I, I),
    real(8, low=1, high=2),
)
program(
    "while_loop_psum_in_body",
    mapped(
        lambda x: lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 0.5 + lax.pmean(jnp.sin(c[1]), "i")), (0, x)
        )[1],
        I,
        I,
    ),
    real(8),
)
program(
    "cond_psum",
    mapped(
        lambda p, x: lax.cond(p, lambda x: lax.psum(jnp.sin(x), "i"), lambda x: lax.psum(x, "i") * 2, x), (P(), I), P()
    ),
    given(True),
    real(8),
)
program(
    "cond_by_device", mapped(lambda x: lax.cond(lax.axis_index("i") < 2, jnp.sin, lambda x: x * x, x), I, I), real(8)
)
program(
    "switch_by_device",
    mapped(lambda x: lax.switch(lax.axis_index("i"), [jnp.sin, jnp.cos, lambda x: 2 * x, jnp.tanh], x), I, I),
    real(8),
)
program(
    "cond_all_gather",
    mapped(
        lambda n, x: lax.switch(
            n,
            [
                lambda x: lax.all_gather(x, "i", tiled=True).sum(keepdims=True) * jnp.ones(2),
                lambda x: lax.all_to_all(lax.all_gather(x, "i", tiled=True), "i", 0, 0, tiled=True)[:2],
            ],
            x,
        ),
        (P(), I),
        I,
        check_vma=False,
    ),
    ints(low=0, high=2),
    real(8),
)
program("checkpoint_psum", mapped(jax.checkpoint(lambda x: lax.psum(jnp.sin(jnp.sin(x)), "i")), I, P()), real(8))
program(
    "scan_of_shard_map",
    lambda x: lax.scan(
        lambda c, _: (mapped(lambda c: c + lax.ppermute(jnp.sin(c), "i", ring), I, I)(c), None), x, length=2
    )[0],
    real(8),
)

# pmap.

pmapped = lambda f, **more: jax.pmap(f, axis_name="i", **more)
program("pmap", pmapped(lambda x: jnp.sin(x) * x), real(4, 3))
program("pmap_psum", pmapped(lambda x: lax.psum(jnp.sin(x), "i")), real(4, 3))
program("pmap_pmean", pmapped(lambda x: x - lax.pmean(x, "i")), real(4, 3))
program("pmap_pmax", pmapped(lambda x: lax.pmax(x, "i")), real(4, 3))
program("pmap_all_gather", pmapped(lambda x: lax.all_gather(weigh(x), "i")), real(4, 2))
program("pmap_psum_scatter", pmapped(lambda x: lax.psum_scatter(weigh(x), "i")), real(4, 4))
program("pmap_all_to_all", pmapped(lambda x: lax.all_to_all(weigh(x), "i", 0, 0)), real(4, 4, 2))
program("pmap_ppermute", pmapped(lambda x: lax.ppermute(jnp.sin(x), "i", ring)), real(4, 3))
program("pmap_axis_index", pmapped(lambda x: x * lax.axis_index("i")), real(4, 3))
program("pmap_groups", pmapped(lambda x: lax.psum(x, "i", axis_index_groups=[[0, 1], [2, 3]])), real(4, 2))
program(
    "pmap_axes", pmapped(lambda x, w: lax.psum(x @ w, "i"), in_axes=(1, None), out_axes=None), real(2, 4), real(2, 3)
)

# Explicit and automatic shardings, and axes that are manual only in part.

explicit = functools.partial(program, mesh=EXPLICIT22)
explicit("explicit", lambda x: jnp.sin(x).sum(1), real(4, 4), specs=[AB])
explicit("explicit_matmul", lambda x, w: jnp.tanh(x @ w), real(4, 3), real(3, 4), specs=[P("a", None), P(None, "b")])
explicit(
    "explicit_contracted",
    lambda x, w: jnp.einsum("ij,jk->ik", x, w, out_sharding=P("a", None)),
    real(4, 4),
    real(4, 2),
    specs=[P("a", "b"), P("b", None)],
)
explicit("explicit_reshard", lambda x: jax.reshard(jnp.sin(x), P("b", "a")) * 2, real(4, 4), specs=[AB])
explicit("explicit_reshard_whole", lambda x: jax.reshard(x * x, P()), real(4, 4), specs=[P(("a", "b"))])
explicit(
    "explicit_unreduced",
    lambda x, w: jax.reshard(jnp.einsum("ij,jk->ik", x, w, out_sharding=P(None, None, unreduced={"b"})), P("b", None)),
    real(4, 4),
    real(4, 2),
    specs=[P(None, "b"), P("b", None)],
)
explicit("explicit_broadcast", lambda x, y: x + y[:, None] * jnp.arange(4.0), real(4, 4), real(4), specs=[AB, P("a")])
explicit("explicit_reshape", lambda x: x.reshape(4, 2, 2) * 2, real(4, 4), specs=[P("a", None)])
explicit("explicit_transpose", lambda x: jnp.sin(x).T, real(4, 6), specs=[AB])
explicit(
    "explicit_gather",
    lambda x, i: x.at[i].get(out_sharding=P(None, "b")),
    real(4, 4),
    ints(3, high=4),
    specs=[P(None, "b"), P()],
)
explicit(
    "explicit_auto_axes",
    lambda x: jax.sharding.auto_axes(lambda x: jnp.cumsum(jnp.sin(x)), out_sharding=P("a"))(x),
    real(8),
    specs=[P("a")],
)
explicit(
    "explicit_shard_map",
    lambda x: jax.shard_map(lambda x: lax.psum(jnp.sin(x), "a"), out_specs=P(None, "b"))(x),
    real(4, 4),
    specs=[AB],
)
explicit(
    "explicit_smap",
    lambda x: jax.smap(lambda x: lax.ppermute(x * x, "a", [(0, 1), (1, 0)]), in_axes=0, out_axes=0, axis_name="a")(x),
    real(4, 4),
    specs=[P("a", None)],
)
explicit(
    "explicit_scan",
    lambda x: lax.scan(lambda c, y: (c + jnp.sin(y), c * y), jnp.zeros_like(x[0]), x),
    real(3, 4),
    specs=[P(None, "a")],
)
explicit(
    "explicit_out_shardings", lambda x: x * 2, real(4, 4), specs=[P("a", None)], jit=dict(out_shardings=P("a", None))
)
program(
    "explicit_shardings_of_jit",
    lambda x, w: x @ w,
    real(4, 2),
    real(2, 4),
    mesh=EXPLICIT4,
    specs=[P("i", None), P()],
    jit=dict(in_shardings=(P("i", None), P()), out_shardings=P("i", None)),
)
program("mixed_axes", lambda x, w: jnp.sin(x) @ w, real(4, 4), real(4, 2), mesh=MIXED22, specs=[P("a", None), P()])

named = lambda *spec, mesh=AUTO22: NamedSharding(mesh, P(*spec))
program(
    "auto",
    lambda x, w: jnp.tanh(x @ w),
    real(4, 4),
    real(4, 2),
    jit=dict(in_shardings=(named("a", "b"), named("b", None)), out_shardings=named("a", "b")),
)
program("auto_in", lambda x: jnp.cumsum(x, 0), real(8), jit=dict(in_shardings=named("i", mesh=AUTO4)))
program(
    "auto_both_axes",
    lambda x: (x * x).sum(),
    real(8, 2),
    jit=dict(in_shardings=named(("a", "b"), None), out_shardings=named()),
)
program("auto_uneven", lambda x: jnp.sin(lax.with_sharding_constraint(x, named("i", mesh=AUTO4))).sum(), real(6))
program(
    "auto_constraint",
    lambda x: lax.with_sharding_constraint(jnp.sin(x), named("b", "a")) * 2,
    real(4, 4),
    jit=dict(in_shardings=named("a", "b")),
)
program(
    "auto_unconstrained",
    lambda x: lax.with_sharding_constraint(jnp.sin(x), named(P.UNCONSTRAINED, "a")),
    real(4, 4),
    jit=dict(in_shardings=named("b")),
)
program(
    "auto_conv",
    lambda x, w: lax.conv(x, w, (1, 1), "SAME"),
    real(4, 1, 3, 3),
    real(2, 1, 2, 2),
    jit=dict(in_shardings=(named("i", mesh=AUTO4), named(mesh=AUTO4))),
)
program(
    "auto_spmd_axis",
    lambda x: jax.vmap(lambda x: lax.with_sharding_constraint(jnp.sin(x), named("b")), spmd_axis_name="a")(x),
    real(4, 4),
)
program(
    "auto_tree",
    lambda p, x: {"y": x @ p["w"] + p["b"], "n": x.shape[0]},
    {"b": real(4), "w": real(3, 4)},
    real(4, 3),
    jit=dict(in_shardings=({"b": named("b"), "w": named(None, "b")}, named("a"))),
)
program(
    "auto_donated",
    lambda x, y: (x + y, y * 2),
    real(8),
    real(8),
    jit=dict(in_shardings=named("i", mesh=AUTO4), out_shardings=named("i", mesh=AUTO4), donate_argnums=0),
)
program(
    "manual_partly",
    mapped(lambda x, w: lax.psum(jnp.tanh(x) @ w, "a"), (P(None, "a"), P("a", None)), P(), AUTO22, axis_names={"a"}),
    real(4, 4),
    real(4, 2),
)
program(
    "manual_partly_constraint",
    mapped(
        lambda x: lax.with_sharding_constraint(jnp.sin(x) * lax.axis_index("a"), P(None, "b")),
        P("a", None),
        P("a", None),
        AUTO22,
        axis_names={"a"},
    ),
    real(4, 4),
    mesh=AUTO22,
)
program(
    "manual_and_auto",
    lambda x, w: mapped(
        lambda y: lax.ppermute(y, "a", [(0, 1), (1, 0)]) * 2, P("a", None), P("a", None), AUTO22, axis_names={"a"}
    )(x @ w),
    real(4, 4),
    real(4, 4),
    jit=dict(in_shardings=(named("a", None), named(None, "b")), out_shardings=named("a", "b")),
)
program(
    "manual_nested",
    mapped(
        lambda x: jax.shard_map(
            lambda y: lax.psum(jnp.sin(y), "b") * (1 + lax.axis_index("b")),
            in_specs=P(None, "b"),
            out_specs=P(None, "b"),
            axis_names={"b"},
        )(x)
        + lax.psum(x, "a"),
        P("a", None),
        P("a", None),
        AUTO22,
        axis_names={"a"},
    ),
    real(4, 4),
    mesh=AUTO22,
)
program(
    "manual_nested_gather",
    mapped(
        lambda x: jax.shard_map(
            lambda y: lax.all_gather(y * y, ("b",), tiled=True), in_specs=P("b"), out_specs=P("b"), axis_names={"b"}
        )(x)
        * 2,
        P("a"),
        P("a"),
        AUTO22,
        axis_names={"a"},
    ),
    real(8),
    mesh=AUTO22,
)
program(
    "manual_scan",
    mapped(
        lambda x: lax.scan(
            lambda c, _: (c + lax.psum(jnp.sin(c), "a"), lax.pmax(lax.stop_gradient(c).sum(), "a")), x, length=2
        ),
        P("a", None),
        (P("a", None), P()),
        AUTO22,
        axis_names={"a"},
    ),
    real(4, 2),
)

# Callbacks. Python functions do nothing here, as nobody else has them.

SHAPE3 = jax.ShapeDtypeStruct((3,), np.float32)
same = lambda x: np.asarray(x)
nothing = lambda *xs: None
program("callback_pure", lambda x: jax.pure_callback(same, SHAPE3, jnp.sin(x)) * 2, real(3))
program(
    "callback_pure_vmap",
    jax.vmap(lambda x: jax.pure_callback(same, jax.ShapeDtypeStruct((), np.float32), x, vmap_method="expand_dims")),
    real(3),
)
program(
    "callback_pure_tree",
    lambda x, n: jax.pure_callback(
        lambda x, n: {"x": x, "n": n}, {"x": SHAPE3, "n": jax.ShapeDtypeStruct((), np.int32)}, x, n
    ),
    real(3),
    ints(),
)
program("callback_io", lambda x: io_callback(same, SHAPE3, x) + 1, real(3))
program(
    "callback_io_ordered",
    lambda x: io_callback(same, SHAPE3, io_callback(same, SHAPE3, x, ordered=True), ordered=True) + 1,
    real(3),
)
program(
    "callback_io_both", lambda x: (io_callback(same, SHAPE3, x, ordered=True), io_callback(same, SHAPE3, x)), real(3)
)
program("callback_debug", lambda x: (jax.debug.callback(nothing, x), x * 2)[1], real(3))
program("callback_debug_ordered", lambda x: (jax.debug.callback(nothing, x, ordered=True), x * 2)[1], real(3))
program("callback_print", lambda x: (jax.debug.print("x is {x}", x=x), x * 2)[1], real(3))
program(
    "callback_scan",
    lambda x: lax.scan(
        lambda c, y: (c + io_callback(same, jax.ShapeDtypeStruct((), np.float32), y, ordered=True), c), 0.0, x
    ),
    real(3),
)
program(
    "callback_while",
    lambda x: lax.while_loop(
        lambda c: jnp.all(c < 9), lambda c: (jax.debug.callback(nothing, c, ordered=True), c * 2)[1], x
    ),
    real(3, low=1, high=2),
)
program(
    "callback_cond",
    lambda p, x: lax.cond(p, lambda x: io_callback(same, SHAPE3, x, ordered=True), jnp.sin, x),
    flags(),
    real(3),
)
program(
    "callback_function",
    lambda x: (lambda f: f(f(x)))(jax.jit(lambda x: io_callback(same, SHAPE3, x, ordered=True))),
    real(3),
)
SHAPE2 = jax.ShapeDtypeStruct((2,), np.float32)
program(
    "callback_shard_map_pure",
    mapped(lambda x: jax.pure_callback(same, SHAPE2, weigh(x)), I, I, check_vma=False),
    real(8),
)
program("callback_shard_map_io", mapped(lambda x: io_callback(same, SHAPE2, x), I, I, check_vma=False), real(8))
program(
    "callback_shard_map_ordered",
    mapped(lambda x: io_callback(same, SHAPE2, x, ordered=True), I, I, check_vma=False),
    real(8),
)
program(
    "callback_shard_map_debug", mapped(lambda x: (jax.debug.callback(nothing, x), lax.psum(x, "i"))[1], I, P()), real(8)
)
program(
    "callback_shard_map_print",
    mapped(lambda x: (jax.debug.print("{i} {x}", i=lax.axis_index("i"), x=x), x * 2)[1], I, I),
    real(8),
)
program(
    "callback_shard_map_scan",
    mapped(
        lambda x: lax.scan(lambda c, _: (jax.pure_callback(same, SHAPE2, c), c), x, length=2),
        I,
        (I, P(None, "i")),
        check_vma=False,
    ),
    real(8),
)
program(
    "callback_auto",
    lambda x: (jax.debug.callback(nothing, x), jnp.sin(x))[1],
    real(8),
    jit=dict(in_shardings=named("i", mesh=AUTO4)),
)
program(
    "callback_auto_pure",
    lambda x: jax.pure_callback(same, jax.ShapeDtypeStruct((8,), np.float32), x),
    real(8),
    jit=dict(in_shardings=named("i", mesh=AUTO4), out_shardings=named("i", mesh=AUTO4)),
)
program("callback_pmap", pmapped(lambda x: (jax.debug.callback(nothing, x), x * 2)[1]), real(4, 2))

# References to arrays that can change.


def ref_sum(x):
    r = jax.new_ref(jnp.zeros(()))
    for i in range(3):
        r[...] += jnp.sin(x[i]) * r[...] + x[i]
    return jax.freeze(r)


def ref_slices(x, y):
    r = jax.new_ref(x)
    r[1:3] = y * 2
    r[0] += r[2]
    return r[...], r[1:]


def ref_loop(x):
    r = jax.new_ref(jnp.zeros_like(x))

    def body(i, _):
        r[i] = jnp.sin(x[i]) * (i + 1)

    lax.fori_loop(0, x.shape[0], body, None)
    return r[...]


def ref_scan(x):
    r = jax.new_ref(jnp.ones(()))

    def body(c, y):
        r[...] = r[...] * jnp.cos(y) + c
        return c + y, r[...]

    return lax.scan(body, 0.0, x), jax.freeze(r)


def ref_cond(p, x):
    r = jax.new_ref(x)

    def set_sine():
        r[...] = jnp.sin(r[...])

    def double():
        r[0] = r[0] * 2

    lax.cond(p, set_sine, double)
    return r[...]


def ref_swap(x, i):
    r = jax.new_ref(x)
    old = jax.ref.swap(r, i, x[0] * 2)
    jax.ref.addupdate(r, 1, old)
    return old, r[...]


def ref_indices(x, i):
    r = jax.new_ref(jnp.zeros((4, 3)))
    r[i, 1] = x
    return r[...], r[i]


def ref_argument(r, x):
    r[...] = jnp.sin(r[...]) + x
    return r[...].sum()


def ref_argument_pure(v, x):
    r = jax.new_ref(v)
    y = ref_argument(r, x)
    return y, jax.freeze(r)


program("ref", ref_sum, real(3))
program("ref_slices", ref_slices, real(4), real(2))
program("ref_loop", ref_loop, real(4))
program("ref_scan", ref_scan, real(4))
program("ref_cond", ref_cond, flags(), real(3))
program("ref_swap", ref_swap, real(3), given(2, np.int32))
program("ref_indices", ref_indices, real(2), unlike(2, 4))
program(
    "ref_argument",
    ref_argument_pure,
    real(3),
    real(3),
    lower=lambda v, x: (ref_argument, (jax.new_ref(jnp.asarray(v)), x)),
)
program("ref_shard_map", mapped(ref_loop, I, I, check_vma=False), real(8))

# Rules of one's own, rematerialization, and composites.


@jax.custom_vjp
def softplus_vjp(x):
    return jnp.log1p(jnp.exp(x))


softplus_vjp.defvjp(lambda x: (softplus_vjp(x), x), lambda x, c: (c * jax.nn.sigmoid(x),))


@jax.custom_jvp
def softplus_jvp(x):
    return jnp.log1p(jnp.exp(x))


softplus_jvp.defjvps(lambda t, y, x: t * jax.nn.sigmoid(x))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def applied(f, x):
    return f(x) * 2


applied.defvjp(lambda f, x: (applied(f, x), x), lambda f, x, c: (jax.vjp(f, x)[1](c * 2)[0],))


@jax.custom_gradient
def cubed(x):
    return x**3, lambda c: 3 * x**2 * c


@jax.custom_batching.custom_vmap
def batched_sine(x):
    return jnp.sin(x)


batched_sine.def_vmap(lambda size, batched, x: (jnp.sin(x), True))

program("custom_vjp", lambda x: softplus_vjp(x) * x, real(4))
program("custom_vjp_grad", jax.grad(lambda x: softplus_vjp(x).sum()), real(4))
program("custom_vjp_nondiff", lambda x: applied(jnp.sin, x), real(4))
program("custom_jvp", lambda x: softplus_jvp(x) * x, real(4))
program("custom_jvp_grad", jax.grad(lambda x: softplus_jvp(x).sum()), real(4))
program("custom_jvp_forward", lambda x, t: jax.jvp(softplus_jvp, (x,), (t,)), real(4), real(4))
program("custom_jvp_scan", lambda x: lax.scan(lambda c, y: (softplus_jvp(c) * y, c), 1.0, x), real(4))
program("custom_gradient", lambda x: cubed(x).sum(), real(4))
program("custom_vmap", lambda x: batched_sine(x) * 2, real(4))
program("custom_vmap_batched", jax.vmap(batched_sine), real(4, 2))
twice = lambda x: jnp.sin(jnp.sin(x) * x).sum()
program("checkpoint", jax.checkpoint(twice), real(4))
program("checkpoint_grad", jax.grad(jax.checkpoint(twice)), real(4))
program(
    "checkpoint_policy",
    jax.grad(
        lambda x, w: jax.checkpoint(
            lambda x, w: jnp.sin(jnp.tanh(x @ w)).sum(), policy=jax.checkpoint_policies.dots_saveable
        )(x, w)
    ),
    real(2, 3),
    real(3, 2),
)
program(
    "checkpoint_scan",
    jax.grad(lambda x: lax.scan(jax.checkpoint(lambda c, y: (jnp.sin(c) * y, c)), 1.0, x)[0]),
    real(4),
)
program("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[::-1] ** 2)), real(3))
program("jacobians", lambda x: (jax.jacfwd(jnp.cumprod)(x), jax.jacrev(jnp.cumprod)(x)), real(3))
program("stop_gradient", lambda x: x * lax.stop_gradient(jnp.sin(x)), real(3))
program("linear_transpose", lambda x: jax.linear_transpose(lambda y: jnp.cumsum(y) * 2, x)(x), real(4))
program("composite", lambda x: lax.composite(lambda x: jnp.sin(x) * x, "my.thing")(x), real(3))
program(
    "composite_attributes",
    lambda x, y: lax.composite(
        lambda x, y, *, scale, name, table: x * scale + y @ jnp.asarray(table), "my.affine", version=2
    )(x, y, scale=np.float32(2), name="two", table=np.eye(3, dtype=np.float32)),
    real(3),
    real(3),
)
program(
    "composite_nested",
    lambda x: lax.composite(lambda x: lax.composite(jnp.sin, "my.inner")(x) * 2, "my.outer")(
        lax.composite(jnp.cos, "my.inner")(x)
    ),
    real(3),
)
program("optimization_barrier", lambda x, y: lax.optimization_barrier((x * y, jnp.sin(y))), real(3), real(3))

# Products.

program("dot", lambda x, y: x @ y, real(3, 4), real(4, 2))
program(
    "dot_general",
    lambda x, y: lax.dot_general(x, y, (((0, 3), (2, 1)), ((2,), (0,)))),
    real(2, 3, 2, 4),
    real(2, 4, 2, 3),
)
program(
    "dot_preferred",
    lambda x, y: lax.dot(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), preferred_element_type=jnp.float32),
    real(3, 4),
    real(4, 2),
)
program(
    "dot_int8",
    lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
    ints(3, 4, low=-9, dtype=np.int8),
    ints(4, 2, low=-9, dtype=np.int8),
)
program("dot_int8_int32", lambda x, y: x @ y, ints(3, 4, dtype=np.int8), ints(4, 2, dtype=np.int32))
for precision in "high", "highest":
    program("dot_" + precision, functools.partial(lax.dot, precision=precision), real(3, 4), real(4, 2))
program("dot_two_precisions", lambda x, y: lax.dot(x, y, precision=("high", "highest")), real(3, 4), real(4, 2))
# The CPU has only some of the algorithms. The numbers of the others are those of products of 32 bits.
for preset in lax.DotAlgorithmPreset:
    if preset.name not in ("DEFAULT", "F64_F64_F64"):
        of = {"F16": jnp.float16, "BF16": jnp.bfloat16}.get(preset.name.split("_")[0], jnp.float32)
        of = jnp.float8_e4m3fn if "F8" in preset.name else jnp.float32 if "_X" in preset.name else of
        dot = lambda x, y, of=of, preset=preset: lax.dot(x.astype(of), y.astype(of), precision=preset).astype(x.dtype)
        wide = lambda x, y, of=of: x.astype(of).astype(x.dtype) @ y.astype(of).astype(x.dtype)
        if preset.name.startswith(("ANY_F8", "F16_F16_F32", "BF16_BF16_BF16", "TF32")) or preset.name.endswith("_X9"):
            program(
                "dot_" + preset.name.lower(),
                wide,
                real(3, 4),
                real(4, 2),
                platform="cuda",
                lower=lambda x, y, dot=dot: (dot, (x, y)),
            )
        else:
            program("dot_" + preset.name.lower(), dot, real(3, 4), real(4, 2))
sizes = lambda *n: lambda rng: rng.permutation(n).astype(np.int32)
program("ragged_dot", lax.ragged_dot, real(6, 3), real(3, 3, 2), sizes(1, 2, 3))
program("ragged_dot_short", lax.ragged_dot, real(6, 3), real(3, 3, 2), sizes(0, 1, 3))
program(
    "ragged_dot_contracted",
    lambda x, y, n: lax.ragged_dot_general(x, y, n, lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])),
    real(6, 2),
    real(6, 3),
    sizes(1, 2, 3),
)
program(
    "ragged_dot_batch",
    lambda x, y, n: lax.ragged_dot_general(
        x, y, n, lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), [0], [])
    ),
    real(4, 2, 3),
    real(4, 3, 2),
    sizes(1, 3),
)
program("einsum", lambda x, y, z: jnp.einsum("bij,bjk,kl->bil", x, y, z), real(2, 2, 3), real(2, 3, 2), real(2, 3))
program("einsum_trace", lambda x: jnp.einsum("ijij->j", x), real(2, 3, 2, 3))
program(
    "scaled_dot",
    lambda x, y, s, t: jax.nn.scaled_matmul(
        x.astype(jnp.float8_e4m3fn),
        y.astype(jnp.float8_e4m3fn),
        jnp.exp2(s).astype(jnp.float8_e8m0fnu),
        jnp.exp2(t).astype(jnp.float8_e8m0fnu),
    ),
    real(1, 2, 32),
    real(1, 2, 32),
    given(np.ones((1, 2, 1)), np.float32),
    given(np.zeros((1, 2, 1)), np.float32),
)

# Narrow types.

for name in (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3",
    "float8_e3m4",
    "float8_e4m3b11fnuz",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float4_e2m1fn",
    "bfloat16",
    "float16",
):
    program(name, lambda x, t=getattr(jnp, name): x.astype(t).astype(jnp.float32), real(8, low=-3, high=3))
for name in "float8_e4m3fn", "float8_e5m2", "bfloat16", "float16":
    program(
        name + "_arithmetic",
        lambda x, y, t=getattr(jnp, name): (
            lambda x, y: [z.astype(jnp.float32) for z in (x + y, x * y, x - y, jnp.maximum(x, y), -x, x / y)]
        )(x.astype(t), y.astype(t)),
        real(6, low=-2, high=2),
        real(6, low=2, high=3),
    )
    program(
        name + "_dot",
        lambda x, y, t=getattr(jnp, name): lax.dot(x.astype(t), y.astype(t), preferred_element_type=jnp.float32),
        real(3, 4),
        real(4, 2),
    )
program("float8_e8m0fnu", lambda x: x.astype(jnp.float8_e8m0fnu).astype(jnp.float32), real(8, low=0.3, high=5))
program(
    "bfloat16_functions",
    lambda x: [
        f(x.astype(jnp.bfloat16)).astype(jnp.float32)
        for f in (jnp.sin, jnp.exp, jnp.tanh, jax.nn.gelu, jnp.sum, jnp.cumsum)
    ],
    real(6),
)
for name, low, high in ("int4", -8, 8), ("uint4", 0, 16), ("int2", -2, 2), ("uint2", 0, 4):
    program(
        name, lambda x, t=getattr(jnp, name): x.astype(t).astype(jnp.int8), ints(8, low=low, high=high, dtype=np.int8)
    )
    program(
        name + "_arithmetic",
        lambda x, y, t=getattr(jnp, name): (
            lambda x, y: [z.astype(jnp.int8) for z in (x + y, x * y, x - y, jnp.maximum(x, y), x & y)]
        )(x.astype(t), y.astype(t)),
        ints(8, low=low, high=high, dtype=np.int8),
        ints(8, low=low, high=high, dtype=np.int8),
    )
program(
    "int4_weights",
    lambda x, w, s: x @ (w.astype(jnp.int4).astype(jnp.float32) * s),
    real(2, 4),
    ints(4, 3, low=-8, high=8, dtype=np.int8),
    real(3, low=0.1, high=0.3),
)
program(
    "integers",
    lambda x, y: (
        x // y,
        x % y,
        lax.rem(x, y),
        x << 2,
        x >> 1,
        lax.shift_right_logical(x, 1),
        ~x,
        x ^ y,
        lax.population_count(x),
        lax.clz(x),
        jnp.sign(x),
        abs(x),
        x**2,
    ),
    ints(6, low=-20, high=20),
    ints(6, low=1, high=9),
)
program(
    "integers_unsigned",
    lambda x, y: (x - y, x // y, x > y, lax.mulhi(x, y), x.astype(jnp.float32)),
    ints(6, high=2**32, dtype=np.uint32),
    ints(6, low=1, high=9, dtype=np.uint32),
)
program(
    "integers_small",
    lambda x, y: (x + y, x * y, x.astype(jnp.int16) * y, x.astype(jnp.uint8)),
    ints(6, low=-128, high=128, dtype=np.int8),
    ints(6, low=-128, high=128, dtype=np.int8),
)
program(
    "booleans",
    lambda x, y: (x & y, x | ~y, x ^ y, x.sum(), x.all(), y.any(), jnp.where(x, 1.0, 2.0), x.astype(int)),
    flags(6),
    flags(6),
)
program(
    "bitcast",
    lambda x, n: (
        lax.bitcast_convert_type(x, jnp.uint32),
        lax.bitcast_convert_type(x, jnp.uint8),
        lax.bitcast_convert_type(n, jnp.float32),
    ),
    real(3),
    ints(3, high=2**30),
)
program("reduce_precision", lambda x: lax.reduce_precision(x, 5, 4), real(6))
program(
    "complex",
    lambda x, y: (x * y, x / y, jnp.exp(x), jnp.sin(y), jnp.conj(x), x.real + y.imag, abs(x), jnp.angle(y)),
    cplx(4, low=0.2),
    cplx(4, low=0.5, high=2),
)
program(
    "complex_functions",
    lambda x: (jnp.sqrt(x), jnp.log(x), jnp.tanh(x), x**2, jnp.cosh(x), lax.rsqrt(x), jnp.log1p(x), jnp.expm1(x)),
    cplx(4, low=0.2),
)
program("complex_of", lambda x, y: lax.complex(jnp.sin(x), y * x), real(4), real(4))
program("complex_matmul", lambda x, y: x @ y.conj().T, cplx(2, 3), cplx(2, 3))

# Functions of numbers.

special = lambda name, f, *args: program("f_" + name, f, *args)
special("erf", lambda x: (lax.erf(x), lax.erfc(x), lax.erf_inv(x)), real(6, low=-0.9, high=0.9))
special("lgamma", lambda x: (lax.lgamma(x), lax.digamma(x)), given([-2.6, -1.3, -0.5, 0.7, 1.2, 3.4], np.float32))
special("bessel", lambda x: (lax.bessel_i0e(x), lax.bessel_i1e(x), jax.scipy.special.i0(x)), real(6, low=-3, high=3))
special("polygamma", lambda x: lax.polygamma(jnp.ones_like(x), x), real(4, low=1, high=3))
special("zeta", lambda x: lax.zeta(x, jnp.full_like(x, 1.5)), real(4, low=2, high=4))
special("igamma", lambda x: lax.igamma(jnp.full_like(x, 1.5), x), real(4, low=0.5, high=2))
special(
    "trigonometry",
    lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x)),
    real(4, low=-0.9, high=0.9),
)
special(
    "hyperbolic",
    lambda x: (jnp.sinh(x), jnp.cosh(x), jnp.tanh(x), jnp.arcsinh(x), jnp.arccosh(x + 2), jnp.arctanh(x)),
    real(4, low=-0.9, high=0.9),
)
special(
    "powers",
    lambda x, y: (x**y, x**3, x**-2, jnp.sqrt(x), lax.rsqrt(x), jnp.cbrt(x), jnp.exp2(y), jnp.log2(x)),
    real(4, low=0.5, high=2),
    real(4),
)
special(
    "exponentials",
    lambda x: (jnp.exp(x), jnp.expm1(x), jnp.log1p(x), jax.nn.sigmoid(x), jnp.logaddexp(x, 2 * x)),
    real(4, low=-0.9, high=0.9),
)
special(
    "rounding",
    lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.trunc(x), jnp.sign(x), x % 1.5),
    real(6, low=-3.3, high=3.3),
)
special("nextafter", lambda x, y: lax.nextafter(x, y) * x, real(4), real(4, low=2, high=3))
special(
    "two",
    lambda x, y: (jnp.arctan2(x, y), jnp.hypot(x, y), lax.rem(x, y), jnp.maximum(x, y)),
    real(4),
    real(4, low=2, high=3),
)
special(
    "comparisons",
    lambda x, y: (x < y, x >= y, x == y, jnp.isfinite(x), jnp.isnan(y / 0), lax.select(x < y, x, y)),
    real(4),
    real(4, low=-0.7, high=1.5),
)
special("clamp", lambda x, y: (lax.clamp(-0.5, x, 0.5), jnp.clip(x, -0.3, y)), real(6), real(6, low=0.4, high=0.7))
special(
    "activations",
    lambda x: (
        jax.nn.relu(x),
        jax.nn.gelu(x),
        jax.nn.gelu(x, approximate=False),
        jax.nn.silu(x),
        jax.nn.elu(x),
        jax.nn.softplus(x),
        jax.nn.leaky_relu(x),
        jax.nn.selu(x),
    ),
    real(4),
)
if hasattr(lax, "one_minus_square"):
    special("one_minus_square", lax.one_minus_square, real(4))
else:
    print("f_one_minus_square: this version has no lax.one_minus_square")
if hasattr(lax, "polynomial"):
    special("polynomial", lambda x: lax.polynomial(x, (1.0, -2.0, 0.5)), real(4))
else:
    print("f_polynomial: this version has no lax.polynomial")

# Linear algebra.

la = jnp.linalg
program("svd", lambda x: la.svd(x, full_matrices=False), well_conditioned(4, 3))
program("svd_values", lambda x: la.svd(x, compute_uv=False), well_conditioned(4, 3))
program(
    "svd_function",
    lambda x: (lambda u, s, v: (u * jnp.sqrt(s)) @ v)(*la.svd(x, full_matrices=False)),
    well_conditioned(4, 3),
)
program("qr", la.qr, well_conditioned(4, 3))
program("qr_full", lambda x: la.qr(x, mode="complete"), well_conditioned(4, 3))
program("qr_pivoted", lambda x: jax.scipy.linalg.qr(x, pivoting=True), well_conditioned(3, 3))
program("cholesky", la.cholesky, positive_definite(4))
program("eigh", la.eigh, symmetric(4))
program("eigh_function", lambda x: (lambda w, v: (v * jnp.sin(w)) @ v.T)(*la.eigh(x)), symmetric(4))
program("eig", la.eig, well_conditioned(3, 3))
program("lu", jax.scipy.linalg.lu_factor, well_conditioned(4, 4))
for left, lower, transposed in (True, True, False), (False, False, False), (True, False, True), (False, True, True):
    name = ("left" if left else "right") + ("_lower" if lower else "_upper") + ("_transposed" if transposed else "")
    program(
        "triangular_solve_" + name,
        functools.partial(lax.linalg.triangular_solve, left_side=left, lower=lower, transpose_a=transposed),
        well_conditioned(3, 3),
        real(3, 3),
    )
program(
    "triangular_solve_unit",
    functools.partial(lax.linalg.triangular_solve, left_side=True, unit_diagonal=True),
    real(3, 3),
    real(3, 2),
)
program(
    "triangular_solve_complex",
    functools.partial(lax.linalg.triangular_solve, left_side=True, lower=True, conjugate_a=True, transpose_a=True),
    cplx(3, 3, low=0.5, high=2),
    cplx(3, 1),
)
program("solve", la.solve, well_conditioned(4, 4), real(4, 2))
program("inverse", la.inv, well_conditioned(3, 3))
program("determinant", lambda x: (la.det(x), la.slogdet(x)), well_conditioned(4, 4))
program("expm", jax.scipy.linalg.expm, real(3, 3))
program("tridiagonal_solve", lax.linalg.tridiagonal_solve, real(4), real(4, low=3, high=4), real(4), real(4, 2))
program("householder", lax.linalg.householder_product, real(4, 2), real(2))
program("schur", lax.linalg.schur, symmetric(3))
program("cg", lambda a, b: jax.scipy.sparse.linalg.cg(lambda x: a @ x, b)[0], positive_definite(3), real(3))
program(
    "custom_linear_solve",
    lambda a, b: lax.custom_linear_solve(lambda x: a @ x, b, lambda mv, b: la.solve(a, b), symmetric=True),
    positive_definite(3),
    real(3),
)
program(
    "custom_root",
    lambda a: lax.custom_root(
        lambda x: x**3 - a,
        jnp.ones_like(a),
        lambda f, x: lax.fori_loop(0, 20, lambda _, x: x - f(x) / (3 * x**2), x),
        lambda g, y: y / g(1.0),
    ),
    real(low=1, high=3),
)

# Transforms, sorts, sums and windows.

program("fft", jnp.fft.fft, cplx(8))
program("ifft", jnp.fft.ifft, cplx(2, 4))
program("rfft", jnp.fft.rfft, real(8))
program("irfft", jnp.fft.irfft, cplx(5))
program("irfft_odd", lambda x: jnp.fft.irfft(x, 7), cplx(4))
program("fft2", jnp.fft.fft2, cplx(3, 4))
program("rfftn", lambda x: abs(jnp.fft.rfftn(x)) ** 2, real(2, 3, 4))
program("sort", jnp.sort, real(3, 4))
program("sort_descending", lambda x: (jnp.sort(x, descending=True), jnp.argsort(x, axis=0)), real(3, 4))
program("sort_several", lambda x, y, n: lax.sort((x, y, n), num_keys=1), real(6), real(6), ints(6))
program("sort_two_keys", lambda n, x, y: lax.sort((n, x, y), num_keys=2), ints(8, high=3), real(8), real(8))
program("sort_unstable", lambda x, y: lax.sort((x, y), dimension=0, is_stable=False), real(4, 2), real(4, 2))
program("sort_complex", lambda x: jnp.sort(x), cplx(5))
program("top_k", lambda x: lax.top_k(x, 3), real(2, 6))
program("approx_max_k", lambda x: lax.approx_max_k(x, 2), real(8))
program("argmax", lambda x: (jnp.argmax(x), jnp.argmax(x, 1), jnp.argmin(x, 0)), real(3, 4))
program("searchsorted", lambda x, y: jnp.searchsorted(jnp.sort(x), y), real(6), real(4, low=-0.7, high=1.3))
program("cumsum", lambda x: (jnp.cumsum(x, 0), lax.cumsum(x, 1, reverse=True)), real(3, 4))
program("cumprod", lambda x: (jnp.cumprod(x, 0), lax.cumprod(x, 1, reverse=True)), real(3, 4))
program("cummax", lambda x: (lax.cummax(x), lax.cummin(x, 1), lax.cummax(x, reverse=True)), real(3, 4))
program("cumlogsumexp", lambda x: (lax.cumlogsumexp(x), lax.cumlogsumexp(x, 1, reverse=True)), real(3, 4))
program("cumsum_int", jnp.cumsum, ints(6))
program("reductions", lambda x: (x.sum(0), x.prod(1), x.max(0), x.min(), x.mean(), x.var(1), x.std()), real(3, 4))
program("reduce_own", lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b + a + b, (1,)), real(2, 3))
program(
    "reduce_pair",
    lambda x, n: lax.reduce(
        (x, n),
        (np.float32(-9), np.int32(0)),
        lambda a, b: tuple(jnp.where(a[0] > b[0], u, v) for u, v in zip(a, b)),
        (0,),
    ),
    real(5),
    ints(5),
)
program("logsumexp", lambda x: (jax.nn.logsumexp(x, 1), jax.nn.softmax(x, 0), jax.nn.log_softmax(x)), real(3, 4))
window = functools.partial(lax.reduce_window, window_dimensions=(1, 2, 2, 1), window_strides=(1, 2, 1, 1))
program("pool_max", lambda x: window(x, -jnp.inf, lax.max, padding="VALID"), real(1, 4, 4, 2))
program("pool_max_same", lambda x: window(x, -jnp.inf, lax.max, padding="SAME"), real(1, 3, 3, 2))
program(
    "pool_max_grad", jax.grad(lambda x: (window(x, -jnp.inf, lax.max, padding="VALID") ** 2).sum()), real(1, 4, 4, 1)
)
program("pool_min", lambda x: window(x, jnp.inf, lax.min, padding="VALID"), real(1, 4, 4, 1))
program("pool_average", lambda x: window(x * x, 0.0, lax.add, padding="SAME") / 4, real(1, 4, 4, 2))
program("pool_dilated", lambda x: lax.reduce_window(x, 0.0, lax.add, (3,), (1,), ((1, 2),), (2,), (2,)), real(5))
program("pool_own", lambda x: lax.reduce_window(x, np.float32(0), lambda a, b: a + b * b, (2,), (1,), "VALID"), real(5))
program("pool_int", lambda x: lax.reduce_window(x, 0, lax.add, (3,), (2,), "SAME"), ints(7))

# Indexing.

program("gather", lambda x, i: x[i], real(5, 2), ints(3, high=5))
program("gather_two", lambda x, i, j: (x[i, j], x[:, j], x[i][:, j]), real(4, 3), ints(2, high=4), ints(2, high=3))
program("gather_negative", lambda x, i: x[i], real(5), ints(3, low=-5, high=0))
for mode in "clip", "fill", "promise_in_bounds":
    program(
        "gather_" + mode,
        lambda x, i, mode=mode: x.at[i].get(mode=mode),
        real(5, 2),
        ints(4, low=0, high=5 if "promise" in mode else 8),
    )
program(
    "gather_raw",
    lambda x, i: lax.gather(
        x,
        i,
        lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(0, 1)),
        (2, 2),
        mode="clip",
    ),
    real(4, 5),
    ints(3, 2, high=3),
)
program("gather_mask", lambda x, m: jnp.where(m, x, 0).sum(), real(6), flags(6))
program("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), real(3, 4), ints(3, 2, high=4))
program("gather_batched", jax.vmap(lambda x, i: x[i]), real(3, 4), ints(3, 2, high=4))
for op in "set", "add", "multiply", "min", "max":
    program(
        "scatter_" + op,
        lambda x, i, y, op=op: getattr(x.at[i], op)(y, unique_indices=True),
        real(5, 2),
        unlike(3, 5),
        real(3, 2, low=-0.9, high=1.2),
    )
program("scatter_add_same", lambda x, i, y: x.at[i].add(y), real(5), ints(6, high=4), real(6))
program("scatter_drop", lambda x, i, y: x.at[i].set(y, mode="drop"), real(5), unlike(3, 8), real(3))
program("scatter_clip", lambda x, i, y: x.at[i].add(y, mode="clip"), real(5), ints(3, low=0, high=9), real(3))
program(
    "scatter_sorted",
    lambda x, y: x.at[jnp.array([0, 2, 3])].set(y, indices_are_sorted=True, unique_indices=True),
    real(5),
    real(3),
)
program("scatter_window", lambda x, y: x.at[1:4, ::2].add(y), real(5, 4), real(3, 2))
program("scatter_points", lambda x, i, j, y: x.at[i, j].set(y), real(4, 3), unlike(3, 4), ints(3, high=3), real(3))
program("scatter_batched", jax.vmap(lambda x, i, y: x.at[i].add(y)), real(2, 4), ints(2, 3, high=4), real(2, 3))
program("segment_sum", lambda x, s: jax.ops.segment_sum(x, s, 3), real(6), ints(6, high=3))
program(
    "segment_max",
    lambda x, s: (jax.ops.segment_max(x, s, 3), jax.ops.segment_min(x, s, 3)),
    real(6),
    given([0, 1, 0, 2, 2, 1], np.int32),
)
program("one_hot", lambda n, w: jax.nn.one_hot(n, 4) @ w, ints(3, high=4), real(4, 2))
program("dynamic_slice", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)), real(4, 5), ints(high=3), ints(high=6))
program(
    "dynamic_update_slice", lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 1)), real(4, 3), real(2, 2), ints(high=5)
)
program(
    "dynamic_index",
    lambda x, y, i: (lax.dynamic_index_in_dim(x, i, 1), lax.dynamic_update_index_in_dim(x, y, i, 0)),
    real(3, 3),
    real(3),
    ints(high=3),
)
program("slices", lambda x: (x[1:3, ::2], x[::-1], lax.slice(x, (0, 1), (4, 5), (2, 3)), x[None, ..., 0]), real(4, 5))
program("pad", lambda x, v: (lax.pad(x, v, ((1, 2, 1), (-1, 0, 0))), jnp.pad(x, 1, mode="reflect")), real(3, 3), real())
program(
    "concatenate",
    lambda x, y: (jnp.concatenate([x, y]), jnp.stack([x, y[:2]], 1), jnp.split(y, [1], 0)),
    real(2, 2),
    real(3, 2),
)

# Convolutions and images.

conv = functools.partial(lax.conv_general_dilated, window_strides=(1, 1), padding="SAME")
program("conv", lambda x, w: lax.conv(x, w, (1, 1), "VALID"), real(1, 2, 4, 4), real(2, 2, 2, 2))
program(
    "conv_strided",
    lambda x, w: lax.conv_general_dilated(x, w, (2, 1), ((1, 0), (1, 2)), dimension_numbers=("NHWC", "HWIO", "NHWC")),
    real(1, 4, 4, 2),
    real(3, 2, 2, 2),
)
program("conv_grouped", lambda x, w: conv(x, w, feature_group_count=2), real(1, 4, 3, 3), real(2, 2, 2, 2))
program("conv_depthwise", lambda x, w: conv(x, w, feature_group_count=3), real(1, 3, 3, 3), real(3, 1, 2, 2))
program("conv_batch_groups", lambda x, w: conv(x, w, batch_group_count=2), real(2, 2, 3, 3), real(2, 2, 2, 2))
program("conv_dilated", lambda x, w: conv(x, w, rhs_dilation=(2, 1)), real(1, 1, 5, 4), real(2, 1, 2, 2))
program(
    "conv_lhs_dilated",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (0, 2)), lhs_dilation=(2, 2)),
    real(1, 2, 3, 3),
    real(2, 2, 2, 2),
)
program(
    "conv_negative_padding", lambda x, w: lax.conv_general_dilated(x, w, (1,), ((-1, 2),)), real(1, 2, 6), real(2, 2, 3)
)
program("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), real(1, 2, 2, 2), real(3, 3, 2, 2))
program(
    "conv_transpose_kernel",
    lambda x, w: lax.conv_transpose(x, w, (2,), "VALID", transpose_kernel=True),
    real(1, 3, 2),
    real(3, 2, 2),
)
program(
    "conv_three",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), "VALID"),
    real(1, 1, 2, 3, 3),
    real(1, 1, 2, 2, 2),
)
program(
    "conv_int",
    lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", preferred_element_type=jnp.int32),
    ints(1, 1, 5, dtype=np.int8),
    ints(1, 1, 2, dtype=np.int8),
)
program("conv_grad", jax.grad(lambda w, x: (conv(x, w) ** 2).sum()), real(2, 1, 2, 2), real(1, 1, 3, 3))
for method in "nearest", "linear", "cubic":
    program("resize_" + method, lambda x, method=method: jax.image.resize(x, (5, 3), method), real(3, 4))

# Random numbers.

draw = lambda f, **more: lambda seed: f(jax.random.key(seed, **more))
seed = ints(high=1000)
program("random_uniform", draw(lambda k: jax.random.uniform(k, (5,))), seed)
program("random_normal", draw(lambda k: jax.random.normal(k, (5,))), seed)
program("random_bits", draw(lambda k: (jax.random.bits(k, (3,)), jax.random.bits(k, (3,), "uint8"))), seed)
program("random_randint", draw(lambda k: jax.random.randint(k, (4,), -5, 5)), seed)
program("random_keys", draw(lambda k: jax.random.key_data(jax.random.fold_in(jax.random.split(k, 3)[1], 7))), seed)
program("random_raw_key", lambda k: jax.random.uniform(k, (3,)), ints(2, high=2**32, dtype=np.uint32))
program("random_rbg", draw(lambda k: jax.random.uniform(k, (4,)), impl="rbg"), seed)
program("random_unsafe_rbg", draw(lambda k: jax.random.normal(jax.random.split(k)[0], (4,)), impl="unsafe_rbg"), seed)
for algorithm in "RNG_THREE_FRY", "RNG_PHILOX", "RNG_DEFAULT":
    program(
        algorithm.lower(),
        lambda k, algorithm=algorithm: lax.rng_bit_generator(
            k, (3, 2), algorithm=getattr(lax.RandomAlgorithm, algorithm)
        ),
        ints(4, high=2**32, dtype=np.uint32),
    )
program(
    "rng_bit_generator_uint8", lambda k: lax.rng_bit_generator(k, (5,), np.uint8), ints(4, high=2**32, dtype=np.uint32)
)

# Control flow.

program("scan", lambda c, x: lax.scan(lambda c, y: (jnp.sin(c) + y, c * y), c, x), real(2), real(4, 2))
program("scan_reverse", lambda c, x: lax.scan(lambda c, y: (c * y + 1, c), c, x, reverse=True), real(), real(4))
program("scan_unrolled", lambda c, x: lax.scan(lambda c, y: (jnp.tanh(c + y), c), c, x, unroll=2), real(), real(5))
program(
    "scan_tree",
    lambda c, x: lax.scan(lambda c, y: ({"a": c["a"] + y[0], "n": c["n"] + 1}, (c["a"] * y[1], c["n"])), c, x),
    {"a": real(2), "n": ints()},
    (real(3, 2), real(3)),
)
program(
    "scan_nested", lambda x: lax.scan(lambda c, y: lax.scan(lambda c, z: (jnp.sin(c) * z, c), c, y), 1.0, x), real(2, 3)
)
program("scan_grad", jax.grad(lambda x: lax.scan(lambda c, y: (jnp.sin(c * y), None), 1.0, x)[0]), real(4))
program(
    "while_loop", lambda x: lax.while_loop(lambda c: c.sum() < 10, lambda c: c * c + 0.1, x), real(3, low=1.1, high=2)
)
program(
    "while_loop_tuple",
    lambda n, x: lax.while_loop(lambda c: c[0] > 0, lambda c: (c[0] - 1, jnp.sin(c[1]) + c[2], c[2] * 0.5), (n, x, x)),
    ints(low=1, high=5),
    real(2),
)
program("fori_loop", lambda x: lax.fori_loop(0, 4, lambda i, c: c * x + i, x), real(2))
program(
    "fori_loop_dynamic",
    lambda n, x: lax.fori_loop(0, n, lambda i, c: jnp.cos(c) * (i + 1), x),
    ints(low=1, high=5),
    real(2),
)
program("cond", lambda p, x: lax.cond(p, jnp.sin, lambda x: x * x, x), flags(), real(3))
program(
    "cond_tree",
    lambda x, y: lax.cond(
        x.sum() > 0, lambda o: {"a": o[0], "b": o[1] * 2}, lambda o: {"a": o[1], "b": jnp.cos(o[0])}, (x, y)
    ),
    real(3, low=-0.5),
    real(3),
)
program("switch", lambda n, x: lax.switch(n, [jnp.sin, jnp.cos, lambda x: x**3], x), ints(low=-1, high=4), real(3))
program(
    "cond_in_scan",
    lambda x: lax.scan(lambda c, y: (lax.cond(y > 0, lambda c: c * y, lambda c: c + y, c), c), 1.0, x),
    real(5),
)
program("map", lambda x: lax.map(lambda y: jnp.sin(y) * y.sum(), x), real(3, 2))
program("associative_scan", lambda x: lax.associative_scan(jnp.multiply, x), real(7))
program("associative_scan_matrices", lambda x: lax.associative_scan(jnp.matmul, x, reverse=True), real(4, 2, 2))
program(
    "associative_scan_pair",
    lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b)),
    real(5),
    real(5),
)
program("vmap", jax.vmap(lambda x, y: x @ y, in_axes=(0, None)), real(3, 2, 2), real(2))
program(
    "vmap_axis_name", jax.vmap(lambda x: x / lax.psum(x, "b") + lax.axis_index("b"), axis_name="b"), real(3, 2, low=0.5)
)
program(
    "vmap_collectives",
    jax.vmap(
        lambda x: (lax.all_gather(x, "b"), lax.ppermute(x, "b", [(0, 1), (1, 0), (2, 2)]), lax.pmean(x, "b")),
        axis_name="b",
    ),
    real(3, 2),
)
program(
    "platform_dependent",
    lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x + 2, default=jnp.sin),
    real(3),
)

# Models.

norm = lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
program("layer_norm", lambda x, g, b: norm(x) * g + b, real(3, 4), real(4), real(4))
program(
    "attention",
    lambda q, k, v: jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((4, 4), bool)), q @ k.T, -1e9)) @ v,
    real(4, 3),
    real(4, 3),
    real(4, 3),
)
program(
    "attention_nn",
    lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
    real(1, 3, 2, 4),
    real(1, 3, 2, 4),
    real(1, 3, 2, 4),
)
program(
    "rotary",
    lambda x: (lambda a, b, t: jnp.concatenate([a * jnp.cos(t) - b * jnp.sin(t), a * jnp.sin(t) + b * jnp.cos(t)], -1))(
        x[:, :2], x[:, 2:], jnp.arange(3.0)[:, None] * jnp.array([1.0, 0.1])
    ),
    real(3, 4),
)
program(
    "lstm",
    lambda w, h, x: lax.scan(
        lambda s, y: (
            lambda i, f, o, g: (lambda c: ((jax.nn.sigmoid(o) * jnp.tanh(c), c), c))(
                jax.nn.sigmoid(f) * s[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
            )
        )(*jnp.split(w @ jnp.concatenate([y, s[0]]), 4)),
        (h, h),
        x,
    ),
    real(8, 4),
    real(2),
    real(3, 2),
)


def loss(p, x, y):
    h = jax.nn.gelu(x @ p["w1"] + p["b1"])
    return -jnp.mean(jax.nn.log_softmax(h @ p["w2"])[jnp.arange(4), y])


def step(p, x, y):
    value, grads = jax.value_and_grad(loss)(p, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, grads), value


model = {"b1": real(4), "w1": real(3, 4), "w2": real(4, 3)}
program("train", step, model, real(4, 3), ints(4, high=3))
program(
    "train_shard_map",
    mapped(lambda p, x, y: jax.value_and_grad(lambda p: lax.pmean(loss_of_one(p, x, y), "i"))(p), (P(), I, I), P()),
    model,
    real(4, 3),
    ints(4, high=3),
)
program(
    "train_auto",
    step,
    model,
    real(4, 3),
    ints(4, high=3),
    jit=dict(
        in_shardings=({"b1": named("b"), "w1": named(None, "b"), "w2": named("b", None)}, named("a", None), named("a"))
    ),
)
loss_of_one = lambda p, x, y: -jnp.mean(
    jnp.take_along_axis(jax.nn.log_softmax(jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"]), y[:, None], 1)
)

# Forms of modules.

program("donated", lambda x, y: (x + y, y * 2), real(4), real(4), jit=dict(donate_argnums=(0,)))
program("donated_swapped", lambda x, y: (y * 2, x + 1), real(4), real(3), jit=dict(donate_argnums=(0, 1)))
program("unused", lambda x, unused, y: x * y, real(3), real(2), real(3))
program("unused_kept", lambda x, unused, y: x * y, real(3), real(2), real(3), jit=dict(keep_unused=True))
program("results_again", lambda x, y: (x, y, x, jnp.float32(2), x + y), real(3), real(3))
program("no_arguments", lambda: jnp.arange(6).reshape(2, 3) * 2)
program("no_results", lambda x: (), real(3), jit=dict(keep_unused=True))
program("empty", lambda x, y: (jnp.concatenate([x, y]), x.sum(), x @ jnp.ones((3, 0))), real(0, 3), real(2, 3))
program("scalars", lambda x, n, p: (x * n, n + 1, p), real(), ints(), flags())
program("functions", lambda x: (lambda f: f(f(x)) + jax.jit(lambda x: f(x) * 2)(x))(jax.jit(jnp.sin)), real(3))
program("functions_inlined", lambda x: jax.jit(jnp.sin, inline=True)(x) * 2, real(3))
program("named_scope", lambda x: jax.named_scope("outer")(jax.named_call(jnp.sin, name="inner"))(x), real(3))
program(
    "constants",
    lambda x: x + np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4) + jnp.asarray([1, 2, 3, 4]),
    real(4),
)
program(
    "constants_special",
    lambda x: (x * jnp.nan, jnp.full(2, jnp.inf), jnp.float32(-0.0), jnp.finfo(np.float32).tiny),
    real(2),
)
program("tokens", lambda x: (lambda t: x * 2)(lax.after_all(lax.create_token(x))), real(3))
program(
    "tree", lambda x, y: {"b": [x["p"] * 2, (y,)], "a": x["q"][1] + y}, {"p": real(2), "q": [real(3), real(3)]}, real(3)
)
layers = {
    f"layer{i}": {"bias": real(2), "inner": {"kernel": real(2, 2), "scale": real(2)}, "list": [real()]}
    for i in range(10)
}


def many(p, x):
    for layer in p.values():
        x = jnp.tanh(x @ layer["inner"]["kernel"] * layer["inner"]["scale"] + layer["bias"]) * layer["list"][0] + x
    return x


def host_memory(x):
    return (
        jax.device_put(
            jax.device_put(jnp.sin(x), jax.memory.Space.Host) if hasattr(jax.memory, "Space") else x,
            jax.memory.Space.Device,
        )
        * 2
    )


program("host_memory", host_memory, real(3))

# Exports.


def exported(name, f, *args, **options):
    """Options are those of the program, and platforms, vjp, checks and symbols of the export."""
    exports = {k: options.pop(k) for k in ("platforms", "vjp", "checks", "symbols") if k in options}
    program("export_" + name, f, *args, exports=exports, **options)


exported("plain", lambda x, y: jnp.sin(x) @ y, real(2, 3), real(3))
exported("unused", lambda x, unused, y: x * y, real(3), real(2), real(3))
exported("unused_kept", lambda x, unused, y: x * y, real(3), real(2), real(3), jit=dict(keep_unused=True))
exported("platforms", lambda x: jnp.sin(x) * 2, real(3), platforms=("cpu", "cuda", "tpu"))
exported(
    "platform_dependent",
    lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x + 2, tpu=jnp.sin),
    real(3),
    platforms=("tpu", "cpu", "cuda"),
)
exported("tree", lambda p, x: {"y": x @ p["w"] + p["b"][0], "x": (x, None)}, {"w": real(3, 2), "b": [real(2)]}, real(3))
exported("many", many, layers, real(2))
exported(
    "types",
    lambda *xs: xs,
    flags(2),
    ints(2, dtype=np.int8),
    ints(2, dtype=np.uint16),
    cplx(2),
    real(2),
    real(2, dtype=np.float16),
)
exported("train_vjp", loss, model, real(4, 3), ints(4, high=3), vjp=1)
exported("vjp1", lambda x, y: jnp.sin(x) * y, real(3), real(3), vjp=1)
exported("vjp2", lambda x, y: jnp.sin(x) * y**3, real(3), real(3), vjp=2)
exported("vjp_int", lambda x, n: (x * n, n + 1), real(3), ints(3), vjp=1)
exported("vjp_custom", lambda x: softplus_vjp(x) * x, real(3), vjp=1)
exported("vjp_platforms", lambda x: jnp.tanh(x) * x, real(3), vjp=1, platforms=("cpu", "cuda"))
exported("symbol", lambda x: jnp.sin(x).sum(0) * x.shape[0], real(3, 2), symbols=("b, 2",))
exported("symbols", lambda x, y: x @ y / y.shape[0], real(2, 3), real(3, 4), symbols=("b, n", "n, 4"))
exported(
    "symbols_bounds",
    lambda x, y: jnp.reshape(x, (-1, 2)).sum(0) + y.sum(),
    real(6, 1),
    real(3),
    symbols=(("b >= 2", "b <= 100"), "2*b, 1", "b"),
)
exported(
    "symbols_of_two",
    lambda x, y: jnp.concatenate([x, y])[: x.shape[0]] * 2,
    real(2),
    real(4),
    symbols=(("m >= n",), "n", "m"),
)
exported("symbols_divided", lambda x: x.reshape(x.shape[0] // 2, 2).sum(1), real(6), symbols=(("mod(b, 2) == 0",), "b"))
exported("symbol_scan", lambda x: lax.scan(lambda c, y: (c + y, c * y), 0.0, x), real(4), symbols=("b",))
exported(
    "symbol_loop", lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: jnp.sin(c) + x[i], 0.0), real(4), symbols=("b",)
)
exported(
    "symbol_attention",
    lambda q, k, v: jax.nn.softmax(q @ k.T) @ v,
    real(2, 3),
    real(4, 3),
    real(4, 2),
    symbols=("q, 3", "k, 3", "k, 2"),
)
exported("symbol_vjp", lambda x: (jnp.sin(x) * x.shape[0]).sum(), real(3), symbols=("b",), vjp=1)
exported("symbol_platforms", lambda x: jnp.tanh(x).mean(0), real(3, 2), symbols=("b, 2",), platforms=("cpu", "tpu"))
exported("symbol_sort", lambda x: (jnp.sort(x), jnp.cumsum(x), jnp.argmax(x)), real(5), symbols=("b",))
exported("symbol_pad", lambda x: (jnp.pad(x, (1, 2)), x[::-1], jnp.arange(x.shape[0])), real(4), symbols=("b",))
exported(
    "symbol_dynamic_slice",
    lambda x, i: lax.dynamic_slice(x, (i,), (2,)),
    real(5),
    given(2, np.int32),
    symbols=(("b >= 2",), "b", ""),
)
exported(
    "shardings",
    lambda x, w: jnp.tanh(x @ w),
    real(4, 2),
    real(2, 4),
    jit=dict(in_shardings=(named("a", None), named(None, "b")), out_shardings=named("a", "b")),
)
exported(
    "sharding_constraint",
    lambda x: lax.with_sharding_constraint(jnp.sin(x), named("b", "a")) * 2,
    real(4, 4),
    jit=dict(in_shardings=named("a", "b")),
)
exported("sharding_vjp", lambda x: jnp.sin(x) * x, real(8), jit=dict(in_shardings=named("i", mesh=AUTO4)), vjp=1)
exported(
    "explicit",
    lambda x, w: jnp.tanh(x @ w),
    real(4, 2),
    real(2, 4),
    mesh=EXPLICIT22,
    specs=[P("a", None), P(None, "b")],
)
exported(
    "shard_map_psum",
    mapped(lambda x: lax.psum(jnp.sin(x), "i"), I, P()),
    real(8, 2),
    jit=dict(in_shardings=named("i", mesh=AUTO4)),
)
exported(
    "shard_map_many",
    mapped(lambda x: lax.ppermute(lax.all_gather(x, "i", tiled=True), "i", ring), I, I),
    real(4),
    jit=dict(in_shardings=named("i", mesh=AUTO4)),
)
exported(
    "shard_map_vjp",
    mapped(lambda x: lax.psum(jnp.sin(x), "i"), I, P()),
    real(8),
    jit=dict(in_shardings=named("i", mesh=AUTO4)),
    vjp=1,
)
exported(
    "shard_map_partly",
    mapped(lambda x: x * (1 + lax.axis_index("a")), P("a", None), P("a", None), AUTO22, axis_names={"a"}),
    real(4, 4),
    jit=dict(in_shardings=named("a", "b")),
)
exported("scan", lambda c, x: lax.scan(lambda c, y: (jnp.sin(c) + y, c * y), c, x), real(2), real(3, 2))
exported("ref", ref_loop, real(4))
exported("linear_algebra", lambda x: (la.cholesky(x), la.eigvalsh(x)), positive_definite(3))
exported("svd", lambda x: la.svd(x, compute_uv=False), well_conditioned(3, 3))
exported("composite", lambda x: lax.composite(lambda x: jnp.sin(x) * x, "my.thing")(x), real(3))
exported("float8", lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), real(6, low=-3, high=3))
exported(
    "int4", lambda x: (x.astype(jnp.int4) + x.astype(jnp.int4)).astype(jnp.int8), ints(6, low=-8, high=8, dtype=np.int8)
)
exported("donated", lambda x, y: x + y, real(3), real(3), jit=dict(donate_argnums=0))
exported("random", draw(lambda k: jax.random.normal(k, (3,))), seed)
exported(
    "nested",
    lambda x: jnp.sin(x) * 2,
    real(3),
    platforms=("cpu", "cuda"),
    lower=lambda x: (lambda x: export.export(jax.jit(jnp.sin), platforms=("cpu", "cuda"))(SHAPE3).call(x) * 2, (x,)),
)
exported(
    "key",
    lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (3,)),
    ints(2, high=2**32, dtype=np.uint32),
    lower=lambda k: (lambda k: jax.random.uniform(k, (3,)), (jax.random.wrap_key_data(k),)),
)
exported(
    "keys",
    lambda k, x: jax.vmap(lambda k, x: x * jax.random.normal(k))(jax.random.wrap_key_data(k), x),
    ints(2, 2, high=2**32, dtype=np.uint32),
    real(2),
    lower=lambda k, x: (jax.vmap(lambda k, x: x * jax.random.normal(k)), (jax.random.wrap_key_data(k), x)),
)
exported(
    "key_result",
    lambda s: jax.random.key_data(jax.random.split(jax.random.key(s))),
    seed,
    lower=lambda s: (lambda s: jax.random.split(jax.random.key(s)), (s,)),
)
exported(
    "checks",
    lambda x: jax.ffi.ffi_call("my.target", SHAPE3)(x) * 2,
    real(3),
    checks=[export.DisabledSafetyCheck.custom_call("my.target")],
)
exported("checks_platform", lambda x: jnp.sin(x), real(3), checks=[export.DisabledSafetyCheck.platform()])


def effectful(name, *, ordered):
    """An operation that adds an argument to itself and has an effect that an export can keep."""
    from jax._src import core, effects
    from jax._src.interpreters import mlir

    kind = type(
        name,
        (effects.Effect,),
        {
            "__str__": lambda self: name,
            "__eq__": lambda self, other: type(self) is type(other),
            "__hash__": lambda self: zlib.crc32(name.encode()),
        },
    )
    globals()[name] = kind
    kind.__module__ = __name__
    effects.lowerable_effects.add_type(kind)
    effects.control_flow_allowed_effects.add_type(kind)
    if ordered:
        effects.ordered_effects.add_type(kind)
    operation = core.Primitive(name)
    operation.def_effectful_abstract_eval(lambda x: (x, {kind()}))

    def lower(ctx, x):
        if ordered:
            ctx.set_tokens_out(ctx.tokens_in)
        return mlir.hlo.AddOp(x, x).results

    mlir.register_lowering(operation, lower)
    return operation.bind


first, second, unordered = (effectful(name, ordered=name != "Unordered") for name in ("First", "Second", "Unordered"))
exported("effect", lambda x: x + x, real(3), lower=lambda x: (first, (x,)))
exported("effect_unordered", lambda x: x + x, real(3), lower=lambda x: (unordered, (x,)))
exported(
    "effects",
    lambda x, y: (8 * x, 2 * y),
    real(3),
    real(3),
    lower=lambda x, y: (lambda x, y: (second(first(unordered(x))), first(y)), (x, y)),
)
exported(
    "effect_loop",
    lambda x: 8 * x,
    real(3),
    lower=lambda x: (lambda x: lax.fori_loop(0, 3, lambda _, x: first(x), x), (x,)),
)

TEXT_ONLY = {name for name in PROGRAMS if name.startswith("callback_")} | {"export_checks"}

# What JAX cannot do, "jvp", "vjp" or "batch", and why. A version before it says that only this one cannot.
COMPOSITE = dict.fromkeys(("jvp", "vjp", "batch"), "composites have no rules")
DYNAMIC = {"vjp": "loops of unknown length have no reverse mode"}
FORWARD = {"jvp": "custom_vjp has no forward mode"}
NO_RULE = dict.fromkeys(("jvp", "vjp"), "there is no rule for it")
NO_TRANSPOSE = {"vjp": "there is no rule that transposes it"}
RBG = {"batch": "a batch of states makes other numbers than the single states"}
WITHOUT = {
    "pmax": NO_RULE,
    "pmin": NO_RULE,
    "pmap_pmax": NO_RULE,
    "all_to_all": {"vjp": "JAX swaps the axes of the cotangent, and raises an error about its type"},
    "all_to_all_groups": {"batch": "groups cannot be batched"},
    "while_loop_psum": DYNAMIC,
    "while_loop_psum_in_body": DYNAMIC,
    "while_loop": DYNAMIC,
    "while_loop_tuple": DYNAMIC,
    "fori_loop_dynamic": DYNAMIC,
    "auto_uneven": {
        f"{new} vjp": "the batch of cotangents is not divisible among devices" for new in ("0.11.2", "0.12.0.1")
    },
    "manual_nested": {"vjp": "JAX makes a module that does not verify: an axis is manual twice"},
    "ref_cond": {"batch": "branches with references cannot be batched along a predicate"},
    "custom_vjp": FORWARD,
    "custom_vjp_nondiff": FORWARD,
    "custom_gradient": FORWARD,
    "export_vjp_custom": FORWARD,
    "custom_vmap": NO_TRANSPOSE,
    "composite": COMPOSITE,
    "composite_attributes": COMPOSITE,
    "composite_nested": COMPOSITE,
    "export_composite": COMPOSITE,
    "ragged_dot_contracted": NO_TRANSPOSE,
    "ragged_dot_batch": NO_TRANSPOSE,
    "scaled_dot": NO_RULE,
    "f_nextafter": {
        f"{old} {mode}": "there is no rule for it" for old in ("0.10.2", "0.11.2") for mode in ("jvp", "vjp")
    },
    "f_zeta": NO_RULE,
    "eig": dict.fromkeys(("jvp", "vjp"), "vectors have derivatives only under an option"),
    "householder": NO_RULE,
    "schur": NO_RULE,
    "reduce_pair": dict.fromkeys(("jvp", "vjp"), "JAX fails on operands of which one is an integer"),
    "pool_own": NO_TRANSPOSE,
    "random_rbg": RBG,
    "random_unsafe_rbg": RBG,
    "rng_three_fry": RBG,
    "rng_philox": RBG,
    "rng_default": RBG,
    "rng_bit_generator_uint8": RBG,
    "host_memory": {"vjp": "JAX does not move the cotangent to the memory of the host"},
}
# Their derivatives are rounded to narrow types. The two modes differ by that.
ROUNDED = re.compile("float[48]|bfloat16|float16|dot_|reduce_precision")


class Numbers:
    """Computes with a program, as a function of those arguments that main has parameters for."""

    def __init__(self, name, p, version):
        self.name, self.p, self.version, self.arrays = name, p, version, {}
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        leaves, self.tree = jax.tree.flatten(p.args)
        self.leaves = [draw(rng) for draw in leaves]
        self.batches = [np.stack([draw(rng) for _ in range(BATCH)]) for draw in leaves]
        self.rng = rng
        self.jit = jax.jit(p.f, **{k: v for k, v in p.jit.items() if k != "donate_argnums"})

    def call(self, *kept):
        leaves = list(self.leaves)
        for i, x in zip(self.kept, kept):
            leaves[i] = x
        return jax.tree.leaves(self.jit(*self.tree.unflatten(leaves)))

    def put(self, leaves, *first):
        if self.p.specs:
            return [jax.device_put(x, NamedSharding(self.p.mesh, P(*first, *s))) for x, s in zip(leaves, self.p.specs)]
        return [jnp.asarray(x) for x in leaves]

    def attempt(self, what, compute):
        known = WITHOUT.get(self.name, {})
        reason = known.get(what) or known.get(f"{self.version} {what}")
        try:
            compute()
        except Exception as e:
            lines = [line for line in f"{type(e).__name__}: {e}".splitlines() if line.strip()]
            if not reason:
                print(f"{self.name}: no {what}: {' '.join(lines)[:400]}")
            return False
        if reason:
            print(f"{self.name}: {what} works, other than said: {reason}")
        return True

    def store(self, name, arrays, indices=None):
        for i, x in zip(indices or range(len(arrays)), arrays):
            self.arrays[f"{name}{i}"] = np.asarray(x)

    def compute(self, kept):
        self.kept = kept
        self.inputs = [self.leaves[i] for i in kept]
        self.store("in", self.inputs)
        if self.name in TEXT_ONLY or not self.attempt("run", self.run):
            return
        self.floats = [i for i, x in enumerate(self.inputs) if np.issubdtype(x.dtype, np.inexact)]
        self.float_outs = [i for i, y in enumerate(self.outs) if jnp.issubdtype(y.dtype, np.inexact)]
        if self.floats and self.float_outs:
            self.tangents = [self.direction(self.inputs[i]) for i in self.floats]
            self.attempt("jvp", self.jvp)
            self.attempt("vjp", self.vjp)
        if kept:
            if not self.attempt("batch", self.batch):
                self.loop()

    def direction(self, x):
        t = self.rng.uniform(-1, 1, x.shape)
        if np.issubdtype(x.dtype, np.complexfloating):
            t = t + 1j * self.rng.uniform(-1, 1, x.shape)
        return t.astype(x.dtype)

    def run(self):
        self.outs = self.call(*self.put(self.inputs))
        self.store("out", self.outs)

    def of_floats(self, *floats):
        inputs = self.put(self.inputs)
        for i, x in zip(self.floats, floats):
            inputs[i] = x
        outs = self.call(*inputs)
        return [outs[i] for i in self.float_outs]

    def put_floats(self, arrays):
        inputs = list(self.inputs)
        for i, x in zip(self.floats, arrays):
            inputs[i] = x
        inputs = self.put(inputs)
        return [inputs[i] for i in self.floats]

    def jvp(self):
        point = self.put_floats([self.inputs[i] for i in self.floats])
        self.changes = jax.jvp(self.of_floats, point, self.put_floats(self.tangents))[1]
        self.changes = [np.asarray(t) for t in self.changes]
        self.store("jvp_t", self.tangents, self.floats)
        self.store("jvp_out", self.changes, self.float_outs)

    def vjp(self):
        outs, pull = jax.vjp(self.of_floats, *self.put_floats([self.inputs[i] for i in self.floats]))
        cotangents = [self.direction(np.asarray(y)) for y in outs]
        gradients = pull([jax.device_put(c, y.sharding) if self.p.specs else c for c, y in zip(cotangents, outs)])
        gradients = [np.asarray(g) for g in gradients]
        self.store("vjp_c", cotangents, self.float_outs)
        self.store("vjp_in", gradients, self.floats)
        if hasattr(self, "changes"):
            forward = sum((c * t).sum().real for c, t in zip(cotangents, self.changes))
            reverse = sum((g * t).sum().real for g, t in zip(gradients, self.tangents))
            close = np.allclose(forward, reverse, 1e-3, 1e-3, equal_nan=True)
            if not close and not ROUNDED.search(self.name):
                print(f"{self.name}: forward mode says {forward}, reverse mode {reverse}")

    def batch(self):
        batches = [self.batches[i] for i in self.kept]
        outs = jax.vmap(self.call)(*self.put(batches, None))
        outs = [np.asarray(y) for y in outs]
        self.loop()
        for i, y in enumerate(outs):
            if not np.allclose(y, self.arrays[f"batch_out{i}"], 1e-4, 1e-5, equal_nan=True):
                raise ValueError("batched calls do not compute what single ones do")

    def loop(self):
        batches = [self.batches[i] for i in self.kept]
        calls = [self.call(*self.put([b[i] for b in batches])) for i in range(BATCH)]
        self.store("batch_in", batches)
        self.store("batch_out", [np.stack([np.asarray(y) for y in ys]) for ys in zip(*calls)])


def module(name, p, numbers):
    """The bytes of the module, the end of the name of its file, and the arguments that it keeps."""
    f, args = p.f, numbers.tree.unflatten(numbers.put(numbers.leaves))
    if p.lower:
        f, args = p.lower(*args)

    def function(*args):
        return f(*args)

    function.__name__ = name
    jitted = jax.jit(function, **p.jit)
    if p.exports is None:
        lowered = jitted.trace(*args).lower(lowering_platforms=(p.platform,))
        kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
        text = lowered.as_text()
        parameters = len(re.findall(r"%arg\d+: (?!!stablehlo.token)", re.search(r"@main\(.*", text)[0]))
        if parameters != len(kept):
            print(f"{name}: main has {parameters} parameters, but {len(kept)} arguments are kept")
        return text.encode(), "mlir", kept
    if "symbols" in p.exports:
        (*constraints,) = p.exports["symbols"]
        constraints, shapes = (
            (constraints[0], constraints[1:]) if isinstance(constraints[0], tuple) else ((), constraints)
        )
        scope = export.SymbolicScope(constraints)
        args = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), x.dtype) for s, x in zip(shapes, args)]
    exported = export.export(
        jitted, platforms=p.exports.get("platforms", ("cpu",)), disabled_checks=p.exports.get("checks", ())
    )(*args)
    return exported.serialize(vjp_order=p.exports.get("vjp", 0)), "jaxexport", list(exported.module_kept_var_idx)


def files(name, p, version):
    numbers = Numbers(name, p, version)
    with jax.set_mesh(p.mesh) if p.mesh else contextlib.nullcontext():
        data, form, kept = module(name, p, numbers)
        numbers.compute(kept)
    arrays = io.BytesIO()
    np.savez(arrays, **numbers.arrays)
    return {f"{name}.{form}": data, f"{name}.npz": arrays.getvalue()}


def archives(folder):
    """The files of each version in a folder, from old to new."""
    key = lambda path: [int(n) for n in path.stem.split(".")]
    found = {}
    for path in sorted(folder.glob("*.zip"), key=key):
        with zipfile.ZipFile(path) as archive:
            found[path.stem] = {name: archive.read(name) for name in archive.namelist()}
    return found


def main():
    folder, version = pathlib.Path(sys.argv[1]), jax.__version__
    folder.mkdir(parents=True, exist_ok=True)
    key = lambda version: [int(n) for n in version.split(".")]
    newer = {v: has for v, has in archives(folder).items() if key(v) > key(version)}
    written, same = {}, {}
    for name, p in PROGRAMS.items():
        try:
            made = files(name, p, version)
        except Exception as e:
            print(f"{name}: this version cannot: {type(e).__name__}: {' '.join(str(e).split())[:300]}", flush=True)
            continue
        for file, data in made.items():
            twin = next((v for v, has in newer.items() if has.get(file) == data), None)
            if twin:
                same[file] = twin
            else:
                written[file] = data
    if same:
        written["same.txt"] = "".join(f"{file} {twin}\n" for file, twin in sorted(same.items())).encode()
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
        for file, data in sorted(written.items()):
            archive.writestr(zipfile.ZipInfo(file), data, zipfile.ZIP_DEFLATED, 9)


main()
