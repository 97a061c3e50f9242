package callbacks_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func plainA(*callbacks.Frame) error { return nil }
func plainB(*callbacks.Frame) error { return nil }

type object struct{ n int }

func (o *object) method(*callbacks.Frame) error { o.n++; return nil }

// Which functions are the same, with the same options.
func TestSameFunction(t *testing.T) {
	capturing := func(n *int) callbacks.Func { return func(*callbacks.Frame) error { *n++; return nil } }
	var n, m int
	one := capturing(&n)
	o := &object{}
	method := callbacks.Func(o.method)
	list := []int{1, 2}
	type key struct{ layer, head int }
	opt := func(key any, static ...any) callbacks.Options { return callbacks.Options{Key: key, Static: static} }
	for _, c := range []struct {
		name   string
		f, g   callbacks.Func
		fo, gO callbacks.Options
		same   bool
	}{
		{name: "a function of the package", f: plainA, g: plainA, same: true},
		{name: "two of them", f: plainA, g: plainB},
		{name: "a closure object", f: one, g: one, same: true},
		{name: "closures of one line with other captures", f: capturing(&n), g: capturing(&m)},
		{name: "closures of one line with equal captures", f: capturing(&n), g: capturing(&n)},
		{name: "a method value in a variable", f: method, g: method, same: true},
		{name: "a method value made twice", f: o.method, g: o.method},
		{name: "equal keys", f: plainA, g: plainB, fo: opt("k"), gO: opt("k"), same: true},
		{name: "equal keys of a struct type", f: plainA, g: plainB, fo: opt(key{1, 2}), gO: opt(key{1, 2}), same: true},
		{name: "other keys", f: plainA, g: plainA, fo: opt(key{1, 2}), gO: opt(key{1, 3})},
		{name: "keys of other types", f: plainA, g: plainA, fo: opt(1), gO: opt(int64(1))},
		{name: "a key and none", f: plainA, g: plainA, fo: opt("k")},
		{name: "equal static arguments", f: plainA, g: plainA, fo: opt(nil, 1, "x"), gO: opt(nil, 1, "x"), same: true},
		{name: "other static arguments", f: plainA, g: plainA, fo: opt(nil, 1, "x"), gO: opt(nil, 1, "y")},
		{name: "static arguments of other types", f: plainA, g: plainA, fo: opt(nil, 1), gO: opt(nil, int64(1))},
		{name: "more static arguments", f: plainA, g: plainA, fo: opt(nil, 1), gO: opt(nil, 1, 1)},
		{name: "equal slices", f: plainA, g: plainA, fo: opt(nil, []int{1, 2}), gO: opt(nil, list), same: true},
		{name: "other slices", f: plainA, g: plainA, fo: opt(nil, []int{1, 3}), gO: opt(nil, list)},
		{name: "a pointer", f: plainA, g: plainA, fo: opt(nil, o), gO: opt(nil, o), same: true},
		{name: "pointers to equal values", f: plainA, g: plainA, fo: opt(nil, &object{}), gO: opt(nil, &object{})},
		{name: "nil", f: plainA, g: plainA, fo: opt(nil, nil), gO: opt(nil, nil), same: true},
		{name: "nil and something", f: plainA, g: plainA, fo: opt(nil, nil), gO: opt(nil, 0)},
		{name: "NaN is not itself", f: plainA, g: plainA, fo: opt(nil, math.NaN()), gO: opt(nil, math.NaN())},
		{name: "equal signatures", f: plainA, g: plainA, fo: callbacks.Options{Signature: signature},
			gO: callbacks.Options{Signature: signature}, same: true},
		{name: "other signatures", f: plainA, g: plainA, fo: callbacks.Options{Signature: signature},
			gO: callbacks.Options{Signature: "->"}},
		{name: "other signatures with a key", f: plainA, g: plainA, fo: callbacks.Options{Key: 1, Signature: signature},
			gO: callbacks.Options{Key: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r callbacks.Registry
			a, err := r.RegisterFunc(c.f, c.fo)
			check.NoError(t, err)
			b, err := r.RegisterFunc(c.g, c.gO)
			check.NoError(t, err)
			check.Diff(t, "same id", c.same, a == b)
			again, err := r.RegisterFunc(c.f, c.fo)
			check.NoError(t, err)
			if c.name != "NaN is not itself" {
				check.Diff(t, "first again", a, again)
			}
		})
	}
}

// Each capture is called by its own id, so the captures were not mixed up.
func TestClosuresOfOneLiteral(t *testing.T) {
	var r callbacks.Registry
	counts := make([]int, 5)
	for i := range counts {
		id, err := r.RegisterFunc(func(*callbacks.Frame) error { counts[i]++; return nil }, callbacks.Options{})
		check.NoError(t, err)
		s, err := dispatch.ResolveIn(&r, withID(&r, id))
		check.NoError(t, err)
		for range i {
			check.NoError(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{}))
		}
	}
	check.Diff(t, "counts", []int{0, 1, 2, 3, 4}, counts)
}

