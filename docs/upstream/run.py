"""Runs the modules of this folder on the CPU of an installed JAX, and prints which of them show what they report."""
import os
import pathlib
import re
import subprocess
import sys

TYPES = {"pred": "bool", "s32": "int32", "s64": "int64", "f32": "float32", "c64": "complex64", "bf16": "bfloat16"}


def array(text):
    """Reads an array such as "s32[2] [1 2]"."""
    import ml_dtypes
    import numpy as np

    kind, shape, values = re.fullmatch(r"(\w+)\[([\d,]*)\] \[?(.*?)\]?", text).groups()
    number = {"pred": lambda v: v in ("true", "1"), "c64": lambda v: complex(v.strip("()").replace("i", "j"))}.get(kind, float)
    kind = ml_dtypes.bfloat16 if kind == "bf16" else TYPES[kind]
    if str(kind).startswith("int"):
        number = int
    return np.array([number(v) for v in values.split()], kind).reshape([int(n) for n in shape.split(",") if n])


def run(file):
    """Prints whether the results are the expected ones."""
    import jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    jax.config.update("jax_enable_x64", True)
    text = file.read_text()
    inputs = [jax.device_put(array(line)) for line in re.findall("// Input: (.*)", text)]
    expected = re.search("// Expected: (.*)", text)[1]
    device = jax.devices()[0]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        devices = xla_client.DeviceList((device,))
        program = device.client.compile_and_load(module, devices, xla_client.CompileOptions())
    results = program.execute_sharded(inputs).disassemble_into_single_device_arrays()
    wanted = [array(part) for part in re.split(r", (?=\w+\[)", expected)]
    same = all(np.array_equal(w, r[0], equal_nan=w.dtype.kind in "fc") and
        (w.dtype.kind != "f" or np.array_equal(np.signbit(w), np.signbit(r[0]))) for w, r in zip(wanted, results))
    print("right" if same else "shows: " + ", ".join(str(np.asarray(r[0])) for r in results))


def main():
    for file in sorted(pathlib.Path(__file__).parent.glob("*.mlir")):
        text = file.read_text()
        if "custom_call @" in text and "alias" not in file.name or re.search("// (Devices|Flag):", text):
            continue
        child = subprocess.run([sys.executable, __file__, file], capture_output=True, text=True,
            env=dict(os.environ, JAX_PLATFORMS="cpu"))
        lines = (child.stdout or child.stderr).strip().splitlines()
        said = next((line for line in lines if " error: " in line), lines[-1] if lines else "")
        print(f"{file.name}: {'ends the process' if child.returncode < 0 else said}", flush=True)


if len(sys.argv) > 1:
    run(pathlib.Path(sys.argv[1]))
else:
    main()
