package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// Callbacks of one effect run in the order in which they were built: each takes the token
// that the previous one returned. A token is one byte of data, so that the order is a data
// dependency, which XLA preserves.

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
	s.effects = append(s.effects, effect)
	s.setToken(effect, t)
	return t, nil
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
