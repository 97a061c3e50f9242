package mlir_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// FuzzHandles calls methods on handles of any age. Each byte of the input chooses an
// action, the next ones its arguments. Misuse must panic with a message of this package.
func FuzzHandles(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09", "aabbccddeeffgg",
		"\x05\x00\x00\x06\x00\x01\x07\x00\x00\x0b\x00\x00",
		"\x04\x02\x00\x02\x02\x01\x0a\x00\x00\x0a\x01\x00\x01\x02\x03",
		"3\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00\x02" +
			"%\x01\x02\x00\x00\x00\x00\x00\x00\x01\x01\x01\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	engines := mlirtest.Engines(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		misuse(t, engines[len(data)%len(engines)], data, anything) // only some engines can call patterns
	})
}

// FuzzPatterns is FuzzHandles in patterns, on IR that the library can fold and simplify.
func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09", "aabbccddeeffgg",
		"\x00\x00\x00\x01\x25\x01\x02\x00\x00\x00\x00\x00\x00\x01\x01\x01\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	engines := mlirtest.Engines(f) // the default engine, the first, has no patterns
	f.Fuzz(func(t *testing.T, data []byte) {
		e := engines[len(engines)-1-len(data)%max(1, len(engines)-1)]
		if e.Library.Has("mlirOpRewritePatternCreate") {
			misuse(t, e, data, inPatterns)
		}
	})
}

// FuzzPasses runs passes of the library after each few steps.
func FuzzPasses(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09", "aabbccddeeffgg",
		"\x00\x00\x00\x01\x25\x01\x02\x00\x00\x00\x00\x00\x00\x01\x01\x01\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	engines := mlirtest.Engines(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		misuse(t, engines[len(data)%len(engines)], data, betweenPasses)
	})
}

// mode is the place where misuse runs.
type mode int

const (
	anything mode = iota
	inPatterns
	betweenPasses
)

