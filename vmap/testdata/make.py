"""Writes cases.json.gz: functions of JAX as modules, with what JAX's vmap computes of them.

Run it with JAX 0.10.2: python make.py | gzip -9n > cases.json.gz

A newer one lowers asin and lgamma to arithmetic: these cases test the operations of CHLO, and tests/jaxprograms what
the newest JAX lowers.
"""

import base64
import itertools
import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

rng = np.random.default_rng(11)
CASES = []
B = 3


def array(shape, dtype=np.float32, low=-1.5, high=1.5):
    """A batch of arrays."""
    x = rng.uniform(low, high, (B, *shape))
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * rng.uniform(low, high, (B, *shape))
    return np.asarray(x, dtype)


def ints(shape, low, high, dtype=np.int32):
    return rng.integers(low, high, (B, *shape)).astype(dtype)


def case(name, f, *args, only=None):
    """Batches a function along each nonempty subset of its arguments, or only some of them."""
    CASES.append((name, f, args, only))


def encode(x):
    x = np.asarray(x)
    return {"type": x.dtype.name, "shape": list(x.shape), "data": base64.b64encode(x.tobytes()).decode()}


def listed(out):
    return list(out) if isinstance(out, (tuple, list)) else [out]


def make(name, f, args, only):
    args = [jnp.asarray(a) for a in args]
    g = lambda *a: listed(f(*a))
    case = {"name": name, "arguments": [encode(a) for a in args]}
    platform = "tpu" if "solve" in name or "cholesky" in name else "cpu"  # a CPU calls LAPACK for these
    traced = jax.jit(g, keep_unused=True).trace(*[a[0] for a in args])
    case["module"] = traced.lower(lowering_platforms=(platform,)).as_text()
    subsets = [s for n in range(len(args), 0, -1) for s in itertools.combinations(range(len(args)), n)]
    case["variants"] = []
    for subset in only or subsets:
        in_axes = [0 if i in subset else None for i in range(len(args))]
        try:
            out = jax.vmap(g, in_axes=in_axes)(*[a if i in subset else a[0] for i, a in enumerate(args)])
        except (TypeError, NotImplementedError) as e:
            print(f"{name} {in_axes}: JAX cannot: {str(e)[:80]}", file=sys.stderr)
            continue
        case["variants"].append({"batched": [i in subset for i in range(len(args))], "results": [encode(o) for o in out]})
    return case


# Elementwise.
x, y = array((2,)), array((2,))
p = array((2,), low=0.2, high=0.9)
z, w = array((2,), np.complex64), array((2,), np.complex64)
n, m = ints((2,), -50, 50), ints((2,), 1, 9)
for name in "acos asin atanh ceil cbrt digamma erf_inv exp expm1 floor lgamma log log1p logistic rsqrt sqrt tanh".split():
    case(name, getattr(lax, name), p)
