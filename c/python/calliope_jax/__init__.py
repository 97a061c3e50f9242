"""Calliope's JIT compiler as a backend of JAX.

JAX finds this package by itself, and runs on it if its platform is asked for:

    JAX_PLATFORMS=calliope,cpu python program.py

The second name is for functions that a program calls on the host: jax.pure_callback, jax.experimental.io_callback and
jax.debug hand them arrays of JAX's own CPU backend. Its devices are of the platform cpu, so that programs are lowered
for CPUs. CALLIOPE_DEVICES=4 in the environment makes four of them, which share the CPU.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import itertools
import logging
import os
import pathlib
import traceback
import weakref

import jax
import numpy as np
from jax._src import callback as jax_callback
from jax._src import core, dtypes, ffi
from jax._src import xla_bridge
from jax._src.lib import xla_client
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
    options = {"platform_name": "cpu", "cpu_device_count": int(os.environ.get("CALLIOPE_DEVICES", "1"))}
    xla_bridge.register_plugin(NAME, library_path=path, options=options, priority=-1)
    plugin = ctypes.CDLL(path)
    _serve(plugin)
    _take_handlers(plugin)


def _take_handlers(plugin: ctypes.CDLL) -> None:
    """Registers what jax.ffi registers for the platforms cpu and calliope with the plugin, too."""
    register, register_type = plugin.calliope_pjrt_register_ffi, plugin.calliope_pjrt_register_ffi_type
    register.argtypes, register_type.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 4, [ctypes.c_void_p] * 2
    register.restype = register_type.restype = ctypes.c_char_p

    def check(error):
        if error:
            raise ValueError(error.decode())

    def take(name, handlers, platform, api_version=0, traits=0):
        name = name if isinstance(name, str) else name.decode()
        if api_version != 1 or name.startswith("lapack_"):  # the plugin has its own
            return
        bundle = handlers if isinstance(handlers, dict) else {"execute": handlers}
        stages = ("instantiate", "prepare", "initialize", "execute")
        check(register(name.encode(), *(_address(bundle.get(s)) for s in stages)))

    def take_type(name, capsules):
        if isinstance(capsules, dict):  # before JAX 0.10 it is the number alone
            check(register_type(_address(capsules.get("type_id")), _address(capsules.get("type_info"))))

    def try_to(take, *args):
        """Takes what XLA's backend may take, though this one cannot."""
        try:
            take(*args)
        except ValueError as e:
            logging.getLogger(__name__).warning("%s", e)

    host = xla_client.xla_platform_names["cpu"]
    for name, handlers, *further in xla_client._custom_callback.get(host, ()):
        try_to(take, name, handlers, host, *further)
    for name, capsules in xla_client._custom_type_id.get(host, ()):
        try_to(take_type, name, capsules)
    target, state = xla_client.register_custom_call_target, xla_client.register_custom_type

    def register_target(name, handlers, platform="cpu", *args, **options):
        target(name, handlers, platform, *args, **options)
        if platform == "cpu":
            try_to(functools.partial(take, **options), name, handlers, platform, *args)

    def register_state(name, capsules, platform="cpu"):
        state(name, capsules, platform)
        if platform == "cpu":
            try_to(take_type, name, capsules)

    xla_client.register_custom_call_target, xla_client.register_custom_type = register_target, register_state
    xla_client.register_custom_call_handler(NAME, take)
    xla_client.register_custom_type_handler(NAME, take_type)


def _address(capsule):
    if capsule is None:
        return None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ctypes.py_object], ctypes.c_char_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


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
