"""Writes forms.mlirbc, which is forms.mlir as jaxlib writes it.

    pip install jax==0.12.0.1 && python make.py
"""

import pathlib

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

folder = pathlib.Path(__file__).parent
context = mlir.make_ir_context()
with context:
    module = ir.Module.parse((folder / "forms.mlir").read_text())
    with (folder / "forms.mlirbc").open("wb") as file:
        module.operation.write_bytecode(file)