// misuse performs the actions that the bytes choose.
func misuse(t *testing.T, e mlirtest.Engine, data []byte, in mode) {
	c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	i32 := c.IntegerType(32, mlir.Signless)
	var (
		modules []*mlir.Module
		ops     []mlir.Operation
		blocks  []mlir.Block
		regions []mlir.Region
		values  []mlir.Value
	)
	collect := func(m *mlir.Module) {
		modules = append(modules, m)
		for o := range m.Operation().All() {
			ops = append(ops, o)
			for _, v := range o.Results() {
				values = append(values, v)
			}
			for _, r := range o.Regions() {
				regions = append(regions, r)
				for b := range r.Blocks() {
					blocks = append(blocks, b)
					for _, v := range b.Arguments() {
						values = append(values, v)
					}
				}
			}
		}
	}
	parse := func(text string) {
		m, err := c.Parse("", []byte(text))
		check.NoError(t, err)
		collect(m)
	}
	parse(nested)
	switch {
	case in == anything:
		parse(nested)
	case c.LoadDialect("cf") == nil && c.LoadDialect("scf") == nil:
		parse(valid)
		fallthrough
	default:
		parse(removable)
	}
	input := choices(data)
	next := input.next
	rewriters := []*mlir.Rewriter{check.Must(c.NewRewriter())}
	var step func()
	// some performs a few actions in a call of the library, with older handles and those
	// that the call got.
	some := func(o mlir.Operation) {
		ops[0] = o
		for inner := range o.All() {
			if ops = append(ops, inner); inner.NumResults() > 0 {
				values = append(values, inner.Result(0))
			}
		}
		for range next() % 8 {
			step()
		}
	}
	rewrite := func(action int, r *mlir.Rewriter) {
		o, p := ops[next()%len(ops)], ops[next()%len(ops)]
		b, d := blocks[next()%len(blocks)], blocks[next()%len(blocks)]
		v, w := values[next()%len(values)], values[next()%len(values)]
		switch action {
		case 37, 38:
			r.Erase(o)
		case 39:
			r.Replace(o, v)
		case 40:
			r.ReplaceWith(o, p)
		case 41:
			r.EraseBlock(b)
		case 42:
			r.MergeBlocks(b, d, []mlir.Value{v, w}[:b.NumArguments()%3]...)
		case 43:
			r.InlineBlockBefore(b, o, []mlir.Value{v, w}[:b.NumArguments()%3]...)
		case 44:
			r.InlineRegionBefore(regions[next()%len(regions)], d)
		case 45:
			small(o)
			if made, err := r.Clone(o); err == nil {
				ops = append(ops, made)
			}
		case 46:
			made, err := mlir.Create(r,
				mlir.OperationState{Name: "t.new", Operands: []mlir.Value{v, w}, Results: []mlir.Type{i32}})
			if err == nil {
				ops, values = append(ops, made), append(values, made.Result(0))
			}
		case 47:
			r.SetInsertionPoint(mlir.Before(o))
		case 48:
			r.SetInsertionPoint(mlir.AtEnd(b))
		case 49:
			r.MoveBefore(o, p)
		case 50:
			r.ModifyInPlace(o, func() error { step(); return nil })
		}
	}
	patterns := func(m *mlir.Module, o mlir.Operation, walk bool) {
		var list []mlir.Pattern
		names := []string{"t.inner", "t.new", "t.make", "arith.addi", "arith.subi", "arith.cmpi", "func.func"}
		if in == inPatterns {
			names = append(names, "func.return", "cf.br", "cf.cond_br", "scf.if", "scf.yield", "t.jump", "t.end",
				"t.holder")
		}
		for _, name := range names {
			calls := 0
			list = append(list,
				mlir.Pattern{Name: name, Op: name, Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
					if calls++; calls > 20 {
						return false, nil
					}
					rewriters = append(rewriters, r)
					some(o)
					return next()%2 == 0, nil
				}})
		}
		s, err := c.NewPatterns(list...)
		if err != nil {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Error(err)
			}
			return
		}
		defer s.Close()
		if walk {
			s.Walk(m)
		} else if next()%2 == 0 {
			s.Apply(m, mlir.GreedyOptions{MaxIterations: 3, MaxRewrites: 20})
		} else {
			s.ApplyTo(o, mlir.GreedyOptions{MaxIterations: 3, MaxRewrites: 20})
		}
		collect(m)
	}
	passes := func(m *mlir.Module, pipeline string) {
		pm, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(" + pipeline + ")"})
		if err != nil {
			return // not every library has all passes
		}
		defer pm.Close()
		_ = pm.Run(m)
		collect(m)
	}
	passesInGo := func(m *mlir.Module, o mlir.Operation) {
		name := o.Name()
		pm, err := c.NewPassManager(mlir.PassManagerOptions{Op: name})
		check.NoError(t, err)
		defer pm.Close()
		for range 2 {
			if err := pm.AddPass(
				mlir.Pass{Name: "some", Run: func(o mlir.Operation) error { some(o); return nil }}); err != nil {
				return
			}
		}

		pm.RunOn(o)
		collect(m)
	}
	step = func() {
		action := next()
		if action < 235 {
			action %= 54
		}
		o, p := ops[next()%len(ops)], ops[next()%len(ops)]
		b, d := blocks[next()%len(blocks)], blocks[next()%len(blocks)]
		r := regions[next()%len(regions)]
		v, w := values[next()%len(values)], values[next()%len(values)]
		m := modules[next()%len(modules)]
		panicsPlainly(t, action, func() {
			switch action {
			case 0:
				o.Erase()
			case 1:
				ops = append(ops, o.Detach())
			case 2:
				ops = append(ops, b.Append(o))
			case 3:
				o.MoveBefore(p)
			case 4:
				o.MoveAfter(p)
			case 5:
				small(o)
				ops = append(ops, o.Clone())
			case 6:
				m.Close()
			case 7:
				small(m.Operation())
				collect(m.Clone())
			case 8:
				b.Erase()
			case 9:
				blocks = append(blocks, b.Detach())
			case 10:
				r.Append(b)
			case 11:
				b.MoveAfter(d)
			case 12:
				regions = append(regions, c.NewRegion())
			case 13:
				blocks = append(blocks, c.NewBlock(mlir.Location{}, i32))
			case 14, 15:
				op, err := mlir.Create(c,
					mlir.OperationState{Name: "t.new", Operands: []mlir.Value{v, w}, Results: []mlir.Type{i32}})
				if err == nil {
					ops = append(ops, op)
					values = append(values, op.Result(0))
				}
			case 16:
				op, err := mlir.Create(c,
					mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{r}, Successors: []mlir.Block{b}})
				if err == nil {
					ops = append(ops, op)
				}
			case 17:
				v.ReplaceAllUses(w)
			case 18:
				o.SetOperand(0, v)
			case 19:
				regions[0].TakeBody(r)
			case 20:
				r.TakeBody(regions[len(regions)-1])
			case 21:
				b.EraseArgument(0)
			case 22:
				values = append(values, b.AddArgument(i32, mlir.Location{}))
			case 23:
				r.Erase()
			case 24:
				small(o)
				var mapping mlir.Mapping
				mapping.Map(v, w)
				ops = append(ops, o.CloneWith(&mapping))
			case 25:
				blocks = append(blocks, o.Successor(0))
				o.SetSuccessor(0, b)
			case 235:
				if in := o.Operand(0).Block(); !in.IsNil() {
					blocks, values = append(blocks, in), append(values, o.Operand(0))
				}
			case 26, 27:
				op, err := mlir.Create(b,
					mlir.OperationState{Name: "t.new", Operands: []mlir.Value{v, w}, Results: []mlir.Type{i32}})
				if err != nil {
					return
				}
				result := op.Result(0)
				if !result.Owner().Equal(op) || result.Index() != 0 {
					t.Error("the first result of a new operation is another one's")
				}
				ops, values = append(ops, op), append(values, result)
			case 28:
				op, err := mlir.Create(b,
					mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{r}, Successors: []mlir.Block{d}})
				if err == nil {
					ops = append(ops, op)
				}
			case 29:
				ops = append(ops, b.InsertBefore(o, p))
			case 30:
				ops = append(ops, b.InsertAfter(o, p))
			case 31:
				v.ReplaceAllUsesExcept(w, o)
			case 32:
				o.SetOperands(v, w)
			case 33:
				r.InsertBefore(b, d)
			case 34:
				o.Walk(func(inner mlir.Operation) mlir.WalkAction {
					if inner.Name() == "t.inner" || inner.Equal(p) {
						p.Erase()
					}
					return mlir.WalkContinue
				})
			case 35:
				passes(m, "cse,symbol-dce")
			case 252, 253, 254, 255:
				passes(m, pipelines[next()%len(pipelines)])
			case 36:
				parse(removable)
			case 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50:
				rewrite(action, rewriters[next()%len(rewriters)])
			case 236, 237, 238, 239:
				o.SetOperands([]mlir.Value{v, w, v}[:action-236]...)
			case 240, 241:
				o.RemoveAttribute([]string{"predicate", "value"}[action-240])
			case 242:
				o.SetAttribute("value", c.IntegerAttribute(i32, 1))
			case 243:
				v.SetType(c.IntegerType(64, mlir.Signless))
			case 244:
				v.SetType(w.Type())
			case 245:
				if made, err := mlir.Create(b, mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{v, w},
					Results: []mlir.Type{v.Type()}}); err == nil {
					ops, values = append(ops, made), append(values, made.Result(0))
				}
			case 246, 247, 248:
				parse(removable)
			case 51, 52, 249, 250, 251:
				patterns(m, o, action == 51)
			case 53:
				passesInGo(m, o)
			}
		})
		panicsPlainly(t, action, func() { _ = v.Type().String() + fmt.Sprint(v.NumUses()) })
		panicsPlainly(t, action,
			func() { o.WalkPostOrder(func(o mlir.Operation) mlir.WalkAction { o.Name(); return mlir.WalkContinue }) })
		panicsPlainly(t, action, func() { _ = b.NumArguments() + r.NumBlocks() })
		panicsPlainly(t, action, func() { readBack(t, o) })
		panicsPlainly(t, action, func() { readBackValue(t, v) })
		panicsPlainly(t, action, func() { readBackBlock(t, b) })
	}
	for len(input) > 0 && len(ops) < 2000 && len(modules) < 20 {
		check.NoError(t, mlir.CheckTops(c))
		switch in {
		case anything:
			step()
		case inPatterns:
			m, o, walk := modules[next()%len(modules)], ops[next()%len(ops)], next()%3 == 0
			panicsPlainly(t, -1, func() { patterns(m, o, walk) })
		case betweenPasses:
			for range next() % 4 {
				step()
			}
			m, pipeline := modules[next()%len(modules)], next()
			panicsPlainly(t, -1, func() { passes(m, pipelines[pipeline%len(pipelines)]) })
		}
	}
	for _, m := range modules {
		panicsPlainly(t, -1, func() { _ = m.String() })
	}
}

