package examples

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// TestShort holds that the programs of package calliope stay short.
func TestShort(t *testing.T) {
	for name, limit := range map[string]struct{ lines, imports int }{
		"quickstart": {23, 4}, "cnn": {74, 8}, "serve": {40, 7},
	} {
		source := check.Must(os.ReadFile(filepath.Join(name, "main.go")))
		file := check.Must(parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly))
		if lines, imports := bytes.Count(source, []byte("\n")), len(file.Imports); lines > limit.lines ||
			imports > limit.imports {
			t.Errorf("%s has %d lines and %d imports, more than %v", name, lines, imports, limit)
		}
	}
}

// printed builds a program, runs it in a folder and returns what it prints.
func printed(t *testing.T, name, dir string) string {
	t.Helper()
	program := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "./"+name).CombinedOutput(); err !=
		nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestQuickstart(t *testing.T) {
	want := regexp.MustCompile(`^in Go: \[1 0\.5403\d* -0\.4161\d* -0\.9899\d*\]
sin\(cos\(x\)\): \[0\.8414\d* 0\.5143\d* -0\.4042\d* -0\.8360\d*\] <nil>
$`)
	if out := printed(t, "quickstart", t.TempDir()); !want.MatchString(out) {
		t.Errorf("it printed %s", out)
	}
}

// TestCNN trains, and reads the checkpoint and what the program printed.
func TestCNN(t *testing.T) {
	dir := t.TempDir()
	out := printed(t, "cnn", dir)
	var steps []string
	last := ""
	for _, m := range regexp.MustCompile(`step (\d+): loss (\d\.\d{3})\n`).FindAllStringSubmatch(out, -1) {
		steps, last = append(steps, m[1]), m[2]
	}
	check.Diff(t, "the steps that were printed", strings.Fields("0 10 20 30 40 50 60 70 80 90"), steps)
	if last >= "0.050" || !strings.HasSuffix(out, "\r100 of 100\ntrained f32[144,3] <nil>\n") {
		t.Errorf("the loss is %s at the end:\n%s", last, out)
	}
	file := check.Must(npz.Open(filepath.Join(dir, "cnn.npz")))
	check.Cleanup(t, file)
	check.Diff(t, "the arrays of the checkpoint", []string{"Conv1", "Conv2", "Dense"}, file.Names())
}
