"""The primitive of JAX programs for calls of callbacks. Package calliope_mlir has the functions that programs call.

The rules for taps are those of jax.debug.callback: a tap is differentiable and sees the primal values, in the
same number of calls.
"""

import dataclasses
import functools

import jax
import numpy as np
from jax._src import core, effects
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, partial_eval

from calliope_mlir import _served_by_jax

OBSERVE, PASSTHROUGH, CALL, PURE = "observe", "passthrough", "call", "pure"

# How a call is made under vmap, and the size that operands without the mapped axis get.
_ALL_ROWS = {"expand_dims": 1, "broadcast_all": None}
_EACH_ROW = ("sequential", "sequential_unrolled")
_PARALLEL = "parallel"


@dataclasses.dataclass(frozen=True)
class CallEffect(effects.Effect):
    """The effect of a call."""

    __str__ = lambda self: "Calliope"


@dataclasses.dataclass(frozen=True)
class OrderedCallEffect(effects.Effect):
    """The effect of calls that run in the order of the program."""

    __str__ = lambda self: "OrderedCalliope"


effects.ordered_effects.add_type(OrderedCallEffect)
for _allowed in (
    effects.lowerable_effects,
    effects.control_flow_allowed_effects,
    effects.custom_derivatives_allowed_effects,
    effects.remat_allowed_effects,
    effects.partial_eval_kept_effects,
):
    _allowed.add_type(CallEffect)
    _allowed.add_type(OrderedCallEffect)


@dataclasses.dataclass(frozen=True)
class Call:
    """What a call has besides its operands."""

    target: str
    form: str
    results: tuple  # (shape, dtype) of each, for the forms call and pure
    keys: tuple  # of the contract: (key, value), sorted
    token: bool  # whether the last operand and the last result are a token
    ordered: bool
    vmap_method: str | None

    def data(self, operands):
        """Returns the types of the results that are data."""
        if self.form == OBSERVE:
            return ()
        if self.form == PASSTHROUGH:
            return tuple((a.shape, a.dtype) for a in operands[: len(operands) - self.token])
        return self.results


call_p = Primitive("calliope_call")
call_p.multiple_results = True


@functools.lru_cache
def _jitted(call):
    return jax.jit(lambda *operands: call_p.bind(*operands, call=call))


@call_p.def_impl
def _run(*operands, call):
    return _jitted(call)(*operands)


@call_p.def_effectful_abstract_eval
def _results(*operands, call):
    results = [_aval(operands, *r) for r in call.data(operands)]
    if call.token:
        results.append(_aval(operands, (1,), np.int8))
    if call.form == PURE:
        return results, set()
    return results, {OrderedCallEffect() if call.ordered else CallEffect()}


def _aval(operands, shape, dtype):
    """Returns the type of a result. In a shard_map it varies over the axes over which an operand does."""
    aval = jax.typeof(jax.ShapeDtypeStruct(shape, dtype)).update(sharding=core.get_cur_mesh_sharding())
    if not operands:
        return aval
    return aval.update(manual_axis_type=max((o.mat for o in operands), key=lambda m: len(m.varying)))


def _jvp(primals, tangents, *, call):
    if call.form != OBSERVE:
        raise ValueError(
            f"the call of the callback {_name(call)} cannot be differentiated: only calliope.tap can; "
            "give the function a jax.custom_jvp or jax.custom_vjp"
        )
    results = call_p.bind(*primals, call=call)
    return results, [ad.Zero.from_primal_value(r) for r in results]


def _name(call):
    keys = dict(call.keys)
    return repr(keys["callback"]) if "callback" in keys else f"id {keys['callback_id']}"


def _transpose(_, *operands, call):
    return [None] * len(operands)


def _batch(operands, dims, *, call):
    rows = next(o.shape[d] for o, d in zip(operands, dims) if d is not None)
    method = call.vmap_method
    if method in _ALL_ROWS:
        return _call_with_all_rows(operands, dims, rows, call)
    if method in _EACH_ROW:
        return _call_with_each_row(operands, dims, call, unroll=method == "sequential_unrolled")
    if method == _PARALLEL:
        return _call_in_parallel(operands, dims, rows, call)
    raise NotImplementedError(
        f"the call of the callback {_name(call)} under vmap needs a vmap_method, one of "
        f"{', '.join((*_EACH_ROW, *_ALL_ROWS, _PARALLEL))}; it is {method}"
    )


