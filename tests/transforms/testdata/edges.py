"""Writes derivatives of JAX's functions at their ties and edges, in the form of make.py.

Run it with JAX 0.10.2: python edges.py | gzip -9n > edges.json.gz

A newer JAX has derivatives of sinc and of kl_div that its modules do not tell.

It writes the functions that have a rule of their own in package autodiff. With the argument all it writes those of the
others that JAX has too. Some of these differ, because JAX computes them by another formula in this version, has rules
without a name in the module, or has NaN for a tangent that is 0 times an infinite number.
"""

import itertools
import json
import sys

import make  # sets up JAX
import jax
import jax.numpy as jnp
import jax.scipy.special as sp
import numpy as np
from jax import lax

INF = float("inf")
ONE = [-INF, -3, -2, -1, -0.5, -0.0, 0.0, 0.5, 1, 2, 3, 6, 40, 1000, INF]
TWO = [-INF, -2, -1, 0, 0.5, 1, 3, INF]
FEW = [0, 0.5, 1, 2, INF]


def names(module, text, *more):
    return [(n, getattr(module, n)) for n in text.split()] + list(more)


UNARY = names(
    jnp,
    "abs arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh deg2rad exp exp2 expm1 floor i0 log log10 log1p log2 "
    "nan_to_num reciprocal rint sign sin sinc sinh sqrt square tan tanh trunc",
) + names(
    jax.nn,
    "relu relu6 sigmoid softplus sparse_plus sparse_sigmoid silu mish log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh "
    "elu celu selu gelu squareplus soft_sign log1mexp",
    ("gelu_exact", lambda x: jax.nn.gelu(x, approximate=False)),
) + names(
    sp,
    "digamma entr erf erfc erfinv exp1 expi expit factorial gamma gammaln i0e i1 i1e log_ndtr logit ndtr ndtri spence",
    ("expn", lambda x: sp.expn(2, x)), ("multigammaln", lambda x: sp.multigammaln(x, 2)),
    ("polygamma", lambda x: sp.polygamma(1, x)), ("zeta", lambda x: sp.zeta(2.0, x)),
) + [
    ("clip", lambda x: jnp.clip(x, -1, 1)), ("integer_power", lambda x: x**3), ("power -2", lambda x: x**-2),
    ("power 0.5", lambda x: x**0.5), ("2 power", lambda x: 2.0**x), ("0 power", lambda x: 0.0**x),
    ("where sqrt", lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0)), ("rsqrt", lax.rsqrt),
    ("maximum 0", lambda x: jnp.maximum(x, 0)), ("minimum x x", lambda x: jnp.minimum(x, x)), ("x / x", lambda x: x / x),
    ("logaddexp 0", lambda x: jnp.logaddexp(x, 0.0)), ("binary cross entropy", lambda x: jnp.maximum(x, 0) - x * 0.5 + jnp.log1p(jnp.exp(-jnp.abs(x)))),
    ("xlogy x x", lambda x: sp.xlogy(x, x)), ("hypot x 0", lambda x: jnp.hypot(x, 0.0)), ("abs complex", lambda x: jnp.abs(x + 0j)),
    ("angle", lambda x: jnp.angle(x + 0j)), ("cond", lambda x: lax.map(lambda v: lax.cond(v > 0, lambda: jnp.log(v), lambda: v), x)),
]
BINARY = names(
    jnp,
    "arctan2 copysign divide float_power floor_divide fmax fmin fmod heaviside hypot logaddexp logaddexp2 maximum minimum mod "
    "power remainder subtract multiply",
) + names(sp, "beta betaln gammainc gammaincc kl_div rel_entr xlog1py xlogy poch zeta") + [
    ("where", lambda x, y: jnp.where(x > y, x, y)), ("rem", lax.rem), ("clamp", lambda x, y: lax.clamp(-1.0, x, y)),
    ("softmax of two", lambda x, y: jax.nn.softmax(jnp.stack([x, y]), 0)[0]),
    ("log_softmax of two", lambda x, y: jax.nn.log_softmax(jnp.stack([x, y]), 0)[0]),
    ("logsumexp of two", lambda x, y: sp.logsumexp(jnp.stack([x, y]), 0)),
    ("max of two", lambda x, y: jnp.max(jnp.stack([x, y]), 0)), ("min of two", lambda x, y: jnp.min(jnp.stack([x, y]), 0)),
    ("prod of two", lambda x, y: jnp.prod(jnp.stack([x, y]), 0)), ("cumprod of two", lambda x, y: jnp.cumprod(jnp.stack([x, y]), 0)[1]),
    ("cummax of two", lambda x, y: lax.cummax(jnp.stack([x, y]))[1]), ("cumlogsumexp of two", lambda x, y: lax.cumlogsumexp(jnp.stack([x, y]))[1]),
    ("norm of two", lambda x, y: jnp.linalg.norm(jnp.stack([x, y]), axis=0)), ("var of two", lambda x, y: jnp.var(jnp.stack([x, y]), 0)),
    ("std of two", lambda x, y: jnp.std(jnp.stack([x, y]), 0)), ("median of two", lambda x, y: jnp.median(jnp.stack([x, y]), 0)),
    ("sort of two", lambda x, y: jnp.sort(jnp.stack([x, y]), 0)[0]), ("ptp of two", lambda x, y: jnp.ptp(jnp.stack([x, y]), 0)),
    ("nanmax of two", lambda x, y: jnp.nanmax(jnp.stack([x, y]), 0)), ("nanmean of two", lambda x, y: jnp.nanmean(jnp.stack([x, y]), 0)),
    ("window max of two", lambda x, y: lax.reduce_window(jnp.stack([x, y]), -jnp.inf, lax.max, (2, 1), (1, 1), "VALID")[0]),
    ("window min of two", lambda x, y: lax.reduce_window(jnp.stack([x, y]), jnp.inf, lax.min, (2, 1), (1, 1), "VALID")[0]),
    ("segment_max", lambda x, y: jax.ops.segment_max(jnp.stack([x, y]), jnp.array([0, 0]), 1)[0]),
    ("scatter multiply", lambda x, y: jnp.stack([x, y]).at[jnp.array([0])].mul(y[None], unique_indices=True)[0]),
    ("interp", lambda x, y: jnp.interp(x, jnp.array([-1.0, 0, 0.5, 1]), jnp.array([0, 1.0, 3, -1])) * y),
]
# In JAX the element of U that is 0 must be the last one.
RANK3 = np.array([[0.0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1], [5, -3, 4, 6]])
RANK1, RANK2 = np.outer([1.0, 2, 3], [1.0, -1, 2]), np.outer([1.0, 2, 3], [1.0, -1, 2]) + np.outer([0, 1.0, 1], [1.0, 0, 2])
MATRICES = [
    (f"{name} of {of}", f, m)
    for name, f in names(jnp.linalg, "det norm slogdet pinv cond matrix_rank") + [
        ("nuclear norm", lambda m: jnp.linalg.norm(m, "nuc")), ("2-norm", lambda m: jnp.linalg.norm(m, 2)),
        ("prod", jnp.prod), ("max", jnp.max), ("sum of sorted", lambda m: (jnp.sort(m, None) * jnp.arange(m.size)).sum()),
        ("expm", jax.scipy.linalg.expm), ("matrix_power", lambda m: jnp.linalg.matrix_power(m, 3)),
        ("svd", lambda m: jnp.linalg.svd(m, compute_uv=False)), ("cumprod", lambda m: jnp.cumprod(m, 1)),
        ("var", jnp.var), ("top_k", lambda m: lax.top_k(m, 2)[0]), ("argsort", lambda m: m[jnp.argsort(m[:, 0])]),
    ]
    for of, m in [("zeros", np.zeros((3, 3))), ("rank 1", RANK1), ("rank 2", RANK2), ("1", np.eye(3)), ("1 by 1", np.zeros((1, 1))),
                  ("2 by 2", np.array([[1.0, 2], [2, 4]])),
                  ("rank 3", RANK3), ("rank 3 of 5", np.diag([1.0, 0, 2, 0, 3])), ("4 by 4", np.eye(4) + np.arange(16.0).reshape(4, 4) % 5),  ("none", np.zeros((0, 0)))]
]


