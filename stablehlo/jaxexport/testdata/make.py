"""Writes the *.jaxexport files of this directory, with jax and flatbuffers:

    pip install jax==0.12.0.1 flatbuffers && python make.py
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src import core, effects
from jax._src.interpreters import mlir
from jax._src.lib.mlir.dialects import hlo

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

here = pathlib.Path(__file__).parent
f32 = np.float32


class Ordered(effects.Effect):
    __str__ = lambda self: "Ordered"


class Unordered(effects.Effect):
    __str__ = lambda self: "Unordered"


for kind in Ordered, Unordered:
    # An effect can be exported if all of its values are equal.
    kind.__eq__ = lambda self, other: type(self) is type(other)
    kind.__hash__ = lambda self: hash(type(self))
    effects.lowerable_effects.add_type(kind)
effects.ordered_effects.add_type(Ordered)

doubled = core.Primitive("doubled")


@doubled.def_effectful_abstract_eval
def _(x):
    return x, {Ordered(), Unordered()}


def _lower(ctx, x):
    if ctx.tokens_in is not None and ctx.tokens_in.get(Ordered()) is not None:
        ctx.set_tokens_out(ctx.tokens_in)
    return mlir.hlo.AddOp(x, x).results


mlir.register_lowering(doubled, _lower)


custom = core.Primitive("custom")
custom.def_abstract_eval(lambda x: x)
mlir.register_lowering(custom, jax.ffi.ffi_lowering("my.target"))


def platform_name(x):
    return jax.lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x + 2, tpu=lambda x: x + 3)


def write(name, body, *args, platforms=("cpu",), vjp=0, version="1.10.0", named={}, **more):
    def function(*args, **named):
        return body(*args, **named)

    function.__name__ = name
    # JAX writes the version of twelve weeks before. Older libraries read an older one.
    hlo.get_version_from_compatibility_requirement = lambda _: version
    exported = export.export(jax.jit(function), platforms=platforms, **more)(*args, **named)
    (here / f"{name}.jaxexport").write_bytes(exported.serialize(vjp_order=vjp))
    return exported


def symbolic(text, *dtypes, constraints=()):
    scope = export.SymbolicScope(constraints)
    shapes = text.split(";")
    return [
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype)
        for shape, dtype in zip(shapes, dtypes)
    ]


array = jax.ShapeDtypeStruct
write("static", lambda x, y: {"sum": jnp.sin(x) + y, "y": (y, None)}, array((4,), f32), array((), f32))
write("newer", lambda x: x + 1, array((4,), f32), version="1.15.0")
write("unused", lambda x, unused, y: x + y, array((4,), f32), array((3,), np.int8), array((4,), f32))
write("platforms", platform_name, array((3,), f32), platforms=("tpu", "cpu", "cuda"))
for name, wide in ("nested", False), ("nested_wide", True):
    # The index of the platform has 64 bits if numbers do.
    with jax.enable_x64(wide):
        x = array((3,), f32)
        inner = export.export(jax.jit(platform_name), platforms=("tpu", "cuda", "cpu"))(x)
        middle = export.export(
            jax.jit(lambda x: 2 * inner.call(x) + platform_name(x)), platforms=("cuda", "cpu", "tpu")
        )(x)
        write(
            name,
            lambda x: jax.lax.fori_loop(0, 2, lambda _, y: middle.call(y), x),
            x,
            platforms=("cpu", "tpu"),
        )
write("vjp", lambda x: jnp.sin(x) * x, array((4,), f32), vjp=1)
write("effects", lambda x: doubled.bind(x), array((2,), f32))
write(
    "types",
    lambda *xs: xs,
    *[array((2,), t) for t in (bool, np.uint16, np.complex64, jnp.bfloat16, jnp.int4, jnp.float8_e4m3fn, np.float16)],
)
write(
    "checks",
    lambda x: custom.bind(x),
    array((2,), f32),
    disabled_checks=[export.DisabledSafetyCheck.custom_call("my.target"), export.DisabledSafetyCheck.platform()],
)
# The batch b is one symbol of two parameters.
write("polymorphic", lambda x, y: x @ jnp.ones((x.shape[1], 2), f32) + y, *symbolic("b, n;b, 2", f32, f32))
# Assertions: of a symbol in two places, of a multiple, and of a constraint.
write(
    "asserted",
    lambda x, y: jnp.reshape(x, (-1, 2)).sum(axis=0) + y.sum(),
    *symbolic("2*b, 3;b", f32, f32, constraints=("b >= 2", "b <= 100")),
)
write(
    "both",
    lambda x: platform_name(x).sum(axis=0) * x.shape[0],
    *symbolic("b, 3", f32),
    platforms=("cuda", "cpu"),
)
# What stays dynamic depends on the values.
write("loop", lambda x: jax.lax.fori_loop(0, x.shape[0], lambda i, s: s + x[i], jnp.zeros((), f32)), *symbolic("b", f32))
# The window depends on a dimension.
write("window", lambda x: jnp.cumsum(x), *symbolic("b", f32))
write("tpu", lambda x: x, array((2,), f32), platforms=("tpu",))
# Trees, of which one leaf is not used.
write(
    "trees",
    lambda layers, batch, *, scale: scale * (batch[0] @ layers[0]["w"] + layers[1]["b"]),
    [{"w": array((2, 2), f32), "b": None}, {"b": array((2,), f32), "unused": array((3,), f32)}],
    (array((1, 2), f32),),
    named={"scale": array((), f32)},
)
