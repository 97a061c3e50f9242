package stages_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// callNames are the callbacks of random modules.
var callNames = []string{"call", "call.goroutine", "call.deferred", "call.unordered", "pure", "io", "io.goroutine",
	"io.optional", "tap", "tap.if", "tap.async", "stuck"}

var errRandom = errors.New("the error of a random module")

// A fault is what the n-th ordered call of effect a does.
type fault uint8

const (
	noFault fault = iota
	returnsError
	panics
	cancels
)

// A log has what the callbacks of one run saw.
type log struct {
	mu      sync.Mutex
	effects map[string][]entry // in order; a call of all effects is in each
	others  []entry            // of calls without an order
	fault   fault
	at      int // the call of effect a that has it, from 1 on
	cancel  context.CancelFunc
}

type entry struct {
	name string
	args []tensor.View
}

// text has what is the same in every way of running.
func (e entry) text() string {
	text := e.name
	for _, n := range decode(e.args) {
		if n.error == nil {
			text += " " + n.view.String()
		} else {
			text += " " + n.view.Shape.String()
		}
	}
	return text
}

// add records a call, and returns the error that it should return.
func (l *log) add(f *callbacks.Frame) error {
	e := entry{name: f.Name}
	for _, v := range f.Args {
		e.args = append(e.args, v.Clone())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case f.Config.Form == contract.Call && f.Config.Effect == "" || f.Name == "tap.async":
		l.others = append(l.others, e)
		return nil
	case f.Config.Effect == builder.AllEffects:
		for _, effect := range []string{"", "a", "b"} {
			l.effects[effect] = append(l.effects[effect], e)
		}
	default:
		l.effects[f.Config.Effect] = append(l.effects[f.Config.Effect], e)
	}
	if f.Config.Effect == "a" || f.Config.Effect == builder.AllEffects {
		if len(l.effects["a"]) == l.at {
			switch l.fault {
			case returnsError:
				return fmt.Errorf("%w at call %d", errRandom, l.at)
			case panics:
				panic(errRandom)
			case cancels:
				l.cancel()
				return context.Canceled
			}
		}
	}
	return nil
}

// begin prepares the log for a run.
func (l *log) begin(f fault, at int, cancel context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.effects, l.others, l.fault, l.at, l.cancel = map[string][]entry{}, nil, f, at, cancel
}

// take returns what was recorded.
func (l *log) take() (effects map[string][]entry, others []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects, l.others
}

