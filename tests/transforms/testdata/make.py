"""Writes random programs of JAX as modules, with what JAX computes of transformations of them, up to three deep.

Run it with JAX 0.10.2: python make.py 50 1000 | gzip -9n > cases.json.gz

A newer JAX has derivatives of sinc and of kl_div that its modules do not tell.

The arguments are the number of programs, the seed of the first one, and the kind of the programs, if it is always one.

Each program is computed in 32 and in 64 bits, and with arguments that differ in the last bit. The difference is the
error that roundings make, which the test takes as its tolerance. Where it is large, because a program is ill-conditioned or takes another branch, the program is
left out.
"""

import base64
import json
import os
import re
import sys

os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"  # they compile sooner

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

# Types: S, V and M are a scalar, a vector and a matrix of real numbers; Z is a complex vector, I an index, B a boolean
# and N a vector of indices. X is one of S, V and M.
SHAPES = {"S": (), "V": (3,), "M": (3, 3), "Z": (3,), "I": (), "B": (), "N": (3,)}
OPS, ALGEBRA, COMPLEX = [], [], []  # of (types of operands, types of results, function)


def op(ins, outs, f, to=OPS):
    to.append((ins, outs, f))


for f in (
    jnp.sin, jnp.cos, jnp.tanh, jnp.square, jnp.abs, jnp.floor, jnp.sign, lax.neg, lax.logistic, lax.erf, jnp.arctan,
    jnp.arcsinh, jax.nn.relu, jax.nn.silu, jax.nn.softplus, jax.nn.gelu, jnp.cbrt,
    lambda x: jnp.exp(x * 0.3), lambda x: jnp.expm1(x * 0.3), lambda x: jnp.log1p(x * x), lambda x: jnp.log(x * x + 0.4),
    lambda x: jnp.sqrt(x * x + 1), lambda x: lax.rsqrt(x * x + 0.6), lambda x: x**3 * 0.2, lambda x: 1 / (x * x + 1),
    lambda x: jnp.clip(x, -1, 1), lambda x: lax.lgamma(x * x + 1.2), lambda x: lax.digamma(x * x + 1.2),
    lambda x: jnp.tan(0.3 * jnp.tanh(x)), lambda x: jnp.arcsin(0.7 * jnp.tanh(x)), lambda x: lax.erf_inv(0.5 * jnp.tanh(x)),
    lambda x: jnp.sinh(jnp.tanh(x)), lambda x: lax.optimization_barrier(x) * x, lambda x: jnp.arccosh(x * x + 1.3),
    lambda x: lax.erfc(x) * x, lambda x: jnp.exp2(jnp.tanh(x)), lambda x: jnp.round(x * 2) * x,
):
    op("X", "X", f)
for f in (
    jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum, lambda x, y: x / (y * y + 1),
    lambda x, y: jnp.arctan2(x, y * y + 0.5), lambda x, y: (x * x + 0.5) ** jnp.tanh(y), lambda x, y: jnp.where(x > y, x, y * 2),
    lambda x, y: jnp.logaddexp(x, y), lambda x, y: jnp.hypot(x, y * y + 1), lambda x, y: jnp.where(x > 0, jnp.sin(x) * y, x),
    lambda x, y: lax.rem(x, y * y + 1), lambda x, y: lax.clamp(-y * y, x, y * y + 1),
):
    op("XX", "X", f)
op("SV", "V", lambda s, v: s * v)
op("SM", "M", lambda s, m: m + s)
op("VM", "M", lambda v, m: v[:, None] * m)
op("VM", "M", lambda v, m: m - v)
op("MV", "V", lambda m, v: m @ v)
op("VM", "V", lambda v, m: jnp.tanh(v @ m))
op("MM", "M", lambda a, b: jnp.tanh(a @ b))
op("MM", "M", lambda a, b: jnp.einsum("ij,kj->ik", a, b) * 0.4)
op("MMV", "V", lambda a, b, v: jnp.einsum("ij,ij,j->i", a, b, v) * 0.4)
op("MM", "V", lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((0,), (0,)))))
op("VV", "S", lambda a, b: jnp.dot(a, b))
op("VV", "M", lambda a, b: jnp.outer(a, b))
op("M", "M", jnp.transpose)
op("M", "V", jnp.diag)
op("V", "M", jnp.diag)
op("M", "M", jnp.triu)
op("M", "S", jnp.trace)
for f in jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.prod, jax.nn.logsumexp, jnp.var:
    op("M", "V", lambda m, f=f: f(m, 0))
    op("M", "V", lambda m, f=f: f(m, 1))
    op("V", "S", lambda v, f=f: f(v))
    op("M", "S", lambda m, f=f: f(m))
