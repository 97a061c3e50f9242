package stages_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// devices returns a client with devices.
func devices(t *testing.T, n int) *bridge.Client {
	t.Helper()
	p := check.Must(bridge.Open(bridge.OpenOptions{}))
	c := check.Must(p.NewClient(bridge.ClientOptions{Devices: n}))
	check.Cleanup(t, c)
	return c
}

// held returns what clients hold.
func held(clients ...*bridge.Client) []bridge.ClientStats {
	var list []bridge.ClientStats
	for _, c := range clients {
		list = append(list, c.Stats())
	}
	return list
}

// checkHeld compares what clients hold with what they held before. Copies of arrays that they have borrowed may still
// be under way: it waits for their end.
func checkHeld(t *testing.T, before []bridge.ClientStats, clients ...*bridge.Client) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); !slices.Equal(before, held(clients...)) &&
		time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
	check.Diff(t, "what the clients hold", before, held(clients...))
}

// build returns a module whose main f builds.
func build(t *testing.T, params int, f func(f *builder.Func)) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	main := b.Func("main", slices.Repeat([]tensor.Shape{shape}, params)...)
	f(main)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// halves returns a module of two halves, with a callback between them, and values that both need: x + 1, and an array
// that no input takes part in.
func halves(t *testing.T, name string) *mlir.Module {
	return build(t, 1, func(f *builder.Func) {
		x := builder.Add(f.Param(0), float32(1))
		i := builder.Iota(f, shape, 0)
		y := builder.RuntimeCall(x, builder.Mul(x, i), builder.Callback{Name: name})
		z := builder.RuntimeCall(x, builder.Iota(f, shape, 0), builder.Callback{Name: name})
		f.Return(builder.Sub(builder.Mul(y, x), z), x)
	})
}

// after places what follows a callback on device 1.
func after(name string) func(*stages.Stage) int {
	return func(s *stages.Stage) int {
		if slices.Contains(s.After, name) {
			return 1
		}
		return 0
	}
}

// Stages run on the devices that Place names, and the results stay there.
func TestPlace(t *testing.T) {
	var mu sync.Mutex
	var seen []int
	register(t, "double", func(f *callbacks.Frame) error {
		mu.Lock()
		seen = append(seen, f.Device)
		mu.Unlock()
		return double(f)
	}, callbacks.Options{})
	m := halves(t, "double")
	client, other := devices(t, 4), devices(t, 2)
	in := floats(1, 2, 3, -4)
	whole, err := client.Compile(t.Context(), stablehlo.Unprepared(m), engine.CompileOptions{})
	check.NoError(t, err)
	check.Cleanup(t, whole)
	want, err := whole.Call(t.Context(), in)
	check.NoError(t, err)
	before := held(client, other)
	for _, test := range []struct {
		name    string
		devices []stages.Device
		on      []stages.Device // of the results
		called  int
	}{
		{"one", stages.On(client.Engine()), nil, 0},
		{"device 2", stages.On(client.Engine(), 2), nil, 2},
		{"two of a client", stages.On(client.Engine(), 1, 3), nil, 1},
		{"two clients", append(stages.On(client.Engine(), 2), stages.On(other.Engine(), 1)...), nil, 2},
		{"the interpreter first", append([]stages.Device{stages.Interpreter()}, stages.On(client.Engine(), 2)...), nil,
			0},
		{"the interpreter last", append(stages.On(client.Engine(), 1), stages.Interpreter()), nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := stages.Options{Devices: test.devices, Force: cutAll("double")}
			if len(test.devices) > 1 {
				o.Place = after("double")
			}
			e, err := stages.Compile(t.Context(), m, o)
			check.NoError(t, err)
			seen = nil
			for range 2 {
				got, err := e.Call(t.Context(), in)
				check.NoError(t, err)
				check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
			}
			check.Diff(t, "devices of the calls", slices.Repeat([]int{test.called}, 4), seen)
			out, err := e.Run(t.Context(), in)
			check.NoError(t, err)
			for i, b := range out {
				host, err := b.ToHost(t.Context())
				check.NoError(t, err)
				check.Diff(t, "results", fmt.Sprint(want[i]), fmt.Sprint(host))
				d := test.devices[min(1-i, len(test.devices)-1)] // result 1 is x
				if d == stages.Interpreter() {
					d = test.devices[i]
				}
				if !d.Engine.Owns(b) || b.Device() != d.Number {
					t.Errorf("result %d is not on %s, but on device %d", i, d, b.Device())
				}
				check.NoError(t, b.Close())
			}
			check.NoError(t, e.Close())
			checkHeld(t, before, client, other)
		})
	}
}

