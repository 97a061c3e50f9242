package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// slot binds a function as a module would.
func slot(t testing.TB, fn callbacks.Func) *dispatch.Slot {
	t.Helper()
	r := registry(t)
	check.NoError(t, r.Register("f", fn, callbacks.Options{}))
	s, err := dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	return s
}

// The function gets the very call, and the error of the call has its error as the very value.
func TestInvoke(t *testing.T) {
	want := call{&callbacks.Frame{Name: "f", Device: 3, RunID: 12}, nil}
	mine := errors.New("mine")
	for _, err := range []error{nil, mine, io.EOF, context.Canceled, &callbacks.UnknownError{}} {
		calls := 0
		s := slotOnce(t, func(got *callbacks.Frame) error {
			calls++
			check.Diff(t, "the call", []any{"f", 3, int64(12)}, []any{got.Name, got.Device, got.RunID})
			return err
		})
		got := invoke(s, want)
		if err == nil {
			check.NoError(t, got)
		} else {
			check.Diff(t, "error", callbacks.CallError{Callback: s.Name(), Device: 3, RunID: 12, Err: err},
				*check.As[*callbacks.CallError](t, got), cmpErrors)
		}
		check.Diff(t, "calls", 1, calls)
	}
}

// slotOnce is slot for tests that need several.
func slotOnce(t testing.TB, fn callbacks.Func) *dispatch.Slot {
	t.Helper()
	var r callbacks.Registry
	id, err := r.RegisterFunc(fn, callbacks.Options{})
	check.NoError(t, err)
	s, err := dispatch.ResolveIn(&r, withID(&r, id))
	check.NoError(t, err)
	return s
}

type broken struct{}

func (broken) Error() string { panic("again") }

