package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// checkTolerances are the custom calls by which StableHLO's test data compare a value with the expected
// one, as its interpreter serves them.
var checkTolerances = map[string]tolerance{
	"check.eq":               {},
	"check.expect_eq":        {},
	"check.expect_almost_eq": {atol: 1e-4},
	"check.expect_close":     {ulps: 3},
}

// checks judge a run by the checks of its module.
type checks struct {
	mu     sync.Mutex // XLA calls from several threads
	sites  int
	held   int
	failed []failedCheck
}

type failedCheck struct {
	place, target string
	difference
	shape tensor.Shape
}

// replace makes a custom call compare its operands.
func (c *checks) replace(
	op mlir.Operation, name, place string, call stablehlo.CustomCallOp, options callbacks.Options,
) error {
	target := call.Target
	if n := len(call.Operands); n != 2 || call.Operands[0].Type().String() != call.Operands[1].Type().String() ||
		!onlyArrays(call) {
		return fmt.Errorf("%s: %s compares two arrays of the same type: give it these", place, target)
	}
	if n := len(call.Results); n > 1 || n == 1 && call.Results[0].String() != "tensor<i1>" {
		return fmt.Errorf("%s: %s has no result, or a tensor<i1>", place, target)
	}
	c.sites++
	t := toleranceOf(op, target)
	err := callbacks.Default.Register(name, func(f *callbacks.Frame) error {
		got, expected := f.Args[0], f.Args[1]
		d := compare(got, expected, t)
		if len(f.Results) == 1 {
			f.Results[0].Data[0] = 0
			if d.elements == 0 {
				f.Results[0].Data[0] = 1
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if d.elements == 0 {
			c.held++
			return nil
		}
		c.failed = append(c.failed, failedCheck{place, target, d, got.Shape})
		return nil
	}, options)
	if err != nil {
		return err
	}
	return passes.ReplaceCall(op, nil, contract.Config{Callback: name})
}

// report prints the checks that failed, and reports whether all hold. It is an error if none ran.
func (c *checks) report(w io.Writer) (hold bool, err error) {
	switch {
	case c.sites == 0:
		return false, fmt.Errorf("--check: the module has no check: it is for operations of StableHLO's dialect check, and custom calls of %s",
			strings.Join(slices.Sorted(maps.Keys(checkTolerances)), ", "))
	case c.held+len(c.failed) == 0:
		return false, fmt.Errorf("--check: the module has %d checks, and none of them ran", c.sites)
	case len(c.failed) == 0:
		fmt.Fprintf(w, "%[1]d of %[1]d checks hold\n", c.held)
		return true, nil
	}
	fmt.Fprintf(w, "%d of %d checks hold\n", c.held, c.held+len(c.failed))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "check\tat\ttype\tdiffer\tworst at\tgot\texpected\tabs error\trel error")
	for _, f := range c.failed {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d of %d\t%s\t%v\t%v\t%.3g\t%.3g\n", f.target, f.place, f.shape, f.elements,
			f.shape.NumElements(), index(f.shape, f.worst), f.got, f.expected, f.abs, f.rel)
	}
	return false, table.Flush()
}
