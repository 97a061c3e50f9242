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

// TestReadme runs the program in the README, and holds what it prints against the README.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, rest := codeBlock(t, string(readme), "```go\npackage main")
	output, _ := codeBlock(t, rest, "```\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte("package main"+program+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if formatted, err := exec.Command("gofmt", "-l", file).Output(); err != nil || len(formatted) > 0 {
		t.Errorf("gofmt has changes: %v", err)
	}
	var stderr strings.Builder
	run := exec.Command("go", "run", file) // in this module, whose packages it imports
	run.Stderr = &stderr
	got, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if !alike(output, string(got)) {
		t.Errorf("it prints\n%s\nand the README says\n%s", got, output)
	}
}

// codeBlock is what stands between a beginning and the next end of a block.
func codeBlock(t *testing.T, text, begin string) (block, rest string) {
	t.Helper()
	_, text, ok := strings.Cut(text, begin)
	block, rest, closed := strings.Cut(text, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the README has no block that begins with %q", begin)
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
