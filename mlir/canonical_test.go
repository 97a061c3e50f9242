package mlir_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// handles are handles to IR that a program keeps as keys of maps.
type handles struct {
	operations map[mlir.Operation]bool
	blocks     map[mlir.Block]bool
	regions    map[mlir.Region]bool
	values     map[mlir.Value]bool
}

func hold() *handles {
	return &handles{map[mlir.Operation]bool{}, map[mlir.Block]bool{}, map[mlir.Region]bool{}, map[mlir.Value]bool{}}
}

// add keeps handles to everything in o.
func (h *handles) add(o mlir.Operation) *handles {
	for op := range o.All() {
		h.operations[op] = true
		for _, v := range op.Results() {
			h.values[v] = true
		}
		for _, r := range op.Regions() {
			h.regions[r] = true
			for b := range r.Blocks() {
				h.addBlock(b)
			}
		}
	}
	return h
}

// addBlock keeps handles to a block and its arguments.
func (h *handles) addBlock(b mlir.Block) {
	h.blocks[b] = true
	for _, v := range b.Arguments() {
		h.values[v] = true
	}
}

// same compares the handles with those that all functions return for the same objects.
func (h *handles) same(t *testing.T, o mlir.Operation) {
	t.Helper()
	missing := func(what string, held bool, of any) {
		t.Helper()
		if !held {
			t.Errorf("the map has no %s %v", what, of)
		}
	}
	for op := range o.All() {
		missing("operation", h.operations[op], op)
		for i, v := range op.Results() {
			missing("result", h.values[v], v)
			missing("owner", h.operations[v.Owner()], op)
			check.Diff(t, "the result again", true, v == op.Result(i) && v.Equal(op.Result(i)))
			for use := range v.Uses() {
				check.Diff(t, "the use", true, use.Owner.Operand(use.Operand) == v)
			}
		}
		for i, v := range op.Operands() {
			check.Diff(t, "the operand again", true, v == op.Operand(i))
		}
		for i, r := range op.Regions() {
			missing("region", h.regions[r], op)
			check.Diff(t, "the region again", true, r == op.Region(i))
			for b := range r.Blocks() {
				missing("block", h.blocks[b], b)
				check.Diff(t, "the block's region", true, b.Region() == r && b.Parent() == op)
				for _, v := range b.Arguments() {
					missing("argument", h.values[v], v)
					check.Diff(t, "the argument's block", true, v.Block() == b)
				}
				for inner := range b.Operations() {
					check.Diff(t, "the operation's block", true, inner.Block() == b && inner.Parent() == op)
				}
			}
		}
		for _, b := range op.Successors() {
			missing("successor", h.blocks[b], b)
		}
	}
}

