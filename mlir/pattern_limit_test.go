package mlir_test

import (
	"context"
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// flip returns a pattern that replaces an operation by one of another name.
func flip(from, to string, called func()) mlir.Pattern {
	rewrite := func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
		called()
		other, err := mlir.Create(r, mlir.OperationState{Name: to, Operands: op.OperandValues(),
			Results: mlir.TypesOf(op.ResultValues()), Location: op.Location()})
		if err != nil {
			return false, err
		}
		r.ReplaceWith(op, other)
		return true, nil
	}
	return mlir.Pattern{Name: from + " to " + to, Op: from, Rewrite: rewrite}
}

// TestPatternsThatUndoEachOther checks that such a run ends by itself or by a context, and says why.
func TestPatternsThatUndoEachOther(t *testing.T) {
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	text := []byte(`func.func @f(%a: i32) -> i32 { %0 = "t.a"(%a) : (i32) -> i32
 return %0 : i32 }`)
	cause := errors.New("enough")
	for _, test := range []struct {
		name    string
		cancel  int // the call that cancels the context
		most    int // calls
		is      error
		message string
	}{
		{"limits", 0, 10 * (4096 + 16*5), mlir.ErrNotConverged,
			`iterations or rewrites: the last rewrites are those of "t.a to t.b" and "t.b to t.a"`},
		{"context", 100, 100, cause, "mlir: the patterns were stopped: enough"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		called := func() {
			if calls++; calls == test.cancel {
				cancel(cause)
			}
		}
		m := check.Must(c.Parse("m", text))
		s := check.Must(c.NewPatterns(flip("t.a", "t.b", called), flip("t.b", "t.a", called)))
		err := s.Apply(m, mlir.GreedyOptions{Context: ctx})
		check.Error(t, err, test.message)
		if !errors.Is(err, test.is) || calls > test.most || calls < 100 {
			t.Errorf("%s: after %d calls: %v", test.name, calls, err)
		}
		check.NoError(t, m.Verify())
		check.NoError(t, s.Close())
	}
}
