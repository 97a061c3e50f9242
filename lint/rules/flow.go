package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// A reach is the set of kinds of operations that a token reaches, directly or through others.
type reach uint8

const (
	toOutfeed reach = 1 << iota
	toInfeed
	toOther // another operation that uses it: send, recv, custom_call …
)

// A flow follows tokens, or other values that only order, through a module. Its result may contain
// too much: it does not distinguish the calls of a function, or the tokens in one tuple.
type flow struct {
	orders    func(mlir.Type) bool // the types that it follows
	functions map[symbol]mlir.Operation
	calls     map[mlir.Operation][]mlir.Operation // of a function
	tokens    map[mlir.Type]bool                  // the result of isToken
}

// A symbol is a name in the operation that defines it.
type symbol struct {
	table mlir.Operation
	name  string
}

func newFlow(p *lint.Pass) *flow {
	f := tokensOnly()
	f.functions = map[symbol]mlir.Operation{}
	f.calls = map[mlir.Operation][]mlir.Operation{}
	for function := range p.Operations("func.func") {
		if name, ok := function.Attribute("sym_name"); ok {
			text, _ := name.Text()
			f.functions[symbol{function.Parent(), text}] = function
		}
	}
	for call := range p.Operations("func.call", "stablehlo.composite") {
		if function, ok := f.callee(call); ok {
			f.calls[function] = append(f.calls[function], call)
		}
	}
	return f
}

// tokensOnly returns a flow that can only distinguish types.
func tokensOnly() *flow {
	return &flow{
		orders: func(t mlir.Type) bool { return slices.Contains(tokenTypes, t.String()) },
		tokens: map[mlir.Type]bool{},
	}
}

// callee returns the function that an operation calls.
func (f *flow) callee(call mlir.Operation) (mlir.Operation, bool) {
	key := map[string]string{"func.call": "callee", "stablehlo.composite": "decomposition"}[call.Name()]
	if key == "" {
		return mlir.Operation{}, false
	}
	attribute, ok := call.Attribute(key)
	if !ok {
		return mlir.Operation{}, false
	}
	name, _ := attribute.Symbol()
	// The nearest module defines the symbol.
	table := call.Parent()
	for !table.IsNil() && table.Name() != "builtin.module" {
		table = table.Parent()
	}
	function, ok := f.functions[symbol{table, name}]
	return function, ok
}

// A paths is the way of some values through a module.
type paths struct {
	f       *flow
	reaches map[mlir.Value]reach // what each value reaches
	from    map[mlir.Value]reach // from which operations a value comes
	seen    map[mlir.Value]bool  // the values on the way
}

// knows reports whether all tokens that an operation takes are on the way.
func (p *paths) knows(op mlir.Operation) bool {
	for _, v := range op.Operands() {
		if p.f.isToken(v.Type()) && !p.seen[v] {
			return false
		}
	}
	return true
}

// follow returns the way of values. start has, for each, from where it comes.
func (f *flow) follow(start map[mlir.Value]reach) *paths {
	p := &paths{f: f, reaches: map[mlir.Value]reach{}, from: map[mlir.Value]reach{}, seen: map[mlir.Value]bool{}}
	before := map[mlir.Value][]mlir.Value{} // the values before each value on a path
	after := map[mlir.Value][]mlir.Value{}
	var todo []mlir.Value
	for v, from := range start {
		todo = append(todo, v)
		p.seen[v], p.from[v] = true, from
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for use := range v.Uses() {
			at, next := f.step(use)
			p.reaches[v] |= at
			for _, n := range next {
				if !f.isToken(n.Type()) {
					continue
				}
				before[n] = append(before[n], v)
				after[v] = append(after[v], n)
				p.from[n] |= at
				if !p.seen[n] {
					p.seen[n] = true
					todo = append(todo, n)
				}
			}
		}
	}
	spread(p.reaches, before)
	spread(p.from, after)
	return p
}

