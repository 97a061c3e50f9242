package jit

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/mlir"
)

// A compiler lowers one module after another. Its context has the dialects loaded and its passes are set up: that takes
// longer than they take on a small module.
type compiler struct {
	context *mlir.Context
	passes  map[string]*mlir.PassManager // by their pipeline
	read    int                          // bytes of the modules so far, of which the context keeps the constants

	watch func(m *mlir.Module, pass string) error // see begin; nil outside of a child
	after func(step string, m *mlir.Module)       // see Options.After
}

// mostRead is how many bytes a compiler reads before another one takes its place.
const mostRead = 1 << 20

// idle is a compiler that has no module, or nil.
var idle atomic.Pointer[compiler]

// compilerOf returns a compiler of a library. Its user gives it back, or closes its context.
func compilerOf(l *mlir.Library) *compiler {
	c := idle.Swap(nil)
	if c != nil && c.context.Library() == l {
		return c
	}
	if c != nil {
		c.context.Close()
	}
	return &compiler{context: l.NewContext(mlir.ContextOptions{}), passes: map[string]*mlir.PassManager{}}
}

// giveBack leaves the compiler to another module.
func (c *compiler) giveBack() {
	c.after = nil
	if c.read > mostRead || !idle.CompareAndSwap(nil, c) {
		c.context.Close()
	}
}

// copyOf returns a copy of a module in the context, for one device.
func (c *compiler) copyOf(m *mlir.Module) (*mlir.Module, error) {
	var data []byte
	if m.Context().Library() == c.context.Library() {
		var err error
		if data, err = m.Bytecode(); err != nil {
			return nil, err
		}
	} else { // bytecode is only for the library that wrote it
		data = []byte(m.Operation().Print(mlir.PrintOptions{DebugInfo: true, Generic: true}))
	}
	c.read += len(data)
	copied, err := c.context.Parse("module", data)
	if err != nil || !slices.Contains(mlir.DialectsOf(data), "sdy") {
		return copied, err
	}
	if err := undivide(copied); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

// run runs passes on a module. The module is verified before the first one, and not after each of them, which takes
// longer than the passes.
func (c *compiler) run(m *mlir.Module, list ...string) error {
	if c.watch != nil || c.after != nil {
		return c.runEach(m, list)
	}
	for _, o := range []mlir.PassManagerOptions{
		{Pipeline: "builtin.module()"}, {Pipeline: "builtin.module(" + strings.Join(list, ",") + ")", NoVerify: true},
	} {
		p := c.passes[o.Pipeline]
		if p == nil {
			var err error
			if p, err = c.context.NewPassManager(o); err != nil {
				return err
			}
			c.passes[o.Pipeline] = p
		}
		if err := p.Run(m); err != nil {
			return err
		}
	}
	return nil
}
