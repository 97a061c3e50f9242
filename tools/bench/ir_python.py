# Works on MLIR through the Python bindings in jaxlib, or in torch_mlir, which has newer
# ones, but without stablehlo. It reads one word per line, does that work on n operations,
# and answers with the time in seconds.
import sys
import time

n, lines = int(sys.argv[1]), int(sys.argv[2])
if sys.argv[3] == "jaxlib.mlir":
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import arith, func, stablehlo

    context, add = jax_mlir.make_ir_context(), stablehlo.add
else:
    from torch_mlir import ir
    from torch_mlir.dialects import arith, func

    context, add = ir.Context(), arith.addf


def empty(t):
    m = ir.Module.create(ir.Location.unknown())
    with ir.InsertionPoint(m.body), ir.Location.unknown():
        return m, func.FuncOp("main", ([t], [t])).add_entry_block()


def build(t, add):
    m, block = empty(t)
    x = block.arguments[0]
    start = time.perf_counter()
    with ir.InsertionPoint(block):
        for i in range(n):
            x = add(x, x, loc=ir.Location.file("model.py", i % lines + 1, 7))
    seconds = time.perf_counter() - start
    with ir.InsertionPoint(block), ir.Location.unknown():
        func.return_([x])
    return m, seconds


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def walk(m):
    found = 0

    def visit(op):
        nonlocal found
        if op.name == "stablehlo.add":
            found += 1
        return ir.WalkResult.ADVANCE

    m.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    assert found == n


with context:
    context.enable_multithreading(False)
    t = ir.Type.parse("tensor<4xf32>")
    module, _ = build(t, add)
    text = str(module)
    for line in sys.stdin:
        match line.strip():
            case "build":
                _, seconds = build(t, add)
            case "typed":
                _, seconds = build(t, arith.addf)
            case "walk":
                seconds, _ = timed(lambda: walk(module))
            case "print":
                seconds, _ = timed(lambda: str(module))
            case "parse":
                seconds, _ = timed(lambda: ir.Module.parse(text))
            case "verify":
                seconds, ok = timed(module.operation.verify)
                assert ok
            case other:
                sys.exit("no work is called " + other)
        print(seconds, flush=True)