// differ describes the first difference between two logs, "" if there is none.
func differ(a, b []entry) string {
	for i := range min(len(a), len(b)) {
		if a[i].name != b[i].name {
			return fmt.Sprintf("call %d is %s and %s", i, a[i].text(), b[i].text())
		}
		if d := differs(a[i].args, b[i].args); d != "" {
			return fmt.Sprintf("call %d of %s: %s", i, a[i].name, d)
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d calls", len(a), len(b))
	}
	return ""
}

// differWithout compares calls that have no order.
func differWithout(a, b []entry) string {
	sorted := func(list []entry) string {
		var texts []string
		for _, e := range list {
			texts = append(texts, e.text())
		}
		slices.Sort(texts)
		return strings.Join(texts, "\n")
	}
	if x, y := sorted(a), sorted(b); x != y {
		return fmt.Sprintf("calls without order:\n%s\nand\n%s", x, y)
	}
	return ""
}

// halve is what pure callbacks and those that change their operands compute.
func halve(args, results []tensor.View) {
	to := decode(results)
	for i, n := range decode(args) {
		if n.error == nil {
			for k, x := range integersOf(n.view) {
				switch n.view.Shape.DType {
				case tensor.Pred:
					x++
				case tensor.U8:
					x = 2*x + 1
				default:
					x = (2*x + 1) % 97
				}
				setInteger(to[i].view, k, x)
			}
			continue
		}
		d := n.view.Shape.DType
		bounds := boundsOf(results, i)
		for k, x := range floatsOf(n.view) {
			setFloat(to[i].view, k, x/2)
			setFloat(bounds, k, n.error[k]/2+rounding(d, x/2))
		}
	}
}

// boundsOf returns the array with the bounds of a float.
func boundsOf(views []tensor.View, number int) tensor.View {
	at := 0
	for range number {
		at++
		if !isExact(views[at-1].Shape.DType) {
			at++
		}
	}
	return views[at+1]
}

// lowered is halve as operations.
func lowered(args []builder.Value) (results []builder.Value) {
	for i := 0; i < len(args); i++ {
		x := args[i]
		switch x.Shape().DType {
		case tensor.Pred:
			results = append(results, builder.Not(x))
		case tensor.U8:
			results = append(results, builder.Add(builder.Mul(x, uint8(2)), uint8(1)))
		case tensor.S32, tensor.S64:
			results = append(results, builder.Rem(builder.Add(builder.Mul(x, int32(2)), int32(1)), int32(97)))
		default:
			i++
			results = append(results, computed(builder.Mul(x, 0.5), builder.Mul(args[i], 0.5)).leaves()...)
		}
	}
	return results
}

// twist computes results of the operands, in which each element has a part.
func twist(f *callbacks.Frame) error {
	args := decode(f.Args)
	for r, to := range decode(f.Results) {
		exact, x, e := int64(r), 0.0, 0.0
		for k, n := range args {
			if n.error == nil {
				for i, v := range integersOf(n.view) {
					exact = (exact*3 + v*int64(k+i+1)) % 97
				}
				continue
			}
			for i, v := range floatsOf(n.view) {
				x, e = x+v/8, e+n.error[i]/8
			}
		}
		for i := range to.view.Shape.NumElements() {
			if to.error == nil {
				setInteger(to.view, i, max(exact, -exact)+int64(i))
				continue
			}
			v := min(max(x+float64(exact)/97+float64(i)/4, -4), 4)
			setFloat(to.view, i, v)
			setFloat(boundsOf(f.Results, r), i, min(8, e+rounding(to.view.Shape.DType, v)))
		}
	}
	return nil
}

// registerRandom registers the callbacks of random modules.
func registerRandom(t *testing.T, l *log) {
	logged := func(fn callbacks.Func) callbacks.Func {
		return func(f *callbacks.Frame) error {
			if err := l.add(f); err != nil {
				return err
			}
			return fn(f)
		}
	}
	pass := logged(func(f *callbacks.Frame) error { halve(f.Args, f.Results); return nil })
	call := logged(twist)
	for name, c := range map[string]struct {
		fn callbacks.Func
		o  callbacks.Options
	}{
		"call":           {call, callbacks.Options{}},
		"call.unordered": {call, callbacks.Options{}},
		"call.goroutine": {call, callbacks.Options{Dispatch: callbacks.Goroutine}},
		"call.deferred":  {call, callbacks.Options{Dispatch: callbacks.Deferred}},
		// How often pure callbacks are called is the compiler's.
		"pure":         {func(f *callbacks.Frame) error { halve(f.Args, f.Results); return nil }, callbacks.Options{}},
		"io":           {pass, callbacks.Options{}},
		"io.goroutine": {pass, callbacks.Options{Dispatch: callbacks.Goroutine}},
		"tap":          {l.add, callbacks.Options{FailRun: true}},
		"tap.if":       {l.add, callbacks.Options{FailRun: true}},
		"tap.async":    {l.add, callbacks.Options{Dispatch: callbacks.Async}},
		"stuck":        {l.add, callbacks.Options{FailRun: true}},
	} {
		register(t, name, c.fn, c.o)
	}
}

// stick makes the callback "stuck" take longer than it may, until release is called.
func (l *log) stick(t *testing.T) (release func()) {
	t.Helper()
	released := make(chan struct{})
	again := func(fn callbacks.Func, o callbacks.Options) {
		check.NoError(t, callbacks.Default.Unregister("stuck"))
		check.NoError(t, callbacks.Default.Register("stuck", fn, o))
	}
	again(func(*callbacks.Frame) error { <-released; return nil },
		callbacks.Options{Timeout: 20 * time.Millisecond, FailRun: true})
	return func() {
		close(released)
		again(l.add, callbacks.Options{FailRun: true})
	}
}

// A way is one of the ways to run a module.
type way struct {
	name string
	o    stages.Options
}

// waysOf returns the ways for a module. Not each module is cut in each way, because compiling takes the most time.
func waysOf(seed uint64, devices []stages.Device, some map[string]stages.Decision, pure bool) []way {
	all := cutAll(callNames...)
	ways := []way{{"inline", stages.Options{Devices: devices}}, {"by the JIT compiler", stages.Options{}},
		{"on the interpreter", stages.Options{Devices: []stages.Device{stages.Interpreter()}}}}
	if seed%2 == 0 {
		ways = append(ways, way{"cut at all callbacks", stages.Options{Devices: devices, Force: all}})
	} else {
		ways = append(ways, way{"cut at some callbacks", stages.Options{Devices: devices, Force: some}})
	}
	if pure && seed%4 < 2 {
		low := maps.Clone(all)
		low["pure"] = stages.Lower
		ways = append(ways, way{"pure callbacks lowered",
			stages.Options{Devices: devices, Force: low, Lower: map[string]stages.Lowering{"pure": lowered}}})
	}
	return ways
}
