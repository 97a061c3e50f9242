package passes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// A LostError reports that a rewriting lost calls with side effects.
type LostError struct {
	Lost []LostCall // in the order of the text
}

// A LostCall is a kind of calls of which there are fewer than before.
type LostCall struct {
	Callee   string        // what is called: a callback, @target, or an operation's name
	Effect   string        // the callback's effect, or ""
	Location mlir.Location // of a call that is missing, if that is known, or of the first one
	// Before and After are the numbers of calls. The calls in a function count at each place
	// where it is called.
	Before, After int
}

func (e *LostError) Error() string {
	var text []string
	for _, l := range e.Lost {
		what := l.Callee
		if l.Effect != "" {
			what += fmt.Sprintf(" of the effect %q", l.Effect)
		}
		if p := l.Location.Position(); !p.IsZero() {
			what += " at " + p.String()
		}
		text = append(text, fmt.Sprintf("%s: %d calls are left of %d", what, l.After, l.Before))
	}
	return "passes: the rewriting lost calls with side effects: " + strings.Join(text, "; ")
}

// RunGuarded runs a pipeline of MLIR passes on a module, and checks that it keeps the calls with side
// effects: see Guard. The pipeline is that of mlir.PassManagerOptions. All handles into the
// module are invalid after it.
func RunGuarded(m *mlir.Module, pipeline string) error {
	return Guard(m, func() error {
		manager, err := m.Context().NewPassManager(mlir.PassManagerOptions{Pipeline: pipeline})
		if err != nil {
			return err
		}
		defer manager.Close()
		return manager.Run(m)
	})
}

// Guard calls rewrite, which changes the module, and checks that it keeps the calls with side
// effects. If it returns an error or loses a call, the module is restored. All handles into the
// module are then invalid. The error is that of rewrite, or a *LostError. If rewrite panics, the
// module stays as it is then.
//
// The calls are counted by what they call and their effect: callbacks of the contract other than
// pure ones, custom calls with has_side_effect, except for targets that XLA handles itself,
// outfeeds, infeeds, sends and receives. Calls in functions count at each place where the
// function is called from a public function, so that neither inlining nor removing a function
// that is not called changes the numbers. Calls in a branch or a loop that a constant predicate
// skips do not count, but those count that a rewriting itself finds out to be skipped: fold
// constants before. More calls than before are not an error.
//
// If the module has a function main, which is all that XLA runs, the removal of another public
// function is not a loss.
func Guard(m *mlir.Module, rewrite func() error) error {
	before, err := countCalls(m)
	if err != nil {
		return err
	}
	backup := m.Clone()
	defer backup.Close()
	if err = rewrite(); err == nil {
		err = before.kept(m)
	}
	if err != nil {
		restore(m, backup)
	}
	return err
}

// CheckKept returns a *LostError if a module that was made from another one has fewer calls with side
// effects. They are counted as in Guard. The module may use another context.
func CheckKept(before, after *mlir.Module) error {
	calls, err := countCalls(before)
	if err != nil {
		return err
	}
	return calls.kept(after)
}

// restore makes a module that of a clone, which has no contents after that.
func restore(m, from *mlir.Module) {
	op, old := m.Operation(), from.Operation()
	for _, name := range attributeNames(op) {
		if _, had := old.Attribute(name); !had {
			op.RemoveAttribute(name)
		}
	}
	for name, a := range old.Attributes() {
		op.SetAttribute(name, a)
	}
	body := m.Body()
	for top := range body.Operations() {
		_ = top.Erase() // nothing uses the values of a top-level operation
	}
	for top := range from.Body().Operations() {
		body.Append(top.Detach())
	}
	m.Invalidate("passes.Guard")
}

func attributeNames(op mlir.Operation) (names []string) {
	for name := range op.Attributes() {
		names = append(names, name)
	}
	return names
}

// effectCalls are the calls with side effects that the public functions of a module make.
type effectCalls map[string]map[rewrite.EffectKind]*callCount

type callCount struct {
	n     int
	at    []mlir.Location
	index int // in the order in which they were found
}

func (c *callCount) add(n int, at []mlir.Location) {
	c.n = min(c.n+n, math.MaxInt32)
	for _, l := range at {
		if !slices.ContainsFunc(c.at, l.Equal) {
			c.at = append(c.at, l)
		}
	}
}

// countCalls counts the calls of a module.
func countCalls(m *mlir.Module) (effectCalls, error) {
	for op := range m.Operation().All() {
		if strings.HasPrefix(op.Name(), "vhlo.") {
			return countVersioned(m)
		}
	}
	c := &callCounter{reader: rewrite.NewEffectReader(), functions: map[string]map[rewrite.EffectKind]*callCount{}}
	var order []mlir.Operation
	order, c.byName = function.Defined(m)
	out := effectCalls{}
	for _, f := range order {
		if name, _ := f.Symbol(); f.Visibility() != mlir.Private || name == "main" {
			out[name] = c.function(name)
		}
	}
	return out, nil
}

