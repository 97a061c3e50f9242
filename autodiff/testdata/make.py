"""Writes cases.json.gz: functions of JAX as modules, with the derivatives that JAX computes of them.

Run it with JAX 0.10.2: python make.py | gzip -9n > cases.json.gz

A newer one lowers asin and lgamma to arithmetic: these cases test the operations of CHLO, and tests/jaxprograms what
the newest JAX lowers.
"""

import base64
import json
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

rng = np.random.default_rng(7)
CASES = []


def array(shape, dtype=np.float32, low=-1.5, high=1.5):
    x = rng.uniform(low, high, shape)
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng.uniform(low, high, shape)
    return np.asarray(x, dtype)


def case(name, f, *args, devices=1):
    CASES.append((name, f, args, devices))


def inexact(x):
    return np.issubdtype(np.asarray(x).dtype, np.inexact)


def encode(x):
    x = np.asarray(x)
    return {"type": x.dtype.name, "shape": list(x.shape), "data": base64.b64encode(x.tobytes()).decode()}


def derive(name, f, args, devices):
    args = [np.asarray(a) for a in args]
    which = [i for i, a in enumerate(args) if inexact(a)]

    def g(*some):
        full = list(args)
        for i, v in zip(which, some):
            full[i] = v
        out = f(*full)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    primals = [args[i] for i in which]
    tangents = [array(p.shape, p.dtype) for p in primals]
    case = {"name": name, "devices": devices}
    case["module"] = jax.jit(lambda *a: f(*a), keep_unused=True).lower(*args).as_text()
    case["arguments"] = [encode(a) for a in args]
    case["tangents"] = [encode(t) for t in tangents]
    out, dot = jax.jvp(g, primals, tangents)
    case["results"] = [encode(o) for o in out]
    case["jvp"] = [encode(d) for o, d in zip(out, dot) if inexact(o)]
    try:
        out, back = jax.vjp(g, *primals)
        seeds = [array(o.shape, o.dtype) if inexact(o) else np.zeros(o.shape, jax.dtypes.float0) for o in out]
        case["vjp"] = [encode(c) for c in back(seeds)]
        case["cotangents"] = [encode(s) for o, s in zip(out, seeds) if inexact(o)]
    except (ValueError, NotImplementedError) as e:
        print(f"{name}: no reverse mode in JAX: {str(e)[:80]}", file=sys.stderr)
    return case


# Elementwise.
x, y = array((6,)), array((6,))
p = array((6,), low=0.2, high=0.9)
z, w = array((5,), np.complex64), array((5,), np.complex64)
real = "abs acos acosh asin asinh atan atanh ceil cbrt cos cosh digamma erf erf_inv erfc exp exp2 expm1 floor lgamma log log1p logistic neg round rsqrt sign sin sinh sqrt square tan tanh"
for name in real.split():
    f = getattr(lax, name)
    v = p + 1 if name == "acosh" else p
    case(name, f, v)
    if name in "abs ceil floor round sign neg sin cos tanh exp square".split():
        case(name + " negative", f, -v)
case("tanh f64", lax.tanh, array((3,), np.float64))
case("tanh f16", lax.tanh, array((3,), np.float16))
for name in "abs cos cosh exp expm1 log log1p logistic neg rsqrt sign sin sinh sqrt square tan tanh real imag conj".split():
    case(name + " complex", getattr(lax, name), z)
case("abs at 0", lax.abs, np.array([0.0, -0.0, 1.0, -1.0], np.float32))
case("abs complex at 0", lax.abs, np.array([0, 1j], np.complex64))
case("sqrt at 0", lax.sqrt, np.array([0.0, 4.0], np.float32))
case("conj real", lambda x: lax.conj(x), x)
for name in "add sub mul div max min atan2 rem".split():
    case(name, getattr(lax, name), x, y)
    if name in "add sub mul div".split():
        case(name + " complex", getattr(lax, name), z, w)
