"""Parses modules by jaxlib, and prints which of them are not the same as the original.

    python parse.py < modules.zip

A file NAME/original of the archive has a module or a portable artifact of it, and the other files NAME/FORM have it in
other forms. What jaxlib parses must be what it parses of the original in that form, as jaxlib itself writes it. Both are
compared in the generic form, with the locations if the original is an artifact: those of a text depend on its parser.
The last line has the number of forms.
"""

import difflib
import io
import itertools
import sys
import zipfile

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jax.interpreters.mlir import make_ir_context


def parse(data):
    if is_artifact(data):
        return stablehlo.deserialize_portable_artifact(ir.Context.current, data)
    return ir.Module.parse(data)


def is_artifact(data):
    return b"StableHLO_v" in data[:32]


def canonical(data, located):
    return parse(data).operation.get_asm(print_generic_op_form=True, enable_debug_info=located)


def in_form(data, form):
    """The module as jaxlib writes it. The forms of functions and regions omit some of what others have."""
    if form in ("text", "locations"):
        return parse(data).operation.get_asm(enable_debug_info=form == "locations").encode()
    return data


count = 0
with zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as archive:
    for name, files in itertools.groupby(archive.namelist(), lambda file: file.rpartition("/")[0]):
        with make_ir_context():
            original = archive.read(f"{name}/original")
            for form in [file.rpartition("/")[2] for file in files][1:]:
                count += 1
                located = is_artifact(original) and form in ("locations", "bytecode")
                want = canonical(in_form(original, form), located)
                try:
                    got = canonical(archive.read(f"{name}/{form}"), located)
                except Exception as e:
                    print(f"{name}/{form}: jaxlib cannot parse it: {e}")
                    continue
                if got != want:
                    print(f"{name}/{form}:")
                    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "original", form, "", "", 0, "")
                    print(*itertools.islice(lines, 12), sep="\n")
print(count)