def cases(name, f, args, first):
    n = len(args)
    every = list(range(n))
    plans = [[(kind, every)] for kind in ("jvp", "vjp")]
    if not first:
        plans += [[(a, every), (b, every)] for a, b in (("jvp", "vjp"), ("vjp", "jvp"))]
    module = jax.jit(lambda *a: f(*a), keep_unused=True).lower(*args).as_text()  # f keeps its name
    for plan in plans:
        t = make.Transformed(None, lambda *a: list(jax.tree.leaves(f(*a))), [np.asarray(a) for a in args], False)
        try:
            for kind, parameters in plan:
                t.apply(kind, parameters, np.ones)
            results = [np.asarray(r) for r in jax.jit(t.f)(*t.args)]
        except (NotImplementedError, TypeError, ValueError) as e:
            print(name, plan, str(e)[:80].replace("\n", " "), file=sys.stderr)
            continue
        errors = [float(1e-9 * max(np.max(np.abs(r[np.isfinite(r)]), initial=0), 1)) if make.inexact(r) else 0 for r in results]
        yield {"name": f"{name}: " + " of ".join(k + str(p) for k, p in reversed(plan)), "module": module, "steps": t.steps,
               "arguments": [make.encode(a) for a in t.args], "results": [make.encode(r) for r in results], "errors": errors}


KEPT = {  # those with a rule, and whether only first derivatives are compared
    **dict.fromkeys(
        "xlogy xlog1py entr sinc logaddexp logaddexp2 logit log1mexp relu6 hard_sigmoid hard_silu softplus cbrt reciprocal".split(), False),
    **dict.fromkeys(["rel_entr", "kl_div", "det of rank 3"], True),
    **dict.fromkeys(["power -2", "prod of two", "cumprod of two", "cummax of two", "cumlogsumexp of two", "maximum 0", "det of 1 by 1",
                     "det of 4 by 4", "pinv of 1", "pinv of zeros", "pinv of rank 2", "slogdet of none", "expm of none"], False),
}


def everything():
    for name, f in UNARY:
        yield name, f, [np.array(ONE)]
    pairs, finite = (np.array(list(itertools.product(p, p))) for p in (TWO, TWO[:-1]))
    few = np.array(list(itertools.product(FEW, FEW)))
    for name, f in BINARY:
        p = pairs
        if name in ("zeta", "poch", "gammainc", "gammaincc", "beta", "betaln"):
            p = few
        elif "logadd" in name or "logsumexp" in name:  # at infinity, JAX's derivative along the other operand is not 0
            p = finite
        elif "prod" in name:
            p = finite[np.all(np.isfinite(finite), 1)]
        yield name, f, [p[:, 0], p[:, 1]]
    for name, f, m in MATRICES:
        yield name, f, [m]


if __name__ == "__main__":
    made = []
    for name, f, args in everything():
        if sys.argv[1:] == ["all"] or name in KEPT:
            try:
                made += [json.dumps(c) for c in cases(name, f, args, KEPT.get(name, False))]
            except (NotImplementedError, TypeError, ValueError, IndexError) as e:
                print(name, str(e)[:80].replace("\n", " "), file=sys.stderr)
    print("[" + ",\n".join(made) + "]")