case("max at ties", lax.max, np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32))
case("min at ties", lax.min, np.array([1, 2, 3], np.float32), np.array([1, 3, 2], np.float32))
case("pow", lax.pow, p, y)
case("pow at 0", lax.pow, np.array([0.0, 0.0, 0.0, 2.0], np.float32), np.array([1.0, 2.0, 3.0, 0.0], np.float32))
case("pow complex", lax.pow, z, w)
case("integer_pow", lambda x: lax.integer_pow(x, 5) + lax.integer_pow(x, -2), x)
case("rem of whole", lax.rem, np.array([5.5, -5.5, 7.0], np.float32), np.array([2.0, 2.0, -3.0], np.float32))
case("polygamma", lambda x: lax.polygamma(jnp.full_like(x, 2), x), p)
case("clamp", lax.clamp, -y - 1, x, y + 1)
case("clamp by scalars", lambda x: lax.clamp(np.float32(-0.5), x, np.float32(0.7)), x)
case("clamp at bounds", lax.clamp, np.array([0, 0, 0], np.float32), np.array([0, 1, 2], np.float32), np.array([1, 1, 1], np.float32))
case("select", lambda x, y: jnp.where(x > 0, x * 2, y * x), x, y)
case("select of scalar", lambda x, y: lax.select_n(x[0] > 0, x, y), x, y)
case("convert", lambda x: lax.convert_element_type(x * 2, np.float16) * lax.convert_element_type(x, np.float16), x)
case("convert to complex", lambda x: lax.convert_element_type(x, np.complex64) * (1 + 2j), x)
case("convert through integers", lambda x: lax.convert_element_type(lax.convert_element_type(x * 3, np.int32), np.float32) * x, x)
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10) * x, x)
case("complex", lambda x, y: lax.complex(x, y) * lax.complex(y, x), x, y)
case("integers", lambda x, n: (x * 2, n + 1), x, np.arange(6, dtype=np.int32))
case("barrier", lambda x, y: lax.optimization_barrier((x * y, y))[0] * 2, x, y)
case("unused", lambda x, y: x * 2, x, y)
case("constant result", lambda x: (jnp.ones(3, np.float32), x), x)

# Shapes.
a = array((2, 3, 4))
case("reshape", lambda a: jnp.reshape(a, (4, 6)) * 2, a)
case("transpose", lambda a: jnp.transpose(a, (2, 0, 1)), a)
case("broadcast", lambda a, b: a + b[None, :, None] * lax.broadcast_in_dim(b, (2, 3, 4), (1,)), a, array((3,)))
case("broadcast of ones", lambda b: lax.broadcast_in_dim(b, (2, 3, 4), (1, 2)), array((1, 4)))
case("broadcast and sum", lambda s, a: s * a, np.float32(2), a)
case("reverse", lambda a: lax.rev(a, (0, 2)) * a, a)
case("slice", lambda a: lax.slice(a, (0, 1, 0), (2, 3, 4), (1, 1, 2)), a)
case("slice with strides", lambda a: lax.slice(a, (1, 0, 1), (2, 3, 4), (1, 2, 3)), a)
case("pad", lambda a, v: lax.pad(a, v, ((1, 2, 0), (0, 0, 1), (-1, 1, 2))), a, np.float32(3))
case("pad negative", lambda a: lax.pad(a, np.float32(0), ((0, -1, 0), (-1, -1, 0), (1, -2, 1))), a)
case("concatenate", lambda a, b: lax.concatenate([a, b, a], 1) ** 2, a, array((2, 1, 4)))
case("dynamic_slice", lambda a, i: lax.dynamic_slice(a, (0, i, 2), (1, 2, 2)), a, np.int64(1))
case("dynamic_slice out of bounds", lambda a, i: lax.dynamic_slice(a, (0, i, 2), (1, 2, 2)), a, np.int64(7))
case("dynamic_update_slice", lambda a, b, i: lax.dynamic_update_slice(a, b, (0, i, 2)) * 2, a, array((1, 2, 2)), np.int64(1))
case("squeeze", lambda a: jnp.squeeze(a[:, :1] * a[:, 1:2], 1), a)

