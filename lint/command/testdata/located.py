"""Writes located_*.mlir: modules of JAX 0.12.0.1 with debug information, for the tests of mlir-lint.

JAX has no outfeed any more, so a primitive of this file lowers to one.
"""

import pathlib

import jax
import jax.numpy as jnp
from jax.experimental import io_callback
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax._src.lib.mlir.dialects import hlo

outfeed_p = Primitive("outfeed")
outfeed_p.multiple_results = True
outfeed_p.def_abstract_eval(lambda x: [x])


@lambda lower: mlir.register_lowering(outfeed_p, lower)
def lower_outfeed(ctx, x):
    token = hlo.create_token()
    hlo.outfeed([x], token, outfeed_config=mlir.ir.StringAttr.get(""))
    return [x]


def outfeed(x):
    return outfeed_p.bind(x)[0]  # line of the outfeed


def scale(x):
    return 2 * outfeed(jnp.sin(x))


def feeds(x):
    def body(carry, _):
        return scale(carry), None

    return jax.lax.scan(body, outfeed(x), None, length=3)[0]


def callbacks(x):
    y = io_callback(jnp.sin, x, x, ordered=True)  # line of the callback
    return jax.vmap(jnp.sum)(jnp.outer(x, y))


jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
for f in feeds, callbacks:
    text = jax.jit(f).lower(jnp.ones(4)).as_text(debug_info=True)
    pathlib.Path(__file__).with_name(f"located_{f.__name__}.mlir").write_text(text)
