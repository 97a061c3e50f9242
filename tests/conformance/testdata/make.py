"""Writes reference.json: arguments and results of the samples that only one of the
interpreter and XLA can run, by NumPy, SciPy and JAX. Run it with Python 3 that has
numpy, scipy and jax (0.12.0.1 made the committed file); each array is written as a shape
and its elements in row-major order."""

import json
import os

import jax
import numpy as np
import scipy.linalg

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

NAMES = {
    "float32": "f32", "float64": "f64", "int32": "s32", "uint32": "u32", "uint64": "u64",
    "complex64": "c64", "complex128": "c128",
}


def text(a):
    a = np.asarray(a)
    shape = ",".join(str(d) for d in a.shape)
    if np.iscomplexobj(a):
        words = [f"{z.real},{z.imag}" for z in a.ravel()]
    else:
        words = [str(x) for x in a.ravel()]
    return " ".join([f"{NAMES[str(a.dtype)]}[{shape}]"] + words)


reference = {}


def sample(name, judge, arguments, results):
    types = [np.asarray(a).dtype for a in arguments]
    real = types[0] if types[0].kind == "f" else None
    out = []
    for r in results:
        r = np.asarray(r)
        # SciPy and NumPy compute in double precision; results have the operands' width.
        if real is not None and r.dtype.kind == "f":
            r = r.astype(real)
        elif types[0].itemsize in (4, 8) and r.dtype == np.complex128 and types[0] != np.float64:
            r = r.astype(np.complex64)
        out.append(text(r))
    reference[name] = {"judge": judge, "in": [text(a) for a in arguments], "out": out}


# Small numbers that every type can hold exactly.
def numbers(dtype, *shape):
    n = int(np.prod(shape))
    a = ((np.arange(n) * 7) % 11 - 5) / 4
    if np.issubdtype(dtype, np.complexfloating):
        a = a + 1j * ((np.arange(n) * 5) % 7 - 3) / 4
    return a.reshape(shape).astype(dtype)


def positive(dtype, n):
    m = numbers(dtype, n, n)
    return (m @ m.conj().T + n * np.eye(n)).astype(dtype)


for t in (np.float32, np.float64, np.complex64):
    a = positive(t, 3)
    low = np.linalg.cholesky(a.astype(np.result_type(t, np.float64)))
    # What stands above the diagonal is up to the implementation: both are given zeros.
    sample(f"cholesky {NAMES[np.dtype(t).name]} lower", "NumPy", [a], [low])
    if t == np.float32:
        sample("cholesky f32 upper", "NumPy", [a], [low.T])

for t in (np.float32, np.float64, np.complex64):
    a = np.tril(numbers(t, 3, 3)) + 3 * np.eye(3, dtype=t)
    b = numbers(t, 3, 2)
    sample(f"triangular_solve {NAMES[np.dtype(t).name]} lower", "SciPy", [a, b], [scipy.linalg.solve_triangular(a, b, lower=True)])
a = (np.triu(numbers(np.float32, 3, 3)) + 3 * np.eye(3)).astype(np.float32)
b = numbers(np.float32, 2, 3)
sample("triangular_solve f32 upper from the right, transposed", "SciPy", [a, b], [scipy.linalg.solve_triangular(a, b.T).T])
a = np.tril(numbers(np.complex64, 3, 3))
b = numbers(np.complex64, 3, 2)
sample("triangular_solve c64 adjoint, unit diagonal", "SciPy", [a, b],
       [scipy.linalg.solve_triangular(a, b, trans="C", lower=True, unit_diagonal=True)])

for t in (np.complex64, np.complex128):
    a = numbers(t, 5)
    sample(f"fft forward {NAMES[np.dtype(t).name]}", "NumPy", [a], [np.fft.fft(a)])
a = numbers(np.complex64, 2, 4)
sample("fft two dimensions c64", "NumPy", [a], [np.fft.fft2(a)])
a = numbers(np.complex64, 5)
sample("fft inverse c64", "NumPy", [a], [np.fft.ifft(a)])
for t in (np.float32, np.float64):
    a = numbers(t, 6)
    r = np.fft.rfft(a.astype(np.float64))
    sample(f"fft real {NAMES[np.dtype(t).name]}", "NumPy", [a], [r.astype(np.complex64 if t == np.float32 else np.complex128)])
a = np.fft.rfft(numbers(np.float64, 6)).astype(np.complex64)
sample("fft real inverse c64", "NumPy", [a], [np.fft.irfft(a, 6).astype(np.float32)])

EPSILON = 0.125
for t in (np.float32, np.float64):
    name = NAMES[np.dtype(t).name]
    x, dy = numbers(t, 2, 3, 2), numbers(t, 2, 3, 2)[::-1].copy()
    scale, offset, mean = numbers(t, 3), numbers(t, 3) + t(1), numbers(t, 3) * t(0.5)
    variance = np.abs(numbers(t, 3)) + t(0.5)
    x64, c = x.astype(np.float64), (None, slice(None), None)
    axes = (0, 2)
    stddev = np.sqrt(variance.astype(np.float64) + EPSILON)
    sample(f"batch_norm_inference {name}", "NumPy", [x, scale, offset, mean, variance],
           [(x64 - mean[c]) / stddev[c] * scale[c] + offset[c]])
    m, v = x64.mean(axes), x64.var(axes)
    sample(f"batch_norm_training {name}", "NumPy", [x, scale, offset],
           [(x64 - m[c]) / np.sqrt(v + EPSILON)[c] * scale[c] + offset[c], m, v])
    # The gradient holds for the statistics of this very batch.
    m, v = m.astype(t), v.astype(t)
    stddev = np.sqrt(v.astype(np.float64) + EPSILON)
    n = x.size / 3
    normal = (x64 - m[c]) / stddev[c]
    d_offset = dy.astype(np.float64).sum(axes)
    d_scale = (dy * normal).sum(axes)
    d_x = (scale / stddev)[c] * (dy - d_offset[c] / n - normal * d_scale[c] / n)
    sample(f"batch_norm_grad {name}", "NumPy", [x, scale, m, v, dy], [d_x, d_scale, d_offset])

image = np.arange(1, 17, dtype=np.float32).reshape(1, 4, 4, 1)
kernel = np.array([1, -1, 0.5, 2], np.float32).reshape(2, 2, 1, 1)
sample("dynamic_conv", "JAX", [image, kernel], [jax.lax.conv_general_dilated(
    image, kernel, (1, 1), ((1, 0), (0, 2)), dimension_numbers=("NHWC", "HWIO", "NHWC"))])

state = np.array([42, 7], np.uint64)
for name, algorithm, dtype, n in (
    ("three fry", jax.lax.RandomAlgorithm.RNG_THREE_FRY, np.uint32, 6),
    ("philox", jax.lax.RandomAlgorithm.RNG_PHILOX, np.uint64, 4),
):
    s = state
    new, out = jax.lax.rng_bit_generator(s, (n,), dtype, algorithm)
    sample(f"rng_bit_generator {name}", "JAX", [s], [new, out])

with open(os.path.join(os.path.dirname(__file__), "reference.json"), "w") as f:
    json.dump(reference, f, indent=1)
    f.write("\n")