# Products.
case("dot", lambda a, b: jnp.dot(a, b), array((3, 4)), array((4, 2)))
case("dot of vectors", lambda a, b: jnp.dot(a, b), array((4,)), array((4,)))
case("dot complex", lambda a, b: jnp.dot(a, b), array((3, 4), np.complex64), array((4, 2), np.complex64))
case("dot_general", lambda a, b: lax.dot_general(a, b, (((3, 1), (0, 2)), ((0,), (3,)))), array((2, 3, 4, 5)), array((5, 3, 3, 2))[:, :, :3, :])
case("dot_general of batches", lambda a, b: jnp.einsum("bijk,kbli->jbl", a, b), array((2, 3, 4, 5)), array((5, 2, 2, 3)))
case("dot_general of halves", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=np.float32), array((3, 4), np.float16), array((4, 2), np.float16))


def conv(name, lhs, rhs, strides, padding, dims, **kw):
    case("convolution " + name, lambda a, b: lax.conv_general_dilated(a, b, strides, padding, dimension_numbers=dims, **kw), array(lhs), array(rhs))


conv("plain", (2, 3, 6, 5), (4, 3, 3, 2), (1, 1), "SAME", ("NCHW", "OIHW", "NCHW"))
conv("strides", (2, 7, 6, 3), (3, 2, 3, 4), (2, 3), [(1, 0), (2, 1)], ("NHWC", "HWIO", "NHWC"))
conv("dilations", (2, 7, 6, 3), (2, 3, 3, 4), (2, 1), [(3, 2), (1, 4)], ("NHWC", "HWIO", "NHWC"), lhs_dilation=(2, 3), rhs_dilation=(3, 2))
conv("negative padding", (1, 2, 8), (3, 2, 3), (2,), [(-1, -2)], ("NCH", "OIH", "NCH"))
conv("feature groups", (2, 6, 5), (4, 3, 2), (1,), [(1, 1)], ("NCH", "OIH", "NCH"), feature_group_count=2)
conv("depthwise", (2, 5, 4), (3, 1, 8), (2,), [(1, 1)], ("NHC", "HIO", "NHC"), feature_group_count=4)
conv("batch groups", (4, 3, 5), (6, 3, 2), (1,), [(1, 0)], ("NCH", "OIH", "NCH"), batch_group_count=2)
conv("other layouts", (5, 3, 2, 4), (3, 2, 4, 2), (1, 2), [(1, 1), (0, 2)], ("HNCW", "HIOW", "WCHN"))
conv("no window", (3, 4), (4, 2), (), [], ("NC", "IO", "NC"))

# Reductions.
case("sum", lambda a: jnp.sum(a, (0, 2)), a)
case("sum of all", lambda a: jnp.sum(a * a), a)
case("mean and variance", lambda a: (jnp.mean(a, 1), jnp.var(a, 1)), a)
case("max reduction", lambda a: jnp.max(a, 1), a)
case("max reduction at ties", lambda a: jnp.max(a, 1), np.array([[1, 1, 0], [2, 3, 3]], np.float32))
case("min reduction", lambda a: jnp.min(a, (0, 1)), a)
case("product", lambda a: jnp.prod(a, 1), a)
case("product with zeros", lambda a: jnp.prod(a, 1), np.array([[1, 0, 3, 2], [0, 0, 1, 5]], np.float32))
case("product of odd number", lambda a: jnp.prod(a), array((7,)))
case("logsumexp", lambda a: jax.nn.logsumexp(a, 1), a)
case("softmax", lambda a: jax.nn.softmax(a), a)
case("general reduction", lambda a: lax.reduce(a, np.float32(0), lambda p, q: p + q + p * q, (1,)), a)
case("argmax", lambda a: (jnp.argmax(a, 1), jnp.max(a, 1)), a)
case("cumsum", lambda a: jnp.cumsum(a, 1), a)
case("cumprod", lambda a: jnp.cumprod(a, 2), a)
case("cummax", lambda a: lax.cummax(a, 2), a)
case("cumlogsumexp", lambda a: lax.cumlogsumexp(a, 2), a)