for f in jnp.cumsum, jnp.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp, jax.nn.softmax, jax.nn.log_softmax, jnp.sort, jnp.flip:
    op("V", "V", lambda v, f=f: f(v))
    op("M", "M", lambda m, f=f: f(m, axis=0))
op("VV", "VV", lambda a, b: lax.sort((a, b), num_keys=1))
op("MM", "M", lambda a, b: lax.sort((a, b * b), dimension=0, num_keys=1)[1])
op("V", "V", lambda v: jnp.concatenate([lax.top_k(v, 2)[0], v[:1]]))
op("M", "V", lambda m: m.reshape(-1)[1:8:3])
op("M", "M", lambda m: jnp.roll(m, 1, 0) * m)
op("VS", "V", lambda v, s: lax.pad(v, s, ((-1, 1, 0),)))
op("VS", "V", lambda v, s: lax.pad(v, s, ((1, -3, 1),)))
op("VV", "V", lambda a, b: jnp.concatenate([a, b])[::2])
op("VVV", "M", lambda a, b, c: jnp.stack([a, b, c], 1))
op("VI", "S", lambda v, i: lax.dynamic_index_in_dim(v, i, keepdims=False))
op("MI", "V", lambda m, i: lax.dynamic_index_in_dim(m, i, 1, keepdims=False))
op("VIS", "V", lambda v, i, s: lax.dynamic_update_index_in_dim(v, s, i, 0))
op("MVI", "M", lambda m, v, i: lax.dynamic_update_index_in_dim(m, v, i, 1))
op("MII", "S", lambda m, i, j: m[i, j])
op("VN", "V", lambda v, n: v[n])
op("MN", "M", lambda m, n: m[:, n])
op("MNN", "V", lambda m, n, k: m[n, k])
op("MN", "V", lambda m, n: jnp.take_along_axis(m, n[:, None], 1)[:, 0])
op("VN", "V", lambda v, n: v.at[n].get(mode="fill", fill_value=0.5))
op("VNV", "V", lambda v, n, u: v.at[n].add(u))
op("MNM", "M", lambda m, n, u: m.at[:, n].add(u))
op("MIV", "M", lambda m, i, u: m.at[i].set(u))
op("MIV", "M", lambda m, i, u: m.at[i].multiply(u, unique_indices=True))
op("VVN", "V", lambda v, u, n: jax.ops.segment_sum(v * u, n, 3))
op("VV", "V", lambda v, k: jnp.convolve(v, k, "same"))
op("MM", "M", lambda m, k: lax.conv_general_dilated(m[None, None], k[None, None, :2, :2], (1, 1), "SAME")[0, 0])
op("MV", "M", lambda m, k: lax.conv_general_dilated(m[None], k[:, None, None] * jnp.ones((1, 1, 2), m.dtype), (2,), [(1, 2)], rhs_dilation=(2,), lhs_dilation=(2,), feature_group_count=3)[0][:, :3])
op("M", "M", lambda m: lax.reduce_window(m, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"))
op("M", "M", lambda m: lax.reduce_window(m, m.dtype.type(0), lax.add, (1, 2), (1, 1), ((0, 0), (1, 0))))
op("V", "V", lambda v: lax.associative_scan(jnp.multiply, v))
op("V", "V", lambda v: lax.reduce_precision(v, 11, 52) * v)
op("V", "V", lambda v: jnp.abs(jnp.fft.rfft(v + 1, 5)) + 1)
op("V", "V", lambda v: jnp.fft.irfft(jnp.fft.rfft(v) ** 2, 3))
op("M", "M", lambda m: jnp.fft.fft2(m).real * 0.3)
op("SS", "B", lambda a, b: a > b)
op("V", "B", lambda v: jnp.any(v > 0.5))
op("V", "I", jnp.argmax)
op("S", "I", lambda s: jnp.int32(jnp.clip(jnp.floor(jnp.where(jnp.isnan(s), 0, s)), -5, 5)))
op("II", "I", lambda i, j: i + 2 * j)
op("M", "N", lambda m: jnp.argmin(m, 1).astype(jnp.int32))
op("I", "N", lambda i: (jnp.arange(3, dtype=jnp.int32) * i) % 3)
op("V", "N", lambda v: jnp.argsort(v).astype(jnp.int32))
op("BXX", "X", lambda b, x, y: jnp.where(b, x, y))
op("IV", "V", lambda i, v: v * i)

op("VV", "Z", lax.complex, COMPLEX)
for f in (
    jnp.sin, jnp.conj, jnp.square, jnp.tanh, lambda z: jnp.exp(z * 0.3), lambda z: z / (jnp.abs(z) + 1), jnp.fft.fft,
    jnp.fft.ifft, lambda z: jnp.log(z * jnp.conj(z) + 0.5 + z.real * 0.1j), lambda z: jnp.sqrt(z * z + 2), jnp.cumsum,
    lambda z: z[::-1] * 1j,
):
    op("Z", "Z", f, COMPLEX)
for f in jnp.add, jnp.multiply, lambda z, w: z / (w * jnp.conj(w) + 1), lambda z, w: (jnp.abs(z) + 0.5 + 0j) ** (w * 0.3):
    op("ZZ", "Z", f, COMPLEX)
op("ZM", "Z", lambda z, m: m @ z * 0.5, COMPLEX)
op("ZN", "Z", lambda z, n: z[n], COMPLEX)
op("BZZ", "Z", lambda b, z, w: jnp.where(b, z, w), COMPLEX)
for f in jnp.real, jnp.imag, lambda z: jnp.abs(z + 3), lambda z: jnp.angle(z * z + 4), lambda z: jnp.fft.irfft(z, 3):
    op("Z", "V", f, COMPLEX)
op("ZZ", "S", lambda z, w: jnp.vdot(z, w).real * 0.4, COMPLEX)


def positive(m):
    return m @ m.T * 0.3 + jnp.eye(3, dtype=m.dtype) * jnp.arange(1, 4, dtype=m.dtype)


def regular(m):
    return jnp.tanh(m) * 0.4 + jnp.diag(jnp.array([1, 2, -3], m.dtype))


op("M", "M", lambda m: jnp.linalg.cholesky(positive(m)), ALGEBRA)
op("M", "M", lambda m: jnp.linalg.inv(regular(m)), ALGEBRA)
op("M", "S", lambda m: jnp.linalg.det(regular(m)), ALGEBRA)
op("M", "S", lambda m: jnp.linalg.slogdet(regular(m))[1], ALGEBRA)
op("MV", "V", lambda m, v: jnp.linalg.solve(regular(m), v), ALGEBRA)
op("MM", "M", lambda m, b: jax.scipy.linalg.solve_triangular(regular(m), b, lower=True), ALGEBRA)
op("MM", "M", lambda m, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(positive(m)), True), b), ALGEBRA)
op("M", "M", lambda m: jnp.linalg.qr(regular(m))[1], ALGEBRA)
op("M", "M", lambda m: jnp.linalg.qr(regular(m))[0], ALGEBRA)
op("M", "V", lambda m: jnp.linalg.eigh(positive(m))[0], ALGEBRA)
op("MM", "M", lambda m, f: (lambda w, v: v * jnp.sin(w) @ v.T)(*jnp.linalg.eigh(positive(m))), ALGEBRA)
op("M", "V", lambda m: jnp.linalg.svd(regular(m), compute_uv=False), ALGEBRA)
op("M", "M", lambda m: (lambda u, s, vt: u * jnp.tanh(s) @ vt)(*jnp.linalg.svd(regular(m), full_matrices=False)), ALGEBRA)


