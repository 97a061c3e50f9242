"""Calliope for Python: functions that compiled programs call, through libcalliope.

A Library has the functions of c/include/calliope.h that JAX programs need:

    import calliope_mlir as calliope

    library = calliope.Library()
    library.register_jax()

    @library.callback("double")
    def double(x):
        return 2 * x

    y = jax.jit(lambda x: calliope.call("double", x, x))(x)

Functions of other languages that are registered in the same process, for example in Go, are
called in the same way. This module needs ctypes and NumPy, and JAX where JAX is called.

jax_callbacks tells which functions a program of JAX calls, for a host that serves them in their place.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import inspect
import json
import logging
import os
import pathlib
import re
import string
import sys
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__version__ = "0.1.0"

# The targets of the contract, see calliope.h.
IO_CALLBACK = "calliope_io_callback"
RUNTIME_CALL = "calliope_runtime_call"
TARGETS = (
    IO_CALLBACK,
    RUNTIME_CALL,
    "exla_io_callback",
    "exla_runtime_callback",
    "exla_elixir_callback",
)

# How a function is called: CALLIOPE_INLINE and so on.
DISPATCH = {"inline": 0, "goroutine": 1, "async": 2, "deferred": 3}

_OLDEST_JAX = (0, 10)
_INSTANTIATE, _EXECUTE = 0, 3
_INVALID_ARGUMENT, _ALREADY_EXISTS, _INTERNAL = 3, 6, 13

# The methods of Library by the functions of libcalliope whose names are in its messages.
_METHODS = {
    "calliope_register": "register",
    "calliope_register_id": "register",
    "calliope_unregister": "unregister",
    "calliope_unregister_id": "unregister",
    "calliope_registry_open": "open_registry",
    "calliope_registry_close": "close_registry",
    "calliope_barrier": "barrier",
    "calliope_get_handler": "handler",
    "calliope_stats": "stats",
    "CALLIOPE_STAGE_INSTANTIATE (0)": "0, instantiate,",
    "CALLIOPE_STAGE_EXECUTE (3)": "3, execute",
}
_METHOD = re.compile("|".join(rf"\b{re.escape(name)}(?!\w)" for name in sorted(_METHODS, reverse=True)))

# The element types that JAX makes of others when jax_enable_x64 is off.
_NARROW = {
    np.dtype(wide): np.dtype(narrow)
    for wide, narrow in {"f8": "f4", "i8": "i4", "u8": "u4", "c16": "c8"}.items()
}

_served: dict[str, Library] = {}  # the library whose handlers JAX has, by target


class Error(Exception):
    """An error of the library. status is its code of absl::Status."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class _Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("run_id", ctypes.c_int64),
        ("device", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("num_args", ctypes.c_size_t),
        ("args", ctypes.POINTER(_Array)),
        ("num_results", ctypes.c_size_t),
        ("results", ctypes.POINTER(_Array)),
    ]


_Function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(_Call))
_Drop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Type(ctypes.Structure):
    _fields_ = [
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


class _Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("registry", ctypes.c_char_p),
        ("dispatch", ctypes.c_int32),
        ("fail_run", ctypes.c_int32),
        ("keep_errors", ctypes.c_int32),
        ("timeout_ns", ctypes.c_int64),
        ("per_second", ctypes.c_int64),
        ("measure", ctypes.c_int32),
        ("has_template", ctypes.c_int32),
        ("args", ctypes.POINTER(_Type)),
        ("num_args", ctypes.c_size_t),
        ("results", ctypes.POINTER(_Type)),
        ("num_results", ctypes.c_size_t),
        ("drop", _Drop),
    ]


def _dtypes():
    """Returns the NumPy types by their number in calliope.h."""
    types = {
        1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64,
        6: np.uint8, 7: np.uint16, 8: np.uint32, 9: np.uint64,
        10: np.float16, 11: np.float32, 12: np.float64, 15: np.complex64, 18: np.complex128,
    }  # fmt: skip
    try:
        import ml_dtypes
    except ImportError:
        return {n: np.dtype(t) for n, t in types.items()}
    for number, name in {
        16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4", 22: "uint4",
        23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz", 26: "int2",
        27: "uint2", 28: "float8_e4m3", 29: "float8_e3m4", 32: "float4_e2m1fn", 33: "float8_e8m0fnu",
    }.items():  # fmt: skip
        if hasattr(ml_dtypes, name):
            types[number] = getattr(ml_dtypes, name)
    return {n: np.dtype(t) for n, t in types.items()}


