package operations

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
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
		check.Diff(t, "program", packed(generate(7, number)).text, packed(generate(7, number)).text)
	}
}

// TestRun runs a few programs on all engines, as soak itself runs many.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), execute.Options{Programs: 12, Seed: 5, Keep: t.TempDir()}, &out)
	text := out.String()
	if err != nil || !strings.Contains(text, "interpreter ") ||
		!strings.Contains(text, "left out: stablehlo.infeed: ") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestOrder holds that each operation comes first in some valid program, and second, if it takes what another one
// makes.
func TestOrder(t *testing.T) {
	c := check.Must(quantContext(check.Must(mlir.Open(mlir.OpenOptions{}))))
	check.Cleanup(t, c)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1))}
	tries := func(second bool, op *operation) bool {
		for range 5000 {
			e, first := g.elementFor(op), op
			var then *operation
			if second {
				first, then = pick(g.Rand, drawn), op
			}
			if p, ok := g.attempt(first, &e, then, second); ok && verify(c, p) == nil {
				return true
			}
		}
		return false
	}
	for _, op := range drawn {
		if !tries(false, op) {
			t.Errorf("%s is never first", op.name)
		}
		if tries(true, op) == slices.Contains(strings.Fields(sources), op.name) {
			t.Errorf("whether %s is second is not as listed", op.name)
		}
	}
}

// sources are the operations that take no value of another one: they make their own ones.
const sources = "stablehlo.constant chlo.constant stablehlo.iota stablehlo.dynamic_iota stablehlo.rng " +
	"stablehlo.rng_bit_generator stablehlo.cholesky stablehlo.triangular_solve"

// TestKnowns holds that what is known names engines, kinds of findings, operations and a reason.
func TestKnowns(t *testing.T) {
	for _, k := range knowns {
		if !slices.ContainsFunc(engines, k.isOn) || k.why == "" {
			t.Errorf("%v names no engine or no reason", k)
		}
		if k.ops == "" && k.types == "" && k.when == nil && k.shows == nil {
			t.Errorf("%v is about all programs", k)
		}
		for what := range strings.FieldsSeq(k.what) {
			if !slices.Contains([]string{"differs", "refuses", "crashes", "fails"}, what) {
				t.Errorf("%v: no finding is of the kind %q", k, what)
			}
		}
		for name := range strings.FieldsSeq(k.ops) {
			if !strings.Contains(name, ".") {
				name = "stablehlo." + name
			}
			if op := all[name]; op == nil || op.make == nil {
				t.Errorf("%v: no program is made of %s", k, name)
			}
		}
	}
}

// TestPlace holds that the error of a pack is found to be of the program in its place.
func TestPlace(t *testing.T) {
	list := []*program{generate(7, 1), generate(7, 2), generate(7, 3)}
	k := packed(list...)
	for n, line := range strings.Split(k.text, "\n") {
		if got := k.place(fmt.Sprintf("error: program:%d:3: it is refused", n+1)); got >= 0 &&
			!slices.Contains(list[got].lines, strings.TrimSpace(line)) {
			t.Errorf("line %d, %q, is of program %d", n+1, line, got)
		}
	}
	check.Diff(t, "no place", -1, k.place("it is refused"))
}

func TestInternal(t *testing.T) {
	for text, want := range map[string]bool{
		"jit: stablehlo.recv at program:3:4: use a callback":      false,
		"bridge: RET_CHECK failure (xla/x.cc:614) (INTERNAL)":     true,
		"jit: it cannot be compiled":                              true,
		"program:1:2: /home/me/jit/buffers.go:176: making a type": true,
	} {
		check.Diff(t, text, want, isInternal(text))
	}
}

func TestFlushed(t *testing.T) {
	got, changed := flushed(tensor.Vector[float32](1, -1e-40, 1e-40, 2))
	check.Diff(t, "flushed", tensor.Vector(1, float32(math.Copysign(0, -1)), 0, 2), got)
	if _, again := flushed(got); !changed || again {
		t.Error("it does not say what it changed")
	}
}

// TestSweep holds that a few operations, and chains of some, end no process on any type, as soak itself tries all.
func TestSweep(t *testing.T) {
	for name, o := range map[string]SweepOptions{
		"operations": {Each: 1, Seed: 1, Only: []string{"stablehlo.divide", "stablehlo.sort"}},
		"chains":     {Each: 1, Seed: 1, Chain: 4},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o.Engines = []execute.Engine{{Kind: execute.XLA}}
			err := Sweep(t.Context(), o, &out)
			if text := out.String(); err != nil || !strings.Contains(text, "0 end the process") ||
				strings.Contains(text, ": 0 programs") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
