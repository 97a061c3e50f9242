package tests

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestReadme runs the program in the README, and TestTutorial those of the tutorial. They print what the documents say.
func TestReadme(t *testing.T) { runPrograms(t, "../README.md", "quickstart") }

func TestTutorial(t *testing.T) {
	runPrograms(t, "../docs/tutorial.md", "predict", "train", "serve", "parts")
}

// runPrograms runs the programs of a document, one after the other in one folder. Each is a file main.go in the folder of
// its name. What it prints is in the block after it.
func runPrograms(t *testing.T, document string, names ...string) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	rest, dir := string(text), t.TempDir()
	for _, name := range names {
		var program, want string
		program, rest = codeBlock(t, rest, "```go\npackage main")
		want, rest = codeBlock(t, rest, "```\n")
		file := filepath.Join(dir, name, "main.go")
		if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("package main"+program+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if formatted, err := exec.Command("gofmt", "-l", file).Output(); err != nil || len(formatted) > 0 {
			t.Errorf("%s: gofmt has changes: %v", name, err)
		}
		binary := filepath.Join(dir, name, "program")
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, file) // in this module, whose packages it imports
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var stderr strings.Builder
		run := exec.CommandContext(t.Context(), binary)
		run.Dir, run.Stderr = dir, &stderr
		out, err := run.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &stderr)
		}
		got := strings.ReplaceAll(string(out), dir+string(filepath.Separator), "")
		if !alike(want, got) {
			t.Errorf("%s prints\n%s\nand the document says\n%s", name, got, want)
		}
	}
	if strings.Contains(rest, "```go\npackage main") {
		t.Error("the document has a further program")
	}
}

// codeBlock is what stands between a beginning and the next end of a block.
func codeBlock(t *testing.T, text, begin string) (block, rest string) {
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
