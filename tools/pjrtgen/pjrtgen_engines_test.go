//go:build engines

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestGenerated checks that the committed files are those of the header in go-xla, which the module gomlx takes.
func TestGenerated(t *testing.T) {
	cmd := exec.Command("go", "mod", "download", "-json", "github.com/gomlx/go-xla")
	cmd.Dir = filepath.Join(cctest.Root(), "gomlx")
	out, err := cmd.Output()
	check.NoError(t, err)
	_, rest, _ := strings.Cut(string(out), `"Dir": "`)
	dir, _, _ := strings.Cut(rest, `"`)
	files, err := generate(filepath.Join(dir, "pjrt", "pjrt_c_api.h"))
	check.NoError(t, err)
	check.Files(t, filepath.Join(cctest.Root(), "c", "plugin", "internal", "abi"), files, "what the header declares")
}
