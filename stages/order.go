package stages

import (
	"context"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A tokens is the runtime tokens of a module: parameters and results of main that are not among
// those of the program. A run takes its turn for their effects, so the values do not matter.
type tokens struct {
	effects []string
	leading bool // before the other parameters and results, as JAX has them
}

// runtimeTokens finds the runtime tokens. JAX's tokens are not replaced yet.
func runtimeTokens(m *mlir.Module, main mlir.Block) (t tokens, err error) {
	if t.effects, err = stablehlo.RuntimeTokens(m); err != nil {
		return t, fmt.Errorf("stages: %w", err)
	}
	in, out := 0, 0
	for _, v := range main.Arguments() {
		if !stablehlo.IsToken(v.Type()) {
			break
		}
		in++
	}
	for _, v := range main.Terminator().Operands() {
		if !stablehlo.IsToken(v.Type()) {
			break
		}
		out++
	}
	switch {
	case in != out:
		return t, cutError(main.Parent(), "main takes %d tokens and returns %d: it must return one for each", in, out)
	case in > 0 && len(t.effects) > 0:
		return t,
			cutError(main.Parent(), "main has runtime tokens beside the tokens of JAX: only one of the two is possible")
	}
	for i := range in {
		t.leading = true
		t.effects = append(t.effects, contract.JAXEffect(i))
	}
	return t, nil
}

// without removes the tokens from a list of the parameters or results of main.
func without[T any](t tokens, list []T) []T {
	n := len(t.effects)
	if t.leading {
		return list[n:]
	}
	return list[:len(list)-n]
}

// with adds tokens to the values of the parameters.
func (t tokens) with(args []*value) []*value {
	var made []*value
	for range t.effects {
		made = append(made, onHost(newArray(stablehlo.RuntimeTokenShape())))
	}
	if t.leading {
		return slices.Concat(made, args)
	}
	return slices.Concat(args, made)
}

// drop removes the tokens from the results, and releases them.
func (t tokens) drop(results []*value) []*value {
	if results == nil {
		return nil
	}
	n := len(t.effects)
	if !t.leading {
		n = len(results) - n
		release(results[n:]...)
		return results[:n]
	}
	release(results[:n]...)
	return results[n:]
}

// enter takes the turn of a run. It waits for earlier runs that have one of the effects, and later ones wait for leave.
func (e *Executable) enter(ctx context.Context) (leave func(error), err error) {
	if len(e.tokens.effects) == 0 {
		return func(error) {}, nil
	}
	for _, d := range e.devices {
		if orderer, ok := d.Engine.(engine.Orderer); ok {
			return orderer.Order(ctx, e.tokens.effects...)
		}
	}
	return hostOrder.Enter(ctx, e.tokens.effects)
}

// hostOrder is the order of the runs whose engines have none. They are in one order, as those of a client are by
// default.
var hostOrder engine.Order
