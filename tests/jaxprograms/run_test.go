package jaxprograms

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// devices returns a client with the four devices that the programs are for.
func devices(t *testing.T) engine.Engine {
	t.Helper()
	plugin := check.Must(bridge.Open(bridge.OpenOptions{}))
	client := check.Must(plugin.NewClient(bridge.ClientOptions{Devices: 4}))
	check.Cleanup(t, client)
	return client.Engine()
}

// run runs a function of a program, which edit may add, on devices.
func (p program) run(
	ctx context.Context, e engine.Engine, function string, edit func(*load.Module) error, inputs []tensor.View,
) ([]tensor.View, error) {
	file, err := load.Open(ctx, p.file, p.module, load.Options{})
	if err != nil {
		return nil, err
	}
	m, err := file.Parse(nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if edit != nil {
		if err := m.Refine(p.shapes(m)); err != nil {
			return nil, err
		}
		if err := edit(m); err != nil {
			return nil, err
		}
		if err := m.Verify(); err != nil {
			return nil, fmt.Errorf("the module is not valid: %w", err)
		}
		if err := load.SetMain(m.Module, function, "function"); err != nil {
			return nil, err
		}
	} else if err := m.Refine(p.shapes(m)); err != nil {
		return nil, err
	}
	if p.takesPlatform(m) && function != "derived.backward" {
		inputs = append([]tensor.View{tensor.Scalar[int32](0)}, inputs...)
	}
	x, err := load.Compile(ctx, m.Module, stages.Options{
		Devices: stages.On(e), Fallback: engine.FallbackOff,
	}, native.EnsureOptions{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return x.Call(ctx, inputs...)
}

// takesPlatform reports whether main takes the index of a platform before the arguments.
func (p program) takesPlatform(m *load.Module) bool { return len(m.Params) == len(p.all("in"))+1 }

// shapes returns those of the parameters of main.
func (p program) shapes(m *load.Module) (list []tensor.Shape) {
	if p.takesPlatform(m) {
		list = append(list, tensor.ShapeOf(tensor.S32))
	}
	for _, v := range values(p.all("in")) {
		list = append(list, v.Shape)
	}
	return list
}

// notRun has the errors of XLA's plugin for what it does not have on the CPU.
var notRun = map[string]string{
	"pbroadcast":        "`collective-broadcast` is not supported",
	"ragged_all_to_all": "`ragged-all-to-all` is not supported",
}

// TestRun runs each program on four devices, and compares with what JAX computed.
func TestRun(t *testing.T) {
	e := devices(t)
	testRun(t, e, func(p program) string { return notRun[p.name] })
}

// TestJIT runs each program on the one device of the JIT compiler, with a batch in the place of the four.
func TestJIT(t *testing.T) {
	testRun(t, jit.Engine(), func(program) string { return "" })
}

// testRun runs each program on an engine. notRun returns the error of a program, or "".
func testRun(t *testing.T, e engine.Engine, notRun func(program) string) {
	check.NoRaces(t)
	for _, p := range programs() {
		want := values(p.all("out"))
		if len(want) == 0 {
			continue // it calls functions of Python, and there is only its text
		}
		t.Run(p.version+"/"+p.file, func(t *testing.T) {
			got, err := p.run(t.Context(), e, "", nil, values(p.all("in")))
			if text := notRun(p); text != "" {
				check.Error(t, err, text)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(p.name, "int4") {
				return // XLA, and so JAX, does not wrap integers of 4 bits; prepared for it, a module does
			}
			p.compare(t, "out", want, got, max(2e-5, rough[p.name]))
		})
	}
}

// compare compares arrays. A tolerance is relative to the largest element.
func (p program) compare(t *testing.T, what string, want, got []tensor.View, tolerance float64) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
		return
	}
	if strings.HasPrefix(p.name, "dot_") {
		tolerance = max(tolerance, 5e-2)
	}
	for i := range want {
		a, b := want[i], got[i]
		if !a.Shape.Equal(b.Shape) {
			t.Errorf("%s%d is %s, want %s", what, i, b.Shape, a.Shape)
			continue
		}
		allowed := tolerance
		switch a.Shape.DType {
		case tensor.BF16:
			allowed = max(tolerance, 2e-2)
		case tensor.F16:
			allowed = max(tolerance, 2e-3)
		}
		size := 0.0
		for k := range a.Shape.NumElements() {
			if s := cmplx.Abs(number(a.At(k))); s > size && !math.IsInf(s, 0) {
				size = s
			}
		}
		for k := range a.Shape.NumElements() {
			x, y := number(a.At(k)), number(b.At(k))
			if x == y || cmplx.IsNaN(x) && cmplx.IsNaN(y) {
				continue
			}
			if d := cmplx.Abs(x - y); !(d <= allowed*max(size, 1e-3)) {
				t.Errorf("%s%d[%d] is %v, want %v (%s)", what, i, k, b.At(k), a.At(k), a.Shape)
				break
			}
		}
	}
}

// number returns an element as a complex number.
func number(x any) complex128 {
	switch x := x.(type) {
	case complex64:
		return complex128(x)
	case complex128:
		return x
	case bool:
		if x {
			return 1
		}
		return 0
	}
	var f float64
	if n, err := fmt.Sscan(fmt.Sprint(x), &f); n != 1 || err != nil {
		return cmplx.NaN()
	}
	return complex(f, 0)
}