// readBack checks that a valid handle is == to those that other functions return.
func readBack(t *testing.T, o mlir.Operation) {
	if b := o.Block(); !b.IsNil() && !slices.Contains(slices.Collect(b.Operations()), o) {
		t.Errorf("%s is not == to the operation in its block", o.Name())
	}
	for i, r := range o.Regions() {
		if first := r.First(); o.Region(i) != r || !first.IsNil() && (first.Region() != r || first.Parent() != o) {
			t.Errorf("region %d of %s is not == to the region of its block", i, o.Name())
		}
	}
}

func readBackValue(t *testing.T, v mlir.Value) {
	var again mlir.Value
	if v.IsArgument() {
		again = v.Block().Argument(v.Index())
	} else {
		again = v.Owner().Result(v.Index())
	}
	if again != v || !again.Equal(v) {
		t.Errorf("%s is not == to the value of its operation or block", v)
	}
	for use := range v.Uses() {
		if use.Owner.Operand(use.Operand) != v {
			t.Errorf("%s is not == to the operand of %s", v, use.Owner.Name())
		}
	}
}

func readBackBlock(t *testing.T, b mlir.Block) {
	if r := b.Region(); !r.IsNil() && !slices.Contains(slices.Collect(r.Blocks()), b) {
		t.Error("a block is not == to the block in its region")
	}
	for o := range b.Operations() {
		if o.Block() != b {
			t.Errorf("a block is not == to that of %s", o.Name())
		}
	}
}

