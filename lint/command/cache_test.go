package command_test

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// differs reports another text in each check, so that an answer from the cache shows.
var differs = &lint.Analyzer{Name: "differs", Doc: "differs", Run: func(p *lint.Pass) error {
	p.Report(p.Module.Operation(), finding.Note, "%s", rand.Text())
	return nil
}}

// TestCache checks what makes a second run check a file again.
func TestCache(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "a", "b")
	t.Setenv("CALLIOPE_LINT_CACHE", cache)
	tree(t, map[string]string{"a.mlir": clean, "b.mlir": clean + "\n", "d/c.bc": bytecode(t, clean)})
	lines := func(args ...string) []string {
		r := executeWith(append(slices.Clone(few), differs), "", append(args, ".")...)
		check.Diff(t, "standard error", "", r.Stderr)
		return strings.Split(strings.TrimSpace(strings.ReplaceAll(r.Stdout, "error", "note")), "\n")
	}
	// again returns how many of three lines are those of the last run.
	last := lines()
	again := func(args ...string) (n int) {
		now := lines(args...)
		check.Diff(t, "findings", 3, len(now))
		for i := range now {
			if now[i] == last[i] {
				n++
			}
		}
		last = now
		return n
	}
	entries := func(change func(data []byte) []byte) {
		check.NoError(t, filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				check.NoError(t, os.WriteFile(path, change(check.Must(os.ReadFile(path))), 0o600))
			}
			return err
		}))
	}
	for _, test := range []struct {
		name string
		do   func()
		args []string
		want int
	}{
		{name: "nothing", want: 3},
		{name: "other places of output", args: []string{"-format", "text", "-j", "1", "-timeout", "5s"}, want: 3},
		{name: "content", do: func() { writeFile(t, ".", "a.mlir", clean+"// more\n") }, want: 2},
		{name: "content back", do: func() { writeFile(t, ".", "a.mlir", clean) }, want: 2},
		{name: "time", do: func() { writeFile(t, ".", "a.mlir", clean) }, want: 3},
		{name: "strict", args: []string{"-strict"}},
		{name: "rules", args: []string{"-rules", "differs"}},
		{name: "off", args: []string{"-no-cache"}},
		{name: "on"},
		{name: "severity", do: func() { writeFile(t, ".", ".mlir-lint.yaml", "rules: {differs: error}") }, want: 3},
		{name: "configuration", do: func() { writeFile(t, "d", ".mlir-lint.yaml", "known-targets: [x]") }, want: 2},
		{name: "library", args: []string{"-engine", "mlir"}},
		{name: "the default library"},
		{name: "changed entries", do: func() {
			entries(func(data []byte) []byte { data[len(data)/2] ^= 4; return data })
		}},
		{name: "good entries", want: 3},
		{name: "cut entries", do: func() { entries(func(data []byte) []byte { return data[:len(data)/2] }) }},
		{name: "empty entries", do: func() { entries(func([]byte) []byte { return nil }) }},
		{name: "swapped entries", do: func() {
			var other []byte
			entries(func(data []byte) []byte { old := other; other = data; return bytes.Clone(old) })
		}},
	} {
		if test.do != nil {
			test.do()
		}
		if got := again(test.args...); got != test.want {
			t.Errorf("%s: %d of 3 files have their old result, want %d", test.name, got, test.want)
		}
	}
}

// TestCacheShared checks that runs at the same time get whole answers, and leave no other files.
func TestCacheShared(t *testing.T) {
	cache := t.TempDir()
	check.NoError(t, os.Chmod(cache, 0o700))
	t.Setenv("CALLIOPE_LINT_CACHE", cache)
	files := map[string]string{}
	for i := range 20 {
		files[string(rune('a'+i))+".mlir"] = outfeeds
	}
	tree(t, files)
	want := withFew("", "-no-cache", ".").Stdout
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			for range 3 {
				if r := withFew("", "."); r.Stdout != want || r.Stderr != "" {
					t.Errorf("it printed %s%s", r.Stdout, r.Stderr)
				}
			}
		})
	}
	runs.Wait()
	left := check.Must(filepath.Glob(filepath.Join(cache, "*", "*")))
	check.Diff(t, "entries", 20, len(left))
}

// TestCacheRepairs checks that repairs and invalid files are not taken from the cache or put there wrongly.
func TestCacheRepairs(t *testing.T) {
	t.Setenv("CALLIOPE_LINT_CACHE", filepath.Join(t.TempDir(), "cache"))
	tree(t, map[string]string{"a.mlir": hook})
	for range 2 {
		withFew("", "a.mlir").holds(t, 1, "[outfeed]")
	}
	withFew("", "-max-module", "10", "a.mlir").holds(t, 2, "raise -max-module")
	withFew("", "a.mlir").holds(t, 1, "[outfeed]")
	execute("", "-fix", "a.mlir").holds(t, 0, "findings repaired")
	withFew("", "a.mlir").want(t, 0)
}