# Windows.
img = array((1, 6, 5, 2))
for name, start, op in ("sum", 0.0, lax.add), ("max", -np.inf, lax.max), ("min", np.inf, lax.min):
    def window(name, dims, strides, padding, op=op, start=start, what=name, **kw):
        case(f"{what} of windows {name}", lambda a: lax.reduce_window(a, np.float32(start), op, dims, strides, padding, **kw), img)
    window("plain", (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    window("padded", (1, 3, 2, 1), (1, 2, 1, 1), ((0, 0), (1, 2), (1, 0), (0, 0)))
    window("base dilation", (1, 2, 3, 1), (1, 1, 2, 1), ((0, 0), (0, 1), (1, 0), (0, 0)), base_dilation=(1, 2, 3, 1))
window_dilation = dict(window_dilation=(1, 2, 1, 1))
case("sum of windows dilated", lambda a: lax.reduce_window(a, np.float32(0), lax.add, (1, 2, 2, 1), (1, 2, 1, 1), "SAME", **window_dilation), img)
case("product of windows", lambda a: lax.reduce_window(a, np.float32(1), lax.mul, (1, 2, 3, 1), (1, 2, 1, 1), "SAME", window_dilation=(1, 1, 2, 1)), img)
case("gradient of max pooling", lambda a: jax.grad(lambda a: jnp.sum(lax.reduce_window(a, np.float32(-np.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME") ** 2))(a), img)

# Indices.
case("gather", lambda a, i: a[:, i], a, np.array([0, 2, 2], np.int32))
case("gather of elements", lambda a, i, j: a[i, 1, j], a, np.array([0, 1, 1]), np.array([3, 0, 3]))
for mode in "clip", "fill", "promise_in_bounds":
    case("gather " + mode, lambda a, i, mode=mode: a.at[:, i].get(mode=mode), a, np.array([0, 2, 9] if mode != "promise_in_bounds" else [0, 2, 1], np.int32))
case("take_along_axis", lambda a, i: jnp.take_along_axis(a, i, 2), a, np.array([[[0, 3], [1, 1], [2, 0]]] * 2))
case("embedding", lambda t, i: jnp.tanh(t[i]), array((5, 3)), np.array([[1, 4], [1, 0]]))
case("scatter add", lambda a, u, i: a.at[:, i].add(u), a, array((2, 2, 4)), np.array([1, 1]))
case("scatter add out of bounds", lambda a, u, i: a.at[:, i].add(u), a, array((2, 2, 4)), np.array([1, 7]))
case("scatter set", lambda a, u, i: a.at[:, i].set(u), a, array((2, 2, 4)), np.array([2, 0]))
case("scatter set of duplicates", lambda a, u, i: a.at[:, i].set(u[None, None] * jnp.ones((2, 3, 4), np.float32)), a, array(()), np.array([2, 0, 2]))
case("scatter set unique", lambda a, u, i: a.at[:, i].set(u, unique_indices=True), a, array((2, 2, 4)), np.array([2, 0]))
case("scatter set unique out of bounds", lambda a, u, i: a.at[:, i].set(u, unique_indices=True), a, array((2, 2, 4)), np.array([2, 5]))
case("scatter mul unique", lambda a, u, i: a.at[:, i].mul(u, unique_indices=True), a, array((2, 2, 4)), np.array([2, 0]))
case("scatter mul of constants", lambda a, i: a.at[:, i].mul(2.0), a, np.array([2, 2]))
case("sort", lambda a: jnp.sort(a, 1), a)
case("sort with payload", lambda a, b: lax.sort((a, b * b), num_keys=1, dimension=2), a, array((2, 3, 4)))
case("sort by integers", lambda k, b: lax.sort((k, b), num_keys=1), np.array([3, 1, 2, 1]), array((4,)))
case("top_k", lambda a: lax.top_k(a, 2), a)
case("median", lambda a: jnp.median(a, axis=1), a)

# Transforms and linear algebra.
for n in 5, 6:
    case(f"fft {n}", lambda a: jnp.fft.fft(a), array((2, n), np.complex64))
    case(f"ifft {n}", lambda a: jnp.fft.ifft(a), array((2, n), np.complex64))
    case(f"rfft {n}", lambda a: jnp.fft.rfft(a), array((2, n)))
    case(f"irfft {n}", lambda a: jnp.fft.irfft(a, n), array((2, n // 2 + 1), np.complex64))
case("fft2", lambda a: jnp.fft.fft2(a), array((2, 3, 4), np.complex64))
case("rfft2", lambda a: jnp.fft.rfft2(a), array((2, 3, 4)))
case("irfft2", lambda a: jnp.fft.irfft2(a), array((2, 3, 4), np.complex64))

# Control flow.
case("cond", lambda x, y: lax.cond(x[0] > 0, lambda a, b: jnp.sin(a) * b, lambda a, b: a - b * b, x, y), x, y)
case("cond otherwise", lambda x, y: lax.cond(x[0] < 0, lambda a, b: jnp.sin(a) * b, lambda a, b: a - b * b, x, y), x, y)
case("cond with a constant branch", lambda x: lax.cond(x[0] > 0, lambda a: jnp.zeros_like(a), lambda a: a * a, x), x)
case("switch", lambda x, i: lax.switch(i, [jnp.sin, jnp.exp, lambda a: a * a * a], x), x, np.int32(2))
case("nested cond", lambda x: lax.cond(x[0] > 9, jnp.sin, lambda a: lax.cond(a[1] > -9, lambda b: jnp.cos(b) * b, jnp.exp, a * 2), x), x)
case("fori_loop", lambda x: lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) * x + i, x), x)
case("fori_loop from 2", lambda x: lax.fori_loop(2, 7, lambda i, c: c * x * i / 4, x), x)
case("scan", lambda c, xs: lax.scan(lambda c, x: (jnp.tanh(c + x), c * x), c, xs), array((3,)), array((4, 3)))
case("scan reversed", lambda c, xs: lax.scan(lambda c, x: (c * x, c), c, xs, reverse=True), array((3,)), array((4, 3)))
case("scan with weights", lambda w, h, xs: lax.scan(lambda h, x: (jnp.tanh(w @ h + x), h[0]), h, xs), array((3, 3)), array((3,)), array((5, 3)))
case("scan of scan", lambda c, xs: lax.scan(lambda c, x: lax.scan(lambda d, y: (d * y + jnp.sin(d), d), c, x), c, xs)[0], array(()), array((2, 3)))
case("scan with cond", lambda c, xs: lax.scan(lambda c, x: (lax.cond(x > 0, lambda c: c * x, lambda c: jnp.sin(c), c), c), c, xs), array(()), array((4,)))
case("scan of constants", lambda c: lax.scan(lambda c, _: (c * 2, None), c, None, length=3)[0], x)
case("scan of nothing", lambda c, xs: lax.scan(lambda c, x: (c * x, c), c, xs), array(()), array((0,)))
case("while", lambda x: lax.while_loop(lambda c: c[0] < 3.5, lambda c: (c[0] + 1, c[1] * x), (np.float32(0), x))[1], x)
case("jit in jit", lambda x: jax.jit(lambda y: jnp.sin(y) * y)(x) + jax.jit(jnp.cos)(x * 2), x)
case("custom_jvp", lambda x: jax.nn.relu(x) + jax.nn.silu(x) + jax.nn.gelu(x), x)
case("remat", lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x), x)

# Programs.
def mlp(x, *ws):
    for w in ws:
        x = jnp.tanh(x @ w)
    return jnp.sum(x**2)


case("mlp", mlp, array((3, 4)), array((4, 5)), array((5, 2)))


def attention(q, k, v):
    s = jnp.einsum("bqd,bkd->bqk", q, k) / np.float32(2)
    s = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), s, -1e9)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s), v)


case("attention", attention, array((2, 3, 4)), array((2, 3, 4)), array((2, 3, 4)))
case("layer norm", lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g, a, array((4,)))
case("cross entropy", lambda x, i: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1)), array((3, 5)), np.array([1, 4, 0]))


def gru(w, u, h, xs):
    def step(h, x):
        z = jax.nn.sigmoid(w[0] @ x + u[0] @ h)
        r = jax.nn.sigmoid(w[1] @ x + u[1] @ h)
        n = jnp.tanh(w[2] @ x + u[2] @ (r * h))
        h = (1 - z) * h + z * n
        return h, h
    return lax.scan(step, h, xs)


case("gru", gru, array((3, 4, 2)), array((3, 4, 4)), array((4,)), array((5, 2)))
case("gradient", lambda x: jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 3 / x))(x), x)
case("gradient of scan", lambda c, xs: jax.grad(lambda c, xs: jnp.sum(lax.scan(lambda c, x: (jnp.sin(c * x), c), c, xs)[0]))(c, xs), array(()), array((4,)))
case("hessian", lambda x: jax.hessian(lambda x: jnp.sum(jnp.sin(x) * jnp.exp(x[0])))(x), array((3,)))