// pipelines are general passes.
var pipelines = []string{
	"canonicalize", "inline", "sccp", "loop-invariant-code-motion", "control-flow-sink", "symbol-privatize,symbol-dce",
	"topological-sort", "canonicalize{region-simplify=aggressive}", "canonicalize,cse,canonicalize", "strip-debuginfo",
}

// choices are the bytes of an input.
type choices []byte

// next returns the next byte, or zero at the end.
func (c *choices) next() int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b)
}

// removable has operations that passes remove.
const removable = `module {
  func.func private @dead(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
  func.func @alive(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.subi %0, %1 : i32
    %zero = arith.constant 0 : i32
    %3 = arith.addi %1, %zero : i32
    %4 = arith.cmpi slt, %3, %2 : i32
    %5 = arith.extui %4 : i1 to i32
    %6 = arith.addi %3, %5 : i32
    return %6 : i32
  }
}`

// small panics if o is too large, because operations were copied into themselves
// repeatedly.
func small(o mlir.Operation) {
	n := 0
	for range o.All() {
		if n++; n > 100 {
			panic("mlir: not again")
		}
	}
}

// panicsPlainly calls f, which may panic only with a message of this package.
func panicsPlainly(t *testing.T, action int, f func()) {
	defer func() {
		if r := recover(); r != nil && !strings.HasPrefix(fmt.Sprint(r), "mlir: ") {
			t.Errorf("action %d panics with %v", action, r)
			panic(r)
		}
	}()
	f()
}