func TestReferences(t *testing.T) {
	r := registry(t)
	first, err := r.RegisterFunc(plainA, callbacks.Options{})
	check.NoError(t, err)
	for range 2 {
		id, err := r.RegisterFunc(plainA, callbacks.Options{})
		check.NoError(t, err)
		check.Diff(t, "id", first, id)
	}
	s, err := dispatch.ResolveIn(r, withID(r, first))
	check.NoError(t, err)
	for left := 2; left >= 0; left-- {
		check.Diff(t, "List", []callbacks.Info{{ID: first, References: left + 1}}, r.List())
		check.NoError(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{}))
		check.NoError(t, r.UnregisterID(first))
	}
	want := callbacks.UnknownError{Callback: fmt.Sprintf("id %d", first), Registry: r.Name(), Missing: "callback",
		IDState: callbacks.IDUnregistered}
	wantUnknown(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{}), want)
	wantUnknown(t, r.UnregisterID(first), want)
	check.Diff(t, "List", []callbacks.Info{}, r.List())

	// The same function gets another id, so that nothing old is bound to it.
	id, err := r.RegisterFunc(plainA, callbacks.Options{})
	check.NoError(t, err)
	if id == first {
		t.Errorf("the id %d was given again", id)
	}
	wantUnknown(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{}), want)
}

func TestPastOfIDs(t *testing.T) {
	r, other := registry(t), &callbacks.Registry{}
	mine, err := r.RegisterFunc(plainA, callbacks.Options{})
	check.NoError(t, err)
	theirs, err := other.RegisterFunc(plainA, callbacks.Options{})
	check.NoError(t, err)
	check.NoError(t, r.UnregisterID(mine))
	var fresh callbacks.Registry
	for _, c := range []struct {
		r    *callbacks.Registry
		id   int64
		want callbacks.IDState
	}{
		{r, mine, callbacks.IDUnregistered},
		{r, mine + 1, callbacks.IDNeverReturned},
		{r, theirs, callbacks.IDInAnotherRegistry},
		{r, theirs + 1, callbacks.IDNeverReturned},
		{r, math.MaxInt64, callbacks.IDNeverReturned},
		{r, 1<<62 + 1, callbacks.IDNeverReturned},
		{r, mine &^ (1<<32 - 1), callbacks.IDNeverReturned},
		{r, 0, callbacks.IDNeverReturned},
		{r, math.MinInt64, callbacks.IDNeverReturned},
		{&fresh, mine, callbacks.IDInAnotherRegistry},
	} {
		_, err := dispatch.ResolveIn(c.r, contract.Config{ID: c.id})
		check.Diff(t, fmt.Sprint(c.id), c.want, check.As[*callbacks.UnknownError](t, err).IDState)
	}
}

func TestKeyErrors(t *testing.T) {
	var r callbacks.Registry
	notComparable := "callbacks: Options.Key is not comparable: use a string, a number, a pointer or a struct of those"
	for _, key := range []any{[]int{1}, map[string]int{}, plainA, struct{ any }{[]int{}}} {
		_, err := r.RegisterFunc(plainA, callbacks.Options{Key: key})
		check.Text(t, err, notComparable)
	}
	check.Text(t, r.Register("f", plainA, callbacks.Options{Key: 1}),
		`callbacks: callback "f": Options.Key has no effect for a callback with a name: leave it out`)
	check.Text(t, r.Declare("f", callbacks.Options{Key: 1}),
		`callbacks: callback "f": Options.Key has no effect for a callback with a name: leave it out`)
	check.Diff(t, "List", []callbacks.Info{}, r.List())
}

func TestStatic(t *testing.T) {
	var r callbacks.Registry
	var seen [][]any
	look := func(f *callbacks.Frame) error { seen = append(seen, f.Static); return nil }
	static := []any{"layer", 3}
	check.NoError(t, r.Register("f", look, callbacks.Options{Static: static}))
	check.NoError(t, r.Register("g", look, callbacks.Options{}))
	id, err := r.RegisterFunc(look, callbacks.Options{Static: static})
	check.NoError(t, err)
	static[1] = 4 // what was bound stays
	for _, config := range []contract.Config{{Callback: "f"}, {Callback: "g"}, {ID: id}} {
		s, err := dispatch.ResolveIn(&r, config)
		check.NoError(t, err)
		var frame callbacks.Frame
		check.NoError(t, dispatchtest.Invoke(s, nil, &frame))
		check.Diff(t, "afterwards", []any(nil), frame.Static) // a frame may serve another function next
	}
	check.Diff(t, "static", [][]any{{"layer", 3}, nil, {"layer", 3}}, seen)
}

