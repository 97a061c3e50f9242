package operations

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

func TestMain(m *testing.M) {
	execute.Serve()
	nativetest.Main(m, native.MLIR, native.PJRTPlugin)
}

// TestOperations holds that every operation of the tables is one of which programs are made, or is left out for a
// reason.
func TestOperations(t *testing.T) {
	for _, table := range []string{"stablehlo", "chlo"} {
		text, err := os.ReadFile("../../opgen/facts/" + table + ".txt")
		check.NoError(t, err)
		n := 0
		for line := range strings.Lines(string(text)) {
			name, ok := strings.CutPrefix(line, "operation ")
			if !ok {
				continue
			}
			n++
			name = strings.Fields(name)[0]
			if op := all[name]; op == nil || op.make == nil && op.left == "" {
				t.Errorf("no program is made of %s, and no reason says why", name)
			}
		}
		if n < 40 {
			t.Errorf("%s has %d operations only", table, n)
		}
	}
}

// TestSame checks that a number always is the same program.
func TestSame(t *testing.T) {
	for number := range uint64(200) {
		a, _ := module(generate(7, number))
		b, _ := module(generate(7, number))
		check.Diff(t, "program", a, b)
	}
}

// TestRun runs a few programs on all engines, as soak itself runs many.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{Programs: sample, Seed: 1, First: first, Keep: t.TempDir()}, &out)
	if err != nil || !strings.Contains(out.String(), "interpreter ") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// The programs of the test: those between two in which engines differ.
const (
	first  = 345
	sample = 16
)