func TestInvokePanic(t *testing.T) {
	mine := errors.New("mine")
	for _, c := range []struct {
		name   string
		fn     func()
		text   string // of the whole error
		unwrap func(error) bool
	}{
		{"value", func() { panic("oops") }, `callbacks: callback "f" on device 0: the function panicked at LINE: oops`,
			func(err error) bool { return err == nil }},
		{"number", func() { panic(42) }, `callbacks: callback "f" on device 0: the function panicked at LINE: 42`,
			func(err error) bool { return err == nil }},
		{"error", func() { panic(mine) }, `callbacks: callback "f" on device 0: the function panicked at LINE: mine`,
			func(err error) bool { return err == mine }},
		{"nil", func() { panic(nil) },
			`callbacks: callback "f" on device 0: the function panicked at LINE: ` + new(runtime.PanicNilError).Error(),
			func(err error) bool { return errors.As(err, new(*runtime.PanicNilError)) }},
		{"bounds", func() { _ = []int{}[len(mine.Error())] }, `callbacks: callback "f" on device 0: the function panicked at LINE: runtime error: index out of range [4] with length 0`,
			func(err error) bool { return errors.As(err, new(runtime.Error)) }},
		{"nil pointer", func() { _ = (*callbacks.Frame)(nil).Name }, `callbacks: callback "f" on device 0: the function panicked at LINE: runtime error: invalid memory address or nil pointer dereference`,
			func(err error) bool { return errors.As(err, new(runtime.Error)) }},
		{"an error that panics", func() { panic(broken{}) }, `callbacks: callback "f" on device 0: the function panicked at LINE: %!v(PANIC=Error method: again)`,
			func(err error) bool { return err == broken{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := slot(t, func(*callbacks.Frame) error { c.fn(); return nil })
			err := invoke(s, call{&callbacks.Frame{Name: "f"}, nil})
			p := check.As[*callbacks.PanicError](t, err)
			check.Diff(t, "text", c.text, strings.Replace(err.Error(), p.Loc, "LINE", 1))
			check.Diff(t, "the line that panicked", true,
				strings.Contains(sourceLine(t, p.Loc), fmt.Sprintf("{%q, ", c.name)))
			if !c.unwrap(p.Unwrap()) {
				t.Errorf("it unwraps to %v", p.Unwrap())
			}
			if !strings.Contains(string(p.Stack), "TestInvokePanic") {
				t.Errorf("the stack does not show where it was:\n%s", p.Stack)
			}
			if errors.Is(err, mine) != (c.name == "error") {
				t.Errorf("errors.Is is %v", errors.Is(err, mine))
			}
		})
	}
}

// With panicnil=1 recover says nil; a panic must not pass for success all the same.
func TestInvokePanicNilOfOldCode(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	err := invoke(slot(t, func(*callbacks.Frame) error { panic(nil) }), call{&callbacks.Frame{Name: "f"}, nil})
	p := check.As[*callbacks.PanicError](t, err)
	check.Diff(t, "Value", nil, p.Value)
	check.Text(t, p, "the function panicked at "+p.Loc+": <nil>")
}

// sourceLine returns a line of a file of this folder, of which file:line is given.
func sourceLine(t *testing.T, loc string) string {
	t.Helper()
	file, number, _ := strings.Cut(filepath.Base(loc), ":")
	n, err := strconv.Atoi(number)
	check.NoError(t, err)
	lines := strings.Split(string(check.Must(os.ReadFile(file))), "\n")
	if n < 1 || n > len(lines) {
		t.Fatalf("%s has no line %d", file, n)
	}
	return lines[n-1]
}

// A slot works after its function panicked.
func TestInvokeAfterPanic(t *testing.T) {
	calls := 0
	s := slot(t, func(*callbacks.Frame) error {
		if calls++; calls == 1 {
			panic("first")
		}
		return nil
	})
	check.As[*callbacks.PanicError](t, invoke(s, call{&callbacks.Frame{}, nil}))
	check.NoError(t, invoke(s, call{&callbacks.Frame{}, nil}))
	check.Diff(t, "calls", 2, calls)
}

func TestInvokeContext(t *testing.T) {
	mine := errors.New("mine")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context // nil for one that the function may end
		end     bool
		returns error
		want    error
		calls   int
	}{
		{name: "none", calls: 1},
		{name: "ended before", ctx: ended, want: context.Canceled},
		{name: "ended by the time it returns", end: true, want: context.Canceled, calls: 1},
		{name: "its own error is the one that counts", end: true, returns: mine, want: mine, calls: 1},
		{name: "deadline", ctx: late(t), want: context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := c.ctx, func() {}
			if ctx == nil {
				ctx, cancel = context.WithCancel(t.Context())
				defer cancel()
			}
			f := call{new(callbacks.Frame).WithContext(ctx), nil}
			calls := 0
			s := slot(t, func(got *callbacks.Frame) error {
				calls++
				if got.Context() != ctx {
					t.Error("the context is another one")
				}
				if c.end {
					cancel()
				}
				return c.returns
			})
			err := invoke(s, f)
			if c.returns != nil {
				err = check.As[*callbacks.CallError](t, err).Err
			}
			if err != c.want {
				t.Errorf("got the error %v, want %v", err, c.want)
			}
			check.Diff(t, "calls", c.calls, calls)
		})
	}
	if got := new(callbacks.Frame).Context(); got != context.Background() {
		t.Errorf("the context of a call that was given none is %v", got)
	}
}

// late is a context whose deadline has passed.
func late(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	t.Cleanup(cancel)
	return ctx
}

// A call that has begun goes on when its function is released.
func TestUnregisterDuringCall(t *testing.T) {
	r := registry(t)
	begun, finish := make(chan struct{}), make(chan struct{})
	check.NoError(t,
		r.Register("f", func(*callbacks.Frame) error { close(begun); <-finish; return io.EOF }, callbacks.Options{}))
	s, err := dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	result := make(chan error)
	go func() { result <- invoke(s, call{&callbacks.Frame{}, nil}) }()
	<-begun
	check.NoError(t, r.Unregister("f"))
	wantUnknown(t, invoke(s, call{&callbacks.Frame{}, nil}),
		callbacks.UnknownError{Callback: "f", Registry: r.Name(), Missing: "callback"})
	close(finish)
	check.Diff(t, "error", io.EOF, check.As[*callbacks.CallError](t, <-result).Err, cmpErrors)
}

