package jaxprograms

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// mainOf returns @main.
func mainOf(m *mlir.Module) mlir.Operation {
	for op := range m.Body().Operations() {
		if name, _ := op.Symbol(); name == "main" {
			return op
		}
	}
	panic("there is no main")
}

// parameters returns the numbers of arguments as those of parameters of main, which may take tokens and the index of a
// platform before them.
func (p program) parameters(m *load.Module, of map[int]tensor.View) (list []int) {
	first := m.Tokens
	if p.takesPlatform(m) {
		first++
	}
	for _, i := range slices.Sorted(maps.Keys(of)) {
		list = append(list, first+i)
	}
	return list
}

// Derivatives that are not JAX's.
var (
	// notKept are programs with rules of their own in Python, of which a module says nothing.
	notKept = map[string]bool{"cg": true, "manual_scan": true, "pmax_stopped": true,
		"shard_map_softmax": true, "stop_gradient": true}
	// rough are programs of numbers with few bits.
	rough = map[string]float64{"bfloat16_arithmetic": 2e-2, "bfloat16_functions": 2e-2, "dot_any_f8_any_f8_any": 0.2,
		"dot_any_f8_any_f8_any_fast_accum": 0.2, "dot_any_f8_any_f8_f32_fast_accum": 0.2, "float16_arithmetic": 2e-3,
		"float8_e4m3fn_arithmetic": 0.3, "psum_bfloat16": 1e-2}
	// refused have the errors for what has no derivative.
	refused = map[string]string{
		"pbroadcast":        "`collective-broadcast` is not supported",
		"qr_full":           "the derivative of the reflectors of a QR decomposition is not known",
		"qr_pivoted":        "no derivative of LAPACK's geqp3 is known",
		"ragged_all_to_all": "the host computes the results of @ragged_all_to_all",
	}
)

// TestJVP differentiates programs along tangents.
func TestJVP(t *testing.T) {
	check.NoRaces(t)
	e := devices(t)
	for _, p := range programs() {
		tangents := p.all("jvp_t")
		if len(tangents) == 0 || notKept[p.name] {
			continue
		}
		t.Run(p.version+"/"+p.file, func(t *testing.T) {
			edit := func(m *load.Module) error {
				_, err := autodiff.JVP(mainOf(m.Module),
					autodiff.Options{Parameters: p.parameters(m, tangents), Name: "derived"})
				return err
			}
			got, err := p.run(t.Context(), e, "derived", edit, append(values(p.all("in")), values(tangents)...))
			if text := refused[p.name]; text != "" {
				check.Error(t, err, text)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := p.all("jvp_out")
			results := len(p.all("out"))
			p.compare(t, "jvp_out", values(want), got[min(results, len(got)):], max(1e-4, rough[p.name]))
		})
	}
}

// TestVJP differentiates programs along cotangents.
func TestVJP(t *testing.T) {
	check.NoRaces(t)
	e := devices(t)
	for _, p := range programs() {
		want := p.all("vjp_in")
		if len(want) == 0 || notKept[p.name] {
			continue
		}
		t.Run(p.version+"/"+p.file, func(t *testing.T) {
			edit := func(m *load.Module) error {
				_, _, err := autodiff.VJP(mainOf(m.Module),
					autodiff.Options{Parameters: p.parameters(m, want), Name: "derived", MaxSteps: 64})
				return err
			}
			got, err := p.run(t.Context(), e, "derived.forward", edit, values(p.all("in")))
			if text := refused[p.name]; text != "" {
				check.Error(t, err, text)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			residuals := got[min(len(p.all("out")), len(got)):]
			got, err = p.run(t.Context(), e, "derived.backward", edit, append(residuals, values(p.all("vjp_c"))...))
			if err != nil {
				t.Fatal(err)
			}
			p.compare(t, "vjp_in", values(want), got, max(1e-4, rough[p.name]))
		})
	}
}

// TestBatch computes programs for three elements at once.
func TestBatch(t *testing.T) {
	check.NoRaces(t)
	e := devices(t)
	for _, p := range programs() {
		inputs := values(p.all("batch_in"))
		if len(inputs) == 0 {
			continue
		}
		t.Run(p.version+"/"+p.file, func(t *testing.T) {
			edit := func(m *load.Module) error {
				_, err := vmap.Batch(mainOf(m.Module), vmap.Options{Size: 3, Name: "derived"})
				return err
			}
			got, err := p.run(t.Context(), e, "derived", edit, inputs)
			if text := notRun[p.name]; text != "" {
				check.Error(t, err, text)
				return
			}
			if strings.Contains(p.name, "int4") {
				return // see TestRun
			}
			if err != nil {
				t.Fatal(err)
			}
			p.compare(t, "batch_out", values(p.all("batch_out")), got, 2e-5)
		})
	}
}

// TestOneDevice makes each program one for a single device, also those that call functions of Python.
func TestOneDevice(t *testing.T) {
	for _, p := range programs() {
		t.Run(p.version+"/"+p.file, func(t *testing.T) {
			file, err := load.Open(t.Context(), p.file, p.module, load.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := file.Parse(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			check.NoError(t, m.Refine(p.shapes(m)))
			check.NoError(t, vmap.OneDevice(m.Module, 1))
			check.NoError(t, m.Verify())
			for _, left := range []string{"sdy.", "num_partitions", "partition_id", "stablehlo.all_", "stablehlo.collective_"} {
				if strings.Contains(m.String(), left) {
					t.Errorf("%s is left in\n%s", left, m)
				}
			}
		})
	}
}