_DTYPES = _dtypes()
_NUMBERS = {t: n for n, t in _DTYPES.items()}


def _view(array, writable):
    """Returns an array of a call as a NumPy array on its memory, and a weak reference to what stands for the memory."""
    dtype = _DTYPES.get(array.dtype)
    if dtype is None:
        raise TypeError(f"element type {array.dtype} of calliope.h has no NumPy type here; ml_dtypes has more")
    shape = tuple(array.dims[i] for i in range(array.rank))
    if not array.size:
        return np.empty(shape, dtype), None
    memory = (ctypes.c_char * array.size).from_address(array.data)
    view = np.frombuffer(memory, dtype).reshape(shape)
    view.flags.writeable = writable
    return view, weakref.ref(memory)


def _operands(call, views):
    """Returns the operands of a call, and weak references to the memory of those that are views.

    Whatever is made of a view, of any library, keeps the object that stands for its memory. Views are
    read-only, because others may have their memory, unless the operands pass through. Copies are as views.
    """
    passed = {call.results[i].data for i in range(call.num_results)}
    arrays, memory = [], []
    for i in range(call.num_args):
        array, owner = _view(call.args[i], call.args[i].data in passed)
        if not views:
            writable, array = array.flags.writeable, array.copy()
            array.flags.writeable = writable
        elif owner is not None:
            memory.append((i, owner))
        arrays.append(array)
    return arrays, memory


def _kept(memory):
    """Returns the message about operands whose memory something still has, or None."""
    kept = [i for i, owner in memory if owner() is not None]
    if kept:
        gc.collect()  # what only a cycle has, is not kept
        kept = [i for i, owner in memory if owner() is not None]
    if kept:
        return (
            f"the function keeps operand {', '.join(map(str, kept))} after the call, with which its memory ends: "
            "keep a copy (numpy.array(x)), or register the function without views=True"
        )
    return None


def _library():
    """Returns the file of the library beside this module, as wheels have it, or else its name."""
    name = {"win32": "libcalliope.dll", "darwin": "libcalliope.dylib"}.get(sys.platform, "libcalliope.so")
    beside = pathlib.Path(__file__).with_name(name)
    return beside if beside.exists() else name


