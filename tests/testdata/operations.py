# Computes what TestBuilderNumbers runs, with JAX and NumPy:
#
#	python operations.py > operations.txt
#
# JAX 0.12.0.1, its SciPy and NumPy 2 on a CPU.
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
import scipy.special
from jax import lax

jax.config.update("jax_enable_x64", True)
NAMES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "bool": "pred",
    "int32": "s32", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}


def number(e):
    return str(e).lower() if not np.isfinite(e) else ("%.4f" % e).replace("-0.0000", "0.0000")


def show(name, *results):
    for i, v in enumerate(results):
        v = np.asarray(v)
        floats = v.dtype.kind == "f" or v.dtype.name == "bfloat16"
        elements = [number(float(e)) if floats else str(e).lower() for e in v.ravel()]
        shape = "%s[%s]" % (NAMES[v.dtype.name], ",".join(map(str, v.shape)))
        print("%s %d: %s" % (name, i, " ".join([shape] + elements)))


def ramp(*dims):
    return (np.arange(np.prod(dims)) / 2).astype(np.float32).reshape(dims)


def array(*v, dtype=np.float32):
    return np.array(v, dtype)


def pool(x, start, op):
    return lax.reduce_window(x, np.float32(start), op, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")


row = array(3, -1, 4, -1, 5, -9)
odd = array(2, np.nan, -np.inf, 0, np.inf, -0.0, -2, -np.nan)
grid, cube = ramp(3, 4), ramp(2, 3, 4)
index = np.array([[2, 0], [1, 2]])

show("scalars", 1 - row / 2, np.maximum(row, 0), (2.0**row).astype(np.float32))
show("stretch", ramp(3, 1) + ramp(1, 4))
show("clamp", np.clip(row, -1, 3))
show("select", np.where(row > 0, row, np.float32(-np.inf)))
halves = array(-2.5, -0.5, 0.5, 1.5)
show("round", np.round(halves), array(-3, -1, 1, 2))
x = array(0.1, 0.5, 0.9)
f = np.float32
show(
    "special", special.erf(x), special.erfinv(x), special.gammaln(x), np.arcsin(x), np.arccosh(x + 1),
    scipy.special.zeta(x + f(1.5), x).astype(f), np.nextafter(x, f(1)),
)
show("infinite", np.isfinite(odd), np.isinf(odd), np.isposinf(odd), np.isneginf(odd))
i = np.array([12, -5, 1], np.int32)
show("bits", lax.population_count(i), lax.clz(i), i >> 1, (i.view(np.uint32) >> 28).astype(np.int32), i << 2)
show("bitcast", np.array([0, 0, 128, 63, 0, 0, 0, 64], np.uint8).view(np.float32), ramp(2).view(np.uint16).reshape(2, 2))
show("iota and eye", np.array([[0, 0, 0], [1, 1, 1]], np.int32), np.eye(3, dtype=f))
show("shapes", cube.transpose(2, 0, 1), cube[:, :, 1:-1], cube[1:], np.stack([cube.sum(0)] * 2, 1), cube[::-1, :, ::-1])
show("pad", lax.pad(grid, f(-1), [(1, -1, 0), (0, 1, 1)]))
updated = grid.copy()
updated[:, 2] = ramp(3)
show("dynamic", grid[:, 2], updated)
v = ramp(4)
show("dot", cube @ ramp(2, 4, 2), cube @ ramp(4, 2), cube @ v, v @ v, v @ ramp(4, 2))
show(
    "einsum", np.einsum("bqd,bkd->bkq", cube, ramp(2, 5, 4)), np.einsum("abc->ca", cube),
    np.einsum("abc,ade->be", cube, ramp(2, 5, 4)),
)
show("conv", lax.conv_general_dilated(
    ramp(1, 5, 6, 4), ramp(3, 2, 2, 4), (2, 1), "SAME", rhs_dilation=(1, 2), feature_group_count=2,
    dimension_numbers=("NHWC", "HWIO", "NHWC")))
show("conv layout", lax.conv_general_dilated(
    ramp(1, 2, 7), ramp(3, 2, 2), (1,), [(2, 1)], lhs_dilation=(2,), dimension_numbers=("NCW", "OIW", "NWC")))
show("take", np.take(cube, index, 1), np.take(cube[:, 0:3], np.clip(index, 0, 1), 0))
show("index select", np.stack([cube[b][index[b]] for b in range(2)]))
added, greatest = grid.copy(), grid.copy()
np.add.at(added, [2, 0, 2], ramp(3, 4))
np.maximum.at(greatest, [2, 0, 2], ramp(3, 4))
show("scatter", added, greatest)
b = grid > 3
show(
    "reduce", grid.sum(), (grid + 1).prod(0), grid.max(1), grid.min(-1), grid.mean(0), b.all(1), b.any(1),
    jnp.mean(jnp.asarray(grid, jnp.bfloat16)),
)
x = array(3, 5, 5, 1, 1)
show("arg", *(np.int32(f(v)) for v in (x, odd, x) for f in (jnp.argmax, jnp.argmin)))
show("map", row * row + 1)
p = ramp(1, 4, 5, 1)
show("pool", pool(p, -np.inf, lax.max), pool(p, 0, lax.add) / pool(np.ones_like(p), 0, lax.add))
show("cumsum", grid.cumsum(0), grid.cumsum(1))
show("select and scatter", array(0, 0, 0.5, 0, 1, 0))
k = np.array([3, 1, 2, 1], np.int32)
show(
    "sort", np.sort(odd), np.asarray(jnp.sort(odd, descending=True)), np.asarray(jnp.argsort(odd), np.int32), np.sort(k)[::-1],
    np.argsort(k, stable=True).astype(np.int32),
)
values, at = lax.top_k(grid, 2)
show("top k", values, at)


def bits(state, dtype):
    return lax.rng_bit_generator(state, (3,), dtype, lax.RandomAlgorithm.RNG_THREE_FRY)


state, wide = bits(np.array([1, 2], np.uint64), np.uint64)
_, narrow = bits(state, np.uint16)
show(
    "uniform", state, (np.asarray(wide) >> np.uint64(12)) / 2.0**52,
    ((np.asarray(narrow) >> np.uint16(6)) / 2.0**10).astype(np.float16),
)
c = row + 2j
show("complex", (c * 1j).real.astype(f), c.conj().imag.astype(f), abs(c).astype(f))
e = ramp(8)
show("fft", np.fft.rfft(e).imag.astype(f), e, e)
a = np.array([[4, 0], [2, 3]], f)
show("solve", np.diag(np.linalg.cholesky(a @ a.T)), np.linalg.solve(a, ramp(2, 2)))
n = ramp(4, 2)
y = (n - n.mean(0)) / np.sqrt(n.var(0) + f(0.001)) * array(1, 2) + array(0, 1)
show("batch norm", y, n.mean(0), n.var(0), y)
show("barrier", -row)
