"""Writes jax12.zip: functions that JAX 0.12 lowered, each as text, as text with debug information, and exported.

Run it in an empty folder, with jax and flatbuffers. Locations name the script, so copy it to a neutral place before.
Functions with host callbacks cannot be exported.
"""
import zipfile

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax import lax, export
from jax.sharding import AxisType, PartitionSpec as P

f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)
i32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.int32)
c64 = lambda *s: jax.ShapeDtypeStruct(s, jnp.complex64)
key = jax.eval_shape(lambda: jax.random.PRNGKey(0))

def attention(q, k, v):
    s = jnp.einsum('bhqd,bhkd->bhqk', q, k) / 8.0
    return jnp.einsum('bhqk,bhkd->bhqd', jax.nn.softmax(jnp.where(jnp.tril(jnp.ones(s.shape[-2:])), s, -1e9)), v)

def lstm(x, h, w):
    def step(c, x):
        h, c = c
        i, f, g, o = jnp.split(jnp.concatenate([x, h]) @ w, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    return lax.scan(step, (h, h), x)

def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)

@jax.custom_jvp
def clipped(x): return jnp.clip(x, -1, 1)
clipped.defjvp(lambda p, t: (clipped(p[0]), t[0]))

def printing(x):
    jax.debug.print("x {}", x)
    return x * 2

def ordered(x):
    jax.debug.print("a {}", x, ordered=True)
    jax.debug.print("b {}", x + 1, ordered=True)
    return x

def pure(x): return jax.pure_callback(np.sin, x, x)
def io(x): return jax.experimental.io_callback(lambda v: v, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)
def loop_print(x):
    def body(i, x):
        jax.debug.print("{}", i)
        return x + i
    return lax.fori_loop(0, 4, body, x)
def cond_print(x):
    def test(c):
        jax.debug.print("{}", c[0])
        return c[0] < 4
    return lax.while_loop(test, lambda c: (c[0] + 1, c[1] * 2), (0, x))

mesh = jax.make_mesh((1,), ('x',), axis_types=(AxisType.Auto,))
def psum(x):
    return jax.shard_map(lambda x: lax.psum(x, 'x'), mesh=mesh, in_specs=P('x'), out_specs=P())(x)

FUNCTIONS = {
    'elementwise': (lambda x: jnp.exp(jnp.sin(x)) + jnp.log1p(jnp.abs(x)), f32(8)),
    'matmul': (lambda x, y: x @ y, f32(4, 8), f32(8, 2)),
    'softmax': (jax.nn.softmax, f32(4, 16)),
    'attention': (attention, f32(2, 4, 8, 64), f32(2, 4, 8, 64), f32(2, 4, 8, 64)),
    'layernorm': (lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), f32(4, 32)),
    'conv': (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')),
        f32(1, 8, 8, 3), f32(3, 3, 3, 4)),
    'maxpool': (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID'),
        f32(1, 8, 8, 3)),
    'maxpool_grad': (jax.grad(lambda x: lax.reduce_window(x, -jnp.inf,
        lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID').sum()),
        f32(1, 8, 8, 3)),
    'lstm': (lstm, f32(5, 4), f32(8), f32(12, 32)),
    'sgd': (lambda w, x, y: jax.tree.map(lambda w, g: w - .1 * g, w, jax.grad(loss)(w, x, y)), [f32(4, 8),
        f32(8, 2)], f32(16, 4), f32(16, 2)),
    'sgd_donated': (jax.jit(lambda w, x, y: jax.tree.map(lambda w, g: w - .1 * g, w,
        jax.grad(loss)(w, x, y)), donate_argnums=0), [f32(4, 8),
        f32(8, 2)], f32(16, 4), f32(16, 2)),
    'donated_in_vain': (jax.jit(lambda x: x.sum(), donate_argnums=0), f32(8)),
    'hessian': (jax.hessian(lambda x: jnp.sum(x ** 4)), f32(5)),
    'vmap': (jax.vmap(lambda a, b: jnp.dot(a, b)), f32(4, 8), f32(4, 8)),
    'sort': (lambda x: (jnp.sort(x), jnp.argsort(x)), f32(32)),
    'top_k': (lambda x: lax.top_k(x, 4), f32(2, 32)),
    'cumsum': (lambda x: (jnp.cumsum(x), lax.associative_scan(jnp.maximum, x)), f32(16)),
    'gather': (lambda x, i: x[i], f32(8, 4), i32(3)),
    'scatter': (lambda x, i, v: x.at[i].add(v), f32(8, 4), i32(3), f32(3, 4)),
    'dynamic_update': (lambda x, i: lax.dynamic_update_slice(x, x[:2] * 2, (i,)), f32(8), i32()),
    'fft': (lambda x: jnp.fft.ifft(jnp.fft.fft(x) * 2), c64(16)),
    'cholesky': (jnp.linalg.cholesky, f32(4, 4)),
    'solve': (jnp.linalg.solve, f32(4, 4), f32(4, 2)),
    'qr': (lambda x: tuple(jnp.linalg.qr(x)), f32(4, 4)),
    'svd': (lambda x: tuple(jnp.linalg.svd(x)), f32(4, 3)),
    'eigh': (lambda x: tuple(jnp.linalg.eigh(x)), f32(4, 4)),
    'random_normal': (lambda k: jax.random.normal(k, (8,)), key),
    'random_choice': (lambda k: jax.random.permutation(k, 16), key),
    'integer_power': (lambda x, y: x ** abs(y), i32(4), i32(4)),
    'while': (lambda x: lax.while_loop(lambda x: x.sum() < 100, lambda x: x * 2 + 1, x), f32(4)),
    'cond': (lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x), f32(), f32(4)),
    'switch': (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), i32(), f32(4)),
    'remat': (jax.grad(lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))(x).sum()), f32(4)),
    'custom_jvp': (jax.grad(lambda x: clipped(x).sum()), f32(4)),
    'bfloat16': (lambda x: (x.astype(jnp.bfloat16) @ x.T.astype(jnp.bfloat16)).astype(jnp.float32), f32(4, 4)),
    'quantize': (lambda x: jnp.clip(jnp.round(x * 127), -128, 127).astype(jnp.int8), f32(8)),
    'debug_print': (printing, f32(4)),
    'debug_ordered': (ordered, f32(4)),
    'pure_callback': (pure, f32(4)),
    'io_callback': (io, f32(4)),
    'loop_print': (loop_print, i32()),
    'condition_print': (cond_print, f32(4)),
    'psum': (psum, f32(8)),
    'polymorphic': (lambda x: jnp.concatenate([x, x]).reshape(2, -1), 'b'),
}

with zipfile.ZipFile('jax12.zip', 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    for name, (f, *args) in FUNCTIONS.items():
        f = f if hasattr(f, 'lower') else jax.jit(f)
        if args == ['b']:
            args = export.symbolic_args_specs([f32(1)], 'b')
        else:
            low = f.lower(*args)
            z.writestr(name + '.mlir', low.as_text())
            z.writestr(name + '.loc.mlir', low.as_text(debug_info=True))
        try:
            z.writestr(name + '.bc', bytes(export.export(f)(*args).serialize()))
        except (NotImplementedError, ValueError) as reason:
            print(name, 'is not exported:', reason)
