package passes

import (
	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// LetOverlap lets callbacks that do not depend on one another run at once, if they are
// registered as Deferred. It returns the number of blocks that it changed.
//
// XLA's CPU runs a sequence of callop.SequentialSteps steps or fewer, or one in which no array
// is larger than callop.SequentialBytes, one step after another. It also reuses the memory of
// arrays after their last use, and the step that gets the memory has to wait. So LetOverlap
// adds calls that do nothing to the end of a block with independent callbacks: as many as
// the sequence lacks for that number of steps, on an array of 1 KiB, and one that takes the
// arrays of the callbacks, so that XLA does not reuse their memory. The module computes and
// returns the same. Each run of the block takes some microseconds longer, and needs the memory
// of these arrays at the same time. LetOverlap does not change a block that has these calls. It
// does not change a module that devices share, in which XLA does not compile them everywhere.
//
// A callback in a function and one outside of it may still share memory, and wait.
func LetOverlap(m *mlir.Module) (int, error) {
	if callop.Partitions(m) > 1 {
		return 0, nil
	}
	n := 0
	for _, g := range callop.Groups(m, func(callop.Call) bool { return true }) {
		if !g.Independent || g.Helped {
			continue
		}
		if err := help(g, m.Context()); err != nil {
			return n, err
		}
		n++
	}
	if n == 0 {
		return 0, nil
	}
	return n, m.Verify()
}

// help adds the calls to the end of the block of a group.
func help(g callop.Group, c *mlir.Context) error {
	loc, end := g.Calls[0].Location(), g.Block.Terminator()
	large := tensor.View{Shape: tensor.ShapeOf(tensor.S8, 2*callop.SequentialBytes),
		Data: make([]byte, 2*callop.SequentialBytes)}
	e := mlir.NewBuilder(mlir.Before(end), loc)
	filler := stablehlo.Constant(e, large)
	if e.Cause() != nil {
		return e.Cause()
	}
	// The calls are steps, except for pure ones, which XLA may merge. So is the last one of
	// those that are added.
	steps := 1
	for _, op := range g.Calls {
		if call, ok := callop.AsCall(op); !ok || call.Config.Form != contract.Pure {
			steps++
		}
	}
	for ; steps <= callop.SequentialSteps; steps++ {
		if err := addNothing(c, loc, end, filler); err != nil {
			return err
		}
	}
	return addNothing(c, loc, end, append([]mlir.Value{filler}, memory(g)...)...)
}

// addNothing adds a call that does nothing before the end of a block.
func addNothing(c *mlir.Context, loc mlir.Location, end mlir.Operation, operands ...mlir.Value) error {
	config, err := callop.ConfigAttribute(c,
		contract.Config{Form: contract.Observe, Callback: callop.OverlapCallback, Optional: true})
	if err != nil {
		return err
	}
	e := mlir.NewBuilder(mlir.Before(end), loc)
	stablehlo.CustomCallOp{
		Target: contract.TargetIOCallback, APIVersion: stablehlo.TypedFFI, HasSideEffect: true,
		BackendConfig: config, Operands: operands,
	}.Create(e)
	return e.Cause()
}

// memory returns the arrays whose memory must not be reused before the end of the block.
func memory(g callop.Group) (list []mlir.Value) {
	seen := map[mlir.Value]bool{}
	add := func(v mlir.Value) {
		if !seen[v] && v.IsResult() && v.Owner().Name() != "stablehlo.constant" && takesMemory(v) && !changed(v) {
			list = append(list, v)
		}
		seen[v] = true
	}
	for _, op := range g.Calls {
		tokens := 0
		if call, ok := callop.AsCall(op); ok {
			tokens = call.Config.NumTokens
			if call.Config.Form == contract.Pure && !used(op) {
				continue // XLA removes it
			}
		}
		if call, ok := stablehlo.AsCustomCall(op); ok {
			shared := aliasing.List(call.Aliases).Operands(len(call.Operands))
			for i, v := range call.Operands {
				if !shared[i] {
					add(v)
				}
			}
		}
		for i, v := range op.Results() {
			if i < op.NumResults()-tokens {
				add(v)
			}
		}
	}
	return list
}

// takesMemory reports whether a value is an array that is not empty.
func takesMemory(v mlir.Value) bool {
	s, err := stablehlo.ShapeOf(v.Type())
	return err == nil && s.Check() == nil && s.NumElements() > 0
}

func used(op mlir.Operation) bool {
	for _, v := range op.Results() {
		for range v.Uses() {
			return true
		}
	}
	return false
}

// changed reports whether an operation may write its result to the memory of v. If v were used
// after it, XLA would have to copy v.
func changed(v mlir.Value) bool {
	for use := range v.Uses() {
		op := use.Owner
		if call, ok := stablehlo.AsCustomCall(op); ok {
			if aliasing.List(call.Aliases).Operands(len(call.Operands))[use.Operand] {
				return true
			}
			continue
		}
		switch op.Name() {
		case "stablehlo.while", "stablehlo.dynamic_update_slice", "stablehlo.scatter", "stablehlo.sort", "func.call":
			return true
		}
	}
	return false
}
