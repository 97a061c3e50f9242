package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// Callbacks of one effect run in the order in which they were built: each takes the
// token that the one before it gave. A token is one byte, so that the order is one of
// data, which XLA keeps.

// token is the token of the last callback of an effect, for the next one. It is false
// where a mistake was made, which is kept.
func (f *Func) token(effect string, at place) (Value, bool) {
	if f.b.err != nil || f.broken {
		return f.nothing(), false
	}
	t, err := f.scope.token(effect, at)
	if err != nil {
		f.b.fail(at, "effect", nil, err)
		return f.nothing(), false
	}
	return t, true
}

// setToken says what token a callback of an effect has given, in the innermost scope.
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
		return Value{}, fmt.Errorf("callbacks in %s cannot be ordered: no token can come into it; call them outside, or with a callback that has no order", s.name)
	}
	t, err := s.entry(effect, at)
	if err != nil {
		return Value{}, err
	}
	s.effects = append(s.effects, effect)
	s.setToken(effect, t)
	return t, nil
}

// takeTokens takes the tokens of effects off the end of an operation's results, as the
// newest of these effects, and gives back the other results.
func (f *Func) takeTokens(results []Value, effects []string) []Value {
	n := len(results) - len(effects)
	for i, effect := range effects {
		f.setToken(effect, results[n+i])
	}
	return results[:n]
}

// firstToken is the token that an effect starts with in a function.
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
