package jit

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// fewLoops is how many loops main may have. LLVM's time for a function grows with the square of its loops.
const fewLoops = 64

// shareLoops moves the loops of a module that has many to functions. Loops that differ only in the values that they
// use, as those of equal layers of a model, share one.
func shareLoops(m *mlir.Module, _ *Executable) error {
	var list []outline
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() != "scf.for" && op.Name() != "affine.for" || op.NumResults() > 0 {
			return mlir.WalkContinue
		}
		o := outline{op: op, loops: true}
		if !o.collect() {
			return mlir.WalkContinue
		}
		list = append(list, o)
		return mlir.WalkSkip
	})
	if len(list) <= fewLoops {
		return nil
	}
	shared := map[string]string{}
	for i, o := range list {
		name := fmt.Sprintf("calliope.loop%d", i)
		text := fmt.Sprintf("func.func @%s(%s) { return }", name, strings.TrimPrefix(o.declared(), ", "))
		f, err := extern.Define(m, name, text)
		if err != nil {
			return err
		}
		o.copyTo(f.Region(0).First(), 0)
		key := strings.Replace(f.Print(mlir.PrintOptions{LocalScope: true}), name, "", 1)
		if same, ok := shared[key]; ok {
			if err := f.Erase(); err != nil {
				return err
			}
			name = same
		}
		shared[key] = name
		b := mlir.NewBuilder(mlir.Before(o.op), o.op.Location())
		function.Call(b, nil, name, o.parameters...)
		if b.Err() != nil {
			return b.Err()
		}
		if err := o.op.Erase(); err != nil {
			return err
		}
	}
	return nil
}