def _call_in_parallel(operands, dims, rows, call):
    """Makes one call, which the library divides into those of the rows."""
    if call.form not in (CALL, PURE) or call.token or call.ordered:
        raise NotImplementedError(
            f"the callback {_name(call)} is called in order, or has no results, so that vmap_method cannot be parallel: "
            "use sequential"
        )
    keys = dict(call.keys)
    axis = "".join("." if d is None else "*" for d in dims)
    keys["parallel"] = f"{axis},{keys['parallel']}" if "parallel" in keys else axis
    keys["v"] = np.int64(4)
    moved = [o if d is None else jax.numpy.moveaxis(o, d, 0) for o, d in zip(operands, dims)]
    results = tuple(((rows, *shape), dtype) for shape, dtype in call.results)
    batched = dataclasses.replace(call, results=results, keys=tuple(sorted(keys.items())))
    results = call_p.bind(*moved, call=batched)
    return results, [0] * len(results)


def _call_with_all_rows(operands, dims, rows, call):
    n = len(operands) - call.token
    if call.token and dims[n] is not None:
        raise NotImplementedError(
            f"the call of the callback {_name(call)} has a token for each row: use vmap_method sequential"
        )
    size = rows if call.form == PASSTHROUGH else _ALL_ROWS[call.vmap_method] or rows
    moved = [
        jax.numpy.broadcast_to(o, (size, *o.shape)) if d is None else jax.numpy.moveaxis(o, d, 0)
        for o, d in zip(operands[:n], dims)
    ]
    batched = dataclasses.replace(call, results=tuple(((rows, *shape), dtype) for shape, dtype in call.results))
    results = call_p.bind(*moved, *operands[n:], call=batched)
    return results, [0] * (len(results) - call.token) + [None] * call.token


def _call_with_each_row(operands, dims, call, unroll):
    mapped = [jax.numpy.moveaxis(o, d, 0) for o, d in zip(operands, dims) if d is not None]
    chained = call.token and dims[-1] is None  # one token goes through the calls of all rows

    def row(token, values):
        values = iter(values)
        row_operands = [o if d is None else next(values) for o, d in zip(operands, dims)]
        if not chained:
            return token, call_p.bind(*row_operands, call=call)
        *results, token = call_p.bind(*row_operands[:-1], token, call=call)
        return token, results

    token = operands[-1] if chained else None
    if unroll:
        rows = []
        for values in zip(*mapped):
            token, results = row(token, values)
            rows.append(results)
        results = [jax.numpy.stack(r) for r in zip(*rows)]
    else:
        token, results = jax.lax.scan(row, token, mapped)
    out_dims = [0] * len(results)
    return ([*results, token], [*out_dims, None]) if chained else (results, out_dims)


def _stage(saveable, unknown, instantiated, equation):
    """Splits the program of a jax.checkpoint into what runs at once and what runs again for the derivatives.

    A tap runs in both, unless the policy keeps it from running again. Other calls run once, where they can.
    """
    n = len(equation.outvars)
    needed = [v for v, has in zip(equation.invars, instantiated) if not has]
    if any(unknown):
        return None, equation, [True] * n, [True] * n, needed
    again = equation.params["call"].form == OBSERVE and (
        all(instantiated) or not saveable(call_p, *(v.aval for v in equation.invars), **equation.params)
    )
    if not again:
        return equation, None, [False] * n, [False] * n, []
    return equation, equation, [False] * n, [True] * n, needed


