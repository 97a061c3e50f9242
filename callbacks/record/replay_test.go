package record_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// made is a call of a test: which device of which run calls with which value.
type made struct {
	device int
	run    int64
	value  float32
}

// counting is a function whose result distinguishes the calls: it is the number of calls so far.
func counting() callbacks.Func {
	n := float32(0)
	return func(f *callbacks.Frame) error {
		n++
		values, err := tensor.Slice[float32](f.Results[0])
		if err == nil {
			values[0] = n
		}
		return err
	}
}

func TestReplay(t *testing.T) {
	for name, test := range map[string]struct {
		ordered        bool
		record, replay []made
		want           []float32 // 0 where the call differs
		differences    []string
	}{
		"same": {false, []made{{0, 1, 5}, {0, 1, 6}}, []made{{0, 9, 5}, {0, 9, 6}}, []float32{1, 2}, nil},
		"in another order": {false, []made{{0, 1, 5}, {0, 1, 6}, {0, 1, 7}}, []made{{0, 9, 7}, {0, 9, 5}, {0, 9, 6}},
			[]float32{3, 1, 2}, nil},
		"equal arguments": {false, []made{{0, 1, 5}, {0, 1, 6}, {0, 1, 5}, {0, 1, 5}},
			[]made{{0, 9, 6}, {0, 9, 5}, {0, 9, 5}, {0, 9, 5}},
			[]float32{2, 1, 3, 4}, nil},
		"devices": {false, []made{{0, 1, 5}, {1, 1, 5}}, []made{{1, 9, 5}, {0, 9, 5}}, []float32{2, 1}, nil},
		"another argument": {false, []made{{0, 1, 5}, {0, 1, 6}}, []made{{0, 9, 5}, {0, 9, 7}}, []float32{1, 0},
			[]string{
				`record: callback "f" on device 0 differs from call 1 of the recording: argument 0 is 7 at [0], recorded as 6`,
				`record: callback "f" on device 0 differs from call 1 of the recording: 1 of its 2 recorded calls were not made, of which this is the first`}},
		"another device": {false, []made{{0, 1, 5}}, []made{{1, 9, 5}}, []float32{0}, []string{
			`record: a call of callback "f" on device 1 differs from the recording: the recording has no such call`,
			"1 of its 1 recorded calls were not made"}},
		"too many": {false, []made{{0, 1, 5}}, []made{{0, 9, 5}, {0, 9, 5}}, []float32{1, 0}, []string{
			`a call of callback "f" on device 0 differs from the recording: it is called more often than in the recording, which has 1 such calls`}},
		"too few": {false, []made{{0, 1, 5}, {0, 1, 6}, {0, 1, 7}}, []made{{0, 9, 6}}, []float32{2}, []string{
			`callback "f" on device 0 differs from call 0 of the recording: 2 of its 3 recorded calls were not made, of which this is the first`}},

		"ordered": {true, []made{{0, 1, 5}, {0, 1, 6}}, []made{{0, 9, 5}, {0, 9, 6}}, []float32{1, 2}, nil},
		"ordered in another order": {true, []made{{0, 1, 5}, {0, 1, 6}}, []made{{0, 9, 6}, {0, 9, 5}}, []float32{0, 1},
			[]string{
				"differs from call 0 of the recording: argument 0 is 6 at [0], recorded as 5",
				"call 1 of the recording: 1 of its 2"}},
		"ordered, order lost within a run": {true, []made{{0, 1, 5}, {0, 1, 6}, {0, 1, 7}},
			[]made{{0, 9, 5}, {0, 9, 7}, {0, 9, 6}}, []float32{1, 0, 2}, []string{
				"call 1 of the recording: argument 0 is 7 at [0], recorded as 6", "1 of its 3 recorded calls"}},
		"ordered, runs overlap": {true, []made{{0, 1, 5}, {0, 2, 8}, {0, 1, 6}, {0, 2, 9}},
			[]made{{0, 21, 8}, {0, 22, 5}, {0, 22, 6}, {0, 21, 9}},
			[]float32{2, 1, 3, 4}, nil},
		"ordered, a run too many": {true, []made{{0, 1, 5}}, []made{{0, 21, 5}, {0, 22, 5}}, []float32{1, 0},
			[]string{"more often than in the recording"}},
		"ordered, a call too many in a run": {true, []made{{0, 1, 5}, {0, 2, 5}},
			[]made{{0, 21, 5}, {0, 21, 5}, {0, 22, 5}}, []float32{1, 0, 2},
			[]string{"more often than in the recording"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := configOf("f", 0)
			if test.ordered {
				config.NumTokens = 1
			}
			recording := read(t, recorded(t, func(wrap callbacks.Middleware) {
				fn := wrap(counting())
				for _, m := range test.record {
					if _, err := call(fn, config, m.device, m.run, m.value); err != nil {
						t.Error(err)
					}
				}
			}))
			replay := record.NewReplay(recording)
			fn := replay.Wrap(func(*callbacks.Frame) error { t.Error("the function is called"); return nil })
			var got []float32
			for _, m := range test.replay {
				v, err := call(fn, config, m.device, m.run, m.value)
				if _, ok := errors.AsType[*record.DifferenceError](err); ok != (v == 0) {
					t.Errorf("the result is %v and the error %v", v, err)
				}
				got = append(got, v)
			}
			check.Diff(t, "results", test.want, got)
			var said []string
			if err := replay.Finish(); err != nil {
				said = strings.Split(err.Error(), "\n")
			}
			if len(said) != len(test.differences) {
				t.Fatalf("Finish says %q", said)
			}
			for i, want := range test.differences {
				if !strings.Contains(said[i], want) {
					t.Errorf("Finish says %q, want %q", said[i], want)
				}
			}
		})
	}
}

