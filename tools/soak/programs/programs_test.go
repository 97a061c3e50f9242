package programs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) {
	Serve()
	nativetest.Main(m, native.MLIR, native.Jaxlib, native.PJRTPlugin)
}

// options are those of programs on the default plugin.
func options(t *testing.T, programs int) Options {
	t.Helper()
	plugins, err := Plugins(t.Context())
	check.NoError(t, err)
	return Options{Programs: programs, Plugins: plugins[:1], Keep: filepath.Join(t.TempDir(), "kept")}
}

// TestPrograms runs programs in every way: a few, as soak itself runs many.
func TestPrograms(t *testing.T) {
	const each = 5
	var out bytes.Buffer
	err := Run(t.Context(), options(t, each*len(all)), &out)
	for _, w := range all {
		if want := fmt.Sprintf("\n%-16s%9d programs, 0 problems", w.name, each); !strings.Contains(out.String(), want) {
			t.Errorf("it does not print %q", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestSpoiled leaves a call of each program out of what is expected. In every way this is a mismatch.
func TestSpoiled(t *testing.T) {
	check.NoRaces(t)
	var out bytes.Buffer
	o := options(t, 6*len(all))
	o.spoiled = true
	check.Error(t, Run(t.Context(), o, &out), " problems; the modules are in "+o.Keep)
	for _, w := range all {
		if !strings.Contains(out.String(), ", way "+w.name+", plugin ") {
			t.Errorf("no mismatch %s", w.name)
		}
	}
	for _, part := range []string{"seed ", "want", "got", "func.func @main(", `callback = "tap`} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the reports lack %q", part)
		}
	}
	files, err := filepath.Glob(filepath.Join(o.Keep, "*-inline.mlir"))
	check.NoError(t, err)
	if len(files) == 0 {
		t.Fatal("no module is kept")
	}
	text, err := os.ReadFile(files[0])
	check.NoError(t, err)
	if !strings.Contains(string(text), "func.func @main") || t.Failed() {
		t.Errorf("%s\n%s", text, &out)
	}
}

// TestCrash ends the process of a program. It is reported, and the others run.
func TestCrash(t *testing.T) {
	var out bytes.Buffer
	o := options(t, 5)
	o.Seed, o.Ways, o.crash = 10, "interpreter", 12
	check.Error(t, Run(t.Context(), o, &out), "1 problems")
	for _, part := range []string{"seed 12, way interpreter", "exit status 3", "5 programs in ",
		"5 programs, 1 problems"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("it does not print %q:\n%s", part, &out)
		}
	}
}

// TestSame checks that a seed always is the same program.
func TestSame(t *testing.T) {
	for _, w := range all {
		if !reflect.DeepEqual(generate(7, w.profile), generate(7, w.profile)) {
			t.Errorf("%s: they are two programs", w.name)
		}
	}
}
