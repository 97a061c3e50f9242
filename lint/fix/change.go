package fix

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// A change is what repairs do to one operation. The zero value does nothing.
type change struct {
	set    map[string]string
	remove map[string]bool
	erase  bool
}

// with returns the change with a repair of the same round. What contradicts it is left to the next
// round.
func (c change) with(f *finding.Fix) change {
	c = c.clone()
	c.erase = c.erase || f.Erase
	for name, value := range f.Set {
		if _, ok := c.set[name]; !ok && !c.remove[name] {
			c.set[name] = value
		}
	}
	for _, name := range f.Remove {
		if _, ok := c.set[name]; !ok {
			c.remove[name] = true
		}
	}
	return c
}

// then returns the change with a later one.
func (c change) then(later change) change {
	c = c.clone()
	c.erase = c.erase || later.erase
	for name, value := range later.set {
		c.set[name] = value
		delete(c.remove, name)
	}
	for name := range later.remove {
		delete(c.set, name)
		c.remove[name] = true
	}
	return c
}

func (c change) clone() change {
	set, remove := map[string]string{}, map[string]bool{}
	maps.Copy(set, c.set)
	maps.Copy(remove, c.remove)
	return change{set, remove, c.erase}
}

func (c change) equal(d change) bool {
	return c.erase == d.erase && maps.Equal(c.set, d.set) && maps.Equal(c.remove, d.remove)
}

// apply changes an operation.
func (c change) apply(op mlir.Operation) error {
	if c.erase {
		if used(op) {
			return errors.New("a rule removes it, and its results are used")
		}
		return op.Erase()
	}
	for _, name := range slices.Sorted(maps.Keys(c.set)) {
		a, err := op.Context().ParseAttribute(c.set[name])
		if err != nil {
			return err
		}
		op.SetAttribute(name, a)
	}
	for name := range c.remove {
		op.RemoveAttribute(name)
	}
	return nil
}

// applyAll changes operations, by their numbers from 1.
func applyAll(ops []mlir.Operation, changes map[int]change) error {
	// From the end, because operations there use those before them.
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(changes))) {
		op := ops[number-1]
		if err := changes[number].apply(op); err != nil {
			return fmt.Errorf("repairing %s: %w", op.Name(), err)
		}
	}
	return nil
}

// used reports whether an operation has results that are used.
func used(op mlir.Operation) bool {
	for _, v := range op.Results() {
		if v.HasUses() {
			return true
		}
	}
	return false
}
