package jit

import "github.com/calliope-mlir/calliope/mlir"

// The names under which the attribute that LLVM reads at the branches of a loop is kept until they are there.
const (
	kept = "llvm.loop_annotation"
	read = "loop_annotation"
)

// keepLoops asks LLVM not to unroll loops. As their sizes are constant, it writes out all iterations of small ones, and
// of those around them, which takes it longer than the rest, and saves little where the innermost one is vectorized. A
// loop that carries results has several partial ones at a time, each of which waits for itself alone.
func keepLoops(m *mlir.Module, _ *Executable) error {
	b := mlir.NewBuilder(mlir.AtEnd(m.Body()), m.Operation().Location())
	annotation := b.Attribute("#llvm.loop_annotation<unroll = <disable = true>>")
	several := b.Attribute("#llvm.loop_annotation<unroll = <disable = true>, interleave = <count = 4 : i32>>")
	if b.Err() != nil {
		return b.Err()
	}
	for op := range m.Operation().All() {
		if op.Name() == "scf.for" {
			op.SetAttribute(kept, annotation)
			if op.NumResults() > 0 && vectorizable(op) {
				op.SetAttribute(kept, several)
			}
		}
	}
	return nil
}

// annotate gives the branches of loops, to which MLIR's passes move the attributes of loops, their annotations. It also
// asks LLVM not to inline main where the execution engine calls it, as main would then be compiled twice, and to use
// the widest vectors that a processor has: for some it prefers shorter ones.
func annotate(m *mlir.Module, _ *Executable) error {
	b := mlir.NewBuilder(mlir.AtEnd(m.Body()), m.Operation().Location())
	wide := b.Attribute(`[["prefer-vector-width", "512"]]`)
	if b.Err() != nil {
		return b.Err()
	}
	for op := range m.Operation().All() {
		if a, ok := op.Attribute(kept); ok {
			op.RemoveAttribute(kept)
			op.SetAttribute(read, a)
		}
		if op.Name() == "llvm.func" {
			op.SetAttribute("no_inline", m.Context().UnitAttribute())
			op.SetAttribute("passthrough", wide)
		}
	}
	return nil
}
