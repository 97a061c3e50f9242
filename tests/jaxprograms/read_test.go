package jaxprograms

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
)

// known are the rules that find something in these programs, and what their findings are about.
var known = map[string]string{
	"callback-binding": "@xla_ffi_python_cpu_callback",
	"callback-in-loop": "stablehlo.while",
	"jax-spelling":     "mhlo.backend_config",
	"token-value":      "!stablehlo.token",
	"xla-deviates":     "i4>",
}

// TestRead reads each program, finds nothing wrong in it, and reads again what it prints and writes.
func TestRead(t *testing.T) {
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
			text := m.String()
			for form, data := range map[string][]byte{
				"what it prints": []byte(text), "its bytecode": check.Must(m.Bytecode()),
				"the generic form": []byte(m.Operation().Print(mlir.PrintOptions{Generic: true})),
			} {
				c := m.Context().Library().NewContext(mlir.ContextOptions{})
				again, err := c.Parse(p.file, data)
				if err != nil {
					t.Errorf("%s: %v", form, err)
				} else if got := again.String(); got != text {
					check.Diff(t, form, text, got)
				}
				c.Close()
			}
			found, err := lint.Check(m.Context().Library(), p.file, file.Data, lint.Options{Analyzers: rules.All()})
			check.NoError(t, err)
			for _, f := range found {
				if of := known[f.Rule]; of == "" || !strings.Contains(text, of) {
					t.Errorf("%v", f)
				}
			}
		})
	}
}
