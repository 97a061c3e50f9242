package callop

import (
	"math"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Group is a block of a module in which callbacks are called: a function's body, or a region
// of a while, an if or a case. XLA compiles each block, with the functions that it calls, into
// one sequence of steps. Callbacks of one sequence may run at once if they do not depend on
// one another.
type Group struct {
	Block mlir.Block
	// Calls has the operations of the block that are callbacks or contain some: loops,
	// branches and calls of functions. They are in the order of the text.
	Calls []mlir.Operation
	// Callbacks has the callback operations in them.
	Callbacks []mlir.Operation
	// Independent says that at least two of Calls do not depend on one another.
	Independent bool
	// Steps is an estimate of the number of steps in XLA's sequence, and Bytes the size of its
	// largest array.
	Steps, Bytes int
	// Shared says that an operand of a callback has no other use: XLA may place it in the
	// memory of another callback's operand, so that one callback waits for the other.
	Shared bool
	// Helped says that passes.LetOverlap has added operations to the block.
	Helped bool
}

// The limits up to which XLA's CPU runs steps one after another, whatever their dependences
// (ThunkExecutor::Options in xla/backends/cpu/runtime/thunk_executor.h).
const (
	SequentialSteps = 8   // number of steps
	SequentialBytes = 512 // size of their arrays
)

// Groups returns the blocks of all functions that call a callback for which which returns true.
// The module must not change while they are in use.
func Groups(m *mlir.Module, which func(Call) bool) []Group {
	list, byName := function.Defined(m)
	a := &grouper{
		which: which, byName: byName,
		callbacks: map[string][]mlir.Operation{}, sizes: map[string]size{}, roots: map[string]size{},
		at: map[string][]int{},
	}
	for _, f := range list {
		name, _ := f.Symbol()
		if f.Region(0).NumBlocks() == 1 {
			a.block(f.Region(0).First(), name)
		}
	}
	// The body of a function is part of the sequences that call it.
	for name, groups := range a.at {
		for _, i := range groups {
			s, called := a.roots[name]
			if called {
				a.groups[i].Steps, a.groups[i].Bytes = s.steps, s.bytes
			}
		}
	}
	return a.groups
}

// A grouper finds the groups of a module.
type grouper struct {
	which     func(Call) bool
	byName    map[string]mlir.Operation
	groups    []Group
	callbacks map[string][]mlir.Operation // of a function
	sizes     map[string]size             // of a function's body
	roots     map[string]size             // of the largest sequence that calls a function
	at        map[string][]int            // the groups that are bodies of a function
}

type size struct{ steps, bytes int }

func (s size) add(o size) size {
	return size{min(s.steps+o.steps, math.MaxInt32), max(s.bytes, o.bytes)}
}

// block adds the group of a block, if it is one, and those of the blocks in it. function is the
// name of the function with this body, or "" for a region.
func (a *grouper) block(block mlir.Block, function string) {
	g := Group{Block: block}
	dependsOn := map[mlir.Value]int{} // of a value, the last of the calls
	last, chain := -1, true
	seen := map[mlir.Operation]bool{}
	for op := range block.Operations() {
		if CanHold(op) {
			for _, region := range op.Regions() {
				if region.NumBlocks() == 1 {
					a.block(region.First(), "")
				}
			}
		}
		if isFiller(op) {
			g.Helped = true
			continue
		}
		before := -1
		eachOperand(op, func(v mlir.Value) {
			if i, ok := dependsOn[v]; ok {
				before = max(before, i)
			}
		})
		if inside := a.inside(op); len(inside) > 0 {
			chain = chain && before == last
			last++
			before = last
			g.Calls = append(g.Calls, op)
			for _, c := range inside {
				if !seen[c] {
					seen[c] = true
					g.Callbacks = append(g.Callbacks, c)
				}
			}
			g.Shared = g.Shared || sharesOperand(op)
		}
		if before >= 0 {
			for _, v := range op.Results() {
				dependsOn[v] = before
			}
		}
	}
	g.Independent = !chain
	s := a.size(block)
	g.Steps, g.Bytes = s.steps, s.bytes
	if function == "" || function == entryName {
		a.root(block, s)
	}
	if len(g.Calls) == 0 {
		return
	}
	if function != "" && function != entryName {
		a.at[function] = append(a.at[function], len(a.groups))
	}
	a.groups = append(a.groups, g)
}

// entryName is the function that XLA runs.
const entryName = "main"

// inside returns the callbacks that an operation is or contains.
func (a *grouper) inside(op mlir.Operation) []mlir.Operation {
	if call, ok := AsCall(op); ok {
		if call.Err == nil && !isFiller(op) && a.which(call) {
			return []mlir.Operation{op}
		}
		return nil
	}
	if name, isCall := function.Callee(op); isCall {
		list, known := a.callbacks[name]
		if f, ok := a.byName[name]; ok && !known {
			a.callbacks[name] = nil // for recursive functions, which XLA does not accept
			list = a.insideRegions(f)
			a.callbacks[name] = list
		}
		return list
	}
	if CanHold(op) {
		return a.insideRegions(op)
	}
	return nil
}

func (a *grouper) insideRegions(op mlir.Operation) (list []mlir.Operation) {
	seen := map[mlir.Operation]bool{}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for inner := range block.Operations() {
				for _, c := range a.inside(inner) {
					if !seen[c] {
						seen[c] = true
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

// size returns an estimate of the size of XLA's sequence for a block.
func (a *grouper) size(block mlir.Block) size {
	var s size
	for _, v := range block.Arguments() {
		s.bytes = max(s.bytes, bytesOf(v))
	}
	for op := range block.Operations() {
		for _, v := range op.Results() {
			s.bytes = max(s.bytes, bytesOf(v))
		}
		switch name, isCall := function.Callee(op); {
		case isCall:
			s = s.add(a.sizeOf(name))
		case isStep(op):
			s.steps++
		}
		if CanHold(op) {
			for _, region := range op.Regions() {
				if region.NumBlocks() == 1 {
					s.bytes = max(s.bytes, a.size(region.First()).bytes)
				}
			}
		}
	}
	return s
}

func (a *grouper) sizeOf(function string) size {
	s, known := a.sizes[function]
	if f, ok := a.byName[function]; ok && !known {
		a.sizes[function] = size{}
		if f.Region(0).NumBlocks() == 1 {
			s = a.size(f.Region(0).First())
		}
		a.sizes[function] = s
	}
	return s
}

// root records the size of a sequence for the functions that it calls.
func (a *grouper) root(block mlir.Block, s size) {
	seen := map[string]bool{}
	var visit func(block mlir.Block)
	visit = func(block mlir.Block) {
		for op := range block.Operations() {
			name, isCall := function.Callee(op)
			f, ok := a.byName[name]
			if !isCall || !ok || seen[name] {
				continue
			}
			seen[name] = true
			old := a.roots[name]
			a.roots[name] = size{max(old.steps, s.steps), max(old.bytes, s.bytes)}
			if f.Region(0).NumBlocks() == 1 {
				visit(f.Region(0).First())
			}
		}
	}
	visit(block)
}

// isStep reports whether XLA is likely to run an operation as a step. It is not if the
// operation does no work, or if XLA merges it with the operations that use it.
func isStep(op mlir.Operation) bool {
	if op.NumResults() == 0 && op.Name() != "stablehlo.custom_call" {
		return false // a return
	}
	switch op.Name() {
	case "stablehlo.constant", "stablehlo.reshape", "stablehlo.tuple", "stablehlo.get_tuple_element",
		"stablehlo.optimization_barrier":
		return false
	}
	if !merges(op) {
		return true
	}
	for _, v := range op.Results() {
		for use := range v.Uses() {
			if !merges(use.Owner) || !use.Owner.Block().Equal(op.Block()) {
				return true
			}
		}
	}
	return false
}

// merges reports whether XLA merges an operation with others of its kind.
func merges(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.custom_call", "stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution", "stablehlo.fft",
		"stablehlo.cholesky", "stablehlo.triangular_solve", "stablehlo.rng", "stablehlo.rng_bit_generator",
		"stablehlo.gather", "func.call", "func.return", "stablehlo.return":
		return false
	}
	return op.NumRegions() == 0
}

// bytesOf returns the size of an array in XLA, or 0 if the size is not known.
func bytesOf(v mlir.Value) int {
	s, err := stablehlo.ShapeOf(v.Type())
	if err != nil || s.Check() != nil {
		return 0
	}
	return s.NumBytes()
}

// eachOperand calls f for the operands of an operation and of those in its regions.
func eachOperand(op mlir.Operation, f func(mlir.Value)) {
	for _, v := range op.Operands() {
		f(v)
	}
	for _, region := range op.Regions() {
		for block := range region.Blocks() {
			for inner := range block.Operations() {
				eachOperand(inner, f)
			}
		}
	}
}

// sharesOperand reports whether a call has an operand that has no other use.
func sharesOperand(op mlir.Operation) bool {
	call, ok := stablehlo.AsCustomCall(op)
	if !ok {
		return false
	}
	shared := aliasing.List(call.Aliases).Operands(len(call.Operands))
	for i, v := range call.Operands {
		if shared[i] || !v.IsResult() || v.Owner().Name() == "stablehlo.constant" {
			continue
		}
		n := 0
		for range v.Uses() {
			n++
		}
		if n == 1 {
			return true
		}
	}
	return false
}

// OverlapCallback is the name of the callbacks that passes.LetOverlap adds. They do nothing,
// because they are optional and the name is not registered. callbacks.Stats counts them as
// dropped.
const OverlapCallback = "calliope.overlap"

// isFiller reports whether passes.LetOverlap added an operation.
func isFiller(op mlir.Operation) bool {
	call, ok := AsCall(op)
	return ok && call.Err == nil && call.Config.Callback == OverlapCallback
}
