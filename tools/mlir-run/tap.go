package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// stubZeros is the value of --stub: the results are zeros.
const stubZeros = "zeros"

// stub fills the results of a call with zeros, unless they are its operands.
func stub(c *callbacks.Frame) error {
	if f := c.Config.Form; f == contract.Passthrough || f == contract.Observe {
		return nil
	}
	for _, result := range c.Results {
		clear(result.Data)
	}
	return nil
}

// repeat returns the operands of a call as its results, if possible.
func repeat(name string, c *callbacks.Frame) error {
	same := slices.EqualFunc(c.Args, c.Results, func(a, b tensor.View) bool { return a.Shape.Equal(b.Shape) })
	if !same && len(c.Results) > 0 {
		return fmt.Errorf("--tap cannot serve callback %q: its results do not have the types of its operands", name)
	}
	for i, result := range c.Results {
		copy(result.Data, c.Args[i].Data)
	}
	return nil
}

// print prints the operands. order holds their numbers; nil means their own.
func (s *standIns) print(name string, order []int, c *callbacks.Frame) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, b.String()) // a closed output is not an error of the run
}
