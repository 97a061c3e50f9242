package callbacks_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const signature = "f32[4]->f32[4]"

func nothing(*callbacks.Frame) error { return nil }

// registry makes one for the test, named after it.
func registry(t testing.TB) *callbacks.Registry {
	t.Helper()
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// named is the Config of a callback bound by name, in a registry.
func named(r *callbacks.Registry, name string) contract.Config {
	return contract.Config{Form: contract.Call, Callback: name, Registry: r.Name()}
}

func withID(r *callbacks.Registry, id int64) contract.Config {
	return contract.Config{Form: contract.Call, ID: id, Registry: r.Name()}
}

func TestResolveByName(t *testing.T) {
	r := registry(t)
	var called []string
	for _, name := range []string{"a", "b", "ü–日本"} {
		check.NoError(t, r.Register(name, func(*callbacks.Frame) error { called = append(called, name); return nil },
			callbacks.Options{Signature: signature}))
	}
	for _, name := range []string{"b", "ü–日本", "a"} {
		for _, hash := range []string{"", contract.SignatureHash(signature)} {
			config := named(r, name)
			config.Signature = hash
			slot, err := dispatch.Resolve(config)
			check.NoError(t, err)
			check.Diff(t, "NoOp", false, slot.NoOp())
			check.NoError(t, dispatchtest.Invoke(slot, nil, &callbacks.Frame{}))
		}
	}
	check.Diff(t, "called", []string{"b", "b", "ü–日本", "ü–日本", "a", "a"}, called)
}

func TestResolveByID(t *testing.T) {
	r, other := registry(t), &callbacks.Registry{}
	var called []int
	var ids []int64
	for i := range 3 {
		id, err := r.RegisterFunc(func(*callbacks.Frame) error { called = append(called, i); return nil },
			callbacks.Options{})
		check.NoError(t, err)
		if id <= 0 || i > 0 && id <= ids[i-1] {
			t.Errorf("the ids are %d, then %d", ids, id)
		}
		ids = append(ids, id)
	}
	for _, i := range []int{2, 0, 1} {
		slot, err := dispatch.Resolve(withID(r, ids[i]))
		check.NoError(t, err)
		check.NoError(t, dispatchtest.Invoke(slot, nil, &callbacks.Frame{}))
	}
	check.Diff(t, "called", []int{2, 0, 1}, called)

	// An id is good in its own registry only, and is not handed out again.
	id, err := other.RegisterFunc(nothing, callbacks.Options{})
	check.NoError(t, err)
	if id <= ids[2] {
		t.Errorf("another registry gave the id %d again", id)
	}
	_, err = dispatch.Resolve(withID(r, id))
	wantUnknown(t, err, callbacks.UnknownError{Callback: fmt.Sprintf("id %d", id), Registry: t.Name(),
		Missing: "callback", IDState: callbacks.IDInAnotherRegistry})
}

// The name of a binding wins over an id, which such a module does not have.
func TestNamesAndIDsAreApart(t *testing.T) {
	r := registry(t)
	id, err := r.RegisterFunc(nothing, callbacks.Options{})
	check.NoError(t, err)
	_, err = dispatch.Resolve(named(r, fmt.Sprintf("id %d", id)))
	wantUnknown(t, err,
		callbacks.UnknownError{Callback: fmt.Sprintf("id %d", id), Registry: t.Name(), Missing: "callback"})
}

func TestDefaultRegistry(t *testing.T) {
	const name = "TestDefaultRegistry"
	check.Diff(t, "Name", "", callbacks.Default.Name())
	check.NoError(t, callbacks.Default.Register(name, nothing, callbacks.Options{}))
	t.Cleanup(func() { _ = callbacks.Default.Close() })
	_, err := dispatch.Resolve(contract.Config{Form: contract.Call, Callback: name})
	check.NoError(t, err)

	// It is only emptied.
	callbacks.Default.Close()
	_, err = dispatch.Resolve(contract.Config{Form: contract.Call, Callback: name})
	wantUnknown(t, err, callbacks.UnknownError{Callback: name, Missing: "callback"})
	check.NoError(t, callbacks.Default.Register(name, nothing, callbacks.Options{}))
	_, err = dispatch.Resolve(contract.Config{Form: contract.Call, Callback: name})
	check.NoError(t, err)
}

// A registry without a name can be used directly.
func TestZeroRegistry(t *testing.T) {
	var r callbacks.Registry
	_, err := dispatch.ResolveIn(&r, contract.Config{Callback: "f"})
	wantUnknown(t, err, callbacks.UnknownError{Callback: "f", Missing: "callback"})
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	_, err = dispatch.ResolveIn(&r, contract.Config{Callback: "f"})
	check.NoError(t, err)
	r.Close()

	check.NoError(t, callbacks.Default.Register("TestZeroRegistry", nothing, callbacks.Options{}))
	_, err = dispatch.Resolve(contract.Config{Callback: "TestZeroRegistry"})
	check.NoError(t, err) // the default one is where it was
	check.NoError(t, callbacks.Default.Unregister("TestZeroRegistry"))
}

func TestNewRegistryErrors(t *testing.T) {
	r := registry(t)
	_, err := callbacks.NewRegistry(r.Name(), callbacks.RegistryOptions{})
	check.Text(t, err, `callbacks: the registry "TestNewRegistryErrors" exists already: Close it first, or use another name`)
	_, err = callbacks.NewRegistry("", callbacks.RegistryOptions{})
	check.Text(t, err, "callbacks: the name of the registry is empty: give one, or use Default")
}

func TestRegisterErrors(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	for _, c := range []struct {
		name, signature string
		fn              callbacks.Func
		want            string
	}{
		{"", "", nothing, "callbacks: the name of the callback is empty: give one, or use RegisterFunc, which returns an id"},
		{"g", "", nil, `callbacks: the function of callback "g" is nil`},
		{"f", "", nothing, `callbacks: the callback "f" is registered already: Unregister it first`},
		{"g", "f32[4] -> f32[4]", nothing, `callbacks: callback "g": contract: "f32[4] -> f32[4]" is no signature; write one like f32[2,3],s32[]->f32[]: tensor: "f32[4] " is not a shape; write one like f32[2,3] or s32[]`},
	} {
		check.Text(t, r.Register(c.name, c.fn, callbacks.Options{Signature: c.signature}), c.want)
	}
	id, err := r.RegisterFunc(nil, callbacks.Options{})
	check.Text(t, err, "callbacks: the function is nil")
	check.Diff(t, "id", int64(0), id)

	_, err = dispatch.Resolve(named(r, "g")) // none of them left something behind
	wantUnknown(t, err, callbacks.UnknownError{Callback: "g", Registry: r.Name(), Missing: "callback"})
}

func TestUnregister(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	check.NoError(t, r.Register("g", nothing, callbacks.Options{}))
	id, err := r.RegisterFunc(nothing, callbacks.Options{})
	check.NoError(t, err)
	byName, err := dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	byID, err := dispatch.Resolve(withID(r, id))
	check.NoError(t, err)
	check.NoError(t, dispatchtest.Invoke(byName, nil, &callbacks.Frame{}))
	check.NoError(t, dispatchtest.Invoke(byID, nil, &callbacks.Frame{}))

	check.NoError(t, r.Unregister("f"))
	check.NoError(t, r.UnregisterID(id))

	wantF := callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"}
	wantID := callbacks.UnknownError{Callback: fmt.Sprintf("id %d", id), Registry: r.Name(), Missing: "callback",
		IDState: callbacks.IDUnregistered}
	wantUnknown(t, dispatchtest.Invoke(byName, nil, &callbacks.Frame{}), wantF)
	wantUnknown(t, dispatchtest.Invoke(byID, nil, &callbacks.Frame{}), wantID)
	check.Diff(t, "NoOp", false, byName.NoOp())
	wantUnknown(t, r.Unregister("f"), wantF)
	wantUnknown(t, r.UnregisterID(id), wantID)
	wantUnknown(t, r.UnregisterID(-1), callbacks.UnknownError{Callback: "id -1", Registry: r.Name(),
		Missing: "callback", IDState: callbacks.IDNeverReturned})
	_, err = dispatch.Resolve(named(r, "f"))
	wantUnknown(t, err, wantF)
	_, err = dispatch.Resolve(withID(r, id))
	wantUnknown(t, err, wantID)

	untouched, err := dispatch.Resolve(named(r, "g"))
	check.NoError(t, err)
	check.NoError(t, dispatchtest.Invoke(untouched, nil, &callbacks.Frame{}))
}

// TestRegisterAgain holds that what is bound to a name calls the function that has the name now, with its
// options, and that its calls are counted together.
func TestRegisterAgain(t *testing.T) {
	refused := errors.New("refused")
	for name, test := range map[string]struct {
		first, again callbacks.Options
		text         string // of the error
		measured     int64
	}{
		"equal options":    {},
		"another dispatch": {again: callbacks.Options{Dispatch: callbacks.Goroutine}},
		"inline again":     {first: callbacks.Options{Dispatch: callbacks.Deferred}},
		"measured":         {again: callbacks.Options{Measure: true}, measured: 1},
		"the signature":    {again: callbacks.Options{Signature: signature}},
		"another signature": {again: callbacks.Options{Signature: "s32[]->"},
			text: `callback "f" is registered with the signature s32[]->`},
		"of no such calls": {again: callbacks.Options{Dispatch: callbacks.Async},
			text: `which has results that the device waits for`},
		"refused": {again: callbacks.Options{Check: func(contract.Config) error { return refused }}, text: "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			r := registry(t)
			calls := map[string]int{}
			counting := func(what string) callbacks.Func {
				return func(*callbacks.Frame) error { calls[what]++; return nil }
			}
			check.NoError(t, r.Register("f", counting("first"), test.first))
			config := named(r, "f")
			config.Signature = contract.SignatureHash(signature)
			site, err := dispatch.Resolve(config)
			check.NoError(t, err)
			defer site.Close()
			invoke := func() error { return dispatchtest.Invoke(site, nil, &callbacks.Frame{Name: "f"}) }
			check.NoError(t, invoke())
			gone := callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"}
			for range 2 {
				check.NoError(t, r.Unregister("f"))
				wantUnknown(t, invoke(), gone)
				check.NoError(t, r.Register("f", counting("again"), test.again))
				if test.text != "" {
					check.Error(t, invoke(), test.text)
				} else {
					check.NoError(t, invoke())
				}
			}
			stat := r.Stats()[0]
			want := map[string]int{"first": 1, "again": 2}
			delivered, failed := int64(3), int64(2)
			if test.text != "" {
				delete(want, "again")
				delivered, failed = 1, 4
			}
			check.Diff(t, "calls", want, calls)
			check.Diff(t, "delivered, failed, measured", []int64{delivered, failed, 2 * test.measured},
				[]int64{stat.Delivered, stat.Failed, stat.Latency.Count})
		})
	}
}

