package callbacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestManyLeaves holds that an error about a thousand arrays is short, and has those that differ.
func TestManyLeaves(t *testing.T) {
	var want, got []callbacks.Leaf
	for i := range 1000 {
		l := callbacks.Leaf{Path: fmt.Sprint("x[", i, "]"), Shape: tensor.ShapeOf(tensor.F32)}
		want = append(want, l)
		if i == 500 || i >= 970 {
			l.Shape = tensor.ShapeOf(tensor.S32)
		}
		got = append(got, l)
	}
	text := (&callbacks.TemplateError{Want: want, Got: got}).Error()
	lines := strings.Split(text, "\n")
	check.Diff(t, "lines", 22, len(lines))
	check.Diff(t, "the first", "  x[500]: expected f32[], returned s32[]  <- differs", lines[1])
	check.Diff(t, "the last", "  and 980 more, of which 11 differ", lines[21])
}
