package transforms

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) {
	Serve()
	nativetest.Main(m, native.Jaxlib, native.PJRTPlugin, native.LAPACK)
}

// TestTransforms makes some trials of all kinds without a problem.
func TestTransforms(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{Trials: 50, Seed: 1, Keep: filepath.Join(t.TempDir(), "kept"), Log: true}, &out)
	if err != nil || !strings.Contains(out.String(), "50 trials in ") {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, o := range []outcome{compared, ran, refused, unsuited} {
		if !strings.Contains(out.String(), " "+string(o)) {
			t.Errorf("no trial is %s:\n%s", o, &out)
		}
	}
	for _, of := range []string{"random program", "operations stablehlo.", "movement", "JAX's program", ".mlir"} {
		if !strings.Contains(out.String(), ": "+of) && !strings.Contains(out.String(), of+", @") {
			t.Errorf("no trial is of %s:\n%s", of, &out)
		}
	}
}

// TestCrash ends the process of a trial. It is reported with its module, and the others run.
func TestCrash(t *testing.T) {
	var out bytes.Buffer
	const ending = 3
	o := Options{Trials: 6, Seed: 1, Keep: filepath.Join(t.TempDir(), "kept"), crash: ending}
	check.Error(t, Run(t.Context(), o, &out), "1 problems; the modules are in "+o.Keep)
	for _, part := range []string{"seed 3: ", "exit status 3", "6 trials in ", " s, 1 problems"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("it does not print %q:\n%s", part, &out)
		}
	}
	text, err := os.ReadFile(filepath.Join(o.Keep, "3.mlir"))
	check.NoError(t, err)
	if !strings.Contains(string(text), "func.func") {
		t.Errorf("%s\n%s", text, &out)
	}
}