func TestClose(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	id, err := r.RegisterFunc(nothing, callbacks.Options{})
	check.NoError(t, err)
	byName, err := dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	byID, err := dispatch.Resolve(withID(r, id))
	check.NoError(t, err)

	r.Close()
	wantUnknown(t, dispatchtest.Invoke(byName, nil, &callbacks.Frame{}),
		callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"})
	wantUnknown(t, dispatchtest.Invoke(byID, nil, &callbacks.Frame{}), callbacks.UnknownError{
		Callback: fmt.Sprintf("id %d", id), Registry: r.Name(), Missing: "callback", IDState: callbacks.IDUnregistered})
	closed := `callbacks: the registry "TestClose" is closed`
	check.Text(t, r.Register("g", nothing, callbacks.Options{}), closed)
	_, err = r.RegisterFunc(nothing, callbacks.Options{})
	check.Text(t, err, closed)
	check.Diff(t, "ErrClosed", true, errors.Is(err, callbacks.ErrClosed))
	_, err = dispatch.Resolve(named(r, "f"))
	wantUnknown(t, err, callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "registry"})
	check.Text(t, err, `callbacks: there is no registry "TestClose", which the module names for callback "f": make it with NewRegistry before the module is compiled`)

	// Its name is free, and closing it again does not touch the new owner.
	successor, err := callbacks.NewRegistry(r.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer successor.Close()
	check.NoError(t, successor.Register("f", nothing, callbacks.Options{}))
	r.Close()
	_, err = dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	_, err = callbacks.NewRegistry(r.Name(), callbacks.RegistryOptions{})
	check.Text(t, err, `callbacks: the registry "TestClose" exists already: Close it first, or use another name`)
}

func TestResolveOptional(t *testing.T) {
	r := registry(t)
	id, err := r.RegisterFunc(nothing, callbacks.Options{})
	check.NoError(t, err)
	check.NoError(t, r.Register("there", nothing, callbacks.Options{Signature: signature}))
	for _, c := range []struct {
		name   string
		config contract.Config
		noOp   bool
	}{
		{"name", named(r, "not there"), true},
		{"id", withID(r, id+1000), true},
		{"registry", contract.Config{Form: contract.Call, Callback: "there", Registry: "no such registry"}, true},
		{"bound name", named(r, "there"), false},
		{"bound id", withID(r, id), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Optional = true
			slot, err := dispatch.Resolve(c.config)
			check.NoError(t, err)
			check.Diff(t, "NoOp", c.noOp, slot.NoOp())
			check.NoError(t, dispatchtest.Invoke(slot, nil, &callbacks.Frame{}))
		})
	}

	// Optional is for what is not there, not for what is wrong.
	config := named(r, "there")
	config.Optional, config.Signature = true, contract.SignatureHash("->")
	_, err = dispatch.Resolve(config)
	check.As[*callbacks.SignatureError](t, err)
}

