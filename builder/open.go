package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Open continues with an existing module, parsed or built. The builder owns the module from
// then on: Module returns it and Close drops it. Lookup finds its functions, and Func adds
// others.
func Open(m *mlir.Module) *Builder {
	b := &Builder{ctx: m.Context(), module: m, opened: true, open: true, symbols: map[string]place{},
		shapes: map[mlir.Type]tensor.Shape{}, creator: mlir.NewBuilder(m.Context(), mlir.Location{})}
	for op := range m.Body().Operations() {
		if name, ok := op.Symbol(); ok {
			p := op.Location().Position()
			b.symbols[name] = place{&position{p.File, p.Line, op.Location(), ""}}
		}
	}
	for _, mesh := range stablehlo.Meshes(m.Body()) {
		axes := make([]Axis, len(mesh.Axes))
		for i, a := range mesh.Axes {
			axes[i] = Axis{a.Name, int(a.Size)}
		}
		b.addMesh(mesh.Name, axes)
	}
	return b
}

// Lookup finds a function of an opened module. The function is complete and can be called.
// Reopen continues it.
func (b *Builder) Lookup(name string) *Func {
	at := b.here()
	for _, f := range b.funcs {
		if f.name == name {
			return f
		}
	}
	f := &Func{b: b, name: name, at: at, returned: true}
	f.body = &scope{f: f, at: at, name: fmt.Sprintf("the function %q", name)}
	f.body.entry = f.body.firstToken
	f.scope = f.body
	if err := f.find(); err != nil {
		b.fail(at, "lookup", nil, err)
		f.broken = true
		return f
	}
	b.funcs = append(b.funcs, f)
	return f
}

// find reads the function from the module.
func (f *Func) find() error {
	if f.b.done {
		return errFinished
	}
	for op := range f.b.module.Body().Operations() {
		if name, _ := op.Symbol(); op.Name() != "func.func" || name != f.name {
			continue
		}
		if op.Region(0).NumBlocks() != 1 {
			return fmt.Errorf("the function %q has %d blocks: only a function with one block can be opened", f.name,
				op.Region(0).NumBlocks())
		}
		f.op = op
		f.body.block = op.Region(0).First()
		f.params = mlir.TypesOf(f.body.block.ArgumentValues())
		f.declared = len(f.params)
		f.resultTypes = mlir.TypesOf(f.body.block.Terminator().OperandValues())
		return nil
	}
	return fmt.Errorf("there is no function %q in the module", f.name)
}

// Reopen removes the return of a function, so that operations can be added and Return
// called again. It returns the values that were returned.
func (f *Func) Reopen() []Value {
	at := f.b.here()
	switch {
	case f.b.err != nil || f.broken:
		return nil
	case f.b.done:
		f.b.fail(at, "reopen", nil, errFinished)
		return nil
	case !f.returned:
		f.b.fail(at, "reopen", nil, fmt.Errorf("the function %q has no Return yet", f.name))
		return nil
	case f.extra > 0:
		f.b.fail(at, "reopen", nil, fmt.Errorf("the function %q has ordered callbacks and is called already: reopen it before its first call", f.name))
		return nil
	}
	end := f.body.block.Terminator()
	var results []Value
	for _, v := range end.Operands() {
		results = append(results, Value{s: f.body, v: v})
	}
	if err := end.Erase(); err != nil {
		f.b.fail(at, "reopen", nil, err)
		return nil
	}
	f.returned = false
	return results
}

// Values returns the values of f that which accepts, in the order of the module's text. These
// are parameters, and results of operations that are not inside a region of another
// operation.
func (f *Func) Values(which func(mlir.Value) bool) []Value {
	if f.broken || f.b.done || f.b.err != nil {
		return nil
	}
	var list []Value
	add := func(v mlir.Value) {
		if which(v) {
			list = append(list, Value{s: f.body, v: v})
		}
	}
	for i, v := range f.body.block.Arguments() {
		if i < f.declared {
			add(v)
		}
	}
	for _, op := range slices.Collect(f.body.block.Operations()) {
		for _, v := range op.Results() {
			add(v)
		}
	}
	return list
}

// TapAfter inserts a tap after every array value for which after returns true, in all
// functions and regions, like passes.InsertTap. passes.ByOp and passes.ByLocation make such
// functions. It returns the number of taps. All functions must be complete. Values that
// were obtained before must not be used any more.
func (b *Builder) TapAfter(after func(mlir.Value) bool, cb Callback) int {
	at := b.here()
	for _, f := range b.funcs {
		if !f.returned && b.err == nil {
			b.fail(at, "tap after", nil, fmt.Errorf("the function %q has no Return yet", f.name))
		}
	}
	switch {
	case b.err != nil:
		return 0
	case b.done:
		b.fail(at, "tap after", nil, errFinished)
		return 0
	case cb.Host.Encoding != contract.EncodingDictionary:
		b.fail(at, "tap after", nil,
			errors.New("a tap uses the contract's own dictionary: leave Callback.Encoding out"))
		return 0
	}
	n, err := passes.InsertTap(b.module, after,
		passes.TapOptions{Target: cb.Target, Config: cb.config(contract.Observe)})
	if err != nil {
		b.fail(at, "tap after", nil, err)
	}
	return n
}
