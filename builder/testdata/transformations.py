"""Writes transformations.json: what JAX computes of functions that TestAgainstJAX builds too.

Run it with JAX 0.12.0.1: python transformations.py > transformations.json
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

A, B = jnp.array([0.3, -1.2, 0.7]), jnp.array(1.5)
W = jnp.array([[0.2, -0.5, 1.1], [0.9, 0.4, -0.3]])
XS, YS = jnp.array([[0.1, 0.6, -0.4], [1.2, -0.8, 0.5]]), jnp.array([0.7, -1.1])
TREE = {"A": A, "B": B}


def pair(p):
    return {"P": W @ jnp.sin(p["A"]) * p["B"], "Q": jnp.sum(p["A"] ** 2) * p["B"]}


def loss(p):
    return jnp.sum(jnp.tanh(W @ p["A"]) ** 2) * jnp.exp(p["B"])


def vector(x):
    return jnp.sin(W @ x) * x[0]


def looped(x):
    return lax.fori_loop(0, 3, lambda i, x: jnp.sin(x) * A, x)


def counted(x):
    """A loop whose number of steps is not known."""
    return lax.while_loop(lambda c: jnp.sum(c) < 20, lambda c: c * c + 1, x)


def scaled(p):
    return {"P": W @ p["A"] * 2 + W[:, 0] * p["B"], "Q": 3 * p["B"]}


def full(x, size, batched):
    return x if batched else jnp.broadcast_to(x, (size, *x.shape))


@custom_vmap
def product(x, y):
    return jnp.sin(x) * y


@product.def_vmap
def product_rule(size, in_batched, x, y):  # another function, to see that it is called
    x, y = full(x, size, in_batched[0]), full(y, size, in_batched[1])
    return jnp.cos(x) * y[:, None] * W[0] * size, True


@custom_vmap
def outer(x):
    return jnp.sum(product(x, x[0]))


@outer.def_vmap
def outer_rule(size, in_batched, x):
    return jnp.sum(product(x[0], x[0, 1])) + jnp.arange(float(size)) * jnp.sum(x, 1), True


@jax.custom_vjp
def both(x, y):
    return product(x, y)


both.defvjp(lambda x, y: (product(x, y), (x, y)), lambda r, g: (product(*r) * g, jnp.sum(g)))


def grad_of(f):
    return jax.grad(lambda x: jnp.sum(f(x)))


def along(x):
    return jax.jvp(lambda x: product(x, B), (x,), (x * A,))


def linearized(x):
    y, linear = jax.linearize(vector, x)
    return y, linear(A), linear(x), jax.vmap(linear)(XS), jax.jacfwd(linear)(x), lax.fori_loop(0, 2, lambda i, d: d + linear(d)[0], A)


def transposed(c):
    t = jax.linear_transpose(scaled, {"A": jax.ShapeDtypeStruct((3,), float), "B": jax.ShapeDtypeStruct((), float)})
    return t({"P": c, "Q": c[0]})


def scanned(x, reverse=False):
    def step(c, p):
        return jnp.sin(c) * p["A"] + x, {"P": c * p["B"], "Q": jnp.sum(c)}

    return lax.scan(step, x, {"A": XS, "B": YS}, reverse=reverse)


def scanned_sum(x):
    last, ys = scanned(x)
    return last * jnp.sum(ys["P"] ** 2) + jnp.sum(ys["Q"])


M = jnp.array([[4.0, 1.0, 0.5], [-0.3, 5.0, 0.2], [0.1, 0.7, 6.0]])


def solved(p):
    return jnp.linalg.solve(M * p["B"] + jnp.diag(jnp.sin(p["A"])), p["A"])


def root(p):
    def f(x):
        return x**3 + 3 * x + 0.1 * jnp.sum(x) * p["A"] - p["B"] * p["A"]

    solve = lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y)
    x = lambda f, x: lax.fori_loop(0, 300, lambda i, x: x - f(x) / 5, x)
    return lax.custom_root(f, jnp.zeros(3), x, solve)


def all_derivatives(f):
    along = lambda x: f({"A": x, "B": B + x[0]})
    return [
        f(TREE), jax.jacfwd(f)(TREE), jax.jacrev(f)(TREE), jax.jacfwd(jax.jacrev(along))(A), jax.jacrev(jax.jacfwd(along))(A),
        jax.jacrev(jax.jacrev(along))(A), jax.vmap(along)(XS), jax.vmap(jax.jacrev(along))(XS), jax.linearize(along, A)[1](A),
        jax.jacfwd(jax.jacfwd(jax.jacrev(along)))(A),
    ]


CASES = {
    "jacfwd of a tree": lambda: jax.jacfwd(pair)(TREE),
    "jacrev of a tree": lambda: jax.jacrev(pair)(TREE),
    "hessian of a tree": lambda: jax.hessian(loss)(TREE),
    "hessian of a vector": lambda: jax.hessian(vector)(A),
    "jacfwd of jacrev": lambda: jax.jacfwd(jax.jacrev(vector))(A),
    "jacrev of jacfwd": lambda: jax.jacrev(jax.jacfwd(vector))(A),
    "jacobians of a loop": lambda: [jax.jacfwd(looped)(A), jax.jacrev(looped)(A)],
    "jacfwd of a loop of unknown length": lambda: jax.jacfwd(counted)(A),
    "jacobians in a batch": lambda: [jax.vmap(jax.jacfwd(vector))(XS), jax.vmap(jax.jacrev(vector))(XS)],
    "gradient of a jacobian": lambda: grad_of(lambda x: jax.jacfwd(vector)(x) ** 2)(A),
    "a jacobian in a loop": lambda: lax.fori_loop(0, 2, lambda i, x: jax.jacrev(vector)(x)[1] + x, A),
    "linearize": lambda: linearized(A),
    "linear_transpose": lambda: [transposed(YS), jax.jacrev(transposed)(YS)],
    "custom_vmap without a batch": lambda: [product(A, B), *along(A), jax.jit(outer)(A)],
    "custom_vmap": lambda: jax.vmap(product)(XS, YS),
    "custom_vmap of one argument": lambda: [jax.vmap(product, (0, None))(XS, B), jax.vmap(product, (None, 0))(A, YS)],
    "custom_vmap in two batches": lambda: [
        jax.vmap(lambda x: jax.vmap(product, (None, 0))(x, YS))(XS),
        jax.vmap(lambda y: jax.vmap(lambda x: product(x, y))(XS))(jnp.array([0.5, 1.0, 2.0])),
        jax.vmap(lambda y: jax.vmap(lambda x: product(A, y) + x)(XS))(jnp.array([0.5, 1.0, 2.0])),
    ],
    "a batch of a derivative of custom_vmap": lambda: jax.vmap(along)(XS),
    "a derivative of a batch of custom_vmap": lambda: [
        *jax.jvp(lambda x: jax.vmap(product)(x, YS), (XS,), (XS,)),
        grad_of(lambda x: jax.vmap(product)(x, YS))(XS),
        grad_of(lambda y: jax.vmap(product)(XS, y))(YS),
    ],
    "second derivatives of custom_vmap": lambda: jax.vmap(lambda x: jax.jvp(along, (x,), (x,))[1])(XS),
    "custom_vmap in custom_vmap": lambda: [jax.vmap(outer)(XS), *jax.jvp(jax.vmap(outer), (XS,), (XS,)), jax.vmap(jax.vmap(outer))(jnp.stack([XS, XS * 2, -XS]))],
    "custom_vmap in custom_vjp": lambda: [jax.grad(lambda x: jnp.sum(both(x, B)))(A), jax.vmap(jax.grad(lambda x: jnp.sum(both(x, B))))(XS)],
    "custom_vmap in a loop": lambda: jax.vmap(lambda x, y: lax.fori_loop(0, 2, lambda i, x: product(x, y), x))(XS, YS),
}
CASES |= {
    "scan": lambda: [scanned(A), scanned(A, True), lax.scan(lambda c, _: (c * A, c[0]), A, None, 3)],
    "derivatives of scan": lambda: [
        jax.jacfwd(scanned_sum)(A), jax.jacrev(scanned_sum)(A), jax.hessian(scanned_sum)(A), jax.vmap(scanned_sum)(XS),
        jax.vmap(grad_of(scanned_sum))(XS),
    ],
    "linear_solve": lambda: all_derivatives(solved),
    "root": lambda: all_derivatives(root),
}

lines = []
for name, f in CASES.items():
    results = [np.asarray(v, float).ravel().tolist() for v in jax.tree.leaves(f())]
    lines.append(f"{json.dumps(name)}: {json.dumps(results)}")
print("{\n" + ",\n".join(lines) + "\n}")