func TestPlaceRefuses(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := halves(t, "double")
	client := devices(t, 2)
	for _, test := range []struct {
		o    stages.Options
		want string
	}{
		{stages.Options{Devices: stages.On(nil)}, "Options.Devices[0]: it has no engine: use On, JIT or Interpreter"},
		{stages.Options{Devices: stages.On(client.Engine(), 0, 2)},
			"Options.Devices[1]: there is no device 2; the client has 2"},
		{stages.Options{Place: func(*stages.Stage) int { return 1 }},
			"Options.Place returned 1 for stage 0: Options.Devices has 1"},
		{stages.Options{
			Devices: append(stages.On(client.Engine()), stages.Interpreter()),
			Place:   func(*stages.Stage) int { return 1 },
			Force:   map[string]stages.Decision{"double": stages.Inline},
		}, `the callback "double" is inline in stage 0, which Options.Place puts on the interpreter, which cannot call back`},
	} {
		_, err := stages.Compile(t.Context(), m, test.o)
		check.Error(t, err, test.want)
	}
	_, err := stages.Cut(m, stages.Options{
		Devices: append(stages.On(client.Engine()), stages.Interpreter()), Place: func(*stages.Stage) int { return 1 },
		Force: map[string]stages.Decision{"double": stages.Inline},
	})
	if at := new(stages.CutError); !errors.As(err, &at) || !strings.Contains(at.Location, "place_test.go") {
		t.Errorf("got %v, want a CutError with the location", err)
	}
}

// Explain and DOT name the devices, and what moves between them.
func TestExplainPlaces(t *testing.T) {
	client := devices(t, 2)
	plan, err := stages.Cut(halves(t, "double"), stages.Options{
		Devices: append(stages.On(client.Engine(), 1), stages.Interpreter()), Force: cutAll("double"),
		Place: after("double"),
	})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	text, dot := plan.Explain(), plan.DOT()
	for _, line := range [][]string{
		{"3 stages and 2 callbacks, on 0: the client's device 1, 1: the interpreter"},
		{"0", "2", "1", "3", "16", "48", "0: the client's device 1"},
		{"2", "1", "2", "1", "32", "16", "1: the interpreter"},
		{"from", "to", "values", "bytes"},
		{"0: the client's device 1", "1: the interpreter", "1", "16"},
	} {
		if !regexp.MustCompile(`(?m)^` + strings.Join(line, `  +`) + `$`).MatchString(text) {
			t.Errorf("Explain lacks %q:\n%s", line, text)
		}
	}
	for _, want := range []string{`stage 1\n1 operations\n1: the interpreter`, `[label="16 B", style=bold]`} {
		if !strings.Contains(dot, want) {
			t.Errorf("DOT lacks %q:\n%s", want, dot)
		}
	}
	check.Diff(t, "After", []string{"double"}, plan.Stages()[1].After)
}

// A value moves to another device while the stage there waits for a callback: the callback returns only when it has
// arrived.
func TestMovesEarly(t *testing.T) {
	client, other := devices(t, 2), devices(t, 1)
	for _, test := range []struct {
		name    string
		second  *bridge.Client
		arrived int64
	}{
		{"the same client", client, 3}, // x, -x, and x on the other device
		{"another client", other, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			register(t, "waits", func(f *callbacks.Frame) error {
				for ; test.second.Stats().Buffers < test.arrived; time.Sleep(time.Millisecond) {
					if err := f.Context().Err(); err != nil {
						return err
					}
				}
				return double(f)
			}, callbacks.Options{})
			m := build(t, 1, func(f *builder.Func) {
				x := builder.Add(f.Param(0), float32(1))
				f.Return(builder.Mul(builder.RuntimeCall(x, builder.Neg(x), builder.Callback{Name: "waits"}), x))
			})
			e, err := stages.Compile(t.Context(), m, stages.Options{
				Devices: append(stages.On(client.Engine()),
					stages.On(test.second.Engine(), test.second.NumDevices()-1)...),
				Place: after("waits"), Force: cutAll("waits"),
			})
			check.NoError(t, err)
			check.Cleanup(t, e)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got, err := e.Call(ctx, floats(1, 2, 3, -4))
			check.NoError(t, err)
			check.Diff(t, "results", "[f32[4] [-8 -18 -32 -18]]", fmt.Sprint(got))
		})
	}
}

// A callback that stays inline in a branch does not write to a value that is needed after the branch.
func TestInlineInBranch(t *testing.T) {
	register(t, "overwrites", func(f *callbacks.Frame) error {
		clear(f.Results[0].Data)
		return nil
	}, callbacks.Options{})
	register(t, "double", double, callbacks.Options{})
	m := build(t, 1, func(f *builder.Func) {
		x := builder.Add(f.Param(0), float32(1))
		positive := builder.Gt(builder.Reshape(builder.SliceAxis(x, 0, 0, 1)), float32(0))
		builder.If(positive, func() builder.Value {
			return builder.Passthrough(x,
				builder.Callback{Name: "overwrites"})
		}, func() builder.Value { return builder.Neg(x) })
		f.Return(builder.RuntimeCall(x, x, builder.Callback{Name: "double"}))
	})
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(devices(t, 1).Engine()), Force: cutAll("double")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), floats(1, 2, 3, -4))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[4] [4 6 8 -6]]", fmt.Sprint(got))
}
