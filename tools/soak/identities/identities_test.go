package identities

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

func TestMain(m *testing.M) {
	execute.Serve()
	nativetest.Main(m, native.MLIR, native.PJRTPlugin)
}

// plugins are those that tests run on: with the build tag engines all that can be fetched.
var plugins = []native.Part{native.PJRTPlugin}

// TestIdentities runs random programs on every plugin of this build, without and with XLA's simplifications.
func TestIdentities(t *testing.T) {
	for _, part := range plugins {
		t.Run(string(part), func(t *testing.T) {
			found, err := native.Ensure(t.Context(), part, native.EnsureOptions{})
			check.NoError(t, err)
			o := Options{Programs: 100, Seed: 1}
			r, err := Run(t.Context(), found.Path, o)
			check.NoError(t, err)
			if len(r.Unknown()) > 0 {
				t.Error(r)
			}
			o.Simplify = true
			if r, err = Run(t.Context(), found.Path, o); err != nil || len(r.Unknown()) == 0 {
				t.Errorf("with simplifications: %v\n%v", err, r)
			}
		})
	}
}

// TestJIT runs random programs with package jit.
func TestJIT(t *testing.T) {
	r, err := Run(t.Context(), "", Options{Programs: 100, Seed: 1, JIT: true})
	check.NoError(t, err)
	if len(r.Deviations) > 0 {
		t.Error(r)
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ template, want string }{
		{"abs(multiply(x, x))", "abs(multiply(x:s32, x:s32))"},
		{"select(compare_LT(x, 0), c, convert_W(y))", "select(compare_LT(x:s32, 0), 7, convert_s64(y:s32))"},
		{"convert_i8(x)", "convert_s8(x:s32)"},
	} {
		e, ok := parse(test.template, tensor.S32,
			func(open string) (string, bool) { return map[string]string{"c": "7", "W": "s64"}[open], true })
		if !ok {
			t.Errorf("%s: no expression", test.template)
			continue
		}
		check.Diff(t, test.template, test.want, e.String())
	}
}