func TestStaticArgument(t *testing.T) {
	f := &callbacks.Frame{Name: "f", Static: []any{"layer", 3, nil}}
	layer, err := callbacks.Static[string](f, 0)
	check.NoError(t, err)
	n, err := callbacks.Static[int](f, 1)
	check.NoError(t, err)
	check.Diff(t, "static", "layer3", fmt.Sprint(layer, n))
	for want, get := range map[string]func() error{
		`callbacks: callback "f" has 3 static arguments, none at index 3`: func() error {
			_, err := callbacks.Static[int](f, 3)
			return err
		},
		`callbacks: callback "f" has 3 static arguments, none at index -1`: func() error {
			_, err := callbacks.Static[int](f, -1)
			return err
		},
		`callbacks: static argument 0 of callback "f" is a string, not a int64`: func() error {
			_, err := callbacks.Static[int64](f, 0)
			return err
		},
		`callbacks: static argument 2 of callback "f" is a <nil>, not a error`: func() error {
			_, err := callbacks.Static[error](f, 2)
			return err
		},
		`callbacks: the frame is nil: call Static inside a callback`: func() error {
			_, err := callbacks.Static[int](nil, 0)
			return err
		},
	} {
		check.Text(t, get(), want)
	}
}

func TestDeclare(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Declare("f", callbacks.Options{Signature: signature}))
	check.Text(t, r.Declare("", callbacks.Options{}), "callbacks: the name of the declared callback is empty: give one")
	check.Text(t, r.Declare("f", callbacks.Options{}),
		`callbacks: the callback "f" is declared already: Unregister it first`)
	check.Text(t, r.Register("f", nothing, callbacks.Options{}),
		`callbacks: the callback "f" is declared already: Unregister it first`)
	check.NoError(t, r.Register("g", nothing, callbacks.Options{}))
	check.Text(t, r.Declare("g", callbacks.Options{}),
		`callbacks: the callback "g" is registered already: Unregister it first`)
	check.Diff(t, "List", []callbacks.Info{
		{Name: "f", Signature: signature, References: 1, Declared: true},
		{Name: "g", References: 1},
	}, r.List())

	config := named(r, "f")
	config.Signature = contract.SignatureHash(signature)
	s, err := dispatch.Resolve(config)
	check.NoError(t, err)
	check.Diff(t, "NoOp", false, s.NoOp())
	wantUnknown(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{Config: config}),
		callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "function"})

	// An optional call does nothing and clears its results.
	config.Optional = true
	result := tensor.Vector[int8](1, 2)
	check.NoError(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{Config: config, Results: []tensor.View{result}}))
	check.Diff(t, "result", tensor.Vector[int8](0, 0), result)
	config.Form = contract.Passthrough
	result = tensor.Vector[int8](1, 2)
	check.NoError(t, dispatchtest.Invoke(s, nil,
		&callbacks.Frame{Config: config, Args: []tensor.View{result}, Results: []tensor.View{result}}))
	check.Diff(t, "passed through", tensor.Vector[int8](1, 2), result)

	config.Signature = contract.SignatureHash("->")
	_, err = dispatch.Resolve(config)
	check.As[*callbacks.SignatureError](t, err)

	check.NoError(t, r.Unregister("f"))
	wantUnknown(t, dispatchtest.Invoke(s, nil, &callbacks.Frame{}),
		callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"})
	r.Close()
	check.Text(t, r.Declare("h", callbacks.Options{}), `callbacks: the registry "TestDeclare" is closed`)
}

func TestList(t *testing.T) {
	r := registry(t)
	check.Diff(t, "List", []callbacks.Info{}, r.List())
	for _, name := range []string{"b", "c", "a"} {
		check.NoError(t, r.Register(name, nothing, callbacks.Options{}))
	}
	var ids []int64
	for i := range 3 {
		id, err := r.RegisterFunc(nothing, callbacks.Options{Key: i, Signature: "->"})
		check.NoError(t, err)
		ids = append(ids, id)
	}
	check.Diff(t, "List", []callbacks.Info{
		{Name: "a", References: 1}, {Name: "b", References: 1}, {Name: "c", References: 1},
		{ID: ids[0], References: 1, Signature: "->"}, {ID: ids[1], References: 1, Signature: "->"},
		{ID: ids[2], References: 1, Signature: "->"},
	}, r.List())
	names := callbacks.Registries()
	if len(names) < 2 || names[0] != "" || names[len(names)-1] < r.Name() {
		t.Errorf("the registries are %q", names)
	}
	r.Close()
	check.Diff(t, "List", []callbacks.Info{}, r.List())
}

// Goroutines that register one function at once all get the same id, and the last release
// ends it.
func TestReferencesConcurrently(t *testing.T) {
	const workers, rounds = 8, 100
	var r callbacks.Registry
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range rounds {
				id, err := r.RegisterFunc(plainA, callbacks.Options{Key: "k"})
				if err != nil {
					t.Error(err)
					return
				}
				s, err := dispatch.ResolveIn(&r, withID(&r, id))
				if err == nil {
					err = dispatchtest.Invoke(s, nil, &callbacks.Frame{})
				}
				if err != nil {
					t.Error(err) // it holds a reference
				}
				check.Report(t, r.UnregisterID(id))
			}
		})
	}
	group.Wait()
	check.Diff(t, "List", []callbacks.Info{}, r.List())
}
