"""Writes optax.json: the parameters after ten steps down the sum of squares, with the optimizers of optax that optim has.

Run it with JAX 0.12.0.1 and optax 0.2.8: python make.py > optax.json
"""

import json

import jax
import jax.numpy as jnp
import optax

START = {"W": jnp.float32([1, -2]), "B": jnp.float32(3)}

OPTIMIZERS = {
    "SGD": optax.sgd(0.1),
    "Momentum": optax.sgd(0.1, momentum=0.5),
    "Adam": optax.adam(0.1),
    "Adam with weight decay": optax.adamw(0.1, b1=0.8, b2=0.99, eps=1e-6, weight_decay=0.01),
    "ClipByNorm": optax.chain(optax.clip_by_global_norm(1), optax.sgd(0.1)),
    "ClipByNorm of small ones": optax.chain(optax.clip_by_global_norm(100), optax.sgd(0.1)),
}


def end(optimizer):
    params, state = START, optimizer.init(START)
    for _ in range(10):
        gradients = jax.tree.map(lambda p: 2 * p, params)
        updates, state = optimizer.update(gradients, state, params)
        params = optax.apply_updates(params, updates)
    return {name: p.tolist() for name, p in params.items()}


print(json.dumps({name: end(o) for name, o in OPTIMIZERS.items()}, indent=1))
