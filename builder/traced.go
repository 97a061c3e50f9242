package builder

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// traced is a Go function of trees of values as a private function of the module. Its parameters are the leaves
// of the argument, a token for each effect, and the values from outside that the Go function uses. Its
// results are the leaves of the result, and the tokens.
type traced struct {
	op       mlir.Operation
	results  int // leaves of the result
	effects  []string
	captured []Value
}

// trace calls build with values of the given types, and makes a function of the module of what it builds. The values
// that were captured before are parameters in any case.
func (s *step) trace(types []mlir.Type, captured []Value, build func(arguments []Value) ([]Value, error)) (t traced) {
	if !s.ok {
		return t
	}
	f := s.f
	in, arguments := f.open(s.at, "the function of the "+s.name, types, true)
	in.entry = in.carry
	if s.batches != nil {
		in.batches = s.batches
	}
	results, ok := in.build(func() []Value {
		results, err := build(arguments)
		if err != nil {
			s.fail("%w", err)
		}
		return results
	})
	if s.ok = s.ok && ok; !s.ok {
		return t
	}
	t = traced{results: len(results), effects: in.effects}
	for _, effect := range in.effects {
		results = append(results, in.tokens[effect])
	}
	t.op = s.function(in.endWith("func.return", results))
	t.take(captured)
	t.capture(s)
	t.op = f.b.module.Body().Append(t.op)
	return t
}

// function returns a new private function.
func (s *step) function(body mlir.Region) mlir.Operation {
	b := s.f.b
	op, err := mlir.Create(b.ctx, mlir.OperationState{
		Name: "func.func", Location: s.at.location, Regions: []mlir.Region{body},
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: b.ctx.StringAttribute(b.unusedSymbol("calliope."+s.name, s.at))},
			{Name: "sym_visibility", Value: b.ctx.StringAttribute("private")},
			{Name: "function_type", Value: b.ctx.TypeAttribute(b.ctx.FunctionType(nil, nil))},
		},
	})
	if err != nil {
		panic("BUG: builder: a function cannot be made: " + err.Error())
	}
	return op
}

// unusedSymbol reserves a name that starts with base.
func (b *Builder) unusedSymbol(base string, at place) string {
	for n := len(b.symbols); ; n++ {
		if name := fmt.Sprintf("%s.%d", base, n); b.symbol(name, at) == nil {
			return name
		}
	}
}

// capture makes parameters of the values from outside, and copies constants.
func (t *traced) capture(s *step) {
	body := t.op.Region(0).First()
	inside := map[mlir.Value]mlir.Value{}
	for i, v := range t.captured {
		inside[v.v] = body.Argument(body.NumArguments() - len(t.captured) + i)
	}
	for op := range t.op.All() {
		for i, v := range op.Operands() {
			if t.op.Encloses(v) {
				continue
			}
			in, known := inside[v]
			switch {
			case known:
			case constant(Value{v: v}):
				in = body.Insert(0, v.Owner().Clone()).Result(0)
			default:
				t.take([]Value{{s: s.f.scope, v: v}})
				in = body.Argument(body.NumArguments() - 1)
			}
			inside[v] = in
			op.SetOperand(i, in)
		}
	}
	t.setType()
}

// traceOf returns a function for trace that calls f with a tree like x, and sets y to what f returns.
func traceOf[T, R any](f func(T) R, x T, y *R) func(arguments []Value) ([]Value, error) {
	return func(arguments []Value) ([]Value, error) {
		*y = f(rebuild(x, arguments))
		return leaves(*y)
	}
}

// take adds parameters for values from outside.
func (t *traced) take(captured []Value) {
	for _, v := range captured {
		t.op.Region(0).First().AddArgument(v.v.Type(), t.op.Location())
		t.captured = append(t.captured, v)
	}
}

// setType sets the type of the function.
func (t *traced) setType() {
	parameters := mlir.TypesOf(t.op.Region(0).First().ArgumentValues())
	c := t.op.Context()
	t.op.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(parameters, t.resultTypes())))
}

func (t *traced) resultTypes() []mlir.Type {
	return mlir.TypesOf(t.op.Region(0).First().Terminator().OperandValues())
}

// arguments returns the arguments of a call here with these leaves.
func (s *step) arguments(t traced, leaves []Value) []Value {
	if !s.ok {
		return nil
	}
	arguments := slices.Clone(leaves)
	for _, effect := range t.effects {
		token, ok := s.f.ordering(effect, s.at)
		s.ok = s.ok && ok
		arguments = append(arguments, token)
	}
	return append(arguments, t.captured...)
}

// callOf adds a call of a traced function, and returns it with the leaves of the result.
func (s *step) callOf(t traced, leaves []Value) (mlir.Operation, []Value) {
	arguments := s.arguments(t, leaves)
	if !s.ok {
		return mlir.Operation{}, s.nones(t.results)
	}
	name, _ := t.op.Symbol()
	var call mlir.Operation
	if call, s.ok = s.f.append(s.at, s.name, arguments, raw{
		Name: "func.call", Operands: mlirs(arguments), Results: t.resultTypes(),
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: s.f.b.ctx.SymbolAttribute(name)}},
	}); !s.ok {
		return call, s.nones(t.results)
	}
	return call, s.f.takeTokensOfCall(s.f.results(call), t.effects)
}

// copyIn copies what a function of the module does to the end of the innermost scope, and returns its results.
func (s *step) copyIn(f mlir.Operation, arguments []Value) []Value {
	body := f.Region(0).First()
	end := body.Terminator()
	if !s.ok || !s.f.usable(s.at, s.name, arguments) {
		s.ok = false
		return s.nones(end.NumOperands())
	}
	var mapping mlir.Mapping
	for i, v := range body.Arguments() {
		mapping.Map(v, arguments[i].v)
	}
	for op := range body.Operations() {
		if op != end {
			s.f.scope.cloneConstants(s.f.scope.block.Append(op.CloneWith(&mapping)))
		}
	}
	results := make([]Value, end.NumOperands())
	for i, v := range end.Operands() {
		v, _ = mapping.Value(v)
		results[i] = Value{s: s.f.scope, v: v}
	}
	return results
}

// eraseTemporary removes the functions that were only needed while something was built.
func (b *Builder) eraseTemporary() {
	for _, f := range b.temporary {
		if err := f.Erase(); err != nil {
			panic("BUG: builder: a function cannot be removed: " + err.Error())
		}
	}
	b.temporary = nil
}
