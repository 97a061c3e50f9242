package calliope_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/optim"
	"github.com/calliope-mlir/calliope/tensor"
)

var engines = map[string]engine.Engine{"XLA": nil, "JIT": jit.Engine(), "interpreter": interpreter.Engine()}

// onEngines runs a test on each engine.
func onEngines(t *testing.T, test func(t *testing.T, s *calliope.Session)) {
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			s := check.Must(calliope.Open(t.Context(), calliope.Options{Engine: e}))
			check.Cleanup(t, s)
			test(t, s)
		})
	}
}

// A model has parameters, and the state of the optimizer.
type model[T any] struct {
	Weights [2]T
	Moments [2]T
	Loss    T
}

func trainStep(m model[builder.Value], x, want builder.Value) model[builder.Value] {
	loss := func(w [2]builder.Value) builder.Value {
		y := builder.Dot(builder.Tanh(builder.Dot(x, w[0])), w[1])
		return builder.ReduceMean(builder.Square(builder.Sub(y, want)))
	}
	gradient := builder.Grad(loss)(m.Weights)
	m.Loss = loss(m.Weights)
	m.Weights, m.Moments = optim.Momentum(0.1, 0.9, m.Weights, m.Moments, gradient)
	return m
}

// A program whose parameters stay with the engine, and are donated, is the same on each.
func TestTrainOnEngines(t *testing.T) {
	x := [][]float32{{0, 1}, {1, 0}, {1, 1}, {0, 0}}
	want := [][]float32{{1}, {1}, {0}, {0}}
	initial := model[[][]float32]{
		Weights: [2][][]float32{{{0.5, -1, 0.25}, {1, 0.5, -0.75}}, {{1}, {-0.5}, {0.25}}},
		Moments: [2][][]float32{{{0, 0, 0}, {0, 0, 0}}, {{0}, {0}, {0}}},
	}
	type host struct {
		Weights, Moments [2][][]float32
		Loss             float32
	}
	var losses sync.Map
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		ctx := t.Context()
		step := calliope.FuncWith(trainStep, calliope.FuncOptions{Session: s, Donate: []int{0}})
		check.Cleanup(t, step)
		put := func(rows [][]float32) calliope.Array {
			v := check.Must(tensor.FromSlice(slices.Concat(rows...), len(rows), len(rows[0])))
			return check.Must(s.ArrayFromHost(ctx, v, 0))
		}
		p := model[calliope.Array]{Loss: check.Must(s.ArrayFromHost(ctx, tensor.Scalar(float32(0)), 0))}
		for i := range 2 {
			p.Weights[i], p.Moments[i] = put(initial.Weights[i]), put(initial.Moments[i])
		}
		inputs, targets := put(x), put(want)
		check.Cleanup(t, inputs)
		check.Cleanup(t, targets)
		for range 19 {
			previous := p
			p = check.Must(calliope.Call[model[calliope.Array]](ctx, step, p, inputs, targets))
			_, err := calliope.Call[model[calliope.Array]](ctx, step, previous, inputs, targets)
			check.Error(t, err, "the donated array is closed or was donated before")
			if !errors.Is(err, bridge.ErrClosed) {
				t.Errorf("%v is no ErrClosed", err)
			}
		}
		trained := check.Must(calliope.Call[host](ctx, step, p, inputs, targets))
		losses.Store(t.Name(), trained)
	})
	xla, _ := losses.Load("TestTrainOnEngines/XLA")
	for name, got := range losses.Range {
		check.Diff(t, name.(string), xla, got, cmpopts.EquateApprox(0, 1e-4))
	}
	if loss := xla.(host).Loss; loss <= 0 || loss > 0.2 {
		t.Errorf("the loss is %v after 20 steps", loss)
	}
}

// Calls at the same time read one Array.
func TestSharedOnEngines(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		f := calliope.FuncWith(func(x builder.Value) builder.Value { return nn.Softmax(x, -1) },
			calliope.FuncOptions{Session: s})
		check.Cleanup(t, f)
		x := check.Must(s.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 1, 1, 1), 0))
		check.Cleanup(t, x)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 5 {
					y, err := f.Call(t.Context(), x)
					check.NoError(t, err)
					z, err := calliope.Call[[]float32](t.Context(), f, y[0])
					check.NoError(t, err)
					check.Diff(t, "softmax", []float32{0.25, 0.25, 0.25, 0.25}, z)
					check.NoError(t, y[0].Close())
				}
			})
		}
		all.Wait()
	})
}

// An Array is of one session, and no longer than that is open.
func TestArraysOnEngines(t *testing.T) {
	other := check.Must(calliope.Open(t.Context(), calliope.Options{}))
	check.Cleanup(t, other)
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		ctx := t.Context()
		x := check.Must(other.ArrayFromHost(ctx, tensor.Vector[float32](1, 2), 0))
		check.Cleanup(t, x)
		f := calliope.FuncWith(negate, calliope.FuncOptions{Session: s})
		check.Cleanup(t, f)
		_, err := calliope.Call[calliope.Array](ctx, f, x)
		check.Error(t, err, "argument 0: the array belongs to another client", "give what its ToHost returns")
		y := check.Must(calliope.Call[calliope.Array](ctx, f, check.Must(x.ToHost(ctx))))
		check.Diff(t, "y", tensor.Vector[float32](-1, -2), check.Must(y.ToHost(ctx)))
		check.NoError(t, y.Close())
		_, err = calliope.Call[calliope.Array](ctx, f, y)
		check.Error(t, err, "the array is closed or was donated")

		_, err = s.ArrayFromHost(ctx, tensor.Vector[float32](1), 99)
		check.Error(t, err, "there is no device 99")
		_, err = s.ArrayFromHost(ctx, tensor.View{Shape: tensor.ShapeOf(tensor.F32, 2)}, 0)
		check.Error(t, err, "f32[2]")
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err = s.ArrayFromHost(ended, tensor.Vector[float32](1), 0); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended, the error is %v", err)
		}
	})
	s := check.Must(calliope.Open(t.Context(), calliope.Options{Engine: jit.Engine()}))
	check.NoError(t, s.Close())
	_, err := s.ArrayFromHost(t.Context(), tensor.Vector[float32](1), 0)
	if !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("ArrayFromHost of a closed session returned %v", err)
	}
}