case("many of one operand", lambda x: [f(x) for f in (lax.abs, lax.asinh, lax.atan, lax.cos, lax.cosh, lax.erf, lax.erfc, lax.exp2, lax.neg, lax.round, lax.sign, lax.sin, lax.sinh, lax.square, lax.tan, lax.is_finite, lax.bessel_i1e)], x)
case("many complex", lambda z: [f(z) for f in (lax.abs, lax.exp, lax.log, lax.neg, lax.real, lax.imag, lax.conj, lax.sqrt, lax.tanh)], z)
case("many of integers", lambda n: [f(n) for f in (lax.abs, lax.neg, lax.sign, lax.bitwise_not, lax.population_count, lax.clz)], n)
case("many of two operands", lambda x, y: [f(x, y) for f in (lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.atan2, lax.rem, lax.nextafter, lax.lt, lax.ge, lax.eq, lax.complex)], x, y)
case("many of two integers", lambda n, m: [f(n, m) for f in (lax.add, lax.div, lax.rem, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, lax.shift_left, lax.shift_right_arithmetic, lax.shift_right_logical, lax.ne)], n, m)
case("complex operands", lambda z, w: [z + w, z * w, z / w, lax.pow(z, w)], z, w)
case("pow", lax.pow, p, y)
case("integer_pow", lambda x: lax.integer_pow(x, 5), x)
case("polygamma and zeta", lambda x: [lax.polygamma(jnp.full_like(x, 2), x), lax.zeta(x + 2, x)], p)
case("clamp", lax.clamp, -p, x, p)
case("clamp by scalars", lax.clamp, -p[:, 0], x, p[:, 0])
case("clamp of a scalar", lax.clamp, -p[:, 0], x[:, 0], p[:, 0])
case("select", lambda c, x, y: jnp.where(c > 0, x, y), n, x, y)
case("select of scalar", lambda c, x, y: lax.select(c > 0, x, y), n[:, 0], x, y)
case("select of scalars", lambda c, x, y: lax.select(c > 0, x, y), n[:, 0], x[:, 0], y[:, 0])
case("convert", lambda x: [lax.convert_element_type(x, t) for t in (np.float16, np.int32, np.complex64, np.float64)], x)
case("bitcast_convert", lambda x: [lax.bitcast_convert_type(x, np.int32), lax.bitcast_convert_type(x, np.int16)], x)
case("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), x)
case("barrier", lambda x, y: lax.optimization_barrier((x, y)), x, y)
case("constant result", lambda x: (jnp.ones(3, np.float32), x), x)
case("broadcasting", lambda s, x: s * x + s, p[:, 0], x)

# Shapes.
a = array((2, 3, 4))
s = array(())
case("reshape", lambda a: jnp.reshape(a, (4, 6)), a)
case("transpose", lambda a: jnp.transpose(a, (2, 0, 1)), a)
case("broadcast_in_dim", lambda b: lax.broadcast_in_dim(b, (2, 3, 4), (1,)), array((3,)))
case("broadcast of ones", lambda b: lax.broadcast_in_dim(b, (2, 3, 4), (1, 2)), array((1, 4)))
case("broadcast of a scalar", lambda b: lax.broadcast_in_dim(b, (2, 3), ()), s)
case("reverse", lambda a: lax.rev(a, (0, 2)), a)
case("slice", lambda a: lax.slice(a, (0, 1, 1), (2, 3, 4), (1, 1, 2)), a)
case("pad", lambda a, v: lax.pad(a, v, ((1, 2, 0), (0, 0, 1), (-1, 1, 2))), a, s)
case("pad integers", lambda a, v: lax.pad(a, v, ((1, 1, 1),)), n, m[:, 0])
case("concatenate", lambda a, b: lax.concatenate([a, b, a], 1), a, array((2, 1, 4)))
case("iota", lambda x: x + lax.iota(np.float32, 2), x)
case("squeeze and expand", lambda a: jnp.expand_dims(jnp.squeeze(a[:, :1], 1), 0), a)

# Slices and indices.
i, j = ints((), 0, 4), ints((), -2, 9)
case("dynamic_slice", lambda a, i, j: lax.dynamic_slice(a, (np.int32(0), i, j), (1, 2, 2)), a, i, j)
case("dynamic_update_slice", lambda a, b, i, j: lax.dynamic_update_slice(a, b, (np.int32(0), i, j)), a, array((1, 2, 2)), i, j)
case("take", lambda a, i: a[:, i], a, ints((2,), 0, 3))
case("take out of bounds", lambda a, i: a.at[:, i].get(mode="fill", fill_value=7), a, ints((2,), -5, 6))
case("take clipped", lambda a, i: a.at[:, i].get(mode="clip"), a, ints((2,), -5, 6))
case("take along axis", lambda a, i: jnp.take_along_axis(a, i, 2), a, ints((2, 3, 2), 0, 4))
case("take pairs", lambda a, i, j: a[i, :, j], a, ints((2,), 0, 2), ints((2,), 0, 4))
case("take with batching dims", lambda a, i: jax.vmap(lambda a, i: a[i])(a, i), a, ints((2, 5), 0, 3))
case("scatter add", lambda a, u, i: a.at[:, i].add(u), a, array((2, 2, 4)), ints((2,), 0, 3))
case("scatter set", lambda a, u, i: a.at[i].set(u), array((5,)), s, ints((), 0, 5))
case("scatter set out of bounds", lambda a, u, i: a.at[i].set(u, mode="drop"), array((5, 2)), array((2, 2)), np.array([[0, 9], [4, -7], [2, 3]], np.int32))
case("scatter max", lambda a, u, i: a.at[:, i, 1].max(u), a, array((2, 2)), ints((2,), 0, 3))
case("scatter mul", lambda a, u, i: a.at[i, :, i].mul(u), a, array((2, 3)), ints((2,), 0, 2))
case("scatter with batching dims", lambda a, u, i: jax.vmap(lambda a, u, i: a.at[i].add(u))(a, u, i), array((2, 4)), array((2, 3)), ints((2, 3), 0, 4))

# Products.
case("matrix and matrix", lambda a, b: a @ b, array((3, 4)), array((4, 2)))
case("matrix and vector", lambda a, b: a @ b, array((3, 4)), array((4,)))
case("vector and matrix", lambda a, b: a @ b, array((4,)), array((4, 3)))
case("vector and vector", lambda a, b: a @ b, array((4,)), array((4,)))
case("outer", lambda a, b: jnp.outer(a, b), array((2,)), array((3,)))
case("dot complex", lambda a, b: a @ b, array((3, 2), np.complex64), array((2, 2), np.complex64))
case("dot of batches", lambda a, b: jnp.einsum("bijk,kbli->jbl", a, b), array((2, 3, 2, 4)), array((4, 2, 2, 3)))
case("dot of batches and vector", lambda a, b: jnp.einsum("bik,bk->bi", a, b), array((2, 3, 4)), array((2, 4)))
case("dot of halves", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=np.float32), array((3, 4), np.float16), array((4, 2), np.float16))


