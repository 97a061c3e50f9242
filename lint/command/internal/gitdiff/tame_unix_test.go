//go:build !windows

package gitdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestStrangersRepository reads repositories whose configuration names a program in each way in which git runs one to
// find differences and ignored files. Plain git runs it, so the trap works.
func TestStrangersRepository(t *testing.T) {
	for _, trap := range []struct {
		name   string
		config []string // pairs; PROGRAM is the script
		git    []string // what springs it
		spoil  func(t *testing.T, dir, script string)
	}{
		{name: "fsmonitor", config: []string{"core.fsmonitor", "PROGRAM"}, git: []string{"ls-files", "--others"}},
		{name: "hook", config: []string{"core.hooksPath", "hooks"}, git: []string{"status"},
			spoil: func(t *testing.T, dir, script string) {
				hook := filepath.Join(dir, "hooks", "post-index-change")
				check.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
				check.NoError(t, os.Symlink(script, hook))
			}},
		{name: "clean filter", config: []string{"filter.x.clean", "PROGRAM"}, git: []string{"diff", "HEAD"}},
		{name: "required filter", config: []string{"filter.x.clean", "PROGRAM", "filter.x.required", "true"},
			git: []string{"diff", "HEAD"}},
		{name: "filter process", config: []string{"filter.x.process", "PROGRAM"}, git: []string{"diff", "HEAD"}},
		{name: "included filter", config: []string{"include.path", "more"}, git: []string{"diff", "HEAD"},
			spoil: func(t *testing.T, dir, script string) {
				write(t, dir, ".git/more", "[filter \"x\"]\n\tclean = "+script+"\n")
			}},
		{name: "external diff", config: []string{"diff.external", "PROGRAM"}, git: []string{"diff", "HEAD"}},
		{name: "diff driver", config: []string{"diff.z.command", "PROGRAM"}, git: []string{"diff", "HEAD"}},
		{name: "textconv", config: []string{"diff.z.textconv", "PROGRAM"}, git: []string{"diff", "HEAD"}},
		{name: "promisor", config: []string{"extensions.partialClone", "origin", "remote.origin.promisor", "true",
			"remote.origin.url", ".", "remote.origin.uploadpack", "PROGRAM"},
			git: []string{"diff", "HEAD"}, spoil: loseObjects},
		{name: "remote helper", config: []string{"extensions.partialClone", "origin", "remote.origin.promisor", "true",
			"remote.origin.url", "ext::PROGRAM", "protocol.ext.allow", "always"},
			git: []string{"diff", "HEAD"}, spoil: loseObjects},
	} {
		t.Run(trap.name, func(t *testing.T) {
			dir := repository(t, map[string]string{"a.mlir": "1\n2\n", ".gitattributes": "a.mlir filter=x diff=z\n"})
			marker := filepath.Join(t.TempDir(), "ran")
			script := filepath.Join(t.TempDir(), "program")
			check.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho ran >> '"+marker+"'\n"), 0o755))
			for i := 0; i < len(trap.config); i += 2 {
				run(t, dir, "config", trap.config[i],
					strings.ReplaceAll(trap.config[i+1], "PROGRAM", script))
			}
			if trap.spoil != nil {
				trap.spoil(t, dir, script)
			}
			write(t, dir, "a.mlir", "1\nx\n")
			_, _ = Since(dir, "HEAD") // without objects it fails
			_ = Ignored(dir)
			if _, err := os.Stat(marker); err == nil {
				t.Error("git ran the program")
			}
			cmd := exec.Command("git", trap.git...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if _, missing := os.Stat(marker); missing != nil {
				t.Errorf("plain git does not run the program, so the test shows nothing: %v\n%s", err, out)
			}
		})
	}
}

// loseObjects removes the content of the files, as of a clone that has not fetched them.
func loseObjects(t *testing.T, dir, _ string) {
	t.Helper()
	out := check.Must(exec.Command("git", "-C", dir, "rev-parse", "HEAD:a.mlir").Output())
	name := strings.TrimSpace(string(out))
	check.NoError(t, os.Remove(filepath.Join(dir, ".git", "objects", name[:2], name[2:])))
}

// TestBareRepository looks for ignored files in a folder that is a bare repository, whose files a clone may have.
func TestBareRepository(t *testing.T) {
	dir, marker := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n" +
			"\tfsmonitor = \"touch " + marker + "; false\"\n",
	} {
		write(t, dir, name, text)
	}
	if ignored := Ignored(dir); ignored != nil {
		t.Errorf("git ignores %v", ignored)
	}
	if _, err := Since(dir, "HEAD"); err == nil {
		t.Error("the bare repository is used")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("git ran the program")
	}
	_ = exec.Command("git", "-C", dir, "ls-files", "--others").Run()
	if _, err := os.Stat(marker); err != nil {
		t.Error("plain git does not run the program, so the test shows nothing")
	}
}