def wave(x):
    """A function that the test replaces by a callback with a rule: see callbackOf there."""
    return jnp.sin(x) * x


def host(x):
    def host_wave(x):
        return wave(x)
    return jax.jit(host_wave)(x)


# What follows is where engines and transformations went wrong before.
CORNERS = []


@jax.jit
def replace_guard(p, x):
    return jnp.where(p, x, 1)


@jax.jit
def replace_tuple(x, y):
    return jnp.sin(x), y * y


@jax.jit
def replace_window_maximum(v, z):
    return jnp.maximum(lax.reduce_window(v, -jnp.inf, lax.max, (2,), (1,), "SAME"), z)


@jax.jit
def replace_window_minimum(v, z):
    return jnp.minimum(lax.reduce_window(v, jnp.inf, lax.min, (2,), (1,), "SAME"), z)


@jax.jit
def replace_window_product(v):
    return jnp.cumprod(v)


def window(name, padding, size, initial):
    one = "" if initial == "%arg1" else "%z = stablehlo.constant dense<1.0> : tensor<$E>\n"
    return one + f'''%0 = "stablehlo.reduce_window"(%arg0, {initial}) <{{window_dimensions = array<i64: {size}>, padding = dense<[{padding}]> : tensor<1x2xi64>}}> ({{
^bb0(%a: tensor<$E>, %b: tensor<$E>):
  %1 = stablehlo.{name} %a, %b : tensor<$E>
  stablehlo.return %1 : tensor<$E>
}}) : (tensor<3x$E>, tensor<$E>) -> tensor<3x$E>
return %0 : tensor<3x$E>'''


