# Writes the value of every bit pattern of the small floating point types, as
# ml_dtypes 0.6.0 has them, to minifloats.npz.
import ml_dtypes
import numpy as np

types = ["float8_e5m2", "float8_e4m3", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2fnuz",
         "float8_e4m3fnuz", "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn"]
bits = {t: np.arange(16 if "4_" in t else 256, dtype="uint8") for t in types}
names = {t: t.replace("float", "f").replace("_", "") for t in types}
np.savez_compressed("minifloats.npz", **{names[t]: b.view(getattr(ml_dtypes, t)).astype("float32") for t, b in bits.items()})
