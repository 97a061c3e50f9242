package gitdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// repository makes a repository with one commit of the files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	run(t, dir, "init", "-q")
	run(t, dir, "add", "-A")
	run(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "first")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestSince(t *testing.T) {
	odd := "ö\"d\td.mlir"
	if runtime.GOOS == "windows" {
		odd = "ö d.mlir"
	}
	dir := repository(t, map[string]string{
		"a.mlir":      "1\n2\n3\n4\n5\n",
		"same.mlir":   "1\n",
		"gone.mlir":   "1\n",
		"b/old.mlir":  "1\n2\n",
		"b c/d.mlir":  "1\n2\n",
		"bin.bc":      "a\x00b",
		odd:           "1\n2\n",
		"dashes.mlir": "-- a/x\n++ b/y\n@@ -1 +9 @@\n",
	})
	write(t, dir, "a.mlir", "1\nnew\nnew\n3\n4\n")
	write(t, dir, "b/old.mlir", "1\n2\n3\n")
	write(t, dir, "b c/d.mlir", "x\n2\n")
	write(t, dir, "bin.bc", "a\x00c")
	write(t, dir, odd, "1\nx\n")
	write(t, dir, "dashes.mlir", "++ b/same.mlir\nx\ny\n")
	write(t, dir, "b/new.mlir", "1\n")
	os.Remove(filepath.Join(dir, "gone.mlir"))
	c, err := Since(filepath.Join(dir, "b"), "HEAD")
	check.NoError(t, err)
	for name, want := range map[string]string{ // a letter for each line
		"a.mlir":      ".##..",
		"same.mlir":   ".",
		"b/old.mlir":  "..#",
		"b c/d.mlir":  "#.",
		"bin.bc":      "##",
		odd:           ".#",
		"dashes.mlir": "###",
		"b/new.mlir":  "##",
		"gone.mlir":   ".",
	} {
		got := ""
		for i := range want {
			if c.In(filepath.Join(dir, name), i+1) {
				got += "#"
			} else {
				got += "."
			}
		}
		changed, err := c.Changed(filepath.Join(dir, name))
		if got != want || err != nil || changed != strings.Contains(want, "#") && name != "gone.mlir" {
			t.Errorf("%s: %s, want %s (changed %v, %v)", name, got, want, changed, err)
		}
	}
	if _, err := c.Changed(filepath.Join(t.TempDir(), "x")); err == nil ||
		!strings.Contains(err.Error(), "outside of git's work tree") {
		t.Errorf("outside: %v", err)
	}
	for _, revision := range []string{"nothing", "--output=x", ""} {
		if _, err := Since(dir, revision); err == nil {
			t.Errorf("the revision %q is accepted", revision)
		}
	}
	if _, err := Since(t.TempDir(), "HEAD"); err == nil ||
		!strings.HasPrefix(err.Error(), "git finds no work tree around this folder: run this in a clone (fatal: ") {
		t.Errorf("no repository: %v", err)
	}
}

// TestSinceBranch has a branch with a renamed file, and a further commit on the branch that it left, whose lines did
// not change here.
func TestSinceBranch(t *testing.T) {
	dir := repository(t, map[string]string{
		"a.mlir": "1\n2\n3\n4\n5\n6\n7\n8\n", "b.mlir": "1\n", "same.mlir": "1\n2\n",
	})
	commit := func() {
		run(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-a", "-m", "next")
	}
	run(t, dir, "branch", "-M", "main")
	run(t, dir, "checkout", "-q", "-b", "topic")
	run(t, dir, "mv", "a.mlir", "ö a.mlir")
	run(t, dir, "mv", "same.mlir", "moved.mlir")
	write(t, dir, "ö a.mlir", "1\n2\nx\n4\n5\n6\n7\n8\n")
	commit()
	run(t, dir, "checkout", "-q", "main")
	write(t, dir, "b.mlir", "1\n2\n")
	commit()
	run(t, dir, "checkout", "-q", "topic")
	for _, revision := range []string{"main", "main...HEAD", "main..."} {
		c, err := Since(dir, revision)
		check.NoError(t, err)
		for _, tt := range []struct {
			file string
			line int
			want bool
		}{{"ö a.mlir", 2, false}, {"ö a.mlir", 3, true}, {"ö a.mlir", 4, false},
			{"b.mlir", 1, false}, {"moved.mlir", 1, false}} {
			if got := c.In(filepath.Join(dir, tt.file), tt.line); got != tt.want {
				t.Errorf("since %s, line %d of %s changed: %t", revision, tt.line, tt.file, got)
			}
		}
	}
	_, err := Since(dir, "main...topic")
	check.Error(t, err, `what changed is in the work tree, and not in "topic": write main...HEAD`)
	run(t, dir, "checkout", "-q", "--orphan", "alone")
	commit()
	_, err = Since(dir, "main")
	check.Error(t, err, `git knows no commit that "main" and HEAD have in common`)
}
