// Package doctest runs the programs of documents, and holds that the flags which texts name exist.
package doctest

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Run runs the programs of a document, one after the other in one folder. Each is a file main.go in the folder of its
// name, or a file of Python, which python runs. What a program in Go prints is in the block after it.
func Run(t *testing.T, document string, python func(file string) *exec.Cmd, names ...string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	rest, dir := string(text), t.TempDir()
	for _, name := range names {
		var program, want string
		if strings.HasSuffix(name, ".py") {
			program, rest = Block(t, rest, "```python\n")
			file := write(t, filepath.Join(dir, name), program)
			output(t, name, dir, python(file))
			continue
		}
		program, rest = Block(t, rest, "```go\npackage main")
		want, rest = Block(t, rest, "```\n")
		file := write(t, filepath.Join(dir, name, "main.go"), "package main"+program)
		if formatted, err := exec.Command("gofmt", "-l", file).Output(); err != nil || len(formatted) > 0 {
			t.Errorf("%s: gofmt has changes: %v", name, err)
		}
		binary := filepath.Join(dir, name, "program")
		// In this module, whose packages it imports. The file is name/main.go, also if the go command trims paths.
		output(t, name, "",
			exec.Command("go", "build", "-gcflags=-trimpath="+dir, "-ldflags=-s -w", "-o", binary, file))
		got := output(t, name, dir, exec.CommandContext(t.Context(), binary))
		if !alike(want, got) {
			t.Errorf("%s prints\n%s\nand the document says\n%s", name, got, want)
		}
	}
	if strings.Contains(rest, "```go\npackage main") {
		t.Error("the document has a further program")
	}
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// output runs a command in a folder, and returns what it prints.
func output(t *testing.T, name, dir string, command *exec.Cmd) string {
	t.Helper()
	var stderr strings.Builder
	command.Dir, command.Stderr = dir, &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	return string(out)
}

// Block returns what stands between a beginning and the next end of a block, and the rest of the text.
func Block(t *testing.T, text, begin string) (block, rest string) {
	t.Helper()
	_, text, ok := strings.Cut(text, begin)
	block, rest, closed := strings.Cut(text, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the document has no block that begins with %q", begin)
	}
	return block, rest
}

// alike compares word by word; numbers may differ by rounding.
func alike(a, b string) bool {
	as, bs := strings.Fields(a), strings.Fields(b)
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		x, errX := strconv.ParseFloat(strings.Trim(as[i], "[]"), 64)
		y, errY := strconv.ParseFloat(strings.Trim(bs[i], "[]"), 64)
		if errX == nil && errY == nil && math.Abs(x-y) < 1e-6 {
			continue
		}
		if as[i] != bs[i] {
			return false
		}
	}
	return true
}