# The bodies of these functions in the module, which JAX does not write or has no derivative of. $0 and $1 are the
# types of the parameters, and $E is the element type.
REPLACED = {
    "replace_guard": "return %arg1 : $1",  # a branch guards it
    "replace_tuple": """%0 = stablehlo.sine %arg0 : $0
%1 = stablehlo.multiply %arg1, %arg1 : $1
%2 = stablehlo.tuple %0, %1 : tuple<$0, $1>
%3 = stablehlo.tuple %2, %0 : tuple<tuple<$0, $1>, $0>
%4 = stablehlo.get_tuple_element %3[0] : (tuple<tuple<$0, $1>, $0>) -> tuple<$0, $1>
%5 = stablehlo.get_tuple_element %4[1] : (tuple<$0, $1>) -> $1
%6 = stablehlo.get_tuple_element %3[1] : (tuple<tuple<$0, $1>, $0>) -> $0
return %6, %5 : $0, $1""",
    "replace_window_maximum": window("maximum", "[0, 1]", 2, "%arg1"),
    "replace_window_minimum": window("minimum", "[0, 1]", 2, "%arg1"),
    "replace_window_product": window("multiply", "[2, 0]", 3, "%z"),
}


def replaced(module):
    """Replaces the bodies of functions in a module."""
    def body(match):
        types = re.findall(r"%arg\d+: (tensor<[^>]*>)", match[1])
        text = REPLACED[re.match("[a-z_]*[a-z]", match[2])[0]].replace("$E", re.search("[fi]\\d+", types[-1])[0])
        for i, t in enumerate(types):
            text = text.replace(f"${i}", t)
        return match[1] + text + "\n  }"
    return re.sub(r"(?s)(func\.func private @(replace_\w+)\([^{]*\{\n).*?\n  \}", body, module)


def guarded(x, f, g):
    return lax.cond(x > 0, lambda: f(replace_guard(x > 0, x)), lambda: g(x))


def sorted_positions(v, u):
    return jnp.argsort(jnp.concatenate([v, u])).astype(jnp.int32)


def many(v, n):
    return jnp.tile(v, n)


op("XX", "XX", replace_tuple, CORNERS)
op("SV", "SV", replace_tuple, CORNERS)
for f in replace_window_maximum, replace_window_minimum:
    op("VS", "V", f, CORNERS)
    op("V", "V", lambda v, f=f: f(v, v[1]), CORNERS)
op("V", "V", replace_window_product, CORNERS)
op("V", "V", lambda v: replace_window_product(v[::-1])[::-1], CORNERS)
for f, zero in (lax.add, 0), (lax.max, -jnp.inf), (lax.min, jnp.inf):
    for padding in ((2, 0),), ((0, 2),):
        op("V", "V", lambda v, f=f, z=zero, p=padding: lax.reduce_window(v, v.dtype.type(z), f, (3,), (1,), p), CORNERS)
op("V", "V", lambda v: lax.reduce_window(v, v.dtype.type(0), lax.add, (2,), (2,), ((1, 0),), (2,), (2,))[:3].repeat(3)[:3], CORNERS)
for f, g in (jnp.log, jnp.sin), (jnp.sqrt, lax.neg), (lambda x: 1 / x + x, jnp.square), (lambda x: x**x, jnp.tanh):
    # of a value that is not near where it is singular
    op("S", "S", lambda s, f=f, g=g: guarded(jnp.where(s > 0, s + 0.3, s), f, g), CORNERS)
    op("V", "V", lambda v, f=f, g=g: lax.map(lambda s: guarded(jnp.where(s > 0, s + 0.3, s), f, g), v), CORNERS)
    op("VS", "S", lambda v, s, f=f, g=g: lax.fori_loop(0, 3, lambda i, c: jnp.tanh(guarded(jnp.where(v[i] > 0, v[i] + 0.3, v[i]), f, g)) + c * 0.5, s), CORNERS)
for mode in "clip", "fill", "promise_in_bounds":
    op("VV", "V", lambda v, u, mode=mode: v.at[sorted_positions(v, u) % (6 if mode != "promise_in_bounds" else 3)].get(mode=mode, fill_value=0)[1:4], CORNERS)
for mode in "clip", "drop":
    op("VVV", "V", lambda v, u, w, mode=mode: v.at[sorted_positions(u, w)].add(jnp.concatenate([w, u]), mode=mode), CORNERS)