# Devices.
line = Mesh(np.array(jax.devices()[:2]), ("i",))
square = Mesh(np.array(jax.devices()).reshape(2, 2), ("i", "j"))


def parallel(name, f, ins, outs, *args, mesh=line, check_vma=False):
    g = jax.shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=check_vma)
    case("devices: " + name, g, *args, devices=mesh.size)


v, u = array((4,)), array((8, 4))
parallel("elementwise", lambda x, y: jnp.sin(x) * y, (P("i"), P()), P("i"), v, np.float32(2))
parallel("psum", lambda x: lax.psum(x * x, "i"), P("i"), P(), v)
parallel("psum that is checked", lambda x, w: lax.psum(jnp.sum(x * w * x), "i"), (P("i"), P()), P(), v, np.float32(2), check_vma=True)
parallel("pmean", lambda x, w: lax.pmean(jnp.sin(x) * w, "i"), (P("i"), P()), P(), v, np.float32(2))
parallel("copies as results", lambda x, w: (jnp.sin(w), x * w), (P("i"), P()), (P(), P("i")), v, np.float32(2))
parallel("all_gather", lambda x: jnp.sin(lax.all_gather(x, "i")) * x, P("i"), P(None, "i"), v)
parallel("all_gather tiled", lambda x: jnp.cumsum(lax.all_gather(x, "i", tiled=True)) * 2, P("i"), P("i"), v)
parallel("psum_scatter", lambda x: lax.psum_scatter(jnp.tanh(x), "i", tiled=True), P("i"), P("i"), u)
parallel("ppermute", lambda x: jnp.exp(lax.ppermute(x, "i", [(0, 1)])) * x, P("i"), P("i"), v)
parallel("all_to_all", lambda x: lax.all_to_all(jnp.sin(x), "i", 1, 0, tiled=True), P("i"), P(None, "i"), u)
parallel("scan", lambda x: lax.scan(lambda c, y: (jnp.sin(lax.psum(c * y, "i")), c), x[0], x), P(None, "i"), (P("i"), P(None, "i")), array((3, 4)))
parallel("cond", lambda x, p: lax.cond(p[0] > 0, lambda x: x * x, jnp.sin, x), (P("i"), P()), P("i"), v, np.ones(1, np.float32))
parallel("grid", lambda x, y: lax.psum(x @ y, "j"), (P("i", "j"), P("j", None)), P("i", None), array((4, 6)), array((6, 3)), mesh=square)
parallel("grid of both", lambda x, w: (lax.psum(jnp.sum(x * w), ("i", "j")), lax.all_gather(x, "j", axis=1, tiled=True) * w), (P("i", "j"), P()), (P(), P("i", None)), u, np.float32(2), mesh=square)
parallel("index", lambda x: x * lax.axis_index("i"), P("i"), P("i"), v)
parallel("gradient", lambda x, w: jax.grad(lambda w: jnp.sum(jnp.sin(w * x)))(w), (P("i"), P("i")), P("i"), v, v)
case("sharding constraint", lambda x: jnp.sin(lax.with_sharding_constraint(x * x, NamedSharding(line, P("i")))), v, devices=2)