// countVersioned counts the calls of a module in the versioned dialect.
func countVersioned(m *mlir.Module) (effectCalls, error) {
	clone := m.Clone()
	defer clone.Close()
	manager, err := m.Context().NewPassManager(
		mlir.PassManagerOptions{Pipeline: "builtin.module(vhlo-legalize-to-stablehlo)"})
	if err != nil {
		return nil, err
	}
	defer manager.Close()
	if err := manager.Run(clone); err != nil {
		return nil, err
	}
	return countCalls(clone)
}

// A callCounter counts the calls of functions.
type callCounter struct {
	reader    *rewrite.EffectReader
	byName    map[string]mlir.Operation
	functions map[string]map[rewrite.EffectKind]*callCount
	found     int
}

func (c *callCounter) function(name string) map[rewrite.EffectKind]*callCount {
	counts, known := c.functions[name]
	if f, ok := c.byName[name]; ok && !known {
		c.functions[name] = nil // for recursive functions, which XLA does not accept
		counts = map[rewrite.EffectKind]*callCount{}
		c.regions(f, counts)
		c.functions[name] = counts
	}
	return counts
}

// regions adds the calls in the regions of an operation that may run.
func (c *callCounter) regions(op mlir.Operation, counts map[rewrite.EffectKind]*callCount) {
	for i, region := range op.Regions() {
		if neverRuns(op, i) {
			continue
		}
		for block := range region.Blocks() {
			for inner := range block.Operations() {
				c.operation(inner, counts)
			}
		}
	}
}

func (c *callCounter) operation(op mlir.Operation, counts map[rewrite.EffectKind]*callCount) {
	add := func(kind rewrite.EffectKind, n int, at []mlir.Location, index int) {
		if counts[kind] == nil {
			counts[kind] = &callCount{index: index}
		}
		counts[kind].add(n, at)
	}
	if kind, ok := c.reader.Read(op); ok {
		// A rewriting may change how a call is ordered.
		kind = rewrite.EffectKind{Calls: kind.Calls, Effect: kind.Effect, Callback: kind.Callback}
		c.found++
		add(kind, 1, []mlir.Location{op.Location()}, c.found)
	}
	if name, ok := rewrite.CalledFunction(op); ok {
		for kind, count := range c.function(name) {
			add(kind, count.n, count.at, count.index)
		}
	}
	c.regions(op, counts)
}

// neverRuns reports whether a constant predicate skips a region of an operation.
func neverRuns(op mlir.Operation, region int) bool {
	switch op.Name() {
	case "stablehlo.if":
		taken, ok := rewrite.ConstantOf(op.Operand(0))
		return ok && (taken == 0) != (region == 1)
	case "stablehlo.case":
		taken, ok := rewrite.ConstantOf(op.Operand(0))
		if last := int64(op.NumRegions() - 1); taken < 0 || taken > last {
			taken = last
		}
		return ok && taken != int64(region)
	case "stablehlo.while":
		if region == 1 && op.Region(0).NumBlocks() == 1 {
			end := op.Region(0).First().Terminator()
			if !end.IsNil() && end.NumOperands() == 1 {
				taken, ok := rewrite.ConstantOf(end.Operand(0))
				return ok && taken == 0
			}
		}
	}
	return false
}

// kept returns a *LostError if a module has fewer calls.
func (before effectCalls) kept(m *mlir.Module) error {
	after, err := countCalls(m)
	if err != nil {
		return err
	}
	// Public functions that are gone are compared with those that are new.
	gone, added := map[rewrite.EffectKind]*callCount{}, map[rewrite.EffectKind]*callCount{}
	var lost []lostCall
	for name, calls := range before {
		if now, has := after[name]; has {
			lost = append(lost, lostOf(calls, now)...)
		} else {
			merge(gone, calls)
		}
	}
	for name, calls := range after {
		if _, had := before[name]; !had {
			merge(added, calls)
		}
	}
	_, had := before["main"]
	if _, has := after["main"]; !had || !has {
		lost = append(lost, lostOf(gone, added)...)
	}
	if len(lost) == 0 {
		return nil
	}
	slices.SortFunc(lost, func(a, b lostCall) int { return cmp.Compare(a.index, b.index) })
	e := &LostError{}
	for _, l := range lost {
		e.Lost = append(e.Lost, l.LostCall)
	}
	return e
}

func merge(into, from map[rewrite.EffectKind]*callCount) {
	for kind, count := range from {
		if into[kind] == nil {
			into[kind] = &callCount{index: count.index}
		}
		into[kind].add(count.n, count.at)
	}
}

type lostCall struct {
	LostCall
	index int
}

// lostOf returns the kinds of calls of which there are fewer.
func lostOf(before, after map[rewrite.EffectKind]*callCount) (lost []lostCall) {
	for kind, was := range before {
		is := after[kind]
		if is == nil {
			is = &callCount{}
		}
		if is.n >= was.n {
			continue
		}
		at := was.at[0]
		kept := map[string]bool{} // locations of another context are not equal
		for _, l := range is.at {
			kept[l.String()] = true
		}
		for _, l := range was.at {
			if !kept[l.String()] {
				at = l
				break
			}
		}
		call := LostCall{Callee: kind.Calls, Location: at, Before: was.n, After: is.n}
		if kind.Callback {
			call.Effect = kind.Effect
		}
		lost = append(lost, lostCall{call, was.index})
	}
	return lost
}