def conv(name, lhs, rhs, strides, padding, dims, **kw):
    case("convolution " + name, lambda a, b: lax.conv_general_dilated(a, b, strides, padding, dimension_numbers=dims, **kw), array(lhs), array(rhs))


conv("plain", (2, 3, 4, 3), (2, 3, 3, 2), (1, 1), "SAME", ("NCHW", "OIHW", "NCHW"))
conv("strides", (2, 5, 4, 2), (3, 2, 2, 3), (2, 3), [(1, 0), (2, 1)], ("NHWC", "HWIO", "NHWC"))
conv("dilations", (2, 4, 2), (2, 2, 3), (2,), [(3, 2)], ("NHC", "HIO", "NHC"), lhs_dilation=(2,), rhs_dilation=(3,))
conv("feature groups", (2, 6, 5), (4, 3, 2), (1,), [(1, 1)], ("NCH", "OIH", "NCH"), feature_group_count=2)
conv("depthwise", (2, 5, 4), (3, 1, 8), (2,), [(1, 1)], ("NHC", "HIO", "NHC"), feature_group_count=4)
conv("batch groups", (4, 3, 5), (6, 3, 2), (1,), [(1, 0)], ("NCH", "OIH", "NCH"), batch_group_count=2)
conv("other layouts", (4, 3, 2, 2), (3, 2, 2, 2), (1, 2), [(1, 1), (0, 2)], ("HNCW", "HIOW", "WCHN"))

# Reductions.
case("reductions", lambda a: [jnp.sum(a, (0, 2)), jnp.max(a, 1), jnp.min(a), jnp.prod(a, 2), jnp.any(a > 1, 0), jnp.all(a < 1, 2)], a)
case("argmax and argmin", lambda a: [jnp.argmax(a, 1), jnp.argmin(a)], a)
case("mean and variance", lambda a: [jnp.mean(a, 1), jnp.var(a, 1)], a)
case("reduction of two", lambda a, b: lax.reduce((a, b), (np.float32(0), np.float32(1)), lambda p, q: (p[0] + q[0], p[1] * q[1]), (1,)), a, array((2, 3, 4)))
case("logsumexp and softmax", lambda a: [jax.nn.logsumexp(a, 1), jax.nn.softmax(a)], a)
case("cumulative", lambda a: [jnp.cumsum(a, 1), jnp.cumprod(a, 2), lax.cummax(a, 2), lax.cumlogsumexp(a, 0, reverse=True)], a)
case("max pooling", lambda a: lax.reduce_window(a, -np.inf, lax.max, (1, 2, 2), (1, 1, 2), "SAME"), a)
case("sum of windows", lambda a: lax.reduce_window(a, np.float32(0), lax.add, (1, 2, 2), (1, 1, 2), [(0, 0), (1, 0), (0, 1)], (1, 2, 1), (1, 1, 2)), a)
case("gradient of max pooling", lambda a: jax.grad(lambda a: jnp.sum(lax.reduce_window(a, -np.inf, lax.max, (1, 2, 2), (1, 1, 2), "VALID") ** 2))(a), a)
case("sort", lambda a: [jnp.sort(a, 1), jnp.argsort(a, 0)], a)
case("sort with payload", lambda a, b: lax.sort((a, b), num_keys=1, dimension=2), a, array((2, 3, 4)))
case("top_k", lambda a: lax.top_k(a, 2), a)
case("searchsorted", lambda a, v: jnp.searchsorted(a, v), np.sort(array((5,)), 1), array((2,)))

# Transforms and linear algebra.
case("fft", lambda z: [jnp.fft.fft(z), jnp.fft.ifft2(z), jnp.fft.irfft(z, 5)], array((2, 3), np.complex64))
case("rfft", lambda a: [jnp.fft.rfft(a), jnp.fft.rfft2(a)], array((2, 5)))
case("cholesky", lambda a: lax.linalg.cholesky(a @ a.T + 2 * jnp.eye(3, dtype=np.float32)), array((3, 3)))
for name, kw in {"plain": {}, "left": dict(left_side=True, lower=True), "transposed": dict(left_side=True, transpose_a=True), "unit": dict(unit_diagonal=True, lower=True)}.items():
    case("triangular_solve " + name, lambda a, b, kw=kw: lax.linalg.triangular_solve(a + 2 * jnp.eye(3, dtype=np.float32), b, **kw), array((3, 3)), array((3, 3)))

