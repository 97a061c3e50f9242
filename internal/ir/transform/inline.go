package transform

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// InlineExcept replaces the calls and composites in a function by copies of what they call, without those that keep
// accepts. An error is about the call that it is returned with.
func InlineExcept(
	f mlir.Operation, table *mlir.SymbolTable, keep func(call mlir.Operation) bool,
) (at mlir.Operation, err error) {
	return InlineEach(f, table, func(call mlir.Operation) (func(mlir.Operation), error) {
		if keep(call) {
			return nil, nil
		}
		return func(mlir.Operation) {}, nil
	})
}

// InlineEach calls each for a call before it is replaced, and what each returns for each copy. If that
// is nil, the call stays. Otherwise it works like InlineExcept.
func InlineEach(
	f mlir.Operation, table *mlir.SymbolTable, each func(call mlir.Operation) (copied func(mlir.Operation), err error),
) (at mlir.Operation, err error) {
	var calls []within
	collect := func(in mlir.Operation, of *inlined) {
		for op := range in.All() {
			if _, ok := rewrite.CalledFunction(op); ok {
				calls = append(calls, within{op, of})
			}
		}
	}
	collect(f, nil)
	for n := 0; len(calls) > 0; n++ {
		call, of := calls[0].call, calls[0].of
		calls = calls[1:]
		name, _ := rewrite.CalledFunction(call)
		callee, ok := table.Lookup(name)
		if !ok || callee.Name() != "func.func" || callee.Region(0).NumBlocks() != 1 {
			return call, fmt.Errorf("the function @%s is not in the module, so that it cannot be transformed", name)
		}
		if n > maxInlined {
			return call, fmt.Errorf("more than %d calls are inlined", maxInlined)
		}
		for outer := of; outer != nil; outer = outer.of {
			if outer.name == name {
				return call, fmt.Errorf("the function @%s calls itself, so that it cannot be inlined", name)
			}
		}
		see, err := each(call)
		if err != nil {
			return call, err
		}
		if see == nil {
			continue
		}
		copied, err := function.Inline(call, callee)
		if err != nil {
			return call, err
		}
		here := &inlined{name, of}
		mark(here, copied)
		for _, op := range copied {
			see(op)
			collect(op, here)
		}
	}
	return mlir.Operation{}, nil
}

// inlined is a function that was inlined, and the one in whose copy that was.
type inlined struct {
	name string
	of   *inlined
}

// within is a call and the function in whose copy it is.
type within struct {
	call mlir.Operation
	of   *inlined
}

// maxInlined limits how many calls are inlined.
const maxInlined = 1 << 16

// NewFunction returns a detached function with parameters of these types and no results.
func NewFunction(loc mlir.Location, name string, parameters []mlir.Type) mlir.Operation {
	c := loc.Context()
	region, block := c.NewRegion(), c.NewBlock(loc, parameters...)
	region.Append(block)
	Must(mlir.Create(block, mlir.OperationState{Name: "func.return", Location: loc}))
	return Must(mlir.Create(c, mlir.OperationState{
		Name: "func.func", Location: loc, Regions: []mlir.Region{region},
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute(name)},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(parameters, nil))},
		},
	}))
}

// Settle sets the type of a function to that of its block, gives it a name, to which a number is added
// if it is taken, and verifies it. Nothing refers to the name that the function had.
func Settle(f mlir.Operation, table *mlir.SymbolTable, name string) {
	body, c := f.Region(0).First(), f.Context()
	signature := c.FunctionType(mlir.TypesOf(body.ArgumentValues()), mlir.TypesOf(body.Terminator().OperandValues()))
	f.SetAttribute("function_type", c.TypeAttribute(signature))
	base := name
	for n := 1; ; n++ {
		if _, taken := table.Lookup(name); !taken {
			break
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
	f.SetSymbol(name)
	Check(f.Verify())
}