// DifferenceError names the first difference, in every part of a call.
func TestDifference(t *testing.T) {
	matrix := func(values ...float32) tensor.View {
		v, err := tensor.FromSlice(values, 2, 2)
		check.NoError(t, err)
		return v
	}
	negativeZero := tensor.View{Shape: tensor.ShapeOf(tensor.F32), Data: []byte{0, 0, 0, 0x80}}
	for name, test := range map[string]struct {
		was, is callbacks.Frame
		want    string
	}{
		"count": {callbacks.Frame{Args: []tensor.View{tensor.Scalar(1.0)}}, callbacks.Frame{},
			"it has 0 arguments, the recorded call has 1"},
		"shape": {callbacks.Frame{Args: []tensor.View{tensor.Scalar(1.0)}},
			callbacks.Frame{Args: []tensor.View{tensor.Vector(1.0)}}, "argument 0 is f64[1], recorded as f64[]"},
		"element": {callbacks.Frame{Args: []tensor.View{matrix(1, 2, 3, 4)}},
			callbacks.Frame{Args: []tensor.View{matrix(1, 2, 5, 6)}}, "argument 0 is 5 at [1,0], recorded as 3"},
		"scalar": {callbacks.Frame{Args: []tensor.View{tensor.Scalar(true)}},
			callbacks.Frame{Args: []tensor.View{tensor.Scalar(false)}}, "argument 0 is false at [], recorded as true"},
		"one bit": {callbacks.Frame{Args: []tensor.View{tensor.Scalar(float32(0))}},
			callbacks.Frame{Args: []tensor.View{negativeZero}}, "argument 0 is -0 at [], recorded as 0"},
		"id": {callbacks.Frame{IDs: []tensor.View{tensor.Scalar(int32(1))}},
			callbacks.Frame{IDs: []tensor.View{tensor.Scalar(int32(2))}}, "id 0 is 2 at [], recorded as 1"},
		"results": {callbacks.Frame{Results: []tensor.View{tensor.Scalar(1.0)}}, callbacks.Frame{},
			"it has 0 results, the recorded call has 1"},
		"result": {callbacks.Frame{Results: []tensor.View{tensor.Scalar(1.0)}},
			callbacks.Frame{Results: []tensor.View{tensor.Scalar(int64(1))}}, "result 0 is s64[], recorded as f64[]"},
		"more ids": {callbacks.Frame{}, callbacks.Frame{IDs: []tensor.View{tensor.Scalar(int32(1))}},
			"it has 1 ids, the recorded call has 0"},
	} {
		t.Run(name, func(t *testing.T) {
			config := configOf("f", 0)
			test.was.Config, test.is.Config, test.is.Name = config, config, "f"
			recording := read(t, recorded(t, func(wrap callbacks.Middleware) {
				check.Report(t, wrap(func(*callbacks.Frame) error { return nil })(&test.was))
			}))
			err := record.NewReplay(recording).Wrap(nil)(&test.is)
			check.Diff(t, "error", `record: callback "f" on device 0 differs from call 0 of the recording: `+test.want,
				fmt.Sprint(err))
		})
	}
	nan := func(last byte) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(tensor.F32), Data: []byte{last, 0, 0xc0, 0x7f}}
	}
	config := configOf("f", 0)
	recording := read(t, recorded(t, func(wrap callbacks.Middleware) {
		if err := wrap(func(*callbacks.Frame) error {
			return nil
		})(&callbacks.Frame{Config: config, Args: []tensor.View{nan(1)}}); err != nil {
			t.Error(err)
		}
	}))
	if err := record.NewReplay(recording).Wrap(nil)(
		&callbacks.Frame{Config: config, Args: []tensor.View{nan(2)}}); err == nil ||
		!strings.HasSuffix(err.Error(), "argument 0 is NaN (0200c07f) at [], recorded as NaN (0100c07f)") {
		t.Errorf("of another NaN: %v", err)
	}
}