# Random numbers, whose keys JAX splits into a batch.
keys = np.asarray(jax.vmap(jax.random.PRNGKey)(np.arange(B)))
case("random numbers", lambda k: [jax.random.uniform(k, (3,)), jax.random.normal(jax.random.split(k)[1], (2,)), jax.random.permutation(k, 5)], keys)

# Control flow.
case("cond", lambda c, x, y: lax.cond(c > 0, lambda a, b: [jnp.sin(a) * b, b], lambda a, b: [a - b, a], x, y), n[:, 0], x, y)
case("cond with constants", lambda c, x: lax.cond(c > 0, lambda a: jnp.zeros_like(a), lambda a: a * a, x), n[:, 0], x)
case("switch", lambda i, x, y: lax.switch(i, [lambda a, b: a, lambda a, b: b, lambda a, b: a * b], x, y), np.array([2, -1, 7], np.int32), x, y)
case("nested cond", lambda c, x: lax.cond(c > 0, jnp.sin, lambda a: lax.cond(x[0] > 0, lambda b: jnp.cos(b) * b, jnp.exp, a * 2), x), n[:, 0], x)
case("fori_loop", lambda x, y: lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) * y + i, x), x, y)
case("fori_loop of batched length", lambda n, x, y: lax.fori_loop(0, n, lambda i, c: (c[0] * c[1] + i, c[1]), (x, y)), np.array([3, 0, 5], np.int32), x, y)
case("while", lambda l, x: lax.while_loop(lambda c: c[0] < l, lambda c: (c[0] * 2, c[1] + c[0], c[2]), (np.float32(1), x, x)), np.array([7, 0.5, 30], np.float32), x)
case("while that reaches itself", lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] + c[2], c[3], x[0]), (0, np.float32(0), np.float32(0), np.float32(1))), x)
case("nested while", lambda n, x: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, lax.while_loop(lambda d: jnp.sum(d) < c[0], lambda d: d + 1, c[1])), (0, x)), np.array([3, 0, 5], np.int32), x)
case("while with cond", lambda n, x: lax.fori_loop(0, n, lambda i, c: lax.cond(i % 2 == 0, lambda c: c + x, lambda c: c * 2, c), x), np.array([3, 0, 5], np.int32), x)
case("scan", lambda c, xs: lax.scan(lambda c, x: (jnp.tanh(c + x), c * x), c, xs), array((3,)), array((4, 3)))
case("scan of scan", lambda c, xs: lax.scan(lambda c, x: lax.scan(lambda d, y: (d * y + jnp.sin(d), d), c, x), c, xs)[0], s, array((2, 3)))
case("map", lambda xs, y: lax.map(lambda x: jnp.sum(x * y), xs), array((4, 2)), y)
case("jit in jit", lambda x: jax.jit(lambda y: jnp.sin(y) * y)(x) + jax.jit(jnp.cos)(x * 2), x)
case("associative scan", lambda x: lax.associative_scan(jnp.multiply, x), array((5,)))

# Programs.


def mlp(x, v, w):
    return jnp.sum(jnp.tanh(jnp.tanh(x @ v) @ w) ** 2)


def attention(q, k, v):
    s = jnp.einsum("bqd,bkd->bqk", q, k) / np.float32(2)
    s = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), s, -1e9)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(s), v)


def newton(x, y):
    return lax.while_loop(lambda c: jnp.abs(c * c - x) > 1e-5, lambda c: (c + x / c) / 2, y)


def gru(w, u, h, xs):
    def step(h, x):
        z = jax.nn.sigmoid(w[0] @ x + u[0] @ h)
        r = jax.nn.sigmoid(w[1] @ x + u[1] @ h)
        n = jnp.tanh(w[2] @ x + u[2] @ (r * h))
        h = (1 - z) * h + z * n
        return h, h
    return lax.scan(step, h, xs)


case("mlp", mlp, array((3, 4)), array((4, 5)), array((5, 2)))
case("attention", attention, array((2, 3, 4)), array((2, 3, 4)), array((2, 3, 4)))
case("newton", newton, array((), low=1, high=9), array((), low=1, high=2))
case("gru", gru, array((3, 4, 2)), array((3, 4, 4)), array((4,)), array((3, 2)), only=[(0, 1, 2, 3), (2, 3), (0, 1), (3,)])
case("per-example gradients", jax.grad(mlp, (1, 2)), array((3, 4)), array((4, 5)), array((5, 2)), only=[(0,), (0, 1, 2)])
case("layer norm", lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g, a, array((4,)))
case("cross entropy", lambda x, i: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1)), array((3, 5)), ints((3,), 0, 5))
case("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * jnp.exp(x[0]))), array((3,)))
case("batch of a batch", jax.vmap(lambda x, y: jnp.sort(x) @ y, (0, None)), array((2, 3)), array((3,)))

only = sys.argv[1:]
print("[" + ",\n".join(json.dumps(make(*c)) for c in CASES if not only or c[0] in only) + "]")
