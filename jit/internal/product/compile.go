package product

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/execution"
)

// codes has the code of the kernels by their names. Compiling one takes longer than most modules, and the code is the
// same for all, and for all libraries.
var codes sync.Map // of *code

// code is a kernel's.
type code struct {
	mu      sync.Mutex     // held while the kernel is compiled, for modules that need it
	address unsafe.Pointer // nil until then
}

// Kernels returns the addresses of the kernels that a lowered module needs, by their names.
func Kernels(m *mlir.Module) (map[string]unsafe.Pointer, error) {
	called := map[string]unsafe.Pointer{}
	for op := range m.Body().Operations() {
		name, _ := op.Symbol()
		k, ok := kernelOf(name)
		if !ok {
			continue
		}
		c, _ := codes.LoadOrStore(name, new(code))
		var err error
		if called[name], err = c.(*code).get(k, m.Context().Library()); err != nil {
			return nil, err
		}
	}
	return called, nil
}

func (c *code) get(k kernel, l *mlir.Library) (unsafe.Pointer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.address != nil {
		return c.address, nil
	}
	var err error
	c.address, err = k.compile(l)
	return c.address, err
}

// lowering makes a kernel one of the LLVM dialect.
const lowering = "builtin.module(canonicalize,cse,convert-scf-to-cf,arith-expand{include-bf16=true}," +
	"convert-vector-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"

// compile compiles the kernel. Its code stays until the process ends.
func (k kernel) compile(l *mlir.Library) (unsafe.Pointer, error) {
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m := c.NewModule(mlir.Location{})
	if err := k.define(m); err != nil {
		return nil, err
	}
	p, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: lowering})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.Run(m); err != nil {
		return nil, err
	}
	e, err := execution.New(m, execution.Options{Optimize: 1}) // without LLVM's vectorizers
	if err != nil {
		return nil, err
	}
	if err := e.Initialize(); err != nil {
		return nil, err
	}
	address := e.Lookup(k.name())
	if address == nil {
		err := fmt.Errorf("LLVM cannot compile the function %s for this processor", k.name())
		return nil, errors.Join(err, e.Close())
	}
	return address, nil
}

// define adds the function to a module.
func (k kernel) define(m *mlir.Module) error {
	b := mlir.NewBuilder(mlir.AtEnd(m.Body()), m.Operation().Location())
	w := &writer{b: b, lanes: k.lanes(), pointer: b.Type("!llvm.ptr"), i64: b.Type("i64"),
		operand: newElement(b, k.operand), sum: newElement(b, k.sum), result: newElement(b, k.result)}
	types := slices.Concat(slices.Repeat([]mlir.Type{w.i64}, inLeft),
		slices.Repeat([]mlir.Type{w.pointer}, parameters-inLeft))
	body := b.Region(func(in []mlir.Value) {
		w.product(in)
		llvm.Return(b)
	}, types...)
	signature := b.Type("!llvm.func<void (" + strings.Repeat("i64, ", inLeft) +
		strings.Repeat("ptr, ", parameters-inLeft-1) + "ptr)>")
	wide := b.Attribute(`["prefer-vector-width", "512"]`)
	llvm.FuncOp{SymName: k.name(), FunctionType: signature, Body: body,
		Passthrough: []mlir.Attribute{wide}}.Create(b)
	return b.Err()
}
