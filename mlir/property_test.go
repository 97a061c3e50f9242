package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// withProperties are functions whose operations have properties of each kind.
var withProperties = []string{`
func.func @llvm(%a: i32, %p: !llvm.ptr) {
  %0 = llvm.add %a, %a overflow<nsw, nuw> : i32
  %1 = llvm.sub %a, %a : i32
  %2 = llvm.shl %a, %0 overflow<nsw> {note = "<{ } \" >"} : i32
  %3 = llvm.getelementptr inbounds %p[%a, 3] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(i8, i32, i64, array<4 x i8>)>
  %4 = llvm.load %3 : !llvm.ptr -> i32
  %5 = llvm.mlir.constant("<{a}>") : !llvm.array<5 x i8>
  return
}`, `
func.func @newer(%a: i64) {
  %0 = llvm.trunc %a overflow<nuw> : i64 to i32
  return
}`, `
func.func @affine(%i: index) -> index {
  %0 = affine.linearize_index disjoint [%i, %i] by (2, 3) : index
  return %0 : index
}`, `
func.func @ptr(%p: !ptr.ptr<#ptr.generic_space>, %o: i64) {
  %0 = ptr.ptr_add inbounds %p, %o : !ptr.ptr<#ptr.generic_space>, i64
  %1 = ptr.load volatile %0 atomic syncscope("workgroup") acquire nontemporal alignment = 8 : !ptr.ptr<#ptr.generic_space> -> i32
  ptr.store %1, %p : i32, !ptr.ptr<#ptr.generic_space>
  return
}`}

// TestProperties makes operations anew from their parts.
func TestProperties(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for i, text := range withProperties {
			m, err := c.Parse("text", []byte(text))
			if err != nil {
				if i == 0 || e.Name == "default" {
					t.Error(err)
				}
				// The library is older, or has no such dialect.
				continue
			}
			check.Cleanup(t, m)
			want := m.Operation().Print(mlir.PrintOptions{Generic: true, DebugInfo: true})
			body := m.Body().First().Region(0).First()
			for op := body.First(); !op.Next().IsNil(); op = op.Next() {
				properties, err := op.Properties()
				check.NoError(t, err)
				s := mlir.OperationState{Name: op.Name(), Location: op.Location(), Operands: op.OperandValues(),
					Properties: properties}
				for name, a := range op.Discardables() {
					s.Attributes = append(s.Attributes, mlir.NamedAttribute{Name: name, Value: a})
				}
				for _, r := range op.Results() {
					s.Results = append(s.Results, r.Type())
				}
				made, err := mlir.Create(mlir.Before(op), s)
				check.NoError(t, err)
				for i, r := range op.Results() {
					r.ReplaceAllUses(made.Result(i))
				}
				check.NoError(t, op.Erase())
				op = made
			}
			check.NoError(t, m.Verify())
			check.Diff(t, "the operations", want,
				m.Operation().Print(mlir.PrintOptions{Generic: true, DebugInfo: true}))
		}
	})
}

func TestPropertyErrors(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		i32 := c.IntegerType(32, mlir.Signless)
		block := c.NewBlock(mlir.Location{}, i32)
		v := block.Argument(0)
		flags := check.Must(c.ParseAttribute("#llvm.overflow<nsw>"))
		add := func(s mlir.OperationState) error {
			s.Name, s.Operands = "llvm.add", []mlir.Value{v, v}
			_, err := mlir.Create(block, s)
			return err
		}
		named := func(name string, a mlir.Attribute) []mlir.NamedAttribute {
			return []mlir.NamedAttribute{{Name: name, Value: a}}
		}
		check.NoError(t, add(mlir.OperationState{InferResults: true, Properties: named("overflowFlags", flags)}))
		check.Error(t, add(mlir.OperationState{InferResults: true, Attributes: named("overflowFlags", flags)}),
			"overflowFlags of llvm.add is a property that is not an attribute: give it in OperationState.Properties")
		check.Error(t, add(mlir.OperationState{InferResults: true, Properties: named("overflow", flags)}),
			`has no property "overflow"`)
		check.Error(t, add(mlir.OperationState{InferResults: true,
			Properties: named("overflowFlags", c.StringAttribute("nsw"))}), "creating llvm.add")
		check.Error(t, add(mlir.OperationState{Properties: named("overflowFlags", flags)}), "creating llvm.add")
		check.Error(t, add(mlir.OperationState{Properties: named("overflowFlags", flags), Results: []mlir.Type{i32},
			Regions: []mlir.Region{c.NewRegion()}}),
			"cannot be created with Properties, because it has regions or successors")
		op := block.First()
		if !op.Next().IsNil() {
			t.Errorf("the block has more than one operation: %s", op.Next())
		}
		check.Panics(t, "create the operation again", func() { op.SetAttribute("overflowFlags", flags) })
		check.Panics(t, "create the operation again", func() { op.SetDiscardable("overflowFlags", flags) })
		op.SetAttribute("note", flags)
		_, err := mlir.Create(c, mlir.OperationState{Name: "func.return", Properties: named("a", c.UnitAttribute())})
		check.Error(t, err, "creating func.return failed")
		check.Panics(t, "another context", func() {
			other := mlirtest.ContextOf(t, e.Library)
			_ = add(mlir.OperationState{InferResults: true, Properties: named("overflowFlags", other.UnitAttribute())})
		})
	})
}

// TestPropertiesInPattern creates an operation with properties in a pattern.
func TestPropertiesInPattern(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, `func.func @f(%a: i32) -> i32 { %0 = llvm.add %a, %a : i32
		return %0 : i32 }`)
	flags := mlir.NamedAttribute{Name: "overflowFlags", Value: check.Must(c.ParseAttribute("#llvm.overflow<nsw>"))}
	patterns, err := c.NewPatterns(
		mlir.Pattern{Op: "llvm.add", Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
			made, err := mlir.Create(r, mlir.OperationState{
				Name: "llvm.mul", Location: op.Location(), Operands: op.OperandValues(), InferResults: true,
				Properties: []mlir.NamedAttribute{flags},
			})
			if err == nil {
				r.ReplaceWith(op, made)
			}
			return true, err
		}})
	check.NoError(t, err)
	check.Cleanup(t, patterns)
	check.NoError(t, patterns.Apply(m, mlir.GreedyOptions{}))
	check.NoError(t, m.Verify())
	if text := fmt.Sprint(m); !strings.Contains(text, "llvm.mul %arg0, %arg0 overflow<nsw> : i32") {
		t.Error(text)
	}
}
