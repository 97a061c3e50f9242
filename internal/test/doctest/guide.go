package doctest

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wrong is the heading of a guide's mistakes.
const wrong = "\n## When it goes wrong\n"

const module = "github.com/calliope-mlir/calliope"

// namesFile matches the line before a block that is a file.
var namesFile = regexp.MustCompile("`([^` ]+)`:$")

// A guide is a document that is being run.
type guide struct {
	dir     string
	env     []string
	here    *strings.Replacer // gets this module from where it is, in place of the network
	command string            // the last line of the last block "sh" before the mistakes
	output  string            // of the block "sh" that ran last
	failed  bool              // that block has another exit status than 0
	checked bool              // that output was compared, or there is none
}

// Guide runs a guide in an empty folder, block by block. A block whose line before ends with "`file`:" is that file. A
// block "sh" is run by bash; what it prints is in the block after it, where "…" stands for any words. Other blocks of
// Go are lines of a file. In the section of mistakes, of which there are three or more, each command fails, and a
// block "diff" is a change of one file, with which the last command is run once more. This module, which the guide
// gets by "go get" or "go install", is that in the folder root. Commands are also looked up in the folders of path.
func Guide(t *testing.T, document, root string, path ...string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	right, mistakes, ok := strings.Cut(string(text), wrong)
	if !ok {
		t.Fatalf("the guide has no section %q", strings.TrimSpace(wrong))
	}
	if root, err = filepath.Abs(root); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	g := &guide{dir: t.TempDir(), checked: true, here: strings.NewReplacer(
		"go get "+module, "cp '"+root+"/go.sum' . && go mod edit -require="+module+"@v0.0.0 -replace="+module+"='"+root+"'",
		"go install "+module+"/tools/mlir-lint@latest", "GOBIN='"+bin+"' go install -C '"+root+"' ./tools/mlir-lint")}
	path = append(path, bin, os.Getenv("PATH"))
	g.env = append(os.Environ(), "NO_COLOR=1",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -ldflags=-s -gcflags=-trimpath="+g.dir,
		"PATH="+strings.Join(path, string(filepath.ListSeparator)))
	g.blocks(t, right, false)
	if n := g.blocks(t, mistakes, true); n < 3 {
		t.Errorf("the guide has %d mistakes, and needs three", n)
	}
}

// blocks runs the blocks of a part of a guide, and returns how many of them printed what the block after them says.
func (g *guide) blocks(t *testing.T, text string, mistakes bool) (outputs int) {
	before := ""
	for text != "" {
		var line, code string
		line, text, _ = strings.Cut(text, "\n")
		language, begins := strings.CutPrefix(line, "```")
		if !begins {
			before = cmp.Or(line, before)
			continue
		}
		code, text, _ = strings.Cut(text, "```\n")
		file := namesFile.FindStringSubmatch(before)
		before = ""
		switch {
		case file != nil:
			write(t, filepath.Join(g.dir, file[1]), strings.TrimSuffix(code, "\n"))
			if strings.HasSuffix(file[1], ".go") {
				g.formatted(t, file[1])
			}
		case language == "sh":
			g.finish(t)
			g.run(t, code)
			if lines := strings.Split(strings.TrimSpace(code), "\n"); !mistakes {
				g.command = lines[len(lines)-1] + "\n"
			}
		case language == "diff" && mistakes:
			g.finish(t)
			restore := g.change(t, code)
			g.run(t, g.command)
			restore()
		case language == "go":
			g.quotes(t, code)
		case language == "" && !g.checked:
			g.checked = true
			outputs++
			if !matches(code, g.output) {
				t.Errorf("the guide says\n%s\nand this is printed\n%s", code, g.output)
			}
			if mistakes && !g.failed {
				t.Errorf("this mistake has the exit status 0: %s", g.output)
			}
		}
	}
	g.finish(t)
	return outputs
}

// finish holds that a block "sh" succeeded if the guide does not say what it prints.
func (g *guide) finish(t *testing.T) {
	t.Helper()
	if !g.checked && g.failed {
		t.Fatalf("a command fails:\n%s", g.output)
	}
	g.checked = true
}

// run runs a block "sh".
func (g *guide) run(t *testing.T, commands string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", g.here.Replace(commands))
	c.Dir, c.Env = g.dir, g.env
	out, err := c.CombinedOutput()
	if _, exit := err.(*exec.ExitError); err != nil && !exit {
		t.Fatal(err)
	}
	out = bytes.ReplaceAll(out, []byte(g.dir+string(filepath.Separator)), nil)
	g.output, g.failed, g.checked = string(out), err != nil, false
	t.Logf("$ %s--\n%s", commands, out)
}

// change makes the change of a block "diff" in the one file that has its lines, and returns a function that undoes it.
func (g *guide) change(t *testing.T, diff string) (restore func()) {
	t.Helper()
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	err := filepath.WalkDir(g.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || restore != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Count(text, []byte(before.String())) != 1 {
			return err
		}
		changed := strings.Replace(string(text), before.String(), after.String(), 1)
		restore = func() { write(t, path, strings.TrimSuffix(string(text), "\n")) }
		return os.WriteFile(path, []byte(changed), 0o644)
	})
	if err != nil || restore == nil {
		t.Fatalf("no file has the lines of this change (%v):\n%s", err, diff)
	}
	return restore
}

// quotes holds that some lines are in a file of the guide, with any indentation.
func (g *guide) quotes(t *testing.T, lines string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(g.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || found {
			return err
		}
		text, err := os.ReadFile(path)
		spaced := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		found = strings.Contains(spaced(string(text)), spaced(lines))
		return err
	})
	if err != nil || !found {
		t.Errorf("no file has these lines (%v):\n%s", err, lines)
	}
}

// formatted holds that a Go file is formatted.
func (g *guide) formatted(t *testing.T, file string) {
	t.Helper()
	if out, err := exec.Command("gofmt", "-l", filepath.Join(g.dir, file)).Output(); err != nil || len(out) > 0 {
		t.Errorf("%s: gofmt has changes: %v", file, err)
	}
}

// matches compares as alike does, and takes "…" for any words.
func matches(want, got string) bool {
	parts := strings.Split(want, "…")
	if len(parts) == 1 {
		return alike(want, got)
	}
	var pattern strings.Builder
	for i, part := range parts {
		if i > 0 {
			pattern.WriteString(".*?")
		}
		pattern.WriteString(regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(`(?s)^\s*` + pattern.String() + `\s*$`).MatchString(got)
}