# Further special functions.
b = np.array([0.0, 1e-9, 0.3, -2.0, 7.0, -19.5, 21.0, 400.0])
for dtype in np.float32, np.float64:
    case(f"bessel_i1e {dtype.__name__}", lax.bessel_i1e, np.asarray(b, dtype))
    case(f"bessel_i0e {dtype.__name__}", lax.bessel_i0e, np.asarray(b[2:], dtype))
case("second derivative of bessel_i1e", lambda x: jax.grad(lambda x: jnp.sum(lax.bessel_i1e(x)))(x), np.array([0.3, -2.0, 7.0]))
case("ragged_dot", lax.ragged_dot, array((6, 3)), array((2, 3, 4)), np.array([2, 3], np.int32))
case("i0", jnp.i0, array((4,)))

# Linear algebra, by LAPACK. What depends on the signs of vectors is not compared.
def positive(x):
    return x @ x.conj().swapaxes(-1, -2) + jnp.eye(x.shape[-1], dtype=x.dtype)


def regular(x):
    return 0.3 * x + jnp.asarray(np.diag(np.arange(1, x.shape[-1] + 1)), x.dtype)


def matrix(f):
    return lambda x: f(regular(x))


la, solve_triangular = jnp.linalg, jax.scipy.linalg.solve_triangular
for dtype in np.float32, np.float64, np.complex64:
    s, b = array((3, 3), dtype), array((3, 2), dtype)
    t = "LAPACK " + np.dtype(dtype).name + " "
    case(t + "cholesky", lambda x: la.cholesky(positive(x)), s)
    case(t + "upper cholesky", lambda x: la.cholesky(positive(x), upper=True), s)
    for name, kw in {"plain": {}, "lower": dict(lower=True), "transposed": dict(trans=1), "adjoint unit": dict(trans=2, unit_diagonal=True)}.items():
        case(t + "triangular solve " + name, lambda x, b, kw=kw: solve_triangular(regular(x), b, **kw), s, b)
    case(t + "solve from the right", lambda x, b: lax.linalg.triangular_solve(regular(x), b.T, lower=True), s, b)
    case(t + "lu", matrix(lambda x: jax.scipy.linalg.lu_factor(x[::-1])[0]), s)
    case(t + "solve", lambda x, b: la.solve(regular(x)[::-1], b), s, b)
    case(t + "inv and det", matrix(lambda x: (la.inv(x), la.det(x))), s)
    case(t + "slogdet", matrix(lambda x: la.slogdet(x)[1]), s)
    case(t + "qr", matrix(la.qr), s)
    case(t + "eigh", lambda x: [w for w in [la.eigvalsh(positive(x))]] + [jnp.abs(la.eigh(positive(x))[1]) ** 2], s)
    case(t + "svd", matrix(lambda x: (lambda u, s, vt: (s, (u * s**2) @ vt))(*la.svd(x))), s)
    case(t + "singular values", matrix(lambda x: la.svd(x, compute_uv=False)), s)
