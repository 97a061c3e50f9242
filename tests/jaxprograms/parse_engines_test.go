//go:build engines

package jaxprograms

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// TestParse has jaxlib parse what this project prints and writes of each program. It must be the module that jaxlib
// makes of the program itself.
func TestParse(t *testing.T) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	forms := 0
	for _, p := range programs() {
		original := p.module
		if jaxexport.Is(original) {
			original = check.Must(load.ReadExport(original)).Module
		}
		library := check.Must(load.Library(t.Context(), original, native.EnsureOptions{}))
		c := library.NewContext(mlir.ContextOptions{})
		// Without a name, jaxlib calls a text "-" in locations.
		m, err := c.Parse("-", original)
		if err != nil {
			t.Errorf("%s/%s: %v", p.version, p.file, err)
			c.Close()
			continue
		}
		print := func(o mlir.PrintOptions) []byte { return []byte(m.Operation().Print(o)) }
		for _, form := range []struct {
			name string
			data []byte
		}{
			{"original", original},
			{"text", print(mlir.PrintOptions{})},
			{"generic", print(mlir.PrintOptions{Generic: true})},
			{"locations", print(mlir.PrintOptions{DebugInfo: true})},
			{"bytecode", check.Must(m.Bytecode())},
		} {
			if p.name == "pbroadcast" && form.name == "bytecode" {
				continue // bytecode is for one StableHLO: the operation has a further attribute in jaxlib's
			}
			f := check.Must(w.CreateHeader(&zip.FileHeader{Name: p.version + "/" + p.file + "/" + form.name}))
			check.Must(f.Write(form.data))
			forms++
		}
		forms-- // the original is not compared
		check.NoError(t, c.Close())
	}
	check.NoError(t, w.Close())
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), check.Must(jaxenv.Python(t.Context(), jaxenv.Newest)), "testdata/parse.py")
	cmd.Stdin, cmd.Stderr = &archive, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if want := fmt.Sprintln(forms); string(out) != want {
		t.Errorf("jaxlib says\n%swant %s", out, want)
	}
}
