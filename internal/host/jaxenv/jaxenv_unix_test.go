//go:build unix

package jaxenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestInterpreter has programs on PATH that print what Python, pyenv and uv would.
func TestInterpreter(t *testing.T) {
	const fails, prints = "exit 1", "echo $0"
	for name, test := range map[string]struct {
		programs map[string]string // what each does, by its path
		want     string
	}{
		"python3":          {map[string]string{"bin/python3": prints}, "bin/python3"},
		"python3.13":       {map[string]string{"bin/python3": prints, "bin/python3.13": prints}, "bin/python3.13"},
		"an old python3":   {map[string]string{"bin/python3": fails}, ""},
		"no Python at all": {nil, ""},
		"pyenv": {map[string]string{"pyenv/shims/python3.12": fails,
			"pyenv/versions/3.11.7/bin/python": fails, "pyenv/versions/3.13.0/bin/python": prints},
			"pyenv/versions/3.13.0/bin/python"},
		"uv":           {map[string]string{"bin/python3": fails, "bin/uv": "echo $UV", "uv": prints}, "uv"},
		"uv, but none": {map[string]string{"bin/uv": fails}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			folders := []string{filepath.Join(dir, "pyenv", "shims"), filepath.Join(dir, "bin")}
			t.Setenv("PATH", strings.Join(folders, string(filepath.ListSeparator)))
			t.Setenv("UV", filepath.Join(dir, "uv"))
			for path, does := range test.programs {
				path = filepath.Join(dir, path)
				check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				check.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o755))
			}
			got, err := interpreter(t.Context())
			if test.want == "" {
				check.Error(t, err, "JAX needs Python 3.12 or newer", "`uv python install 3.13`")
				return
			}
			check.NoError(t, err)
			check.Diff(t, "interpreter", filepath.Join(dir, test.want), got)
		})
	}
}
