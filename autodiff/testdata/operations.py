"""Writes operations.json: how many operations of each kind JAX's gradient of a deep network has, without constants.

Run it with JAX 0.12.0.1: python operations.py > operations.json
"""

import collections
import json
import re

import jax
import jax.numpy as jnp

LAYERS = 20


def loss(weights, x):
    for w in weights:
        x = jnp.tanh(x @ w)
    return jnp.sum(x * x)


arguments = [jnp.zeros((16, 16))] * LAYERS, jnp.zeros((8, 16))
text = jax.jit(jax.grad(loss)).lower(*arguments).as_text()
count = collections.Counter(re.findall(r"stablehlo\.(\w+)[ (]", text))
del count["constant"]
print(json.dumps(count, indent=2, sort_keys=True))
