package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// replace puts a callback in the place of a custom call.
func (t *taps) replace(op mlir.Operation, target string) error {
	call, _ := stablehlo.AsCustomCall(op)
	site := missing{place: t.module.place(op), name: target}
	tap := stablehlo.CustomCall{Results: call.Results, APIVersion: stablehlo.TypedFFI, HasSideEffect: true}
	config := contract.Config{Form: contract.Call}
	order, unfit := passing(call)
	switch {
	case unfit != "":
		// It will not run, but XLA shall go on and name the next one.
		site.unfit = unfit
	case len(call.Results) > 0:
		config.Form = contract.Passthrough
		tap.Results = nil // one for each operand: those behind the call's own stay unused
		for _, i := range order {
			tap.Results = append(tap.Results, call.Operands[i].Type())
		}
		tap.Aliases = aliasing.Passthrough(len(order))
	}
	for _, i := range order {
		tap.Operands = append(tap.Operands, call.Operands[i])
	}
	t.missing = append(t.missing, site)
	name := site.place + ": " + target
	var err error
	config.ID, err = callbacks.Default.RegisterFunc(func(c *callbacks.Frame) error {
		t.print(name, order, c)
		return nil
	}, callbacks.Options{})
	if err != nil {
		return err
	}
	tap.Target = config.Form.Target()
	if tap.BackendConfig, err = backendConfig(op.Context(), config); err != nil {
		return err
	}
	replacement, err := tap.Create(op.Context(), op.Location())
	if err != nil {
		return err
	}
	op.Block().InsertBefore(op, replacement)
	for i, result := range op.Results() {
		result.ReplaceAllUses(replacement.Result(i))
	}
	return op.Erase()
}

// passing orders the operands of a call: first, for each result, the one that passes
// through to it (the one that it is aliased to, or else the one in the same place),
// then the others. Where that cannot be, unfit says why, and the order is the call's
// own.
func passing(call stablehlo.CustomCall) (order []int, unfit string) {
	const results = "its results are not of the types of its operands"
	all := make([]int, len(call.Operands))
	for i, operand := range call.Operands {
		all[i] = i
		if t := operand.Type(); !t.IsRankedTensor() {
			unfit = fmt.Sprintf("operand %d is %s, not an array", i, t)
		}
	}
	if unfit != "" || len(call.Results) == 0 {
		return all, unfit
	}
	switch {
	case len(call.Aliases) == len(call.Results):
		order = slices.Repeat([]int{-1}, len(call.Results))
		for _, alias := range call.Aliases {
			result := 0
			if len(alias.OutputTupleIndices) == 1 {
				result = int(alias.OutputTupleIndices[0])
			}
			order[result] = int(alias.OperandIndex)
		}
	case len(all) == len(call.Results):
		order = slices.Clone(all)
	default:
		return all, results
	}
	for result, operand := range order {
		if operand < 0 || slices.Contains(order[:result], operand) || !call.Results[result].Equal(call.Operands[operand].Type()) {
			return all, results
		}
	}
	for _, i := range all {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order, ""
}

// backendConfig writes a Config as the attribute that a module has.
func backendConfig(c *mlir.Context, config contract.Config) (mlir.Attribute, error) {
	attrs, err := config.Attrs()
	if err != nil {
		return mlir.Attribute{}, err
	}
	var entries []mlir.NamedAttribute
	for _, a := range attrs {
		entry := mlir.NamedAttribute{Name: a.Key}
		switch value := a.Value.(type) {
		case string:
			entry.Value = c.StringAttribute(value)
		case bool:
			entry.Value = c.BoolAttribute(value)
		case int64:
			entry.Value = c.IntegerAttribute(c.IntegerType(64, mlir.Signless), value)
		}
		entries = append(entries, entry)
	}
	return c.DictionaryAttribute(entries...), nil
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