class Library:
    """A loaded libcalliope. It is loaded once in a process and never unloaded.

    Without a path it is the file that the environment variable CALLIOPE_LIBRARY names, that of the wheel, or
    one where the system's loader finds it. A host's own library that has the functions of libcalliope, too, needs
    its path.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self._path = os.fspath(path or os.environ.get("CALLIOPE_LIBRARY") or _library())
        self._lib = ctypes.CDLL(self._path)
        self._lib.calliope_error_message.restype = ctypes.c_char_p
        self._lib.calliope_fail.restype = None
        self._lib.calliope_fail.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        self._lib.calliope_free.argtypes = [ctypes.c_void_p]
        self._jax = None  # the module jax, once JAX has the handlers
        self._kept = []  # what the library calls: compiled programs may call it after its name is registered again

    def _check(self, status):
        if status:
            message = self._lib.calliope_error_message().decode()
            raise Error(status, _METHOD.sub(lambda name: _METHODS[name[0]], message))

    def version(self) -> int:
        """Returns the version, for example 100 for 0.1.0."""
        return self._lib.calliope_version()

    def handler(self, target: str, stage: int) -> int:
        """Returns the address of the handler of a target for a stage, 0 or 3."""
        address = ctypes.c_void_p()
        self._check(self._lib.calliope_get_handler(target.encode(), stage, ctypes.byref(address)))
        return address.value

    def register_jax(self, targets: Sequence[str] = TARGETS) -> None:
        """Registers the handlers with JAX, for the platform cpu. It is an error if another copy of the library has."""
        _primitive()  # jax.export reads a program with calls if their effects are known
        import jax

        def capsule(target, stage):
            return jax.ffi.pycapsule(ctypes.c_void_p(self.handler(target, stage)))

        for target in targets:
            stages = {
                "instantiate": capsule(target, _INSTANTIATE),
                "execute": capsule(target, _EXECUTE),
            }
            served = _served.setdefault(target, self)
            try:
                if served.handler(target, _EXECUTE) == self.handler(target, _EXECUTE):
                    jax.ffi.register_ffi_target(target, stages, platform="cpu")
                    continue
            except jax.errors.JaxRuntimeError as e:
                del _served[target]
                if "Duplicate FFI handler" not in str(e):
                    raise
            raise Error(
                _ALREADY_EXISTS,
                f"JAX calls the functions of another copy of the library than {self._path} in this process, "
                f"{served._path if served is not self else 'which other code has registered'}: register functions with "
                "that copy, calliope.Library(path), or set CALLIOPE_LIBRARY for all of the process",
            )
        self._jax = jax

    def callback(self, name: str, **options: Any) -> Callable[[Callable], Callable]:
        """Returns a decorator that registers a function with a name; see register."""
        if not isinstance(name, str):
            raise TypeError('callback: the name is missing: decorate with @library.callback("NAME")')

        def decorate(function):
            self.register(function, name, **options)
            return function

        return decorate

    def register(
        self, function: Callable, name: str | None = None, registry: str = "", dispatch: str = "inline",
        timeout: float = 0.0, fail_run: bool = False, per_second: int = 0, measure: bool = False,
        template: tuple[Sequence, Sequence] | None = None, views: bool = False, keep_errors: bool = False,
    ) -> str | int:  # fmt: skip
        """Registers a function as a callback with a name, or, without one, with an id, which it returns.

        The function takes the operands as NumPy arrays, and returns one array for each result: an array or a Python
        scalar, a pytree of them, or None for no results. As in JAX's own callbacks, one of 64 bits is converted where the
        module wants 32 of the same kind, unless jax_enable_x64 is on. It may keep the operands, which are copies. They are
        read-only, unless they pass through. What it raises fails the run. timeout is in seconds. template
        is a pair of lists of arrays, or of what has shape and dtype: the operands and the results that
        modules must call with.

        With views, the operands are on the runtime's memory, without a copy, and are valid until the
        function returns. It must keep nothing of them: no slice, memoryview, array of another library on the
        same memory, or exception whose traceback has one. If it does, the call fails.

        With keep_errors, the run goes on with results of zeros after the function has raised, or took too long: the error
        is logged, and barrier raises it. A program for several devices with collective operations needs this: a call that
        fails ends the part of the run of its device alone, the others wait for it, and after a minute XLA ends the process.
        """
        if not callable(function) or not isinstance(name, (str, type(None))):
            raise TypeError(f"register: a function and then its name are wanted, not {function!r} and {name!r}")
        if name == "":
            raise Error(_INVALID_ARGUMENT, "register: the name is empty: leave it out to register with an id")
        ends = lambda call: not keep_errors and dispatch != "async" and (fail_run or call.num_results > 0)  # its run
        handler = _Function(lambda _, call: self._invoke(function, call, views, ends))
        options = _Options(
            struct_size=ctypes.sizeof(_Options), registry=registry.encode(), dispatch=DISPATCH[dispatch],
            fail_run=fail_run, keep_errors=keep_errors, timeout_ns=round(timeout * 1e9), per_second=per_second, measure=measure,
        )  # fmt: skip
        if template is not None:
            args, results = (_types(t) for t in template)
            options.has_template = 1
            options.args, options.num_args = args, len(args)
            options.results, options.num_results = results, len(results)
        if name is None:
            number = ctypes.c_int64()
            self._check(self._lib.calliope_register_id(handler, None, ctypes.byref(options), ctypes.byref(number)))
            name = number.value
        else:
            self._check(self._lib.calliope_register(name.encode(), handler, None, ctypes.byref(options)))
        self._kept.append(handler)
        return name

    def unregister(self, name: str | int, registry: str = "") -> None:
        """Removes the callback with a name, or with an id. Calls that run go on."""
        if name == "":
            raise Error(_INVALID_ARGUMENT, "unregister: the name is empty: give that of a callback, or its id")
        if isinstance(name, int):
            status = self._lib.calliope_unregister_id(registry.encode(), ctypes.c_int64(name))
        else:
            status = self._lib.calliope_unregister(registry.encode(), name.encode())
        self._check(status)

    def open_registry(self, name: str) -> None:
        """Makes a registry, which modules name in the key "registry"."""
        self._check(self._lib.calliope_registry_open(name.encode(), None))

    def close_registry(self, name: str) -> None:
        """Closes a registry and removes its callbacks."""
        self._check(self._lib.calliope_registry_close(name.encode()))

    def barrier(self, name: str = "", timeout: float = 0.0) -> None:
        """Waits for queued calls, timeout seconds at most. Raises the errors of taps, and those of functions with
        keep_errors, as an Error. Wait for the runs before."""
        self._check(self._lib.calliope_barrier(name.encode(), ctypes.c_int64(round(timeout * 1e9))))

    def stats(self) -> list[dict[str, Any]]:
        """Returns the counters of all callbacks, a list of dictionaries."""
        text = ctypes.c_void_p()
        self._check(self._lib.calliope_stats(ctypes.byref(text)))
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            self._check(self._lib.calliope_free(text))

    def _invoke(self, function, call, views, ends):
        memory, message = [], None
        try:
            _run(function, call.contents, views, memory)
        except BaseException:  # an exception must not leave the call
            message = traceback.format_exc()
        kept = _kept(memory)
        if kept:
            message = f"{message}\n{kept}" if message else kept
        if message is None:
            return 0
        if ends(call.contents) and self._jax and self._jax.device_count() > 1:
            # The others may wait for this device, and XLA then ends the process without the error.
            logging.getLogger(__name__).error(
                "callback %r failed on device %d: %s\nIf other devices wait for this one in a collective operation, "
                "XLA ends the process after a minute: register the function with keep_errors=True to let such runs end",
                call.contents.name.decode(), call.contents.device, message,
            )  # fmt: skip
        message = message.encode()
        self._lib.calliope_fail(call, message, len(message))
        return _INTERNAL


def _run(function, call, views, memory):
    """Calls a function with the operands of a call, and writes its results. It adds to memory what _kept takes."""
    operands, owners = _operands(call, views)
    memory += owners
    results = _leaves(function(*operands))
    if len(results) != call.num_results:
        raise TypeError(f"the function returned {len(results)} results, and the module wants {call.num_results}")
    for i, result in enumerate(results):
        (want, _), result = _view(call.results[i], True), _numpy(result)
        if _NARROW.get(result.dtype) == want.dtype and not _x64():
            with np.errstate(over="ignore"):
                result = result.astype(want.dtype)
        if result.shape != want.shape or result.dtype != want.dtype:
            raise TypeError(
                f"result {i} is {result.dtype}{list(result.shape)}, "
                f"and the module wants {want.dtype}{list(want.shape)}"
            )
        want[...] = result


def _leaves(results):
    """Returns what a function has returned as a list. Without JAX in the process a pytree is a tuple or a list."""
    if "jax" in sys.modules:
        return sys.modules["jax"].tree.leaves(results)
    if results is None:
        return []
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _numpy(result):
    """Returns a result as a NumPy array. That of a PRNG key has its data."""
    if "jax" in sys.modules and _is_key(result):
        result = sys.modules["jax"].random.key_data(result)
    return np.asarray(result)


def _x64():
    return "jax" in sys.modules and sys.modules["jax"].config.jax_enable_x64


def _is_key(array):
    """Reports whether an array of JAX, or what has shape and dtype, is of PRNG keys."""
    import jax

    return jax.dtypes.issubdtype(getattr(array, "dtype", np.int8), jax.dtypes.prng_key)


def _types(arrays):
    types = (_Type * len(arrays))()
    for i, array in enumerate(arrays):
        dims = (ctypes.c_int64 * len(array.shape))(*array.shape)
        types[i] = _Type(dims, len(array.shape), _NUMBERS[np.dtype(array.dtype)])
    return types


def call(
    name: str | int, results: Any, *args: Any, pure: bool = False, token: Any = None, ordered: bool = False,
    registry: str = "", vmap_method: str | None = None, **keys: Any,
) -> Any:  # fmt: skip
    """Calls a callback in a JAX program: one with results of its own (RuntimeCall, PureCall).

    name is a name or an id. results is an array, or what has shape and dtype, or a pytree of such for
    several results; call returns arrays in its structure. args are pytrees of arrays and Python scalars: the function gets
    their leaves, in JAX's order. Of PRNG keys it gets the data (jax.random.key_data), and returns keys or their data. A
    pure call may be dropped, merged and moved by the compiler. With a token,
    the call comes after the one that the token is from, and call returns its results and the next
    token. Ordered calls run in the order of the program, also over several runs, on one device.

    vmap_method says what vmap does: "sequential" and "sequential_unrolled" call with each row,
    "broadcast_all" with all rows at once, also of operands that are not mapped, and "expand_dims" with one
    row of these. "parallel" calls with each row, several at a time. keys are further keys of the contract.

    A program for several devices that JAX divides calls on device 0, with the whole arrays. In a
    shard_map each device calls with its part, or over only some axes the first device along the others.
    Both need the Shardy partitioner.
    """
    import jax

    form = "pure" if pure else "call"
    types, tree = jax.tree.flatten(results)
    out, token = _emit(RUNTIME_CALL, form, name, types, args, token, ordered, registry, vmap_method, keys)
    out = tree.unflatten(out)
    return out if token is None else (out, token)


def io(
    name: str | int, *args: Any, token: Any = None, ordered: bool = False, registry: str = "",
    vmap_method: str | None = None, **keys: Any,
) -> Any:  # fmt: skip
    """Calls a callback that passes its operands through (Passthrough), and returns them, as a list.

    See call for the arguments.
    """
    import jax

    types, tree = jax.tree.flatten(list(args))
    out, token = _emit(IO_CALLBACK, "passthrough", name, types, args, token, ordered, registry, vmap_method, keys)
    out = tree.unflatten(out)
    return out if token is None else (out, token)


def tap(
    name: str | int, *args: Any, token: Any = None, ordered: bool = False, registry: str = "",
    vmap_method: str | None = "sequential_unrolled", **keys: Any,
) -> Any:  # fmt: skip
    """Calls a callback that only reads its operands (Tap). With a token, returns the next one.

    A tap does not change the derivatives of a program, and sees the primal values. It is called
    as often as a jax.debug.callback in its place. See call for the arguments. For vmap over many rows,
    vmap_method="sequential" compiles faster; a jax.checkpoint around it may call once where it calls twice.
    """
    _, token = _emit(IO_CALLBACK, "observe", name, [], args, token, ordered, registry, vmap_method, keys)
    return token


def jax_callbacks(lowered: Any) -> list[str]:
    """Returns the names of the Python functions that a program of JAX calls, by the index that is in the module.

    lowered is what jax.jit(f).lower(…) returns. The name of a function is its __name__, that of another object its
    type's, and that of a jax.debug.print its format. It is an error if two functions have one name.
    """
    functions, names = {}, []
    for callback in lowered._lowering.compile_args["host_callbacks"]:
        function = _behind(callback)
        name = function if isinstance(function, str) else getattr(function, "__name__", type(function).__name__)
        if name == "<lambda>" or functions.setdefault(name, function) != function:
            raise ValueError(f"callback {len(names)} of the program needs a name that no other one has, not {name}")
        names.append(name)
    return names


def _behind(callback):
    """Returns the Python function that a callback of JAX calls, or the format of a jax.debug.print."""
    while (getattr(callback, "__module__", None) or "").startswith("jax."):
        if hasattr(callback, "callback_func"):
            callback = callback.callback_func
        else:
            values = inspect.getclosurevars(callback).nonlocals
            printed = values.get("callback")
            if getattr(getattr(printed, "func", None), "__name__", None) == "_format_print_callback":
                return _format(*printed.args[:3:2], values["in_tree"], values["static_args"])
            callback = values.get("callback") or values["callback_without_token"]
    while isinstance(callback, functools.partial):
        if callback.func.__name__ == "_format_print_callback":
            return callback.args[0]
        callback = callback.func
    return callback


class _Operand(int):
    """The number of an operand."""


def _format(text, has_placeholders, in_tree, static):
    """Returns the format of a jax.debug.print with the numbers of operands in place of the names of arguments, and with
    the arguments that are no operands."""
    static, n = dict(static), 0
    leaves = []
    for i in range(in_tree.num_leaves):
        leaves.append(static.get(i, _Operand(n)))
        n += i not in static
    args, named = in_tree.unflatten(leaves)
    if not has_placeholders:
        return " ".join([text, *("{}" for _ in args)])
    if not named and not static:
        return text
    out, following = [], iter(args)
    for before, name, spec, conversion in string.Formatter().parse(text):
        out.append(before.replace("{", "{{").replace("}", "}}"))
        if name is None:
            continue
        value = named.get(name) if name in named else args[int(name)] if name.isdecimal() else next(following, None)
        if isinstance(value, _Operand):
            out.append(f"{{{value:d}{':' if spec else ''}{spec}}}")
        elif any(value is leaf for leaf in leaves) and not conversion:
            out.append(format(value, spec).replace("{", "{{").replace("}", "}}"))
        else:
            raise ValueError(f"the placeholder {{{name}}} of the jax.debug.print {text!r} is neither an array nor a constant")
    return "".join(out)


def first_token() -> Any:
    """Returns the token for the first of some calls that run in order."""
    import jax.numpy as jnp

    return jnp.zeros(1, jnp.int8)


def _emit(target, form, name, results, args, token, ordered, registry, vmap_method, keys):
    """Adds a custom call of the contract. Returns its results, and its token or None."""
    if not isinstance(name, (str, int)):
        raise TypeError(f"the first argument is the name or the id of a callback, not {name!r}: register it first")
    _jax = _primitive()
    import jax

    for r in results:
        if form in ("call", "pure") and not (hasattr(r, "shape") and hasattr(r, "dtype")):
            raise TypeError(f"the second argument is for results: arrays or jax.ShapeDtypeStructs, not {r!r}")
    if form == "pure" and (ordered or token is not None):
        raise ValueError("a pure call has no order: leave out the token and ordered, or pure=True")
    keys |= {"v": np.int64(1), "form": form}
    keys |= {"callback_id": np.int64(name)} if isinstance(name, int) else {"callback": name}
    if registry:
        keys["registry"] = registry
    types = [jax.eval_shape(jax.random.key_data, r) if _is_key(r) else r for r in results]
    call = _jax.Call(
        target=target, form=form,
        results=tuple((tuple(r.shape), np.dtype(r.dtype)) for r in types) if form in ("call", "pure") else (),
        keys=tuple(sorted(keys.items())), token=token is not None, ordered=ordered, vmap_method=vmap_method,
    )  # fmt: skip
    leaves = [jax.random.key_data(a) if _is_key(a) else jax.numpy.asarray(a) for a in jax.tree.leaves(args)]
    out = _jax.call_p.bind(*leaves, *([] if token is None else [token]), call=call)
    out, token = (out[:-1], out[-1]) if token is not None else (out, None)
    # The data becomes a key of the kind that the type has.
    keyed = [jax.random.wrap_key_data(o, impl=_kind(r)) if _is_key(r) else o for o, r in zip(out, results)]
    return keyed, token


def _kind(key):
    """Returns the implementation of PRNG keys, of an array or of what has shape and dtype."""
    return key.dtype._impl.name


def _primitive():
    """Returns the module with the primitive for calls, which also makes their effects known to JAX."""
    import jax

    if jax.__version_info__ < _OLDEST_JAX:
        oldest = ".".join(map(str, _OLDEST_JAX))
        raise ImportError(
            f"calliope_mlir needs JAX {oldest} or a newer one, and this is JAX {jax.__version__}: "
            f"pip install --upgrade 'jax>={oldest}'"
        )
    from calliope_mlir import _jax

    return _jax


def _served_by_jax(target):
    """Reports whether JAX has a handler for a target on the CPU, also one that other code has registered."""
    from jax._src.lib import xla_client

    return target in _served or target in xla_client.custom_call_targets("Host")
