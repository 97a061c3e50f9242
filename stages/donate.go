package stages

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stages/internal/set"
)

// donations marks the inputs of stages that nothing needs when the stage has run. A run donates them if
// nobody outside of the body holds the value either.
func (b *blockCutter) donations() {
	ends := make([]bool, len(b.body.shapes)) // whether the value may end in the body
	for i := range b.body.args {
		ends[b.body.captures+i] = b.endsArgument(i)
	}
	users := make([]set.Set, len(b.body.shapes))
	for i, s := range b.body.steps {
		_, call := s.(*callStep) // its results are lent to devices
		for _, v := range s.ends().out {
			ends[v] = !call
		}
		for _, v := range s.ends().in {
			users[v] = users[v].With(i)
		}
	}
	for _, v := range b.body.results {
		ends[v] = false
	}
	earlier := b.body.earlier()
	for i, s := range b.body.steps {
		if s, ok := s.(*stageStep); ok {
			done := earlier[i].With(i)
			for k, v := range s.in {
				s.stage.donate[k] = ends[v] && done.Holds(users[v])
			}
		}
	}
}

// earlier returns, for each step, those that are over when it begins.
func (b *body) earlier() []set.Set {
	list := make([]set.Set, len(b.steps))
	for _, i := range b.order() {
		for _, v := range b.steps[i].ends().out {
			for _, j := range b.waiting[v] {
				list[j] = list[j].Union(list[i]).With(i)
			}
		}
	}
	return list
}

// endsArgument reports whether the value of an argument of the block may end in it. The condition of a
// loop leaves the state to the body, and main its arguments to the caller who does not donate them.
func (b *blockCutter) endsArgument(i int) bool {
	around := b.block.Parent()
	if around.Name() != "func.func" {
		return b.block == around.Region(around.NumRegions()-1).First()
	}
	return donated(around, i)
}

// donated reports whether the module lets an argument of main be donated.
func donated(main mlir.Operation, i int) bool {
	for _, name := range []string{"tf.aliasing_output", "jax.buffer_donor"} {
		if _, ok := function.ArgAttr(main, i, name); ok {
			return true
		}
	}
	return false
}