// A function's failure is replayed as one; a call that the recording breaks off in is
// a difference; of many differences the first are kept.
func TestReplayFailures(t *testing.T) {
	whole := recorded(t, func(wrap callbacks.Middleware) {
		if _, err := call(wrap(double), configOf("f", 0), 0, 1, -4); err == nil {
			t.Error("it does not fail")
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = call(wrap(func(*callbacks.Frame) error { panic(1) }), configOf("p", 0), 0, 1, 0)
		}()
		if _, err := call(wrap(double), configOf("f", 0), 0, 1, 4); err != nil {
			t.Error(err)
		}
	})
	recording := read(t, whole[:len(whole)-3])
	if recording.Torn == nil {
		t.Error("it is not torn")
	}
	replay := record.NewReplay(recording)
	fn := replay.Wrap(nil)
	_, err := call(fn, configOf("f", 0), 0, 1, -4)
	if e, ok := errors.AsType[*record.RecordedError](err); !ok ||
		e.Error() != `record: callback "f" failed when it was recorded: -4 is negative` {
		t.Errorf("the replayed error is %v", err)
	}
	if _, err := call(fn, configOf("p", 0), 0, 1, 0); err == nil || !strings.Contains(err.Error(), "it panicked") {
		t.Errorf("the replayed panic is %v", err)
	}
	if _, err := call(fn, configOf("f", 0), 0, 1, 4); err == nil ||
		!strings.Contains(err.Error(), "call 2 of the recording: the recording ends within this call") {
		t.Errorf("the torn call is %v", err)
	}
	for range 50 {
		_, _ = call(fn, configOf("x", 0), 0, 1, 4)
	}
	said := strings.Split(replay.Finish().Error(), "\n")
	check.Diff(t, "lines", 21, len(said))
	check.Diff(t, "last", "record: 31 more calls differ from the recording", said[20])
}

// Calls from many goroutines, in whatever order they come, each get their own result.
func TestReplayConcurrent(t *testing.T) {
	const n = 200
	recording := read(t, recorded(t, func(wrap callbacks.Middleware) {
		for i := range n {
			if _, err := call(wrap(double), configOf("f", 0), 0, 1, float32(i)); err != nil {
				t.Error(err)
			}
		}
	}))
	replay := record.NewReplay(recording)
	fn := replay.Wrap(nil)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			if got, err := call(fn, configOf("f", 0), 0, 2, float32(n-1-i)); err != nil || got != float32(2*(n-1-i)) {
				t.Errorf("call with %d: %v, %v", n-1-i, got, err)
			}
		})
	}
	wait.Wait()
	check.Report(t, replay.Finish())
}

// Bind brings the names that are not registered, replaces what is, and puts all back.
func TestBind(t *testing.T) {
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer r.Close()
	config := func(name, registry string) contract.Config {
		c := configOf(name, 0)
		c.Registry = registry
		return c
	}
	recording := read(t, recorded(t, func(wrap callbacks.Middleware) {
		for _, c := range []contract.Config{config("mine", r.Name()), config("declared", r.Name()),
			config("absent", r.Name()), config("absent", r.Name()), config("elsewhere", "")} {
			if _, err := call(wrap(double), c, 0, 1, 3); err != nil {
				t.Error(err)
			}
		}
	}))
	own := func(f *callbacks.Frame) error { return errors.New("its own") }
	check.NoError(t, r.Register("mine", own, callbacks.Options{}))
	check.NoError(t, r.Declare("declared", callbacks.Options{}))
	release, err := record.NewReplay(recording).Bind(r)
	check.NoError(t, err)
	invoke := func(name string) (float32, error) {
		slot, err := dispatch.ResolveIn(r, config(name, r.Name()))
		if err != nil {
			return 0, err
		}
		defer slot.Close()
		return call(func(f *callbacks.Frame) error { return dispatchtest.Invoke(slot, nil, f) }, config(name, r.Name()),
			0, 1, 3)
	}
	for _, name := range []string{"mine", "declared", "absent"} {
		if got, err := invoke(name); err != nil || got != 6 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := dispatch.ResolveIn(r, config("elsewhere", r.Name())); err == nil {
		t.Error("what is recorded of another registry is in this one")
	}
	release()
	if _, err := invoke("mine"); err == nil || !strings.HasSuffix(err.Error(), ": its own") {
		t.Errorf("after it: %v", err)
	}
	if _, err := invoke("absent"); err == nil {
		t.Error("the name is still registered")
	}
	r.Close()
	if _, err := record.NewReplay(recording).Bind(r); err == nil {
		t.Error("a closed registry is bound")
	}
}
