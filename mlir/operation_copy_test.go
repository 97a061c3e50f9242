package mlir_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestCreateLike(t *testing.T) {
	c := mlirtest.Context(t)
	m, err := c.Parse("", []byte(`func.func @f(%x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %x overflow<nsw> {mark = "kept"} : i32 loc("here":3:4)
  return %0 : i32
}`))
	check.NoError(t, err)
	f := m.Body().First()
	block := f.Region(0).First()
	add := block.First()
	x, y := block.Argument(0), block.Argument(1)

	other := c.NewBlock(c.UnknownLocation())
	first, err := other.CreateLike(add, x, y) // not where its operands are: the slow path
	check.NoError(t, err)
	second, err := other.CreateLike(add, first.Result(0), first.Result(0))
	check.NoError(t, err)
	if got := second.Location().Position(); got != add.Location().Position() {
		t.Errorf("the copy is at %s", got)
	}
	for i, want := range []mlir.Value{first.Result(0), first.Result(0)} {
		if !second.Operand(i).Equal(want) {
			t.Errorf("operand %d of the copy is %s", i, second.Operand(i))
		}
	}
	for _, op := range []mlir.Operation{first, second} {
		if got := op.String(); !strings.Contains(got, `overflow<nsw> {mark = "kept"}`) {
			t.Errorf("the copy is %s", got)
		}
	}
	if diff := cmp.Diff(2, add.NumOperands()); diff != "" || !add.Operand(1).Equal(x) {
		t.Errorf("the operation itself has changed: %s", add)
	}
	for want, create := range map[string]func() error{
		"arith.addi has 2 operands, but 1 are given": func() error {
			_, err := other.CreateLike(add, x)
			return err
		},
		"func.func has regions or successors: use Clone": func() error { _, err := other.CreateLike(f); return err },
	} {
		check.Error(t, create(), want)
	}
}
