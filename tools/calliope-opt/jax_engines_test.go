//go:build engines

package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/jaxenv"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// located matches a place in an error. Exports of these programs have none.
var located = regexp.MustCompile(`\w:\d+:\d+|\.jaxexport: .* at unknown location`)

// TestJAXPrograms runs steps on the programs of tests/jaxprograms, in this process. Each makes a valid module that is
// read again, or an error with a place. tests/jaxprograms holds what the modules compute.
func TestJAXPrograms(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	run := func(args ...string) error {
		return work(check.Must(parseOptions(append(args, "-o", out))), io.Discard)
	}
	for _, version := range jaxenv.Versions() {
		archive := check.Must(zip.OpenReader("../../tests/jaxprograms/testdata/" + version + ".zip"))
		check.Cleanup(t, archive)
		for _, f := range archive.File {
			if !strings.HasSuffix(f.Name, ".mlir") && !strings.HasSuffix(f.Name, ".jaxexport") {
				continue
			}
			file := filepath.Join(folder, f.Name)
			data := check.Must(io.ReadAll(check.Must(f.Open())))
			check.NoError(t, os.WriteFile(file, data, 0o600))
			for _, step := range []string{"--prepare", "--jvp=main", "--vjp=main", "--batch=main:3"} {
				err := run(step, "--max-steps=64", file)
				if err == nil {
					err = run(out)
				} else if located.MatchString(err.Error()) {
					continue
				}
				if err != nil {
					t.Errorf("JAX %s, %s: %v", version, step, err)
				}
			}
		}
	}
}
