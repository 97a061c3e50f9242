package stablehlo

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// maxInlined limits how many operations a module may have after inlining. Calls of functions
// that call functions can multiply them beyond any memory.
const maxInlined = 1 << 22

// inlineCalls replaces each call that main reaches by a copy of the function. MLIR's pass
// inline does not inline calls of the func dialect in a library that lacks its extension. A
// composite whose shapes are dynamic is replaced by a copy of its decomposition.
func inlineCalls(m *mlir.Module) error {
	i := inliner{functions: map[string]mlir.Operation{}, sizes: map[mlir.Operation]int{}}
	var main mlir.Operation
	for op := range m.Body().Operations() {
		symbol, ok := op.Symbol()
		if !ok || op.Name() != function {
			continue
		}
		i.functions[symbol] = op
		if isMain(op) {
			main = op
		}
	}
	_, err := i.inline(main)
	return err
}

type inliner struct {
	functions map[string]mlir.Operation
	sizes     map[mlir.Operation]int // number of operations after inlining; 0 while that is done
}

// inline replaces the calls in a function and returns its number of operations.
func (i *inliner) inline(f mlir.Operation) (size int, err error) {
	if size, seen := i.sizes[f]; seen {
		if size == 0 {
			return 0, refineError(f, "the function calls itself")
		}
		return size, nil
	}
	i.sizes[f] = 0
	type call struct{ op, callee mlir.Operation }
	var calls []call
	f.Walk(func(op mlir.Operation) mlir.WalkAction {
		size++
		if callee := i.callee(op); !callee.IsNil() {
			calls = append(calls, call{op, callee})
		}
		return mlir.WalkContinue
	})
	for _, c := range calls {
		n, err := i.inline(c.callee)
		if err != nil {
			return 0, err
		}
		if size += n; size > maxInlined {
			return 0, refineError(f, "the function has more than %d operations after its calls are inlined", maxInlined)
		}
		if err := replaceCall(c.op, c.callee); err != nil {
			return 0, err
		}
	}
	i.sizes[f] = size
	return size, nil
}

// callee returns the function that replaces an operation, or nil.
func (i *inliner) callee(op mlir.Operation) mlir.Operation {
	attribute := "callee"
	switch op.Name() {
	case "func.call":
	case "stablehlo.composite":
		dynamic := false
		for _, v := range op.Operands() {
			dynamic = dynamic || isDynamic(v.Type())
		}
		for _, v := range op.Results() {
			dynamic = dynamic || isDynamic(v.Type())
		}
		if !dynamic {
			return mlir.Operation{}
		}
		attribute = "decomposition"
	default:
		return mlir.Operation{}
	}
	a, ok := op.Attribute(attribute)
	if !ok {
		return mlir.Operation{}
	}
	name, _ := a.Symbol()
	f, ok := i.functions[name]
	if !ok || f.Region(0).NumBlocks() != 1 {
		return mlir.Operation{} // the result stays dynamic if its shape is
	}
	return f
}

// replaceCall replaces a call by a copy of the body of a function.
func replaceCall(call, f mlir.Operation) error {
	body := f.Region(0).First()
	if body.NumArguments() != call.NumOperands() {
		return refineError(call, "it has %d operands, but its function takes %d", call.NumOperands(),
			body.NumArguments())
	}
	var m mlir.Mapping
	for i, v := range body.Arguments() {
		m.Map(v, call.Operand(i))
	}
	block, last := call.Block(), body.Terminator()
	for op := range body.Operations() {
		if op == last {
			break
		}
		block.InsertBefore(call, op.CloneWith(&m))
	}
	if last.NumOperands() != call.NumResults() {
		return refineError(call, "it has %d results, but its function returns %d", call.NumResults(),
			last.NumOperands())
	}
	for i, v := range last.Operands() {
		if to, ok := m.Value(v); ok {
			v = to
		}
		call.Result(i).ReplaceAllUses(v)
	}
	return call.Erase()
}
