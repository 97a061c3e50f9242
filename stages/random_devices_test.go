package stages_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestRandomPlaces runs random modules inline, and in stages on devices that are chosen at random: those of two clients, and the
// interpreter. They agree in the results, in what callbacks see, and in the order of each effect.
func TestRandomPlaces(t *testing.T) {
	l := &log{seen: map[string][]string{}}
	logged := func(fn callbacks.Func) callbacks.Func {
		return func(f *callbacks.Frame) error { l.add(f); return fn(f) }
	}
	register(t, "tap", logged(func(*callbacks.Frame) error { return nil }), callbacks.Options{FailRun: true})
	register(t, "pure", twist, callbacks.Options{})
	register(t, "call", logged(twist), callbacks.Options{})
	register(t, "io", logged(func(f *callbacks.Frame) error {
		for _, v := range f.Results {
			x, _ := tensor.Slice[int32](v)
			for i := range x {
				x[i] = (x[i]*5 + 2) % 1000
			}
		}
		return nil
	}), callbacks.Options{})
	client, other := devices(t, 3), devices(t, 2)
	before := held(client, other)
	all := append(append(stages.On(client, 2, 0, 1), stages.On(other, 1)...), stages.Interpreter())
	used := map[int]int{}
	for seed := range randomModules(t) {
		m, err := randomModule(mlirtest.Context(t), uint64(seed))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in := []tensor.View{tensor.Vector(int32(seed), 2, -3, 4), tensor.Vector[int32](7, 0, 5, -1)}
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		var want []tensor.View
		var wantSeen map[string][]string
		for way := range 4 {
			o := stages.Options{Devices: stages.On(client)}
			if way > 0 {
				n := len(all) - way%2 // the interpreter is slow
				o = stages.Options{Devices: all[:n], Force: cutAll("tap", "pure", "call", "io"), Place: func(s *stages.Stage) int {
					i := r.IntN(n)
					used[i]++
					return i
				}}
			}
			e, err := stages.Compile(t.Context(), m, o)
			if err != nil {
				t.Fatalf("seed %d, way %d: %v\n%s", seed, way, err, m)
			}
			got, err := e.Call(t.Context(), in...)
			check.NoError(t, err)
			seen := l.take()
			if way == 0 {
				want, wantSeen = got, seen
			} else if fmt.Sprint(want) != fmt.Sprint(got) || fmt.Sprint(wantSeen) != fmt.Sprint(seen) {
				t.Errorf("seed %d, way %d: results\n%v\nwant\n%v\ncalls\n%v\nwant\n%v\nof\n%s", seed, way, got, want, seen, wantSeen, m)
			}
			check.NoError(t, e.Close())
		}
		check.NoError(t, m.Close())
		if t.Failed() {
			return
		}
	}
	checkHeld(t, before, client, other)
	for i := range all {
		if used[i] == 0 {
			t.Errorf("no stage was on %s", all[i])
		}
	}
}

// randomReplicas is the number of replicas of TestRandomReplicas.
const randomReplicas = 3

// TestRandomReplicas runs random modules on replicas with different inputs, so that they go different ways. They agree with a run of
// the module for each replica's inputs.
func TestRandomReplicas(t *testing.T) {
	for name, fn := range map[string]callbacks.Func{"tap": func(*callbacks.Frame) error { return nil }, "pure": twist, "call": twist, "io": twist} {
		register(t, name, fn, callbacks.Options{})
	}
	client := devices(t, randomReplicas)
	for seed := range randomModules(t) {
		m, err := randomModule(mlirtest.Context(t), uint64(seed))
		check.NoError(t, err)
		var in, want []tensor.View
		one, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client)})
		check.NoError(t, err)
		for i := range int32(randomReplicas) {
			args := []tensor.View{tensor.Vector(int32(seed), 2*i, -3, 4*i), tensor.Vector(7-5*i, 0, 5*i, -1)}
			got, err := one.Call(t.Context(), args...)
			check.NoError(t, err)
			in, want = append(in, args...), append(want, got...)
		}
		check.NoError(t, one.Close())
		e, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client), Replicas: randomReplicas, Force: cutAll("tap", "pure", "call", "io")})
		check.NoError(t, err)
		got, err := e.Call(t.Context(), in...)
		check.NoError(t, err)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("seed %d: results\n%v\nwant\n%v\nof\n%s", seed, got, want, m)
		}
		check.NoError(t, e.Close())
		check.NoError(t, m.Close())
	}
}

// randomModules returns the number of modules of these tests: fewer than of TestRandom.
func randomModules(t *testing.T) int {
	t.Helper()
	n := 60
	if text := os.Getenv(modulesVariable); text != "" {
		n = check.Must(strconv.Atoi(text))
	}
	return n / 6
}
