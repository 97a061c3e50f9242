package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// replace puts a callback in the place of a custom call.
func (t *taps) replace(op mlir.Operation, target string) error {
	call, _ := stablehlo.AsCustomCall(op)
	site := missing{place: t.module.place(op), name: target}
	order, unfit := passes.PassesThrough(call)
	if unfit != nil {
		// It will not run, but XLA shall go on and name the next one.
		site.unfit = unfit.Error()
	}
	t.missing = append(t.missing, site)
	name := site.place + ": " + target
	id, err := callbacks.Default.RegisterFunc(func(c *callbacks.Frame) error {
		t.print(name, order, c)
		return nil
	}, callbacks.Options{})
	if err != nil {
		return err
	}
	return passes.ReplaceCall(op, order, contract.Config{ID: id})
}

// repeat makes the operands of a call its results, where that is possible.
func repeat(name string, c *callbacks.Frame) error {
	same := slices.EqualFunc(c.Args, c.Results, func(a, b tensor.View) bool { return a.Shape.Equal(b.Shape) })
	if !same && len(c.Results) > 0 {
		return fmt.Errorf("--tap cannot serve callback %q: its results are not of the types of its operands", name)
	}
	for i, result := range c.Results {
		copy(result.Data, c.Args[i].Data)
	}
	return nil
}

// print shows what passes. order gives the numbers of the operands, nil those that
// they have.
func (t *taps) print(name string, order []int, c *callbacks.Frame) {
	var b strings.Builder
	fmt.Fprintf(&b, "tap %s", name)
	if c.Device > 0 {
		fmt.Fprintf(&b, " (device %d)", c.Device)
	}
	for n := range c.Args {
		i := n
		if order != nil {
			i = slices.Index(order, n)
		}
		fmt.Fprintf(&b, "\n  %d: %s", n, show(c.Args[i]))
	}
	b.WriteByte('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = io.WriteString(t.out, b.String()) // a reader who went away is no fault of the run
}
