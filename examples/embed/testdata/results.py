"""Holds that functions may take and return what those of JAX's own callbacks do, what errors say, and that an exported
program with calls is read in a fresh process."""

import inspect
import os
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.experimental import io_callback

import calliope_mlir as calliope


def fails(kind, f, *words):
    try:
        jax.block_until_ready(f())
    except kind as e:
        for word in words:
            assert word in str(e), f"{word!r} is not in {e}"
        return
    raise AssertionError(f"no error with {words}")


x = jnp.arange(4.0, dtype=jnp.float32)
if len(sys.argv) > 1:  # the fresh process
    calliope.Library().register_jax()
    library = calliope.Library()
    library.register(lambda x: 3 * x, "scale")
    for file in sys.argv[1:]:
        with open(file, "rb") as f:
            np.testing.assert_array_equal(export.deserialize(f.read()).call(x), 3 * x)
    sys.exit()

fails(RuntimeError, lambda: jax.jit(lambda x: calliope.call("scale", x, x))(x), "'scale'", "register_jax()")
version, jax.__version_info__ = jax.__version_info__, (0, 9, 2)
fails(ImportError, lambda: calliope.Library().register_jax(), "JAX 0.10 or a newer one", "pip install")
fails(ImportError, lambda: calliope.call("scale", x, x), "JAX 0.10 or a newer one")
jax.__version_info__ = version

library = calliope.Library()
library.register_jax()
library.register(lambda x: 3 * x, "scale")

# Wrong arguments of the module itself are errors that say what belongs there.
fails(TypeError, lambda: calliope.call(x, "scale", x), "the first argument is the name or the id")
fails(TypeError, lambda: calliope.call(np.sin, x, x), "the first argument is the name or the id")
fails(TypeError, lambda: calliope.io(x), "the first argument is the name or the id")
fails(TypeError, lambda: calliope.call("scale", np.sin, x), "the second argument is for results", "ShapeDtypeStruct")
fails(TypeError, lambda: library.callback(lambda x: x), "the name is missing", "@library.callback(")
fails(TypeError, lambda: library.register("scale", lambda x: x), "a function and then its name")

allowed = [export.DisabledSafetyCheck.custom_call(target) for target in calliope.TARGETS]
with tempfile.TemporaryDirectory() as folder:
    files = []
    for ordered in False, True:
        f = jax.jit(lambda x: calliope.call("scale", x, x, ordered=ordered))
        files.append(os.path.join(folder, f"{ordered}.bin"))
        with open(files[-1], "wb") as out:
            out.write(export.export(f, disabled_checks=allowed)(x).serialize())
    subprocess.run([sys.executable, __file__, *files], check=True)

# Each function returns the same by calliope.call as by JAX's callbacks, or fails as there.
scalar = lambda dtype: jax.ShapeDtypeStruct((), dtype)
pair = jax.ShapeDtypeStruct((2,), np.float32)
cases = {
    "a float": (3.5, scalar(np.float32)),
    "an int": (3, scalar(np.int32)),
    "a bool": (True, scalar(np.bool_)),
    "an int for a float": (3, scalar(np.float32)),
    "a float for an int": (3.5, scalar(np.int32)),
    "f64 for f32": (np.array([1.0, 1e300]), pair),
    "i64 for i32": (np.int64(7), scalar(np.int32)),
    "u64 for u32": (np.uint64(7), scalar(np.uint32)),
    "u64 for i32": (np.uint64(7), scalar(np.int32)),
    "c128 for c64": (np.complex128(1j), scalar(np.complex64)),
    "f16 for f32": (np.float16(1), scalar(np.float32)),
    "another shape": (np.zeros(3, np.float32), pair),
    "an array of JAX": (jnp.ones(2), pair),
    "a list for an array": ([1.0, 2.0], pair),
    "a list": ([1.0, np.ones(2)], [scalar(np.float32), pair]),
    "a tuple": ((1.0, np.ones(2)), (scalar(np.float32), pair)),
    "a dict": ({"b": 1.0, "a": (2, None)}, {"a": (scalar(np.int32), None), "b": scalar(np.float32)}),
    "too few": ((1.0,), (scalar(np.float32), scalar(np.float32))),
    "nothing": (None, None),
}


def result(f):
    try:
        return jax.tree.map(lambda y: (y.dtype, y.tolist()), jax.block_until_ready(jax.jit(f)(x)))
    except jax.errors.JaxRuntimeError:
        return "an error"


for name, (value, like) in cases.items():
    library.register(lambda x, value=value: value, name)
    want = result(lambda x: jax.pure_callback(lambda x: value, like, x))
    assert want == result(lambda x: io_callback(lambda x: value, like, x)), name
    for pure in False, True:
        got = result(lambda x: calliope.call(name, like, x, pure=pure))
        assert got == want, f"{name}: {got}, and JAX's callbacks return {want}"

# Arguments are pytrees, and the function gets their leaves, which are those that JAX's callbacks get.
seen = []
library.register(lambda *xs: seen.append([(x.dtype, x.tolist()) for x in xs]), "sees")
tree, key = {"b": 2.5, "a": [x, 3]}, jax.random.key(1)
jax.jit(lambda t: (calliope.tap("sees", t, 7), io_callback(lambda *t: seen.append(
    [(np.asarray(v).dtype, np.asarray(v).tolist()) for v in jax.tree.leaves(t)]), None, t, 7))[1])(tree)
jax.effects_barrier()
assert len(seen) == 2 and seen[0] == seen[1], seen
library.register(lambda t: t, "same")
assert jax.tree.structure(calliope.io("same", {"k": x})) == jax.tree.structure([{"k": x}])

# A PRNG key, whose data functions get, as those of JAX's callbacks do.
library.register(lambda k: k + 1, "next")
library.register(lambda k: jax.random.wrap_key_data(k), "key")
next_key = jax.jit(lambda k: calliope.call("next", k, k))(key)
assert next_key.dtype == key.dtype
np.testing.assert_array_equal(jax.random.key_data(next_key), jax.random.key_data(key) + 1)
same = jax.jit(lambda k: calliope.call("key", jax.ShapeDtypeStruct(k.shape, k.dtype), k))(key)
np.testing.assert_array_equal(jax.random.key_data(same), jax.random.key_data(key))

# Errors name the methods of this module.
for f in (
    lambda: library.register(np.sin, "scale"), lambda: library.unregister("scales"), lambda: library.unregister(""),
    lambda: library.register(np.sin, ""), lambda: library.barrier(timeout=-1), lambda: library.unregister(12345),
    lambda: library.close_registry("none"), lambda: library.handler(calliope.IO_CALLBACK, 1),
    lambda: library.register(np.sin, "y", registry="none"),
):  # fmt: skip
    try:
        f()
    except calliope.Error as e:
        assert "calliope_" not in str(e).replace("calliope_io_callback", "") and "CALLIOPE" not in str(e), e
        assert "NULL" not in str(e), e
    else:
        raise AssertionError(f"no error of {inspect.getsource(f)}")
