package passes

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// threadCalls passes a token through all waiting callbacks of a module.
func threadCalls(m *mlir.Module, effect string) error {
	token, err := callop.TokenType(m.Context())
	if err != nil {
		return err
	}
	t := &threader{effect: effect, token: token, callers: callersOf(m), contains: map[mlir.Operation]bool{},
		carries: map[string]bool{}}
	seen := map[string]bool{}
	var visit func(f mlir.Operation) error
	visit = func(f mlir.Operation) error {
		name, _ := f.Symbol()
		if seen[name] {
			return nil
		}
		seen[name] = true
		for _, called := range function.Callees(f) {
			if g, ok := t.callers.byName[called]; ok {
				if err := visit(g); err != nil {
					return err
				}
			}
		}
		return t.function(f, name)
	}
	for _, f := range t.callers.order {
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// A threader passes a token through callbacks. It visits each function after those that it
// calls.
type threader struct {
	effect   string
	token    mlir.Type
	callers  callers
	contains map[mlir.Operation]bool // operations with waiting callbacks in them
	carries  map[string]bool         // functions that take the token from their callers
}

func (t *threader) function(f mlir.Operation, name string) error {
	if f.Region(0).NumBlocks() != 1 || !t.find(f) {
		return nil
	}
	if err := t.rotateIn(f); err != nil {
		return err
	}
	clear(t.contains) // rotation replaces operations
	t.find(f)
	block := f.Region(0).First()
	if name == "main" || len(t.callers.calls[name]) == 0 {
		first, err := callop.FirstToken(f.Context(), f.Location())
		if err != nil {
			return err
		}
		_, err = t.block(block, block.Insert(0, first).Result(0))
		return err
	}
	t.carries[name] = true
	last, err := t.block(block, block.AddArgument(t.token, f.Location()))
	if err != nil {
		return err
	}
	rewrite.ReturnAlso(f, last)
	return nil
}

// find records the operations of a function that the token passes through. It reports whether
// there are any.
func (t *threader) find(op mlir.Operation) bool {
	found := false
	for _, region := range op.Regions() {
		if region.NumBlocks() != 1 {
			continue
		}
		for inner := range region.First().Operations() {
			name, isCall := function.Callee(inner)
			switch {
			case isWaiting(inner):
				found = true
			case isCall && t.carries[name]:
				t.contains[inner] = true
				found = true
			case callop.CanHold(inner) && t.find(inner):
				found = true
			}
		}
	}
	if found {
		t.contains[op] = true
	}
	return found
}

// block passes the token through a block and returns the last one.
func (t *threader) block(block mlir.Block, token mlir.Value) (mlir.Value, error) {
	for _, op := range slices.Collect(block.Operations()) {
		switch {
		case isWaiting(op):
			made, err := t.order(op, token)
			if err != nil {
				return token, err
			}
			token = made.Result(made.NumResults() - 1)
		case t.contains[op]:
			made, err := t.through(op, token)
			if err != nil {
				return token, err
			}
			token = made.Result(made.NumResults() - 1)
		}
	}
	return token, nil
}

// through passes the token through an operation with regions, or a call.
func (t *threader) through(op mlir.Operation, token mlir.Value) (mlir.Operation, error) {
	delete(t.contains, op) // another operation may get its address
	if _, isCall := function.Callee(op); isCall {
		return rewrite.Extended(op, token, t.token)
	}
	loop := op.Name() == "stablehlo.while"
	for i, region := range op.Regions() {
		block := region.First()
		inside := token
		if loop {
			inside = block.AddArgument(t.token, op.Location())
			if i == 0 {
				continue // rotated: no callback is in a condition
			}
		}
		last, err := t.block(block, inside)
		if err != nil {
			return op, err
		}
		end := block.Terminator()
		end.SetOperands(append(end.OperandValues(), last)...)
	}
	if loop {
		return rewrite.Extended(op, token, t.token)
	}
	return rewrite.Extended(op, mlir.Value{}, t.token)
}

// order replaces a waiting callback by one that takes and returns a token.
func (t *threader) order(op mlir.Operation, token mlir.Value) (mlir.Operation, error) {
	ours, ok := callop.AsCall(op)
	if !ok || ours.Err != nil {
		return op, fmt.Errorf("%s is not a callback: %w", op.Name(), ours.Err)
	}
	call, _ := stablehlo.AsCustomCall(op)
	c, config := op.Context(), ours.Config
	config.NumTokens, config.Effect = 1, t.effect
	call.APIVersion, call.HasSideEffect = stablehlo.TypedFFI, true
	call.Operands = append(call.Operands, token)
	kept := rewrite.UpTo(len(call.Results))
	observes := config.Form == contract.Observe && len(call.Results) == 1
	if !observes {
		call.Results = append(call.Results, t.token)
	}
	if call.OperandLayouts != nil {
		call.OperandLayouts = append(call.OperandLayouts, []int64{0})
		if !observes {
			call.ResultLayouts = append(call.ResultLayouts, []int64{0})
		}
	}
	n := len(call.Results)
	for i, alias := range call.Aliases {
		if len(alias.OutputTupleIndices) == 0 && n > 1 {
			call.Aliases[i].OutputTupleIndices = []int64{0}
		}
	}
	call.Aliases = append(call.Aliases, aliasing.Result(n-1, n, len(call.Operands)-1))
	var err error
	if call.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return op, err
	}
	attributes, err := call.Attributes(c)
	if err != nil {
		return op, err
	}
	for name, a := range op.Attributes() {
		has := slices.ContainsFunc(attributes, func(a mlir.NamedAttribute) bool { return a.Name == name })
		if !has && name != waiting && name != "mhlo.backend_config" {
			attributes = append(attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
	}
	made, err := mlir.Create(mlir.Before(op), mlir.OperationState{
		Name: op.Name(), Location: op.Location(), Operands: call.Operands, Results: call.Results,
		Attributes: attributes,
	})
	if err != nil {
		return op, err
	}
	for _, i := range kept {
		op.Result(i).ReplaceAllUses(made.Result(i))
	}
	return made, op.Erase()
}
