"""Writes points.json.gz: functions of JAX whose rules are not in their modules, at points where that shows.

Run it with JAX 0.12.0.1: python points.py | gzip -9n > points.json.gz
"""

import base64
import json

import jax
import numpy as np
from jax.scipy import special

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

# The derivative is by the first argument.
POINTS = [
    ("gammainc(a, x)", "a = 1, x = 1.1", special.gammainc, 1, 1.1),
    ("gammaincc(a, x)", "a = 1, x = 1.1", special.gammaincc, 1, 1.1),
    ("i0e(x)", "x = 0", special.i0e, 0),
    ("log_ndtr(x)", "x = -20, where JAX changes the formula of f64", special.log_ndtr, -20),
    ("fresnel(x)[0]", "x = 3", lambda x: special.fresnel(x)[0], 3),
    ("sici(x)[0]", "x = 0", lambda x: special.sici(x)[0], 0),
    ("expn(5, x)", "x = 0", lambda x: special.expn(5, x), 0),
    ("hyp1f1(1, 2, x)", "x = 0", lambda x: special.hyp1f1(1.0, 2.0, x), 0),
    ("betainc(2, 3, x)", "x = 0", lambda x: special.betainc(2.0, 3.0, x), 0),
]


def encode(x):
    x = np.asarray(x)
    return {"type": x.dtype.name, "shape": list(x.shape), "data": base64.b64encode(x.tobytes()).decode()}


def point(function, at, f, *args):
    args = [np.float64(a) for a in args]
    tangents = [np.float64(i == 0) for i in range(len(args))]
    _, slope = jax.jit(lambda a, t: jax.jvp(f, a, t))(tuple(args), tuple(tangents))
    return {"name": function, "at": at, "module": jax.jit(f).lower(*args).as_text(),
            "arguments": [encode(a) for a in args + tangents], "slope": f"{float(slope):.5g}"}


print(json.dumps([point(*p) for p in POINTS]))
