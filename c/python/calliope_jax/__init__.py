"""Calliope's JIT compiler as a backend of JAX.

JAX finds this package by itself, and runs on it if its platform is asked for:

    JAX_PLATFORMS=calliope,cpu python program.py

The second name is for functions that a program calls on the host: jax.pure_callback, jax.experimental.io_callback and
jax.debug hand them arrays of JAX's own CPU backend. Its devices are of the platform cpu, so that programs are lowered
for CPUs.
"""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import os
import pathlib
import traceback
import weakref

import jax
import numpy as np
from jax._src import callback as jax_callback
from jax._src import core, dtypes, ffi
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.sharding_impls import SdyArray, SdyArrayList

__version__ = "0.1.0"

NAME = "calliope"
_TARGET = "calliope_jax_python"  # of the calls of Python functions, see python.go of the plugin


def library() -> str:
    """Returns the path of the plugin: that of $CALLIOPE_PJRT, or the one of this package."""
    return os.environ.get("CALLIOPE_PJRT") or str(pathlib.Path(__file__).parent / "libcalliope_pjrt.so")


def initialize() -> None:
    """Registers the plugin. JAX calls this when it looks for its backends."""
    path = library()
    xla_bridge.register_plugin(NAME, library_path=path, options={"platform_name": "cpu"}, priority=-1)
    _serve(ctypes.CDLL(path))


_functions: weakref.WeakValueDictionary[int, "_Function"] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)
_errors: dict[int, bytes] = {}  # the last one of each thread


@dataclasses.dataclass(eq=False)
class _Function:
    """A function of a program that was lowered, which keeps it alive."""

    call: object
    operands: list
    results: list

    def run(self, args, results):
        out = self.call(*(_view(args[i], a).copy() for i, a in enumerate(self.operands)))
        if len(out) != len(self.results):
            raise RuntimeError(f"the callback returned {len(out)} values, not {len(self.results)}")
        for i, (value, aval) in enumerate(zip(out, self.results)):
            value = np.asarray(dtypes.canonicalize_value(np.asarray(value)))
            if value.shape != aval.shape or value.dtype != aval.dtype:
                raise RuntimeError(
                    f"Incorrect output for return value #{i}: Expected: {aval.dtype}{list(aval.shape)}, "
                    f"Actual: {value.dtype}{list(value.shape)}"
                )
            _view(results[i], aval)[...] = value


def _view(address, aval):
    """Returns an array in the memory of a run."""
    dtype, shape = np.dtype(aval.dtype), aval.shape
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p))
def _call(number, args, results):
    """Calls a function. It returns the address of a text if that fails, which stays until the thread's next call."""
    try:
        _functions[number].run(args, results)
    except BaseException as e:
        text = "".join(traceback.format_exception(e)).encode() + b"\0"
        _errors[ctypes.pythonapi.PyThread_get_thread_ident()] = text
        return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value
    return None


def _serve(plugin: ctypes.CDLL) -> None:
    plugin.calliope_pjrt_serve_python(_call)
    original = jax_callback.emit_python_callback

    def emit(ctx, *args, **options):
        return (_emit if _is_ours(ctx) else original)(ctx, *args, **options)

    jax_callback.emit_python_callback = emit


def _is_ours(ctx) -> bool:
    backend = ctx.module_context.get_backend(optional=True)
    return backend is not None and "Calliope" in backend.platform_version


def _emit(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, sharding=None, **_):
    """Emits a call of a Python function, as emit_python_callback of JAX does."""
    f = _Function(callback, list(operand_avals), list(result_avals))
    number = next(_numbers)
    _functions[number] = f
    ctx.module_context.add_keepalive(f)
    if token:
        operands = [token, *operands]
        if result_avals and isinstance(sharding, SdyArrayList):  # without results there is the token's alone
            devices = sharding.shardings[0].logical_device_ids
            ours = SdyArray(mesh_shape=(), dim_shardings=(), logical_device_ids=devices)
            sharding = SdyArrayList((ours, *sharding.shardings))
        ctx = dataclasses.replace(
            ctx,
            avals_in=[core.abstract_token, *ctx.avals_in],
            avals_out=[core.abstract_token, *ctx.avals_out],
        )
    rule = ffi.build_ffi_lowering_function(_TARGET, has_side_effect=has_side_effect)
    call = rule(ctx, *operands, number=np.int64(number))
    if sharding is not None:
        mlir.set_sharding(ctx.module_context, call, sharding)
    results = call.results
    if token:
        token, *results = results
    return results, token, f
