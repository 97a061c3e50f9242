"""Runs programs of JAX on the plugin, and compares them with XLA's CPU backend. It prints what differs."""

import ctypes
import sys
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

ours, xla = jax.devices("calliope")[0], jax.devices("cpu")[0]
assert "Calliope" in ours.client.platform_version and "Calliope" not in xla.client.platform_version
key = jax.random.key(0)
matrix = jax.random.normal(key, (6, 4))
square = np.asarray(matrix.T @ matrix + np.eye(4))
image = jax.random.normal(key, (2, 3, 9, 8))
kernel = jax.random.normal(key, (5, 3, 3, 3))


def network(w, x):
    return jnp.sum(jax.nn.softmax(jnp.tanh(x @ w)) ** 2)


PROGRAMS = {
    "elementwise": (lambda x: jnp.sin(x) * jnp.exp(-x) + jnp.sqrt(jnp.abs(x)), matrix),
    "matmul": (lambda x: x @ x.T, matrix),
    "gradient": (jax.grad(network), jnp.ones((4, 3)), matrix),
    "hessian": (jax.hessian(lambda x: jnp.sum(x**3)), jnp.arange(3.0)),
    "batch": (jax.vmap(jnp.dot), matrix, matrix),
    "scan": (lambda x: jax.lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(4), x), matrix),
    "while": (lambda n: jax.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, 1.0)), 7),
    "cond": (lambda x: jax.lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), matrix),
    "convolution": (lambda x, k: jax.lax.conv(x, k, (1, 1), "SAME"), image, kernel),
    "pooling": (lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), image),
    "sort": (lambda x: (jnp.sort(x, axis=0), jnp.argsort(x), jax.lax.top_k(x, 2)), matrix),
    "scatter": (lambda x: x.at[jnp.array([1, 3])].add(2.0), matrix),
    "gather": (lambda x: x[jnp.array([4, 0, 2])], matrix),
    "cumulative": (lambda x: (jnp.cumsum(x), jnp.cumprod(x, axis=1)), matrix),
    "fft": (lambda x: (jnp.fft.fft(x), jnp.fft.irfft(jnp.fft.rfft(x))), matrix),
    "solve": (lambda a: jnp.linalg.solve(a, jnp.ones(4)), square),
    "cholesky": (jnp.linalg.cholesky, square),
    "qr": (lambda x: jnp.abs(jnp.linalg.qr(x).R), matrix),
    "svd": (lambda x: jnp.linalg.svd(x, compute_uv=False), matrix),
    "eigh": (lambda a: jnp.linalg.eigh(a).eigenvalues, square),
    "random": (lambda: (jax.random.normal(key, (5,)), jax.random.bits(key, (3,)), jax.random.permutation(key, 7)),),
    "integers": (lambda x: (x // 3, x % 3, x << 2, jax.lax.population_count(x)), jnp.arange(-8, 8)),
    "small types": (lambda x: (x.astype(jnp.bfloat16) * 2, x.astype(jnp.int4), x.astype(jnp.float8_e4m3fn)), matrix),
    "complex": (lambda x: jnp.exp(1j * x) * (1 + 2j), matrix),
    "empty": (lambda x: jnp.sum(x[:0]), matrix),
    "callback": (lambda x: jax.pure_callback(lambda y: np.asarray(y) * 2, x, x), matrix),
    "ordered callback": (lambda x: io_callback(lambda y: np.asarray(y) * 2, x, x, ordered=True), matrix),
    "callbacks of a batch": (
        lambda x: jax.vmap(lambda y: jax.pure_callback(np.sin, y, y, vmap_method="sequential"))(x),
        matrix,
    ),
}


def on(device, f, arguments):
    arguments = [jax.device_put(np.asarray(a) if not isinstance(a, jax.Array) else a, device) for a in arguments]
    with jax.default_device(device):
        return jax.tree.map(lambda a: np.asarray(a, np.complex128 if a.dtype.kind == "c" else np.float64),
                            jax.block_until_ready(jax.jit(f)(*arguments)))


failed = 0
for name, (f, *arguments) in PROGRAMS.items():
    try:
        got, want = on(ours, f, arguments), on(xla, f, arguments)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5), got, want)
    except Exception:
        failed += 1
        print(f"{name}: {traceback.format_exc()}")