func TestResolveSignature(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("typed", nothing, callbacks.Options{Signature: signature}))
	check.NoError(t, r.Register("any", nothing, callbacks.Options{}))
	config := named(r, "typed")
	config.Signature = contract.SignatureHash("f32[5]->f32[5]")
	_, err := dispatch.Resolve(config)
	want := callbacks.SignatureError{Callback: "typed", Have: signature, WantHash: config.Signature}
	check.Diff(t, "error", want, *check.As[*callbacks.SignatureError](t, err))
	check.Text(t, err, `callbacks: callback "typed" is registered with the signature f32[4]->f32[4], but the module was built for another signature (`+config.Signature+`): preflight.Check finds out which`)

	config.Callback = "any"
	_, err = dispatch.Resolve(config)
	check.NoError(t, err)
}

// A slot says which registry it came from, also where the module names none.
func TestSlotKnowsItsRegistry(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	slot, err := dispatch.ResolveIn(r, contract.Config{Callback: "f"})
	check.NoError(t, err)
	check.NoError(t, r.Unregister("f"))
	wantUnknown(t, dispatchtest.Invoke(slot, nil, &callbacks.Frame{}),
		callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"})
}

func TestNearestName(t *testing.T) {
	for _, c := range []struct {
		name       string
		registered []string
		asked      string
		want       string
	}{
		{"none registered", nil, "loss", ""},
		{"a letter too many", []string{"loss"}, "losss", "loss"},
		{"a letter too few", []string{"loss"}, "los", "loss"},
		{"another letter", []string{"loss"}, "lost", "loss"},
		{"two swapped", []string{"gradient"}, "gradeint", "gradient"},
		{"capitals", []string{"loss"}, "Loss", "loss"},
		{"the nearest of several", []string{"metrics", "metric", "matrices"}, "metrik", "metric"},
		{"as near, the first in the alphabet", []string{"log_c", "log_b", "log_a"}, "log_x", "log_a"},
		{"half of the letters", []string{"abxx"}, "abcd", "abxx"},
		{"more than half of them", []string{"axxx"}, "abcd", ""},
		{"another word", []string{"optimizer"}, "loss", ""},
		{"one letter", []string{"a"}, "b", ""},
		{"a long name", []string{"loss", strings.Repeat("x", 1000)}, strings.Repeat("x", 1001),
			strings.Repeat("x", 1000)},
		{"a hostile one", []string{"loss"}, strings.Repeat("loss", 1<<20), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := registry(t)
			for _, name := range c.registered {
				check.NoError(t, r.Register(name, nothing, callbacks.Options{}))
			}
			want := callbacks.UnknownError{Callback: c.asked, Registry: r.Name(), Missing: "callback", Nearest: c.want}
			for range 5 { // a map's order is another each time
				_, err := dispatch.Resolve(named(r, c.asked))
				wantUnknown(t, err, want)
				wantUnknown(t, r.Unregister(c.asked), want)
			}
		})
	}
}

