"""Holds what two copies of the library do in a process: each works, and JAX calls the functions of the first."""

import ctypes
import os
import pathlib
import shutil
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import calliope_mlir as calliope

library = calliope.Library()
library.register_jax()
calliope.Library().register_jax()  # the same file again


def address(lib):
    return ctypes.cast(lib.calliope_version, ctypes.c_void_p).value


# What asks for the library by the name that an installed one has, gets the loaded one.
if sys.platform == "linux":
    named = ctypes.CDLL("libcalliope.so.0", mode=os.RTLD_NOLOAD)
    assert address(named) == address(library._lib)

with tempfile.TemporaryDirectory() as folder:
    path = shutil.copy(library._path, pathlib.Path(folder) / "copy.so")
    second = calliope.Library(path)
assert address(second._lib) != address(library._lib)
for each in library, second:
    each.register(np.negative, "negate")  # a name is taken in one of them only
    each.barrier()
try:
    second.register_jax()
    raise AssertionError("JAX has two handlers of a target")
except calliope.Error as e:
    assert e.status == 6 and f"in this process, {library._path}: register" in str(e), e

# The functions of the first are called as before.
library.register(lambda x: 2 * x, "of the first")
second.register(lambda x: 3 * x, "of the second")
x = jnp.arange(3.0)
np.testing.assert_array_equal(jax.jit(lambda x: calliope.call("of the first", x, x))(x), [0, 2, 4])
try:
    jax.jit(lambda x: calliope.call("of the second", x, x))(x)
    raise AssertionError("JAX has called a function of the second copy")
except jax.errors.JaxRuntimeError as e:
    assert 'callback "of the second" is not registered' in str(e), e
