package lifetime

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestRuns(t *testing.T) {
	var r Runs
	var calls []string
	call := func(name string) func() { return func() { calls = append(calls, name) } }
	check.Diff(t, "begin", []bool{true, true}, []bool{r.Begin(), r.Begin()})
	r.OnOver(call("first"))
	check.Diff(t, "over by Close", false, r.Close())
	check.Diff(t, "begin when closed", false, r.Begin())
	r.OnOver(call("second"))
	r.End()
	check.Diff(t, "calls while one runs", []string(nil), calls)
	r.End()
	r.OnOver(call("third"))
	check.Diff(t, "over by a second Close", false, r.Close())
	check.Diff(t, "calls", []string{"first", "second", "third"}, calls)

	check.Diff(t, "over by Close without runs", true, new(Runs).Close())
}
