"""Writes arrays.json: arrays, options, and the text that NumPy makes of them.

    python callbacks/testdata/arrays.py > callbacks/testdata/arrays.json

needs numpy (made with 2.4.6) and ml_dtypes. With a number as its argument it writes as
many random cases instead, for a longer comparison.
"""

import json
import sys

import ml_dtypes as ml
import numpy as np

DTYPES = {
    "pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
    "bf16": ml.bfloat16, "s2": ml.int2, "s4": ml.int4, "u2": ml.uint2, "u4": ml.uint4,
    "f8e5m2": ml.float8_e5m2, "f8e4m3": ml.float8_e4m3, "f8e4m3fn": ml.float8_e4m3fn,
    "f8e4m3b11fnuz": ml.float8_e4m3b11fnuz, "f8e5m2fnuz": ml.float8_e5m2fnuz,
    "f8e4m3fnuz": ml.float8_e4m3fnuz, "f8e3m4": ml.float8_e3m4,
    "f4e2m1fn": ml.float4_e2m1fn, "f8e8m0fnu": ml.float8_e8m0fnu,
}
FLOATS = ("f16", "f32", "f64")
COMPLEX = ("c64", "c128")


def case(dtype, array, threshold=0, edge=0, width=0, precision=0):
    array = np.asarray(array)
    assert array.dtype == DTYPES[dtype], (dtype, array.dtype)
    # In memory the package tensor keeps the sign of a small integer in its whole byte.
    memory = array.astype(np.int8) if dtype in ("s2", "s4") else array
    out = {
        "dtype": dtype,
        "dims": list(array.shape),
        "data": memory.tobytes().hex(),
        "text": np.array2string(array, threshold=threshold or 1000, edgeitems=edge or 3,
                                max_line_width=width or 75, precision=precision or 8),
    }
    for key, value in (("threshold", threshold), ("edge", edge), ("width", width), ("precision", precision)):
        if value:
            out[key] = value
    if array.ndim == 0:
        out["scalar"] = str(array[()])
    return out


def cast(values, dtype):
    with np.errstate(all="ignore"):
        return np.array(values).astype(DTYPES[dtype])


def fixed():
    for name in DTYPES:
        numbers = [1, 0, 0, 1, 1, 0, 1, 0] if name == "pred" else [1, 0, 3, 2, 1, 1, 2, 3]
        if name.startswith("s"):
            numbers = [-n for n in numbers[:4]] + numbers[4:] if name != "s2" else [1, 0, -2, -1, 1, 1, 0, 1]
        if name.startswith(("f", "b", "c")):
            numbers = [1, 0.5, 1.5, 3, 2, 1, 4, 6]
        a = cast(numbers, name)
        yield case(name, a[0].reshape(()))
        yield case(name, a[2].reshape(()))
        yield case(name, a[:0])
        yield case(name, a[:0].reshape(2, 0))
        yield case(name, a[:3])
        yield case(name, a[:6].reshape(2, 3))
        yield case(name, a.reshape(2, 2, 2))
        yield case(name, np.tile(a, 6), threshold=40)
        yield case(name, np.tile(a, 6))
    for name in ("s8", "u8", "s32", "u64", "s64"):
        info = np.iinfo(DTYPES[name])
        yield case(name, np.array([info.min, 0, info.max], DTYPES[name]))
    for name in FLOATS + COMPLEX + ("bf16",):
        for values in (
            [1, np.nan, -2.5], [np.nan], [np.inf, 1], [-np.inf, 1], [np.inf, -np.inf, np.nan], [-0.0, 0.0],
            [1e-5, 1], [0.001, 1], [0.00099, 1], [1e5, 123.456], [999999, 1], [1e6, 1], [1e8, 1], [1e10, np.nan, -1],
            [1 / 3, 2 / 3, 100], [np.pi, -np.e], [1e-7, -1e-7], [1.1, 2.25, 3], [65504, 6e-8], [3e38, 1e-38], [1e-300, 1e300],
        ):
            yield case(name, cast(values, name))
            yield case(name, cast(values[0], name))
            yield case(name, cast(values, name), precision=3)
    for values in ([1 + 2j, -3.25 - 4j], [0.5j, np.inf - 1j], [complex(np.nan, np.inf), 1], [1e10 + 1j, 2]):
        for name in COMPLEX:
            yield case(name, cast(values, name))
            yield case(name, cast(values[0], name))
    big = np.arange(2500, dtype=np.float32)
    yield case("f32", big)
    yield case("f32", big.reshape(50, 50))
    yield case("f32", big[:1000].reshape(10, 10, 10), threshold=100)
    yield case("f32", big[:1000].reshape(10, 10, 10), threshold=100, edge=1)
    yield case("f32", big[:120].reshape(2, 60) / 7, width=60)
    yield case("f32", big[:24] / 7, width=20, precision=4)
    yield case("f64", np.arange(9.0) ** 9, width=10)
    yield case("s32", np.arange(1001, dtype=np.int32))
    yield case("s32", np.arange(1000, dtype=np.int32)[:60].reshape(5, 4, 3))
    yield case("s32", np.arange(24, dtype=np.int32).reshape(1, 2, 3, 4))
    yield case("c64", (big[:7] + 1j * big[:7]).astype(np.complex64))


def some(rng):
    name = list(DTYPES)[rng.integers(len(DTYPES))]
    if rng.random() < 0.6:
        name = (FLOATS + COMPLEX)[rng.integers(5)]
    dims = [int(n) for n in rng.integers(0, 8, rng.integers(0, 4))]
    if rng.random() < 0.3:
        dims = dims[:1]
    n = int(np.prod(dims))

    def real():
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-6, 9)
        if rng.random() < 0.5:
            x *= 10.0 ** rng.uniform(-rng.integers(0, 5), rng.integers(1, 5), n)
        if rng.random() < 0.3:
            x = np.round(x, int(rng.integers(0, 4)))
        x[rng.random(n) < 0.03] = np.nan
        x[rng.random(n) < 0.03] = np.inf
        x[rng.random(n) < 0.03] = -np.inf
        x[rng.random(n) < 0.05] = 0
        return x

    if name in FLOATS or name == "bf16":
        a = cast(real(), name)
    elif name in COMPLEX:
        with np.errstate(all="ignore"):
            a = cast(real() + 1j * real(), name)
    elif name.startswith("f"):
        raw = rng.integers(0, 16 if name == "f4e2m1fn" else 256, n, dtype=np.uint8)
        a = raw.view(DTYPES[name])
    elif name == "pred":
        a = rng.integers(0, 2, n).astype(bool)
    else:
        info = ml.iinfo(DTYPES[name]) if name[1:] in ("2", "4") else np.iinfo(DTYPES[name])
        high = min(int(info.max), 10 ** int(rng.integers(1, 19)))
        low = max(int(info.min), -high)
        a = np.array([int(v) for v in rng.integers(low, high, n, endpoint=True)], dtype=np.int64 if low < 0 else np.uint64).astype(DTYPES[name])
    options = {}
    if rng.random() < 0.3:
        options = dict(threshold=int(rng.integers(1, 60)), edge=int(rng.integers(1, 4)), width=int(rng.integers(10, 90)), precision=int(rng.integers(1, 12)))
    return case(name, a.reshape(dims), **options)


def main():
    if len(sys.argv) > 1:
        rng = np.random.default_rng(1)
        cases = [some(rng) for _ in range(int(sys.argv[1]))]
    else:
        cases = list(fixed())
    print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")


main()