// spread adds the bits of each value to the values next to it, until nothing changes. Each value
// is visited at most once for each bit that is added to it.
func spread(bits map[mlir.Value]reach, next map[mlir.Value][]mlir.Value) {
	var todo []mlir.Value
	for v, b := range bits {
		if b != 0 {
			todo = append(todo, v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range next[v] {
			if bits[n]|bits[v] != bits[n] {
				bits[n] |= bits[v]
				todo = append(todo, n)
			}
		}
	}
}

// tokensOf returns the ways of all tokens of the module.
func tokensOf(p *lint.Pass) *paths {
	type key struct{}
	return lint.Shared(p, key{}, func() *paths {
		f := newFlow(p)
		return f.follow(f.sources(p))
	})
}

// sources returns the values with which tokens begin.
func (f *flow) sources(p *lint.Pass) map[mlir.Value]reach {
	start := map[mlir.Value]reach{}
	add := func(values []mlir.Value, from reach) {
		for _, v := range values {
			if f.isToken(v.Type()) {
				start[v] |= from
			}
		}
	}
	for op := range p.Operations(slices.Concat(createTokenNames, afterAllNames)...) {
		add(op.ResultValues(), 0)
	}
	for op := range p.Operations(outfeedNames...) {
		add(op.ResultValues(), toOutfeed)
	}
	for op := range p.Operations(infeedNames...) {
		add(op.ResultValues(), toInfeed)
	}
	for op := range p.Operations(tokenMakers...) {
		add(op.ResultValues(), toOther)
	}
	for function := range p.Operations("func.func") {
		if entry := entryOf(function); !entry.IsNil() && len(f.calls[function]) == 0 {
			add(entry.ArgumentValues(), toOther)
		}
	}
	for call := range p.Operations("func.call", "stablehlo.composite") {
		if function, ok := f.callee(call); !ok || entryOf(function).IsNil() {
			add(call.ResultValues(), toOther)
		}
	}
	return start
}

// tokenMakers are operations that may return a token without taking one.
var tokenMakers = []string{
	"stablehlo.custom_call", "stablehlo.send", "stablehlo.recv", "mhlo.custom_call", "mhlo.send", "mhlo.recv",
	"builtin.unrealized_conversion_cast",
}

// step returns what a use of a token reaches directly, and the values that the token may pass
// to. The caller must ignore those that are not tokens.
func (f *flow) step(use mlir.Use) (reach, []mlir.Value) {
	op := use.Owner
	switch op.Name() {
	case "stablehlo.outfeed", "mhlo.outfeed":
		return toOutfeed, op.ResultValues()
	case "stablehlo.infeed", "mhlo.infeed":
		return toInfeed, op.ResultValues()
	case "stablehlo.after_all", "mhlo.after_all",
		"stablehlo.tuple", "mhlo.tuple",
		"stablehlo.get_tuple_element", "mhlo.get_tuple_element":
		return 0, op.ResultValues()
	case "stablehlo.optimization_barrier", "mhlo.optimization_barrier",
		"builtin.unrealized_conversion_cast":
		return 0, along(use, op.NumOperands(), op.ResultValues())
	}
	if function, ok := f.callee(op); ok {
		entry := entryOf(function)
		if entry.IsNil() { // only declared: its definition may need the token
			return toOther, op.ResultValues()
		}
		return 0, along(use, op.NumOperands(), entry.ArgumentValues())
	}
	if block := op.Block(); !block.IsNil() && op.Equal(block.Terminator()) {
		if function := block.Parent(); function.Name() == "func.func" && len(f.calls[function]) == 0 {
			return toOther, nil // whoever calls it gets the token
		}
		return 0, f.leave(use, block)
	}
	if next := f.enter(use); next != nil {
		return 0, next
	}
	return toOther, op.ResultValues()
}

// leave follows a token that a terminator passes out of a block: to the calls of the function,
// or to the results of the operation around it and, for a loop, back to its start. If a region
// has several blocks, any of them may come next.
func (f *flow) leave(use mlir.Use, block mlir.Block) []mlir.Value {
	n := use.Owner.NumOperands()
	parent := block.Parent()
	var next []mlir.Value
	for _, call := range f.calls[parent] {
		next = append(next, along(use, n, call.ResultValues())...)
	}
	isFunction := parent.Name() == "func.func"
	if !isFunction {
		next = append(next, along(use, n, parent.ResultValues())...)
	}
	for _, region := range parent.Regions() {
		entry := region.First()
		for b := range region.Blocks() {
			switch {
			case b != entry:
				next = append(next, b.ArgumentValues()...)
			case !isFunction:
				next = append(next, along(use, n, b.ArgumentValues())...)
			}
		}
	}
	return next
}

// enter follows a token into the regions of an operation and to its results. It returns nil if
// no region takes tokens.
func (f *flow) enter(use mlir.Use) []mlir.Value {
	op := use.Owner
	var next []mlir.Value
	for _, region := range op.Regions() {
		if entry := region.First(); !entry.IsNil() {
			next = append(next, along(use, op.NumOperands(), entry.ArgumentValues())...)
		}
	}
	if !slices.ContainsFunc(next, func(v mlir.Value) bool { return f.isToken(v.Type()) }) {
		return nil
	}
	return append(next, along(use, op.NumOperands(), op.ResultValues())...)
}

// along returns the value with the index of the operand, or all values if there are not as many
// as operands.
func along(use mlir.Use, operands int, values []mlir.Value) []mlir.Value {
	if len(values) == operands {
		return values[use.Operand : use.Operand+1]
	}
	return values
}

func entryOf(function mlir.Operation) mlir.Block {
	if function.NumRegions() == 0 {
		return mlir.Block{}
	}
	return function.Region(0).First()
}

var tokenTypes = []string{"!stablehlo.token", "!mhlo.token"}

// isToken reports whether a type is a token or a tuple with one in it.
func (f *flow) isToken(t mlir.Type) bool {
	is, known := f.tokens[t]
	if !known {
		if elements, tuple := t.Elements(); tuple {
			is = slices.ContainsFunc(elements, f.isToken)
		} else {
			is = f.orders(t)
		}
		f.tokens[t] = is
	}
	return is
}