// TestCanonical checks that handles to one object are ==, and one key of a map, whatever
// happens to that object or others.
func TestCanonical(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, c *mlir.Context){
		"created and appended": func(t *testing.T, c *mlir.Context) {
			m, i32 := c.NewModule(mlir.Location{}), c.IntegerType(32, mlir.Signless)
			o := create(t, c, mlir.OperationState{Name: "t.make", Results: []mlir.Type{i32}})
			seen, v := hold().add(o), o.Result(0)
			appended := m.Body().Append(o)
			check.Diff(t, "appended", true, appended == o && m.Body().First() == o && m.Body().First().Result(0) == v)
			seen.same(t, o)
			for i, put := range []func(mlir.Operation) mlir.Operation{
				func(p mlir.Operation) mlir.Operation { return m.Body().InsertBefore(o, p) },
				func(p mlir.Operation) mlir.Operation { return m.Body().InsertAfter(o, p) },
				func(p mlir.Operation) mlir.Operation { return m.Body().Insert(1, p) },
			} {
				p := create(t, c, mlir.OperationState{Name: "t.use", Operands: []mlir.Value{v}})
				check.Diff(t, "put", true, put(p) == p)
				check.Diff(t, "used", true, p.Operand(0) == v && v.NumUses() == i+1)
			}
		},
		"created in a block": func(t *testing.T, c *mlir.Context) {
			m, i32 := c.NewModule(mlir.Location{}), c.IntegerType(32, mlir.Signless)
			c.NewModule(mlir.Location{})
			made := check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.make", Results: []mlir.Type{i32}}))
			seen, v := hold().add(made), made.Result(0)
			use := check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.use", Operands: []mlir.Value{v}}))
			like := check.Must(m.Body().CreateLike(use, v))
			check.Diff(t, "used", true, use.Operand(0) == v && like.Operand(0) == v && use.Next() == like &&
				m.Body().First() == made)
			seen.same(t, made)
		},
		"blocks and regions joined": func(t *testing.T, c *mlir.Context) {
			m, i32 := c.NewModule(mlir.Location{}), c.IntegerType(32, mlir.Signless)
			seen := hold()
			leaf := create(t, c, mlir.OperationState{Name: "t.leaf", Results: []mlir.Type{i32}})
			seen.add(leaf)
			blocks := []mlir.Block{c.NewBlock(mlir.Location{}, i32), c.NewBlock(mlir.Location{}, i32),
				c.NewBlock(mlir.Location{}), c.NewBlock(mlir.Location{})}
			for _, b := range blocks {
				seen.addBlock(b)
			}
			blocks[0].Append(leaf)
			seen.add(
				check.Must(mlir.Create(blocks[1],
					mlir.OperationState{Name: "t.jump", Successors: []mlir.Block{blocks[0]}})))
			region := c.NewRegion()
			region.Append(blocks[0])
			region.InsertAfter(blocks[0], blocks[1])
			region.InsertBefore(blocks[1], blocks[2])
			region.Insert(0, blocks[3])
			check.Diff(t, "the region", true, blocks[0].Region() == region && region.First() == blocks[3] &&
				blocks[3].Next() == blocks[0])
			outer := create(t, c, mlir.OperationState{Name: "t.outer", Regions: []mlir.Region{region}})
			check.Panics(t, "get it with Operation.Region", func() { region.First() })
			seen.operations[outer], seen.regions[outer.Region(0)] = true, true
			seen.same(t, outer)
			m.Body().Append(outer)
			seen.same(t, outer)
			whole := c.NewRegion() // may reuse the memory of the first one
			check.Diff(t, "another region", false, whole == region)
			whole.TakeBody(outer.Region(0))
			check.Diff(t, "taken", true, whole.First() == blocks[3] && blocks[0].Region() == whole &&
				leaf.Block() == blocks[0])
			check.Diff(t, "in the map", true, seen.blocks[whole.First()])
			outer.Region(0).TakeBody(whole)
			seen.same(t, outer)
		},
		"detached and moved": func(t *testing.T, c *mlir.Context) {
			m, other := mlirtest.Parse(t, c, nested), mlirtest.Parse(t, c, `"t.here"() : () -> ()`)
			seen := hold().add(m.Operation()).add(other.Operation())
			outer, end := op(m, "t.outer"), op(m, "t.end")
			check.Diff(t, "detached", true, outer.Detach() == outer)
			check.Diff(t, "detached again", true, outer.Detach() == outer)
			seen.same(t, outer)
			seen.same(t, m.Operation())
			m.Body().Append(outer)
			seen.same(t, m.Operation())
			block := end.Block()
			op(m, "t.jump").Detach().Erase()
			check.Diff(t, "a block", true, block.Detach() == block)
			outer.Region(0).Append(block)
			block.MoveBefore(outer.Region(0).First())
			end.MoveAfter(op(m, "t.inner"))
			seen.same(t, m.Operation())
			end.Detach().Erase()
			op(m, "t.inner").Erase()
			block.MoveAfter(other.Body())
			check.Diff(t, "elsewhere", true, other.Body().Next() == block && block.Parent() == other.Operation())
			seen.same(t, other.Operation())
			here := op(other, "t.here")
			here.MoveAfter(op(m, "t.make"))
			check.Diff(t, "moved", true, op(m, "t.here") == here)
			seen.same(t, m.Operation())
		},
		"others are erased and closed": func(t *testing.T, c *mlir.Context) {
			m := mlirtest.Parse(t, c, nested)
			seen := hold().add(m.Operation())
			free := c.NewBlock(mlir.Location{}, c.IndexType())
			seen.addBlock(free)
			check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.more"})).Erase()
			for range 3 { // memory is reused
				more := mlirtest.Parse(t, c, nested)
				held := hold().add(more.Operation())
				old := op(more, "t.inner")
				for range 5 {
					o := create(t, c, mlir.OperationState{Name: "t.a", Results: []mlir.Type{c.IndexType()}})
					held.add(o).same(t, o)
					check.Diff(t, "erased", nil, o.Erase())
				}
				free.AddArgument(c.IndexType(), mlir.Location{})
				check.Diff(t, "erased", nil, free.EraseArgument(1))
				held.same(t, more.Operation())
				more.Close()
				check.Panics(t, "after Module.Close", func() { old.Name() })
				seen.same(t, m.Operation())
				check.Diff(t, "the block", true, seen.blocks[free] && free.Argument(0).Block() == free &&
					seen.values[free.Argument(0)])
			}
			c.NewBlock(mlir.Location{}).Erase()
			seen.same(t, m.Operation())
		},
		"cloned": func(t *testing.T, c *mlir.Context) {
			m := mlirtest.Parse(t, c, nested)
			seen := hold().add(m.Operation())
			outer, made := op(m, "t.outer"), op(m, "t.make").Result(0)
			var mapping mlir.Mapping
			mapping.Map(made, made)
			copied := outer.CloneWith(&mapping)
			inner, ok := mapping.Value(op(m, "t.inner").Result(0))
			check.Diff(t, "the copied value", true, ok && inner == copied.Region(0).First().First().Result(0))
			held := hold().add(copied)
			m.Body().Append(copied)
			held.same(t, copied)
			clone := m.Clone()
			held = hold().add(clone.Operation())
			check.Diff(t, "another one", false, op(clone, "t.make") == op(m, "t.make"))
			adopted := check.Must(c.Adopt(m.Operation().Clone()))
			held.same(t, clone.Operation())
			adopted.Close()
			m.Body().First()
			held.same(t, clone.Operation())
			seen.same(t, outer)
		},
		"a creation fails": func(t *testing.T, c *mlir.Context) {
			m := mlirtest.Parse(t, c, nested)
			seen := hold().add(m.Operation())
			block, region := c.NewBlock(mlir.Location{}), c.NewRegion()
			leaf := check.Must(mlir.Create(block, mlir.OperationState{Name: "t.leaf"}))
			region.Append(block)
			if made, err := mlir.Create(c,
				mlir.OperationState{Name: "func.func", Regions: []mlir.Region{region}}); err ==
				nil {
				// Verifiers of this library are not asked for what is missing.
				check.Diff(t, "the leaf", true, made.Region(0).First().First() == leaf)
				seen.same(t, m.Operation())
				return
			}
			const failed = "called after a Create that failed"
			check.Panics(t, failed, func() { block.First() })
			check.Panics(t, failed, func() { leaf.Name() })
			check.Panics(t, failed, func() { region.First() })
			seen.same(t, m.Operation())
			seen.add(check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.new"}))).same(t, m.Operation())
			m.Body().First().Next().Erase()
			seen.same(t, m.Operation().Region(0).First().First())
		},
		"adopted": func(t *testing.T, c *mlir.Context) {
			o := check.Must(c.ParseOperation("", []byte(nested)))
			seen := hold().add(o)
			m := check.Must(c.Adopt(o))
			check.Diff(t, "the operation", true, m.Operation() == o)
			seen.same(t, m.Operation())
		},
		"another module is invalidated": func(t *testing.T, c *mlir.Context) {
			m, other := mlirtest.Parse(t, c, nested), mlirtest.Parse(t, c, nested)
			old, seen := op(other, "t.make"), hold().add(m.Operation())
			for range 2 {
				other.Invalidate("a test")
				check.Panics(t, "Operation.Name called after a test", func() { old.Name() })
				seen.same(t, m.Operation())
				old = op(other, "t.make")
				check.Diff(t, "anew", true, old == other.Body().First())
				hold().add(other.Operation()).same(t, other.Operation())
			}
			seen.add(check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.new"})))
			seen.same(t, m.Operation())
			m.Close()
			check.Diff(t, "anew", true, old == other.Body().First())
		},
		"passes on another module": func(t *testing.T, c *mlir.Context) {
			m, other := mlirtest.Parse(t, c, nested), mlirtest.Parse(t, c, dead)
			seen := hold().add(m.Operation())
			outer := op(m, "t.outer").Detach()
			before := op(other, "func.func")
			pm := passManager(t, c, mlir.PassManagerOptions{})
			var made, moved mlir.Operation
			if err := pm.AddPass(mlir.Pass{Name: "look", Run: func(o mlir.Operation) error {
				hold().add(o).same(t, o)
				seen.same(t, m.Operation())
				seen.same(t, outer)
				made = check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.new"}))
				if moved.IsNil() {
					moved = create(t, c, mlir.OperationState{Name: "t.moved"})
				} else {
					o.Region(0).First().Append(moved)
				}
				seen.add(made)
				return nil
			}}); err != nil {
				check.Diff(t, "is unsupported", true, errors.Is(err, mlir.ErrUnsupported))
				return
			}
			for i := range 3 {
				check.NoError(t, pm.Run(other))
				check.Panics(t, "Operation.Name called after PassManager.Run", func() { before.Name() })
				check.Diff(t, "made", true, m.Operation().Region(0).First().First().Next().Name() != "" &&
					seen.operations[made])
				seen.same(t, m.Operation())
				seen.same(t, outer)
				switch i {
				case 0:
					check.Diff(t, "detached", "t.moved", moved.Name())
				case 1:
					check.Panics(t, "after the end of the pass", func() { moved.Name() })
					moved = mlir.Operation{}
				}
			}
			m.Body().Append(outer)
			seen.same(t, m.Operation())
		},
		"patterns": func(t *testing.T, c *mlir.Context) {
			if !c.Library().Has("mlirOpRewritePatternCreate") {
				_, err := c.NewPatterns(mlir.Pattern{Name: "p", Op: "arith.muli",
					Rewrite: func(mlir.Operation, *mlir.Rewriter) (bool, error) { return false, nil }})
				check.Diff(t, "is unsupported", true, errors.Is(err, mlir.ErrUnsupported))
				return
			}
			kept := mlirtest.Parse(t, c, nested)
			seen := hold().add(kept.Operation())
			calls := 0
			s := patterns(t, c, mlir.Pattern{Name: "double", Op: "arith.muli",
				Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
					calls++
					fn := o.Parent()
					held := hold().add(fn)
					check.Diff(t, "the operation", true, held.operations[o] && r.Block() == o.Block())
					x := o.Operand(0)
					made := check.Must(mlir.Create(r,
						mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{x, x},
							Results: []mlir.Type{x.Type()}}))
					held.add(made)
					held.same(t, fn)
					r.ReplaceWith(o, made)
					held.same(t, fn)
					copied := check.Must(r.Clone(made))
					check.Diff(t, "the copy", true, copied.Operand(0) == x && made.Next() == copied)
					held.add(copied).same(t, fn)
					seen.add(check.Must(mlir.Create(kept.Body(), mlir.OperationState{Name: "t.new"})))
					seen.same(t, kept.Operation())
					return true, nil
				}})
			for _, apply := range []func(*mlir.Module) error{
				func(m *mlir.Module) error { return s.Apply(m, mlir.GreedyOptions{}) }, s.Walk,
			} {
				m := mlirtest.Parse(t, c, doubling)
				check.NoError(t, apply(m))
				hold().add(m.Operation()).same(t, m.Operation())
				seen.same(t, kept.Operation())
			}
			check.Diff(t, "called", true, calls > 1)
		},
		"a rewriter": func(t *testing.T, c *mlir.Context) {
			if !c.Library().Has("mlirIRRewriterCreate") {
				_, err := c.NewRewriter()
				check.Diff(t, "is unsupported", true, errors.Is(err, mlir.ErrUnsupported))
				return
			}
			m, _ := mlirtest.Parse(t, c, nested), mlirtest.Parse(t, c, nested)
			seen := hold().add(m.Operation())
			r := check.Must(c.NewRewriter())
			inner := op(m, "t.inner")
			r.SetInsertionPoint(mlir.After(inner))
			seen.add(check.Must(r.Clone(inner)))
			o := create(t, c, mlir.OperationState{Name: "t.use", Operands: []mlir.Value{inner.Result(0)}})
			check.Diff(t, "inserted", true, check.Must(r.Insert(o)) == o)
			seen.add(o).same(t, m.Operation())
			r.MoveAfter(o, inner)
			check.Diff(t, "erased", nil, r.Erase(o))
			b := r.NewBlock(inner.Block(), mlir.Location{}, c.IndexType())
			seen.addBlock(b)
			seen.same(t, m.Operation())
			r.MoveBlockBefore(inner.Block(), b)
			seen.same(t, m.Operation())
			check.Diff(t, "a point", true, r.Block() == b)
		},
		"nothing": func(t *testing.T, c *mlir.Context) {
			m := c.NewModule(mlir.Location{})
			o := m.Operation()
			check.Diff(t, "nil operations", true, o.Parent() == mlir.Operation{} && o.Next() == m.Body().First() &&
				m.Body().Terminator().Equal(mlir.Operation{}))
			check.Diff(t, "nil blocks", true, o.Block() == mlir.Block{} && m.Body().Next() == mlir.Block{})
			check.Diff(t, "nil regions", true, o.Region(0).Next() == mlir.Region{} &&
				c.NewBlock(mlir.Location{}).Region() == mlir.Region{})
			check.Diff(t, "lists", true, slices.Equal(slices.Collect(o.All()), []mlir.Operation{m.Operation()}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) { test(t, loose(t, e)) })
		})
	}
}