func TestUnknownErrorText(t *testing.T) {
	for _, c := range []struct {
		err  callbacks.UnknownError
		want string
	}{
		{callbacks.UnknownError{Callback: "los", Missing: "callback", Nearest: "loss"},
			`callbacks: callback "los" is not registered in the default registry (is it "loss"?): register it before the module is compiled, and until its executable is closed`},
		{callbacks.UnknownError{Callback: "los", Registry: "main", Missing: "callback"},
			`callbacks: callback "los" is not registered in the registry "main": register it before the module is compiled, and until its executable is closed`},
		{callbacks.UnknownError{Callback: "loss", Missing: "function"},
			`callbacks: callback "loss" is only declared in the default registry, and the run has no function for it: give one by With`},
		{callbacks.UnknownError{Callback: "id 4", Missing: "callback", IDState: callbacks.IDUnregistered},
			`callbacks: callback "id 4" of the default registry was unregistered: unregister it only when every executable that calls it is closed`},
		{callbacks.UnknownError{Callback: "id 4", Registry: "main", Missing: "callback",
			IDState: callbacks.IDInAnotherRegistry},
			`callbacks: callback "id 4" is not in the registry "main" but in another one: name that registry in the module`},
		{callbacks.UnknownError{Callback: "id 4", Registry: "main", Missing: "callback",
			IDState: callbacks.IDNeverReturned},
			`callbacks: callback "id 4" was never returned by the registry "main" of this process: ids are valid in one process only, so bind callbacks of saved modules by name`},
	} {
		check.Text(t, &c.err, c.want)
	}
}