def _lower(ctx, *operands, call):
    """Writes the custom call of the contract. In a program for several devices, device 0 calls with the whole
    arrays; in a shard_map, each device with its part, or the first along the axes that the shard_map leaves out."""
    if not ctx.module_context.lowering_parameters.for_export and not _served_by_jax(call.target):
        raise RuntimeError(
            f"JAX does not know libcalliope, which calls {_name(call)}: call calliope_mlir.Library().register_jax() before"
        )
    mesh, axes = _divided(ctx)
    if axes and call.form != PURE:
        if not jax.config.jax_use_shardy_partitioner:
            raise NotImplementedError(
                f"a call of {_name(call)} in a program that JAX divides over devices needs the Shardy "
                "partitioner: set jax_use_shardy_partitioner, or call in a shard_map over all axes"
            )
        divided = functools.partial(_call_on_first_device, call=call, mesh=mesh, axes=axes)
        return mlir.lower_fun(divided, multiple_results=True)(ctx, *operands)
    keys, token = dict(call.keys), core.abstract_token
    avals_in, avals_out, operands = list(ctx.avals_in), list(ctx.avals_out), list(operands)
    if call.ordered:
        avals_in.append(token)
        avals_out.append(token)
        operands.append(ctx.tokens_in.get(OrderedCallEffect()))
    tokens = call.token + call.ordered
    if tokens:
        keys["n_tokens"] = np.int64(tokens)
    if call.form == PASSTHROUGH:
        data = slice(len(ctx.avals_in) - call.token)
        kept = mlir.lower_fun(lambda *values: [_kept(v) for v in values], multiple_results=True)
        operands[data] = kept(ctx.replace(avals_in=avals_in[data], avals_out=avals_in[data]), *operands[data])
    aliased = len(ctx.avals_in) if call.form == PASSTHROUGH else 0
    aliases = {i: i for i in range(aliased)}
    if call.token:
        aliases[len(ctx.avals_in) - 1] = len(ctx.avals_out) - 1
    op = jax.ffi.build_ffi_lowering_function(
        call.target, has_side_effect=call.form != PURE, operand_output_aliases=aliases
    )(ctx.replace(avals_in=avals_in, avals_out=avals_out), *operands, **keys)
    results = list(op.results)
    if call.ordered:
        ctx.set_tokens_out(ctx.tokens_in.update_tokens(mlir.TokenSet({OrderedCallEffect(): results[-1]})))
    return results[: len(ctx.avals_out)]


def _kept(x):
    """Returns x in memory of its own, for a callback to write to.

    XLA's CPU compiler forgets in some places, such as branches, that the value that passes through a call is needed
    later, and lets the call overwrite it. It does not find out that the predicate here is true.
    """
    number = x.real if jax.numpy.iscomplexobj(x) else x
    if number.dtype not in (np.int32, np.int64, np.uint32, np.uint64):
        number = number.astype(np.int32)
    return jax.numpy.where((number | 1) != 0, x, jax.numpy.zeros_like(x))


def _divided(ctx):
    """Returns the mesh and the axes over which JAX divides what is computed here."""
    context = ctx.module_context.axis_context
    if isinstance(context, mlir.ShardingContext) and context.num_devices > 1:
        return jax.sharding.AbstractMesh((context.num_devices,), ("calliope",)), ("calliope",)
    if isinstance(context, mlir.SPMDAxisContext):
        mesh = context.mesh.abstract_mesh
        return None, tuple(a for a in mesh.axis_names if a not in context.manual_axes)
    return None, ()


def _call_on_first_device(*operands, call, mesh, axes):
    """Calls on the first device along axes, with whole arrays: XLA makes calls with an effect only in manual
    computations."""

    def part(*operands):
        def otherwise():
            results, _ = _results(*map(jax.typeof, operands), call=call)
            return [jax.numpy.zeros(r.shape, r.dtype) for r in results]

        first = jax.lax.axis_index(axes) == 0
        results = jax.lax.cond(first, lambda: call_p.bind(*operands, call=call), otherwise)
        return [jax.lax.all_gather(r, axes)[0] for r in results]

    whole = jax.sharding.PartitionSpec()
    manual = jax.shard_map(part, mesh=mesh, axis_names=set(axes), in_specs=whole, out_specs=whole, check_vma=False)
    return manual(*operands)


ad.primitive_jvps[call_p] = _jvp
ad.primitive_transposes[call_p] = _transpose
batching.primitive_batchers[call_p] = _batch
partial_eval.partial_eval_jaxpr_custom_rules[call_p] = _stage
mlir.register_lowering(call_p, _lower, platform="cpu")
