# Writes the test files; they were made with NumPy 2.4.6 and ml_dtypes 0.6.0.
import io
import ml_dtypes
import numpy as np

types = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float16", "float32", "float64", "complex64", "complex128"]
arrays = {}
for t in types:
    a = np.arange(6).reshape(2, 3).astype(t)
    arrays[t] = a
    arrays[t + "_fortran"] = np.asfortranarray(a)
    arrays[t + "_swapped"] = a.astype(a.dtype.newbyteorder(">"))
    arrays[t + "_scalar"] = a[1, 2]
    arrays[t + "_empty"] = a[:0]
arrays["vector"] = np.arange(3, dtype="int32")
arrays["cube_fortran"] = np.asfortranarray(np.arange(24, dtype="int32").reshape(2, 3, 4))
arrays["record"] = np.zeros(2, dtype=[("a", "i4"), ("b", "f4")])
arrays["text"] = np.array(["a", "b"])
np.savez_compressed("numpy.npz", **arrays)

foreign = ["bfloat16", "float8_e5m2", "float8_e4m3fn", "int4", "uint4"]
np.savez("ml_dtypes.npz", **{t: np.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, t)) for t in foreign})

for version in (1, 2, 3):
    f = io.BytesIO()
    np.lib.format.write_array(f, np.arange(6, dtype="float32").reshape(2, 3), version=(version, 0))
    open(f"version{version}.npy", "wb").write(f.getvalue())