# The order of effects, donation, errors, and what a program that was exported computes.
with jax.default_device(ours):
    seen = []
    jax.jit(lambda x: jax.lax.scan(lambda c, i: (c, io_callback(lambda y: seen.append(int(y)), None, i, ordered=True)),
                                   x, jnp.arange(5)))(1.0)
    jax.effects_barrier()
    assert seen == [0, 1, 2, 3, 4], seen

    given = jnp.ones(1000)
    jax.jit(lambda x: x + 1, donate_argnums=0)(given)
    assert given.is_deleted()

    def fails(y):
        raise ValueError("no such luck")

    try:
        jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fails, x, x))(jnp.ones(3)))
        raise AssertionError("there is no error")
    except jax.errors.JaxRuntimeError as e:
        assert "no such luck" in str(e), e

    exported = jax.export.deserialize(jax.export.export(jax.jit(jnp.sin), platforms=["cpu"])(1.0).serialize())
    assert abs(exported.call(1.0) - np.sin(1.0)) < 1e-6

    try:
        jax.jit(jnp.sin, compiler_options={"no_such_option": True})(1.0)
        raise AssertionError("there is no error")
    except jax.errors.JaxRuntimeError as e:
        assert "No such compile option: 'no_such_option'" in str(e), e

    pinned = jax.sharding.SingleDeviceSharding(ours, memory_kind="pinned_host")
    placed = jax.jit(lambda x: x + 1, out_shardings=pinned)(jax.device_put(jnp.ones(3), pinned))
    assert placed.sharding == pinned and placed.sum() == 6, placed.sharding
    assert jax.jit(lambda x: jax.device_put(x, jax.memory.Space.Device))(placed).sharding.memory_kind == "device"

    array = jnp.arange(4.0)
    assert np.from_dlpack(array).sum() == 6
    assert jax.device_put(array, xla).sum() == 6 and jax.device_put(jnp.ones(3), ours).sum() == 3

# Handlers of XLA's typed FFI, which the test has compiled by the headers of jaxlib.
library = ctypes.CDLL(sys.argv[1])
library.CounterTypeId.restype = library.CounterTypeInfo.restype = ctypes.c_void_p


def capsule(address):
    return jax.ffi.pycapsule(ctypes.cast(address, ctypes.CFUNCTYPE(None)))


jax.ffi.register_ffi_target("scale", jax.ffi.pycapsule(library.Scale), platform="cpu")
jax.ffi.register_ffi_type(
    "counter",
    {"type_id": capsule(library.CounterTypeId()), "type_info": capsule(library.CounterTypeInfo())},
    platform="calliope",
)
jax.ffi.register_ffi_target(
    "count",
    {"instantiate": jax.ffi.pycapsule(library.CountInstantiate), "execute": jax.ffi.pycapsule(library.Count)},
    platform="calliope",
)
with jax.default_device(ours):
    scale = lambda x, factor: jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype))(
        x, factor=np.float32(factor), note="a note", list=np.array([5, 7])
    )
    np.testing.assert_allclose(jax.jit(lambda x: scale(x, 2.5) + 1)(matrix), 2.5 * np.asarray(matrix) + 1, rtol=1e-6)
    try:
        jax.block_until_ready(jax.jit(lambda x: scale(x, -1))(matrix))
        raise AssertionError("there is no error")
    except jax.errors.JaxRuntimeError as e:
        assert "the factor is negative" in str(e), e
    count = jax.jit(
        lambda: [
            jax.ffi.ffi_call("count", jax.ShapeDtypeStruct((), jnp.int32), has_side_effect=True)(start=np.int64(start))
            for start in (10, 100)
        ]
    )
    assert [int(n) for _ in range(2) for n in count()] == [10, 100, 11, 101]

print(f"{len(PROGRAMS)} programs, {failed} failed")
sys.exit(failed > 0)
