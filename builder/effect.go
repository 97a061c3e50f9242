package builder

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Callbacks of one effect run in the order in which they were built: each takes the token
// that the previous one returned. A token is one byte of data, so that the order is a data
// dependency, which XLA preserves.

// AllEffects is the Effect of a callback that is ordered against the callbacks of every effect:
// those that were built before are done when it begins, and those that are built after it
// wait for it. With Options.RuntimeTokens this also holds across executions of one
// bridge.Sequence. Callbacks without an effect, other than taps, are not included.
const AllEffects = contract.AllEffects

// token returns the token of an effect's last callback, for the next one. It returns false
// after a mistake, which is recorded.
func (f *Func) token(effect string, at place) (Value, bool) {
	if f.b.err != nil || f.broken {
		return f.missing(), false
	}
	t, err := f.scope.token(effect, at)
	if err != nil {
		f.b.fail(at, "effect", nil, err)
		return f.missing(), false
	}
	return t, true
}

// setToken sets an effect's token in the innermost scope, after a callback returned it.
func (f *Func) setToken(effect string, t Value) { f.scope.setToken(effect, t) }

func (s *scope) setToken(effect string, t Value) {
	if s.tokens == nil {
		s.tokens = map[string]Value{}
	}
	s.tokens[effect] = t
}

func (s *scope) token(effect string, at place) (Value, error) {
	if t, ok := s.tokens[effect]; ok {
		return t, nil
	}
	if s.entry == nil {
		return Value{}, fmt.Errorf("callbacks in %s cannot be ordered, because it cannot take a token: call them outside, or use a callback without order", s.name)
	}
	t, err := s.entry(effect, at)
	if err != nil {
		return Value{}, err
	}
	if all, ok := s.fence(); ok {
		t = all
	}
	if effect == AllEffects {
		s.entered = t.v
	}
	s.effects = append(s.effects, effect)
	s.setToken(effect, t)
	return t, nil
}

// fence returns the token of the last callback in the scope that is ordered against all effects.
// It returns false if there is none, also if a token for it has entered the scope.
func (s *scope) fence() (Value, bool) {
	t, ok := s.tokens[AllEffects]
	return t, ok && !t.v.Equal(s.entered)
}

// known returns the effects of the callbacks that were built so far in the innermost scope and
// in those around it.
func (f *Func) known() (effects []string) {
	for s := f.scope; s != nil; s = s.outer {
		for _, effect := range s.effects {
			if effect != AllEffects && !slices.Contains(effects, effect) {
				effects = append(effects, effect)
			}
		}
	}
	return effects
}

// tokenOfAll returns a token that follows the last callbacks of all effects. These effects
// enter the innermost scope.
func (f *Func) tokenOfAll(at place) (Value, bool) {
	joined, ok := f.token(AllEffects, at)
	seen := []mlir.Value{joined.v}
	for _, effect := range f.known() {
		var t Value
		if t, ok = f.token(effect, at); !ok {
			break
		}
		if slices.Contains(seen, t.v) {
			continue
		}
		seen = append(seen, t.v)
		op, made := f.append(at, "effect", nil, stablehlo.OrOp{LHS: joined.v, RHS: t.v})
		if !made {
			return f.missing(), false
		}
		joined = Value{s: f.scope, v: op.Result(0)}
	}
	return joined, ok
}

// ordering returns the token for the next callback of an effect.
func (f *Func) ordering(effect string, at place) (Value, bool) {
	if effect == AllEffects {
		return f.tokenOfAll(at)
	}
	return f.token(effect, at)
}

// setTokens sets the token of an effect. If it is AllEffects, it sets those of all effects
// except for some, which a called function has returned.
func (f *Func) setTokens(effect string, t Value, except []string) {
	f.setToken(effect, t)
	if effect != AllEffects {
		return
	}
	for _, other := range f.known() {
		if !slices.Contains(except, other) {
			f.setToken(other, t)
		}
	}
}

// joinAll makes the token of AllEffects follow all callbacks of the innermost scope, which is
// the body of a loop, for the next iteration.
func (f *Func) joinAll(at place) {
	if _, ok := f.scope.tokens[AllEffects]; !ok {
		return
	}
	if t, ok := f.tokenOfAll(at); ok {
		f.setToken(AllEffects, t)
	}
}

// takeTokens removes the tokens of effects from the end of an operation's results and makes
// them the current ones. It returns the other results.
func (f *Func) takeTokens(results []Value, effects []string) []Value {
	n := len(results) - len(effects)
	for i, effect := range effects {
		f.setToken(effect, results[n+i])
	}
	return results[:n]
}

// takeTokensOfCall is takeTokens for the results of a function.
func (f *Func) takeTokensOfCall(results []Value, effects []string) []Value {
	results = f.takeTokens(results, effects)
	if slices.Contains(effects, AllEffects) {
		f.setTokens(AllEffects, f.scope.tokens[AllEffects], effects)
	}
	return results
}

// firstToken returns the token with which an effect starts in a function.
func (s *scope) firstToken(effect string, at place) (Value, error) {
	op, err := callop.FirstToken(s.block, at.location)
	if err != nil {
		return Value{}, err
	}
	if s.f.first == nil {
		s.f.first = map[string]mlir.Value{}
	}
	s.f.first[effect] = op.Result(0)
	return Value{s: s, v: op.Result(0)}, nil
}
