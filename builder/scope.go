package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// scope is a block that is being built: the body of a function, or a region in it. A
// value may be used in the scope that it was made in, and in those inside.
type scope struct {
	f       *Func
	outer   *scope // nil for a function's body
	name    string // what errors call it, for example "the body of the reduce"
	at      place
	block   mlir.Block
	capture bool // values from around it may be used in it
	ended   bool
	effects []string         // of callbacks in here, in the order of their first ones
	tokens  map[string]Value // effect -> the token of its last callback in here
	// entry is the token that an effect has where the scope starts; nil where none can
	// come in.
	entry func(effect string, at place) (Value, error)
}

// closed reports whether values from around the scope may not be used in it.
func (s *scope) closed() bool { return s.outer != nil && !s.capture }

// wall is the innermost scope around s, or s itself, that is closed; nil for none.
func (s *scope) wall() *scope {
	for ; s != nil; s = s.outer {
		if s.closed() {
			return s
		}
	}
	return nil
}

// open starts a scope within the innermost one, whose arguments are of the given types.
func (f *Func) open(at place, name string, arguments []mlir.Type, capture bool) (*scope, []Value) {
	s := &scope{f: f, outer: f.scope, name: name, at: at, capture: capture}
	s.block = f.b.ctx.NewBlock(at.location, arguments...)
	f.scope = s
	values := make([]Value, len(arguments))
	for i := range values {
		values[i] = Value{s: s, v: s.block.Argument(i)}
	}
	return s, values
}

// leave makes the scope around s the innermost one again. Scopes in s that are open
// still, because a panic went through them, end too.
func (s *scope) leave() {
	for inner := s.f.scope; inner != s; inner = inner.outer {
		inner.ended = true
	}
	s.ended = true
	s.f.scope = s.outer
}

// drop gives up what was built in a scope that has ended. Where that is used still, it
// is left to the context.
func (s *scope) drop() { _ = s.block.Erase() }

// check is an error for a value that cannot be used in s.
func (s *scope) check(v Value) error {
	switch {
	case v.like != nil:
		return errors.New("is a template: it has a type and no value")
	case v.s == nil:
		return errors.New("is the zero Value: use what an operation returned")
	case v.s.f.b != s.f.b:
		return errors.New("belongs to another module, with a Builder of its own")
	case v.s.f != s.f:
		return fmt.Errorf("belongs to the function %q, not to %q", v.s.f.name, s.f.name)
	case v.v.IsNil():
		return errors.New("was never built")
	case v.s.ended:
		return fmt.Errorf("belongs to %s at %s, which has ended: have its Go function return the value, and use what the operation returns", v.s.name, v.s.at)
	}
	for at := s; at != v.s; at = at.outer {
		if at == nil {
			return fmt.Errorf("belongs to %s at %s, which is not open here", v.s.name, v.s.at)
		}
		if at.closed() && !constant(v) {
			return fmt.Errorf("comes from outside of %s, which can use its own arguments and constants only: do what needs the value before or after it", at.name)
		}
	}
	return nil
}

// constant reports whether a value is known now, so that it can be made again anywhere.
func constant(v Value) bool {
	owner := v.v.Owner()
	return !owner.IsNil() && owner.Name() == "stablehlo.constant"
}

// remake has an operation of the scope's block use constants of its own in place of those
// from outside of a scope that is closed.
func (s *scope) remake(op mlir.Operation) {
	wall := s.wall()
	if wall == nil {
		return
	}
	for i, v := range op.Operands() {
		owner := v.Owner()
		if owner.IsNil() || owner.Name() != "stablehlo.constant" || s.within(wall, owner.Block()) {
			continue
		}
		op.SetOperand(i, s.block.InsertBefore(op, owner.Clone()).Result(0))
	}
}

// within reports whether a block is that of a scope from s up to wall.
func (s *scope) within(wall *scope, block mlir.Block) bool {
	for ; ; s = s.outer {
		if s.block.Equal(block) {
			return true
		}
		if s == wall {
			return false
		}
	}
}
