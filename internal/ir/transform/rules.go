package transform

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/mlir"
)

// Rules has the rules of a transformation: of operations by their names, and of custom calls by their targets. It is
// safe for concurrent use.
type Rules[R any] struct {
	mu                  sync.RWMutex
	operations, targets map[string]R
}

// customCall is the name of the operation whose rules are those of its targets first.
const customCall = "stablehlo.custom_call"

// Add adds the rule of an operation. It returns an error if the operation has one.
func (r *Rules[R]) Add(operation string, rule R) error {
	if dialect, name, ok := strings.Cut(operation, "."); !ok || dialect == "" || name == "" {
		return fmt.Errorf("%q is no name of an operation, such as stablehlo.add", operation)
	}
	return r.add(&r.operations, "operation", operation, rule)
}

// AddTarget adds the rule of the custom calls of a target. It returns an error if the target has one.
func (r *Rules[R]) AddTarget(target string, rule R) error {
	if target == "" {
		return errors.New("the target is empty")
	}
	return r.add(&r.targets, "target", target, rule)
}

func (r *Rules[R]) add(to *map[string]R, what, name string, rule R) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := (*to)[name]; ok {
		return fmt.Errorf("the %s %q has a rule already", what, name)
	}
	if *to == nil {
		*to = map[string]R{}
	}
	(*to)[name] = rule
	return nil
}

// AddAll adds the rules of operations. None of them may have one.
func (r *Rules[R]) AddAll(family map[string]R) {
	for name, rule := range family {
		Check(r.Add(name, rule))
	}
}

// Of returns the rule of an operation.
func (r *Rules[R]) Of(op mlir.Operation) (rule R, ok bool) {
	name := op.Name()
	r.mu.RLock()
	defer r.mu.RUnlock()
	if name == customCall {
		a, _ := op.Attribute("call_target_name")
		target, _ := a.Text()
		if rule, ok = r.targets[target]; ok {
			return rule, true
		}
	}
	rule, ok = r.operations[name]
	return rule, ok
}

// Named returns the rule of the operations of a name, whatever their target.
func (r *Rules[R]) Named(operation string) (rule R, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	rule, ok = r.operations[operation]
	return rule, ok
}