// Everything concurrently. No call may run a function that is not its own, and every error
// must be the one for a missing callback.
func TestConcurrency(t *testing.T) {
	const workers, rounds = 8, 200
	r := registry(t)
	check.NoError(t, r.Register("always", nothing, callbacks.Options{Signature: signature}))
	always, err := dispatch.Resolve(named(r, "always"))
	check.NoError(t, err)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			name := fmt.Sprintf("worker %d", w%2) // two workers fight for each name
			var seen string
			own := func(c *callbacks.Frame) error { seen = c.Name; return nil }
			for i := range rounds {
				id, err := r.RegisterFunc(own, callbacks.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				slot, err := dispatch.ResolveIn(r, withID(r, id))
				if err != nil {
					t.Error(err)
					return
				}
				call := callbacks.Frame{Name: fmt.Sprint(w, i)}
				if err := dispatchtest.Invoke(slot, nil, &call); err != nil || seen != call.Name {
					t.Errorf("the call %s ended with %v and was seen as %s", call.Name, err, seen)
				}
				check.Report(t, r.UnregisterID(id))
				_ = r.Register(name, nothing, callbacks.Options{}) // the other one may be first
				if slot, err := dispatch.Resolve(named(r, name)); err == nil {
					err = dispatchtest.Invoke(slot, nil, &call)
					if unknown := new(callbacks.UnknownError); err != nil && !errors.As(err, &unknown) {
						t.Error(err)
					}
				}
				_ = r.Unregister(name)
				check.Report(t, dispatchtest.Invoke(always, nil, &call))
				own, err := callbacks.NewRegistry(fmt.Sprint(t.Name(), w), callbacks.RegistryOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				go own.Close()
				own.Close()
			}
		})
	}
	group.Wait()
}

func wantUnknown(t testing.TB, err error, want callbacks.UnknownError) {
	t.Helper()
	check.Diff(t, "error", want, *check.As[*callbacks.UnknownError](t, err))
}

// The calls of PerSecond are spaced, over all call sites. The last one of each is made before a barrier,
// unless its call site makes a later one.
func TestPerSecond(t *testing.T) {
	var now atomic.Int64
	callbacks.SetTime(t, func() time.Duration { return time.Duration(now.Load()) * time.Millisecond })
	r := registry(t)
	var made []int32
	check.NoError(t, r.Register("f", func(f *callbacks.Frame) error {
		made = append(made, f.Args[0].At(0).(int32))
		return nil
	}, callbacks.Options{PerSecond: 10}))
	var slots []*dispatch.Slot
	for range 2 {
		s, err := dispatch.Resolve(contract.Config{Form: contract.Observe, Callback: "f", Registry: r.Name()})
		check.NoError(t, err)
		slots = append(slots, s)
	}
	for _, call := range []struct {
		at   int64 // in milliseconds, which is what it passes
		site int
	}{{0, 0}, {11, 0}, {99, 0}, {100, 0}, {150, 0}, {160, 1}, {190, 1}, {199, 0}} {
		now.Store(call.at)
		v := tensor.Scalar(int32(call.at))
		check.NoError(t,
			dispatchtest.Invoke(slots[call.site], nil, &callbacks.Frame{Name: "f", Args: []tensor.View{v}}))
		clear(v.Data) // the runtime uses it again
	}
	check.NoError(t, callbacks.Barrier(t.Context(), "end"))
	check.Diff(t, "made", []int32{0, 100, 190, 199}, made)
	check.Diff(t, "counts", callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: 8, Delivered: 4, Dropped: 4},
		r.Stats()[0])
}

// Without a barrier, the last call is made when its time has come.
func TestPerSecondLast(t *testing.T) {
	r := registry(t)
	last := make(chan int32, 1)
	check.NoError(t, r.Register("f", func(f *callbacks.Frame) error {
		if v := f.Args[0].At(0).(int32); v == 99 {
			last <- v
		}
		return nil
	}, callbacks.Options{PerSecond: 100}))
	s, err := dispatch.Resolve(contract.Config{Form: contract.Observe, Callback: "f", Registry: r.Name()})
	check.NoError(t, err)
	for i := range 100 {
		check.NoError(t,
			dispatchtest.Invoke(s, nil, &callbacks.Frame{Name: "f", Args: []tensor.View{tensor.Scalar(int32(i))}}))
	}
	check.Diff(t, "last", int32(99), <-last)
	check.NoError(t, callbacks.Barrier(t.Context(), "end"))
	stat := r.Stats()[0]
	check.Diff(t, "all are counted", int64(100), stat.Delivered+stat.Dropped)
}
