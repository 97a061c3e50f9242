package builder

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ruled stands for a function with rules, which may call it. Its address is its identity.
type ruled struct{ _ byte }

// ownRule is a call of such a function whose rules are being traced.
type ownRule struct {
	of     *ruled
	name   string // of the composites
	types  []mlir.Type
	primal traced
	result any              // a tree with the structure of the result
	calls  []mlir.Operation // composites in the rules, which get the rules when these are known
}

// find returns the call of the function around the step, with the same types, whose rules are being traced: the
// function is called in its own rule, and tracing it again would never end.
func (r *ruled) find(s *step, arguments []Value) *ownRule {
	for _, own := range s.f.b.rules {
		if own.of == r && slices.Equal(own.types, typesOf(arguments)) {
			return own
		}
	}
	return nil
}

// enter notes that the rules of a call are traced from now on. The function that it returns ends that.
func (r *ruled) enter(s *step, name string, arguments []Value, primal traced, result any) (leave func()) {
	if !s.ok {
		return func() {}
	}
	b := s.f.b
	if b.rules == nil {
		b.rules = map[string]*ownRule{}
	}
	symbol, _ := primal.op.Symbol()
	b.rules[symbol] = &ownRule{of: r, name: name, types: typesOf(arguments), primal: primal, result: result}
	return func() { delete(b.rules, symbol) }
}

// call adds a composite of a function in its own rule.
func (s *step) call(own *ownRule, arguments []Value) []Value {
	symbol, _ := own.primal.op.Symbol()
	types := own.primal.resultTypes()
	dictionary, err := attributeOf(s.f.b.ctx, []NamedValue{{"arguments", len(arguments)}}, 0)
	if err != nil {
		s.fail("its attributes%w", err)
	}
	results := s.many(len(types), stablehlo.CompositeOp{
		Name: own.name, Decomposition: symbol, CompositeAttributes: dictionary,
		Inputs:      mlirs(slices.Concat(arguments, own.primal.captured)),
		ResultTypes: types,
	})
	if s.ok && len(results) > 0 {
		own.calls = append(own.calls, results[0].v.Owner())
	}
	return results
}
