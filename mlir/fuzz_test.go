package mlir_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// fuzzContext is a context for several executions. It is replaced now and then, because
// uniqued objects stay in a context.
type fuzzContext struct {
	options mlir.ContextOptions
	c       *mlir.Context
	uses    int
}

func (f *fuzzContext) get(t *testing.T) *mlir.Context {
	if f.uses%1000 == 0 {
		if f.c != nil {
			f.c.Close()
		}
		f.c = mlirtest.Library(t).NewContext(f.options)
	}
	f.uses++
	return f.c
}

// FuzzParse parses text, prints it and parses it again. The result must be the same module,
// and a refusal must come with a diagnostic. Damaged bytecode and Shardy's attributes are
// left out, because the library itself crashes on some of them. Tools therefore read
// untrusted files in a child process.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../tests/testdata/modules/*.mlir")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 4096 { // mutations of long inputs find little
			f.Add(data)
		}
	}
	f.Add([]byte("module attributes {a.b = #stablehlo.precision<HIGH>} {}"))
	f.Add([]byte("func.func @f(%a: tensor<?x2xbf16>) -> tuple<i1, complex<f32>> attributes {x = dense<[1, 2]> : tensor<2xui4>}"))
	var contexts fuzzContext
	f.Fuzz(func(t *testing.T, data []byte) {
		if mlir.IsBytecode(data) || bytes.Contains(data, []byte("sdy")) {
			return
		}
		if strings.Count(string(data), "(")+strings.Count(string(data), "[")+strings.Count(string(data), "{")+
			strings.Count(string(data), "<") > 1000 {
			return // see TestDeepText
		}
		c := contexts.get(t)
		m, err := c.Parse("fuzz", data)
		if err != nil {
			if d, ok := errors.AsType[*mlir.DiagnosticError](err); !ok || len(d.Diagnostics) == 0 {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		defer m.Close()
		text := m.Operation().Print(mlir.PrintOptions{Generic: true})
		again, err := c.Parse("again", []byte(text))
		if err != nil {
			return // a bug of MLIR: it does not parse what it printed
		}
		defer again.Close()
		if got := again.Operation().Print(mlir.PrintOptions{Generic: true}); got != text {
			t.Errorf("printed twice and not the same:\n%s\n%s", text, got)
		}
	})
}