// A function may register and release others, also itself: no lock is held.
func TestRegistryInsideCall(t *testing.T) {
	r := registry(t)
	check.NoError(t, r.Register("f", func(*callbacks.Frame) error {
		return errors.Join(r.Register("g", nothing, callbacks.Options{}), r.Unregister("f"))
	}, callbacks.Options{}))
	s, err := dispatch.Resolve(named(r, "f"))
	check.NoError(t, err)
	check.NoError(t, invoke(s, call{&callbacks.Frame{}, nil}))
	_, err = dispatch.Resolve(named(r, "g"))
	check.NoError(t, err)
}

func TestInvokeConcurrently(t *testing.T) {
	const workers = 4
	var together sync.WaitGroup
	together.Add(workers)
	// Each call waits for all of them: they must be in flight at once.
	s := slot(t, func(*callbacks.Frame) error { together.Done(); together.Wait(); return nil })
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			check.Report(t, invoke(s, call{&callbacks.Frame{}, nil}))
		})
	}
	group.Wait()
}

func TestInvokeAllocatesNothing(t *testing.T) {
	optional := named(registry(t), "nobody")
	optional.Optional = true
	noOp, err := dispatch.Resolve(optional)
	check.NoError(t, err)
	calls := 0
	plain := slotOnce(t, func(*callbacks.Frame) error { calls++; return nil })
	failing := slotOnce(t, func(*callbacks.Frame) error { return io.EOF })
	call := dispatchtest.New((&callbacks.Frame{Name: "f"}).WithContext(t.Context()), -1)
	for name, s := range map[string]*dispatch.Slot{"plain": plain, "no-op": noOp} {
		check.Diff(t, name, 0.0, testing.AllocsPerRun(100, func() { _ = call.Invoke(s, nil) }))
	}
	// The error itself is allocated, and nothing else.
	check.Diff(t, "failing", 1.0, testing.AllocsPerRun(100, func() { _ = call.Invoke(failing, nil) }))
	check.Diff(t, "calls", 101, calls) // AllocsPerRun makes one more
}

func BenchmarkInvoke(b *testing.B) {
	s := slot(b, nothing)
	call := dispatchtest.New((&callbacks.Frame{Name: "f"}).WithContext(b.Context()), -1)
	b.ReportAllocs()
	for b.Loop() {
		if err := call.Invoke(s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEvery holds that a sampled callback is called the first time and each n-th after.
func TestEvery(t *testing.T) {
	for _, test := range []struct {
		every int64
		want  []int
	}{
		{0, []int{0, 1, 2, 3, 4, 5, 6}},
		{1, []int{0, 1, 2, 3, 4, 5, 6}},
		{3, []int{0, 3, 6}},
	} {
		r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
		check.NoError(t, err)
		var calls []int
		now := 0
		if err := r.Register("f", func(*callbacks.Frame) error { calls = append(calls, now); return nil },
			callbacks.Options{}); err != nil {
			t.Fatal(err)
		}
		slot, err := dispatch.ResolveIn(r, contract.Config{Form: contract.Observe, Callback: "f", Every: test.every})
		check.NoError(t, err)
		for now = range 7 {
			check.NoError(t, invoke(slot, call{&callbacks.Frame{Name: "f"}, nil}))
		}
		if diff := cmp.Diff(test.want, calls); diff != "" {
			t.Errorf("every %d (-want +got):\n%s", test.every, diff)
		}
		r.Close()
	}
}

func TestPolicyIsRefused(t *testing.T) {
	_, err := dispatch.Resolve(contract.Config{Form: contract.Observe, Callback: "f", Policy: "leader"})
	check.Error(t, err, `callback "f": contract: there is no device policy "leader"`)
}
