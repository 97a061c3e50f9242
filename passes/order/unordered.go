package order

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Options are the options of Unordered. The zero value is useful.
type Options struct {
	// Limit is the greatest number of pairs that are returned. 0 means 100.
	Limit int
	// ByValues also checks the custom calls with side effects that have neither a token nor an
	// effect, as one effect. It is for hosts that order calls only by the values that they
	// pass on.
	ByValues bool
	// Index is the index of the module's operation, if the caller has one. Otherwise Unordered makes
	// one.
	Index *mlir.Index
}

// A Result has the pairs that Unordered found.
type Result struct {
	// Pairs has each pair of operations once, in the order of the second one, up to the limit.
	Pairs []Pair
	// Total is the number of pairs of calls. The calls in a function count at each place where
	// it is called, and those in a loop once for an iteration and once for those before it.
	Total int
}

// A Pair is two calls of one effect that do not depend on each other.
type Pair struct {
	First, Second Call
	// Iterations says that the second call is in a later iteration of a loop than the first.
	// Both may then be one operation. If it is false, and both are one operation, they are in
	// two calls of a function.
	Iterations bool
}

// A Call is a call of an effect.
type Call struct {
	Op mlir.Operation
	// Callee is what is called, for messages: a callback, @target, or an operation's name.
	Callee string
	// Effect is the effect of a callback, and otherwise @target, or the name of the operation.
	Effect string
}

// String returns what is called, with its place.
func (c Call) String() string { return c.at(positionOf(c.Op)) }

func (c Call) at(place string) string {
	if place == "" {
		return c.Callee
	}
	return c.Callee + " at " + place
}

// positionOf returns the position of an operation's location, or "".
func positionOf(op mlir.Operation) string {
	if p := op.Location().Position(); !p.IsZero() {
		return p.String()
	}
	return ""
}

// String returns both calls, with their places and what is missing.
func (p Pair) String() string { return p.Text(positionOf) }

// Text is String with the places that a function returns. It returns "" to leave one out.
func (p Pair) Text(place func(mlir.Operation) string) string {
	first, second := p.First.at(place(p.First.Op)), p.Second.at(place(p.Second.Op))
	effect := fmt.Sprintf("effect %q", p.Second.Effect)
	switch {
	case p.First.Effect != p.Second.Effect:
		effect = fmt.Sprintf("effects %q and %q", p.First.Effect, p.Second.Effect)
	case p.Second.Effect == "":
		effect = "a token and no effect"
	}
	switch {
	case p.First.Op == p.Second.Op && p.Iterations:
		return fmt.Sprintf("%s does not depend on itself in the iteration before (%s)", second, effect)
	case p.First.Op == p.Second.Op:
		return fmt.Sprintf("%s does not depend on itself in an earlier call of its function (%s)", second, effect)
	case p.Iterations:
		return fmt.Sprintf("%s does not depend on %s in the iteration before (%s)", second, first, effect)
	}
	return fmt.Sprintf("%s does not depend on %s, which is before it (%s)", second, first, effect)
}

// Err returns an error with the first pairs, or nil if there are none.
func (r Result) Err() error {
	if len(r.Pairs) == 0 {
		return nil
	}
	const most = 3
	var text strings.Builder
	for i, p := range r.Pairs[:min(most, len(r.Pairs))] {
		if i > 0 {
			text.WriteString("; ")
		}
		text.WriteString(p.String())
	}
	if more := r.Total - most; more > 0 {
		fmt.Fprintf(&text, "; and %d more", more)
	}
	return fmt.Errorf("order: calls with side effects are not ordered: %s", text.String())
}

// Unordered finds the pairs of calls of one effect of which neither depends on the other: a
// compiler may run them in any order, or at the same time. If there are none, the order of the
// calls is proven, whatever a compiler does that keeps dependences. Unordered does not change
// the module. The operations in its result are valid until the module changes.
//
// Of one effect are:
//   - callbacks of the contract with the same effect, if they have an effect or a token. The
//     callbacks of contract.AllEffects are ordered against those of every effect.
//   - outfeeds; infeeds; and custom calls of one target with a token of type !stablehlo.token.
//     The calls on tokens that come from one parameter of main are an effect of their own, as
//     JAX passes one token for each of its effects.
//   - with ByValues, all other custom calls with side effects. Without it they are unordered on
//     purpose, as in JAX. Targets that XLA handles itself do not count.
//
// A path leads from the result of a call to an operand of the other, through operations from
// each operand to each result. It leads through a function that is called, and through the
// regions of a while, an if, a case and a manual computation, from what goes in to what they
// return, because XLA inlines functions, branches with a constant predicate and loops with one
// iteration. That one operation with regions is after another orders nothing. A value that is
// returned by several branches, or by a loop with any number of iterations, depends on a call
// only if it does so in each case in which the call ran. What is in a branch or a body depends
// on the predicate, and so do the results. optimization_barrier, whose results XLA treats one by
// one in the end, passes each operand on by itself. Nothing passes through arrays without
// elements, which XLA replaces by constants.
//
// Calls in a body are also checked against those of earlier iterations, and against those of
// the condition. Calls in two branches of one operation exclude each other. No order is assumed
// in regions of any other kind, nor between blocks. Only functions that main or another public
// function calls are checked.
//
// Unordered finds every such pair. In a loop it looks at each value by itself, so it may also
// find a pair that is ordered, if the loop has a pair that is not, or if the values of the loop
// change places so that of two values one or the other depends on a call, by the iteration.
//
// The time is proportional to the size of the program with all functions inlined, if its calls
// are ordered. The error is ErrTooLarge if it takes too long.
func Unordered(m *mlir.Module, o Options) (result Result, err error) {
	if o.Limit <= 0 {
		o.Limit = 100
	}
	g := graphOf(m, o)
	if g == nil {
		return Result{}, nil
	}
	r := &orderRun{g: g, o: o, inlined: map[*orderFunction]bool{}, found: map[pairKey]bool{}}
	defer func() {
		if e := recover(); e != nil {
			if e != any(ErrTooLarge) {
				panic(e)
			}
			result, err = r.result, ErrTooLarge
		}
	}()
	for _, f := range slices.Backward(g.roots) { // callers first
		if r.inlined[f] {
			continue // its calls were checked where it is called
		}
		if !f.fits() {
			return r.result, ErrTooLarge
		}
		r.root(f)
	}
	return r.result, nil
}