for name, shape in {"tall": (4, 3), "wide": (2, 4), "batch": (2, 3, 3)}.items():
    x = array(shape)
    case(f"LAPACK {name} lu", lambda x: lax.linalg.lu(x)[0], x)
    case(f"LAPACK {name} qr", lambda x: la.qr(x), x)
    case(f"LAPACK {name} r", lambda x: la.qr(x, mode="r"), x)
    case(f"LAPACK {name} svd", lambda x: (lambda u, s, vt: (s, u**2, vt**2, (u * s[..., None, :] ** 2) @ vt))(*la.svd(x, full_matrices=False)), x)
    case(f"LAPACK {name} singular values", lambda x: la.svd(x, compute_uv=False), x)
    case(f"LAPACK {name} gesvd", lambda x: lax.linalg.svd(x, compute_uv=False, algorithm=lax.linalg.SvdAlgorithm.QR), x)
x = array((2, 3, 3))
case("LAPACK batch solve", lambda x, b: la.solve(regular(x), b), x, array((2, 3, 2)))
case("LAPACK batch cholesky", lambda x: la.cholesky(positive(x)), x)
case("LAPACK batch eigh", lambda x: (la.eigvalsh(positive(x)), la.eigh(positive(x))[1] ** 2), x)
case("LAPACK hessian of slogdet", lambda x: jax.hessian(lambda x: la.slogdet(regular(x))[1])(x), array((2, 2), np.float64))
case("LAPACK gradient of eigh", lambda x: jax.grad(lambda x: jnp.sum(jnp.sin(la.eigvalsh(positive(x)))))(x), array((3, 3), np.float64))
case("LAPACK gradient of qr", lambda x: jax.grad(lambda x: jnp.sum(la.qr(x)[0] ** 3))(x), array((4, 3), np.float64))
case("LAPACK gradient of svd", lambda x: jax.grad(lambda x: jnp.sum(la.svd(x, full_matrices=False)[0] ** 2 * jnp.arange(3)))(x), array((4, 3), np.float64))

