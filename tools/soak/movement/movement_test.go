package movement

import (
	"bytes"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

func TestMain(m *testing.M) {
	execute.Serve()
	nativetest.Main(m, native.MLIR, native.PJRTPlugin)
}

// TestSame checks that a number always is the same program, and that a copy is the same.
func TestSame(t *testing.T) {
	for number := range uint64(200) {
		p, err := generate(7, number)
		check.NoError(t, err)
		q, err := generate(7, number)
		check.NoError(t, err)
		want, _ := module(p)
		got, _ := module(q)
		check.Diff(t, "program", want, got)
		got, _ = module(p.clone())
		check.Diff(t, "copy", want, got)
	}
}

// TestReference holds what programs should return against StableHLO's interpreter.
func TestReference(t *testing.T) { run(t, execute.Options{Programs: 500, Seed: 1}, "interpreter") }

// engines are those of TestRun.
var engines = "xla:pjrt,exact:pjrt"

// TestRun runs a few programs, as soak itself runs many.
func TestRun(t *testing.T) { run(t, execute.Options{Programs: 8, Seed: 3}, engines) }

func run(t *testing.T, o execute.Options, engines string) {
	t.Helper()
	list, err := execute.Engines(t.Context(), engines, false)
	check.NoError(t, err)
	o.Keep = t.TempDir()
	var out bytes.Buffer
	if err := Run(t.Context(), Options{o, list}, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestUnprepared compiles programs as they are, of which XLA makes something else: a loop, an update by a part of
// the array itself, and branches that return one array. They are found, and made smaller.
func TestUnprepared(t *testing.T) {
	for _, test := range []struct {
		number uint64
		want   string
	}{{93, "stablehlo.while"}, {148, "stablehlo.dynamic_update_slice"}, {88, "stablehlo.if"}} {
		list, err := execute.Engines(t.Context(), "xla:pjrt", true)
		check.NoError(t, err)
		var out bytes.Buffer
		o := Options{execute.Options{Programs: 1, Seed: 1, First: test.number, Keep: t.TempDir()}, list}
		err = Run(t.Context(), o, &out)
		check.Error(t, err, "1 programs do not do what they should")
		if text := out.String(); !strings.Contains(text, test.want) || strings.Count(text, "\n") > 40 {
			t.Errorf("it prints\n%s", text)
		}
	}
}
