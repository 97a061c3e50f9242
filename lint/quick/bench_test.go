package quick_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/mlir"
)

// large returns a module of about 6 MB that repeats a function of the corpus and ends with an
// outfeed.
func large(tb testing.TB, file string, options mlir.PrintOptions) []byte {
	tb.Helper()
	data, err := os.ReadFile("../../tests/testdata/modules/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	context := mlirtest.LibraryFor(tb, data).NewContext(mlir.ContextOptions{})
	defer context.Close()
	module, err := context.Parse("", data)
	if err != nil {
		tb.Fatal(err)
	}
	defer module.Close()
	one := module.Operation().Print(options)
	var b strings.Builder
	for i := 0; b.Len() < 6<<20; i++ {
		fmt.Fprintf(&b, "module {\n%s\n}\n", one)
	}
	return []byte(b.String())
}

func BenchmarkCheck(b *testing.B) {
	for _, input := range []struct {
		name, file string
		options    mlir.PrintOptions
	}{
		{"custom form", "hook_in_while.mlir", mlir.PrintOptions{}},
		{"generic form", "hook_in_while.mlir", mlir.PrintOptions{Generic: true}},
		{"locations", "hook_in_while.mlir", mlir.PrintOptions{DebugInfo: true, LocalScope: true}},
		{"training step", "mlp_train_step.mlir", mlir.PrintOptions{}},
	} {
		data := large(b, input.file, input.options)
		if !bytes.Contains(data, []byte("feed")) {
			data = append(data,
				"module { func.func @f(%x: tensor<f32>, %t: !stablehlo.token) { "+outfeedOp+" return } }"...)
		}
		library := mlirtest.LibraryFor(b, data)
		b.Run(input.name+"/quick", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if f, err := quick.Check("f", data); err != nil || len(f) == 0 {
					b.Fatal(len(f), err)
				}
			}
		})
		b.Run(input.name+"/full", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				for _, d := range check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: everyOperation})) {
					if d.Rule == finding.Invalid {
						b.Fatal(d)
					}
				}
			}
		})
	}
}