for dtype in np.float32, np.float64, np.complex128:
    t, x = "LAPACK " + np.dtype(dtype).name + " ", array((3, 3), dtype)
    eig = lambda x, left=False: lax.linalg.eig(x, compute_left_eigenvectors=left, enable_eigvec_derivs=True)
    case(t + "eigvals", lambda x: la.eigvals(x), x)
    case(t + "eig", lambda x: eig(x), x)
    case(t + "eig of both sides", lambda x: eig(x, True), x)
    case(t + "tridiagonal solve", lambda l, d, u, b: lax.linalg.tridiagonal_solve(l, d + 4, u, b), array((4,), dtype), array((4,), dtype), array((4,), dtype), array((4, 2), dtype))
case("LAPACK batch eig", lambda x: eig(x), array((2, 4, 4), np.float64))
case("LAPACK batch tridiagonal solve", lambda l, d, u, b: lax.linalg.tridiagonal_solve(l, d + 4, u, b), array((2, 4)), array((2, 4)), array((2, 4)), array((2, 4, 1)))
case("LAPACK hessian of eigenvalues", lambda x: jax.hessian(lambda x: jnp.sum(jnp.abs(eig(x)[0]) ** 2))(x), array((3, 3), np.float64))

key, shape = jax.random.PRNGKey(3), np.array([[0.05, 0.3, 1.0, 2.5], [7, 30, 200, 1e4]])
for dtype in np.float32, np.float64:
    t = np.dtype(dtype).name
    case(f"gamma {t}", lambda a: jax.random.gamma(key, a, dtype=a.dtype), shape.astype(dtype))
    case(f"loggamma {t}", lambda a: jax.random.loggamma(key, a, dtype=a.dtype), shape[:, 1:].astype(dtype))
case("dirichlet", lambda a: jax.random.dirichlet(key, a), shape[0])
case("beta", lambda a, b: jax.random.beta(key, a, b), shape[0], shape[1])
case("gamma along tangents twice", lambda a: jax.jvp(lambda a: jax.random.gamma(key, a), (a,), (a,))[1], shape[1])

only = sys.argv[1:]
print("[" + ",\n".join(json.dumps(derive(*c)) for c in CASES if not only or c[0] in only) + "]")
