package callbacks_test

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// What is in use stands around every function, the later the further out, until it is
// removed.
func TestUse(t *testing.T) {
	r, err := callbacks.NewRegistry(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var said []string
	note := func(text string) callbacks.Middleware {
		return func(next callbacks.Func) callbacks.Func {
			return func(f *callbacks.Frame) error {
				said = append(said, text)
				return next(f)
			}
		}
	}
	function := func(f *callbacks.Frame) error {
		said = append(said, f.Name)
		return errors.New("its error")
	}
	invoke := func(config contract.Config) []string {
		t.Helper()
		said = nil
		config.Form, config.Registry = contract.Observe, r.Name()
		slot, err := callbacks.Resolve(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := slot.Invoke(&callbacks.Frame{Name: config.Name(), Config: config}); err == nil || err.Error() != "its error" {
			t.Errorf("the error is %v", err)
		}
		return said
	}
	if err := r.Register("before", function, callbacks.Options{}); err != nil {
		t.Fatal(err)
	}
	id, err := r.RegisterFunc(function, callbacks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inner, outer := note("inner"), note("outer")
	removeInner := r.Use(inner)
	removeOuter := r.Use(outer)
	removeTwice := r.Use(outer)
	if err := r.Register("after", function, callbacks.Options{}); err != nil {
		t.Fatal(err)
	}
	before, after, byID := contract.Config{Callback: "before"}, contract.Config{Callback: "after"}, contract.Config{ID: id}
	diff(t, "before", []string{"outer", "outer", "inner", "before"}, invoke(before))
	diff(t, "after", []string{"outer", "outer", "inner", "after"}, invoke(after))
	diff(t, "by id", []string{"outer", "outer", "inner", byID.Name()}, invoke(byID))
	removeTwice()
	removeTwice()
	diff(t, "one removed", []string{"outer", "inner", "before"}, invoke(before))
	removeInner()
	diff(t, "inner removed", []string{"outer", "after"}, invoke(after))
	removeOuter()
	diff(t, "all removed", []string{"before"}, invoke(before))
}