op("VVV", "V", lambda v, u, w: v.at[sorted_positions(u, w)].set(jnp.concatenate([w, u]), mode="drop", unique_indices=True), CORNERS)
op("VVV", "V", lambda v, u, w: v.at[sorted_positions(u, w)].mul(jnp.concatenate([w, u]), mode="drop", unique_indices=True), CORNERS)
for t, n in (jnp.int8, 50), (jnp.uint8, 90), (jnp.int16, 11000):
    op("IVV", "V", lambda i, v, u, t=t, n=n: lax.dynamic_update_slice(many(v, n), u, (jnp.clip(i, 0, 2).astype(t) * t(n // 2),))[n:n + 3], CORNERS)
    op("IV", "V", lambda i, v, t=t, n=n: lax.dynamic_slice(many(v, n) * jnp.arange(3 * n, dtype=v.dtype) / n, (jnp.clip(i, 0, 2).astype(t) * t(n // 2),), (3,)), CORNERS)
    if t == jnp.uint8:  # JAX cannot for the others
        op("NV", "V", lambda k, v, t=t, n=n: many(v, n)[jnp.clip(k, 0, 2).astype(t) * t(n // 2)], CORNERS)
        op("NVV", "V", lambda k, v, u, t=t, n=n: many(v, n).at[jnp.clip(k, 0, 2).astype(t) * t(n // 2)].add(u)[n // 2:n // 2 + 3], CORNERS)
    op("NV", "V", lambda k, v, t=t: v[k.astype(t)], CORNERS)
op("V", "V", lambda v: jnp.concatenate([jnp.sort(v[:0]), v, lax.sort((v[:0], v[:0]), num_keys=1)[1]]), CORNERS)
op("V", "V", lambda v: jnp.concatenate([jnp.cumsum(v[:0]), v, lax.cummax(v[:0]), jnp.cumprod(v[1:2])])[:3], CORNERS)
op("VM", "V", lambda v, m: v + jnp.sum(m[:0], 0) + jnp.prod(m[:, :0], 1) + m[:, :0] @ m[:0, 0], CORNERS)
op("V", "V", lambda v: jnp.sort(v[1:2]) * v, CORNERS)
op("MV", "S", lambda m, v: jnp.linalg.det(jnp.pad(m, (0, 1)) + jnp.pad(v, (0, 1)) * jnp.array([0, 1, 0, 0], m.dtype)[:, None]), CORNERS)
op("VV", "V", lambda v, u: jax.scipy.special.xlogy(v, u * u + 0.2), CORNERS)
op("NV", "V", lambda n, v: jax.scipy.special.xlogy(n.astype(v.dtype), v * v + 0.2), CORNERS)
op("V", "V", lambda v: jnp.sinc(v), CORNERS)


def dead(v, s):
    """Values that nothing uses, of branches and loops in each other."""
    def body(i, c):
        inner = lax.fori_loop(0, 2, lambda j, d: (d[0] * c[0], d[1]), (c[0], v))[0]
        return inner, lax.cond(s > 0, lambda: jnp.sin(c[1]), lambda: c[1] * s)
    unused, used = lax.fori_loop(0, 3, body, (v, v))
    a, b = lax.cond(s > 0.2, lambda: (v * s, used), lambda: (lax.fori_loop(0, 2, lambda i, c: c * v, unused), v))
    return b, a


op("VS", "V", lambda v, s: dead(v, s)[0], CORNERS)
op("VS", "V", lambda v, s: dead(v, s)[0] + jnp.floor(dead(v, s)[1]), CORNERS)

# Functions of arguments that tie, or that are at an edge.
TIES = []
for f in (
    jax.nn.relu, jax.nn.relu6, jax.nn.softplus, jax.nn.log_sigmoid, jax.nn.hard_sigmoid, jax.nn.hard_tanh, jax.nn.leaky_relu,
    jax.nn.silu, jnp.abs, jnp.sign, jnp.square, lax.neg, jnp.sinc, jnp.sin, jnp.cos, jax.scipy.special.expit, jnp.floor,
    lambda x: jnp.maximum(x, 0), lambda x: jnp.clip(x, -1, 1), lambda x: jnp.minimum(x, 0.5), lambda x: x**3, lambda x: x * 0.5,
    lambda x: jnp.where(x > 0, x, 0), lambda x: jax.scipy.special.xlogy(jnp.abs(x), 2.0), lambda x: jax.scipy.special.entr(x * x + 1),
    lambda x: jnp.maximum(x, 0) - x * 0.5 + jnp.log1p(jnp.exp(-jnp.abs(x))), lambda x: jax.scipy.special.logit(jnp.clip(x * 0.25 + 0.5, 0.25, 0.75)),
    lambda x: jax.nn.elu(x), lambda x: jax.nn.celu(x), lambda x: jax.nn.selu(x), lambda x: jax.nn.mish(x), lambda x: jnp.round(x),
):
    op("X", "X", f, TIES)
for f in (
    jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum, jnp.logaddexp, jnp.logaddexp2, jnp.fmax, jnp.fmin,
    lambda x, y: jax.scipy.special.xlogy(x, jnp.abs(y) + 1), lambda x, y: jax.scipy.special.xlog1py(x, jnp.abs(y)), lambda x, y: jnp.where(x >= y, x, y),
    lambda x, y: lax.clamp(jnp.minimum(x, y), x, jnp.maximum(x, y)), lambda x, y: lax.clamp(-jnp.abs(y), x, jnp.abs(y)), lambda x, y: jnp.where(x == y, x * y, x),
):
    op("XX", "X", f, TIES)
for f in jnp.max, jnp.min, jnp.prod, jnp.sum, jax.nn.logsumexp:
    op("M", "V", lambda m, f=f: f(m, 0), TIES)
    op("V", "S", lambda v, f=f: f(v), TIES)
    op("M", "S", lambda m, f=f: f(m), TIES)
for f in jnp.cumsum, jnp.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp, jax.nn.softmax, jnp.sort:
    op("V", "V", lambda v, f=f: f(v), TIES)
    op("M", "M", lambda m, f=f: f(m, axis=0), TIES)
op("VV", "VV", lambda a, b: lax.sort((a, b), num_keys=1), TIES)
op("V", "V", lambda v: jnp.concatenate([lax.top_k(v, 2)[0], v[:1]]), TIES)
op("V", "N", lambda v: jnp.argsort(v).astype(jnp.int32), TIES)
op("V", "I", jnp.argmax, TIES)
op("VN", "V", lambda v, n: v[n], TIES)
op("VNV", "V", lambda v, n, u: v.at[n].add(u), TIES)
op("MV", "V", lambda m, v: m @ v, TIES)
op("M", "M", lambda m: lax.reduce_window(m, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"), TIES)
op("M", "M", lambda m: lax.reduce_window(m, jnp.inf, lax.min, (2, 1), (1, 1), "SAME"), TIES)
op("BXX", "X", lambda b, x, y: jnp.where(b, x, y), TIES)
op("SS", "B", lambda a, b: a > b, TIES)


def run(steps, env):
    env = list(env)
    for f, ins in steps:
        out = f(env, [env[i] for i in ins])
        env.extend(out if isinstance(out, (list, tuple)) else [out])
    return env


class Generator:
    """Writes steps that compute values of types, each from those before it."""

    def __init__(self, rng, types, ops):
        self.rng, self.types, self.ops, self.steps, self.dynamic = rng, list(types), ops, [], False

    def pick(self, t):
        places = [i for i, u in enumerate(self.types) if u == t]
        return places[-1 - min(self.rng.geometric(0.4) - 1, len(places) - 1)]

    def add(self, f, ins, outs):
        self.steps.append((f, ins))
        self.types += outs

    def last(self, t):
        return max(i for i, u in enumerate(self.types) if u == t)

    def step(self, depth):
        kind = self.rng.random()
        if depth > 0 and kind < 0.2:
            return [self.cond, self.switch, self.fori, self.scan, self.loop][self.rng.integers(5)](depth)
        ins, outs, f = self.ops[self.rng.integers(len(self.ops))]
        x = "SVM"[self.rng.integers(3)]
        ins, outs = ins.replace("X", x), outs.replace("X", x)
        if not all(t in self.types for t in ins):
            return self.step(depth)
        self.add(lambda _, args: f(*args), [self.pick(t) for t in ins], list(outs))

    def inside(self, more, depth):
        g = Generator(self.rng, self.types + more, self.ops)
        for _ in range(self.rng.integers(1, 4)):
            g.step(depth - 1)
        self.dynamic = self.dynamic or g.dynamic
        steps, v, s = g.steps, g.last("V"), g.pick("S")
        return lambda env: [run(steps, env)[i] for i in (v, s)]

    def cond(self, depth):
        a, b = self.inside([], depth), self.inside([], depth)
        self.add(lambda env, args: lax.cond(args[0], lambda: a(env), lambda: b(env)), [self.pick("B")], ["V", "S"])

    def switch(self, depth):
        list_ = [self.inside([], depth) for _ in range(3)]
        self.add(lambda env, args: lax.switch(args[0], [lambda f=f: f(env) for f in list_]), [self.pick("I")], ["V", "S"])

    def fori(self, depth):
        body, start = self.inside(["I", "V", "S"], depth), int(self.rng.integers(-1, 2))
        step = lambda env: lambda i, c: tuple(body(env + [jnp.int32(i), *c]))
        self.add(lambda env, args: lax.fori_loop(start, start + 3, step(env), tuple(args)), [self.pick("V"), self.pick("S")], ["V", "S"])

    def scan(self, depth):
        body, reverse = self.inside(["V", "V", "S"], depth), bool(self.rng.integers(2))

        def step(env, c, x):
            v, s = body(env + [x, *c])
            return (v, s), v * s

        def f(env, args):
            c, ys = lax.scan(lambda c, x: step(env, c, x), tuple(args[1:]), args[0], reverse=reverse)
            return [*c, ys]
        self.add(f, [self.pick("M"), self.pick("V"), self.pick("S")], ["V", "S", "M"])

    def loop(self, depth):
        """A loop whose number of steps depends on a value."""
        body = self.inside(["I", "V", "S"], depth)
        self.dynamic = True
        cond = lambda n: lambda c: c[0] < jnp.minimum(n, 3)
        step = lambda env: lambda c: (c[0] + 1, *body(env + list(c)))
        self.add(lambda env, args: lax.while_loop(cond(args[0]), step(env), (jnp.int32(0), *args[1:]))[1:], [self.pick("I"), self.pick("V"), self.pick("S")], ["V", "S"])


def inexact(t):
    return jnp.issubdtype(t.dtype, jnp.inexact)


def total(results):
    return sum(jnp.sum(r.real) + (jnp.sum(r.imag) if jnp.iscomplexobj(r) else 0) for r in results if inexact(r))


class Transformed:
    """A function with arguments of 64 bits, and the transformations that made it."""

    def __init__(self, rng, f, args, dynamic):
        self.rng, self.f, self.args, self.dynamic, self.steps = rng, f, args, dynamic, []

    def outs(self):
        return jax.eval_shape(self.f, *self.args)

    def random(self, like):
        x = self.rng.uniform(-1, 1, like.shape)
        if jnp.issubdtype(like.dtype, jnp.complexfloating):
            x = x + 1j * self.rng.uniform(-1, 1, like.shape)
        return x

    def parameters(self, real=False):
        which = [i for i, a in enumerate(self.args) if inexact(a) and not (real and jnp.iscomplexobj(a))]
        some = [i for i in which if self.rng.random() < 0.7]
        return some or which[:1]

    def transform(self):
        kinds = ["jvp", "vmap", "jacfwd"] if self.dynamic else [
            "jvp", "jvp", "vjp", "vjp", "grad", "grad", "value_and_grad", "vmap", "vmap", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint"]
        kind = kinds[self.rng.integers(len(kinds))]
        f, args = self.f, self.args
        if kind == "vmap":
            size = int(self.rng.integers(2, 4))
            axes = [None if self.rng.random() < 0.3 else int(self.rng.integers(-1, np.ndim(a) + 1)) for a in args]
            if all(a is None for a in axes):
                axes[0] = 0
            self.args = [a if axis is None else np.stack([a if k == 0 else (self.random(a) if inexact(a) else (a + k) % 3) for k in range(size)], axis) for a, axis in zip(args, axes)]
            self.f = jax.vmap(f, axes)
            self.steps.append({"kind": kind, "size": size, "axes": axes})
            return
        p = self.parameters(real=kind in ("jacfwd", "jacrev", "hessian"))
        if not p or kind in ("jacfwd", "jacrev", "hessian") and any(jnp.issubdtype(o.dtype, jnp.complexfloating) for o in self.outs()):
            return self.transform()
        self.apply(kind, p)

    def apply(self, kind, p, seed=None):
        """Differentiates with respect to parameters. seed makes the tangents and cotangents of a shape; None is at random."""
        like = self.random if seed is None else lambda x: seed(x.shape)
        f, args = self.f, self.args

        def at(*args):
            """The function of the parameters that are differentiated, and their values."""
            def g(*some):
                full = list(args)
                for i, v in zip(p, some):
                    full[i] = v
                return f(*full)
            return g, tuple(args[i] for i in p)

        n = len(args)
        if kind == "jvp":
            self.args = args + [like(args[i]) for i in p]

            def jvp(*a):
                g, some = at(*a[:n])
                out, dot = jax.jvp(g, some, a[n:])
                return [*out, *[d for o, d in zip(out, dot) if inexact(o)]]
            self.f = jvp
        elif kind == "vjp":
            self.args = args + [like(o) for o in self.outs() if inexact(o)]

            def vjp(*a):
                g, some = at(*a[:n])
                out, back = jax.vjp(g, *some)
                seeds = list(a[n:])
                return [*out, *back([seeds.pop(0) if inexact(o) else np.zeros(o.shape, jax.dtypes.float0) for o in out])]
            self.f = vjp
        elif kind == "checkpoint":
            self.f = jax.checkpoint(f)
        elif kind in ("grad", "value_and_grad"):
            def grad(*a):
                g, some = at(*a)
                value, back = jax.value_and_grad(lambda *some: total(g(*some)), tuple(range(len(p))))(*some)
                return [value, *back] if kind == "value_and_grad" else list(back)
            self.f = grad
        else:
            def jacobian(*a):
                g, some = at(*a)
                which = tuple(range(len(p)))
                if kind == "hessian":
                    rows = jax.hessian(lambda *some: total(g(*some)), which)(*some)
                else:
                    rows = getattr(jax, kind)(lambda *some: [o for o in g(*some) if inexact(o)], which)(*some)
                return [x for row in rows for x in row]
            self.f = jacobian
        self.steps.append({"kind": kind, "parameters": p})


def encode(x):
    x = np.asarray(x)
    return {"type": x.dtype.name, "shape": list(x.shape), "data": base64.b64encode(x.tobytes()).decode()}


def cast(x, bits):
    x = np.asarray(x)
    if np.iscomplexobj(x):
        return x.astype(np.complex64 if bits == 32 else np.complex128)
    return x.astype(np.float32 if bits == 32 else np.float64) if inexact(x) else x.astype(np.int32)


def nudge(x, towards):
    """The next numbers in a direction."""
    if np.iscomplexobj(x):
        return np.nextafter(x.real, np.float32(towards)) + 1j * np.nextafter(x.imag, np.float32(towards))
    return np.nextafter(x, np.float32(towards)) if inexact(x) else x


def make(seed, only=None):
    rng = np.random.default_rng(seed)
    kind = rng.integers(8) if only is None else only
    ops = OPS
    types = ["V", "M", "S", "I", "B", "N"]
    if kind == 0:
        ops, types = OPS + COMPLEX * 4, types + ["Z"]
    elif kind == 1:
        ops = OPS + ALGEBRA * 4
    elif kind == 2:
        ops = OPS + [("X", "X", host)] * 40
    elif kind == 3:
        ops = OPS + CORNERS * 8
    elif kind == 4:
        ops = TIES
    ties = ops is TIES  # which a number of other last bits breaks
    g = Generator(rng, types, ops)
    for _ in range(rng.integers(1, 4) if ties else rng.integers(2, 9)):
        g.step(1 if ties else 2)
    results = [g.last("V"), g.pick("S")] + [g.last(t) for t in "MIZ" if t in g.types and rng.random() < 0.5]
    steps = g.steps
    given = [t for t in types if t != "B"]

    def program(*args):
        env = list(args)
        env.insert(types.index("B"), args[2] > 0)
        env = run(steps, env)
        return [env[i] for i in results]

    t = Transformed(rng, jax.jit(program), [], g.dynamic)  # it is traced once
    for i in given:
        x = np.zeros(SHAPES[i], complex if i == "Z" else float)
        x = rng.integers(0, 3, SHAPES[i]) if i in "IN" else t.random(x) * 1.5
        t.args.append(np.round(x * 2) / 2 if ties and i not in "IN" else x)
    bits = 64 if rng.random() < 0.3 else 32
    lowered = jax.jit(program, keep_unused=True).lower(*[cast(a, bits) for a in t.args])
    for _ in range(rng.integers(1, 4)):
        t.transform()
    if sum(np.prod(o.shape) for o in t.outs()) > 400:
        return None
    compiled = jax.jit(t.f)
    out = {b: [np.asarray(r) for r in compiled(*[cast(a, b) for a in t.args])] for b in (32, 64)}
    # The same with arguments that differ in the last bit.
    near = [compiled(*[nudge(cast(a, 32), d) for a in t.args]) for d in ((-np.inf, np.inf) if not ties else ())]
    errors = []
    for i, (r, s) in enumerate(zip(out[32], out[64])):
        if not inexact(r):
            errors.append(0)
            if not np.array_equal(r, s):
                return None
            continue
        if not np.array_equal(np.isfinite(r), np.isfinite(s)):
            return None
        finite = np.isfinite(s)
        scale = np.max(np.abs(s[finite]), initial=0)
        error = max(np.max(np.abs(np.asarray(x)[finite] - s[finite]), initial=0) for x in (r, *[x[i] for x in near]))
        error = max(error, 1e-6 * scale) if ties else error
        if error > 1e-3 * scale or scale > 1e6:
            return None
        errors.append(float(error) * (1 if bits == 32 else 2.0**-29) + float(np.finfo(cast(s, bits).dtype).eps * scale))
    return {"name": f"{seed}: " + " of ".join(s["kind"] for s in reversed(t.steps)), "module": replaced(lowered.as_text()),
            "steps": t.steps, "arguments": [encode(cast(a, bits)) for a in t.args],
            "results": [encode(r) for r in out[bits]], "errors": errors}


if __name__ == "__main__":
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    only = int(sys.argv[3]) if len(sys.argv) > 3 else None
    made, left_out = [], 0
    while len(made) < count:
        try:
            case = make(seed, only)
        except (NotImplementedError, TypeError, jax.errors.JaxRuntimeError) as e:  # JAX cannot, or goes wrong
            print(seed, str(e)[:80], file=sys.stderr)
            case = None
        seed += 1
        if case is None:
            left_out += 1
        else:
            made.append(json.dumps(case))
        if seed % 50 == 0:
            jax.clear_caches()
            print(len(made), "programs,", left_out, "left out", file=sys.stderr)
    print("[" + ",\n".join(made) + "]")
