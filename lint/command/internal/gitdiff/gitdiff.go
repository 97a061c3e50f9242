// Package gitdiff finds the lines that changed since a revision, and the files that git ignores. It runs git, such that
// git runs no program that the repository names, and writes nothing.
package gitdiff

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
)

// Changes are the lines of a work tree that changed since a revision.
type Changes struct {
	root  string // of the work tree, without links
	files map[string]*lines
}

type lines struct {
	all    bool // the file is new, or binary
	ranges [][2]int
}

// Since returns the changes in the work tree around a folder since it left a revision: since the last commit that both
// have. revision may be written as revision...HEAD, too. Files that git does not track and does not ignore are new. A
// file that was renamed has the lines that changed.
func Since(folder, revision string) (*Changes, error) {
	root, err := git(folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("git finds no work tree around this folder: run this in a clone (%w)", err)
	}
	c := &Changes{root: clean(strings.TrimSuffix(string(root), "\n")), files: map[string]*lines{}}
	if strings.HasPrefix(revision, "-") {
		return nil, fmt.Errorf("%q is not a revision", revision)
	}
	if first, second, both := strings.Cut(revision, "..."); both {
		if revision = first; second != "HEAD" && second != "" {
			return nil, fmt.Errorf("what changed is in the work tree, and not in %q: write %s...HEAD", second, first)
		}
	}
	if _, err := git(c.root, "rev-parse", "--verify", "--quiet", revision+"^{commit}"); err != nil {
		return nil, fmt.Errorf("git does not know the revision %q: fetch it, for example with fetch-depth: 0", revision)
	}
	commit, err := git(c.root, "merge-base", revision, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("git knows no commit that %q and HEAD have in common: fetch more, for example with fetch-depth: 0",
			revision)
	}
	options, err := withoutFilters(c.root)
	if err != nil {
		return nil, err
	}
	diff, err := git(c.root, append(options, "-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff",
		"--no-textconv", "--find-renames", "--ignore-submodules", "--src-prefix=a/", "--dst-prefix=b/", strings.TrimSpace(string(commit)),
		"--")...)
	if err != nil {
		return nil, err
	}
	if err := c.parse(diff); err != nil {
		return nil, err
	}
	untracked, err := git(c.root, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		c.files[name] = &lines{all: true}
	}
	return c, nil
}

// Changed reports whether a file has changed lines. A file outside of the work tree is an error.
func (c *Changes) Changed(file string) (bool, error) {
	l, err := c.of(file)
	return l != nil, err
}

// In reports whether a line of a file changed. Each line of a binary file did.
func (c *Changes) In(file string, line int) bool {
	l, _ := c.of(file)
	if l == nil {
		return false
	}
	for _, r := range l.ranges {
		if r[0] <= line && line < r[1] {
			return true
		}
	}
	return l.all
}

func (c *Changes) of(file string) (*lines, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	// git has the link itself, and its folder without links.
	name, err := filepath.Rel(c.root, filepath.Join(clean(filepath.Dir(absolute)), filepath.Base(absolute)))
	if err != nil || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("it is outside of git's work tree %s", c.root)
	}
	return c.files[filepath.ToSlash(name)], nil
}

// clean returns a path without links, if it exists.
func clean(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.FromSlash(path)
}

var hunk = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// parse reads the output of git diff without context lines.
func (c *Changes) parse(diff []byte) error {
	var current *lines
	name := ""
	left := 0 // lines of the hunk, which may look like headers
	r := bufio.NewReader(bytes.NewReader(diff))
	for {
		line, err := r.ReadString('\n')
		if line == "" && err != nil {
			return nil
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case left > 0 && (strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")):
			left--
		case strings.HasPrefix(line, "diff --git "):
			name, current = nameIn(line), nil
		case strings.HasPrefix(line, "rename to "):
			name = unquote(strings.TrimPrefix(line, "rename to "))
		case strings.HasPrefix(line, "+++ "):
			if name = unquote(strings.TrimSuffix(line[4:], "\t")); name == "/dev/null" {
				continue // removed
			}
			name = strings.TrimPrefix(name, "b/")
		case strings.HasPrefix(line, "Binary files ") && !strings.HasSuffix(line, " and /dev/null differ"):
			c.files[name] = &lines{all: true}
		case strings.HasPrefix(line, "@@ "):
			m := hunk().FindStringSubmatch(line)
			if m == nil {
				return fmt.Errorf("git printed %q, which is not the start of a hunk", line)
			}
			if current = c.files[name]; current == nil {
				current = &lines{}
				c.files[name] = current
			}
			begin, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			current.ranges = append(current.ranges, [2]int{begin, begin + n})
			left = count(line)
		}
	}
}

var counts = lazyregexp.New(`^@@ -\d+(,\d+)? \+\d+(,\d+)? @@`)

// count returns the number of lines of a hunk, removed and added ones.
func count(header string) (n int) {
	for _, c := range counts().FindStringSubmatch(header)[1:] {
		if c == "" {
			n++
			continue
		}
		lines, _ := strconv.Atoi(c[1:])
		n += lines
	}
	return n
}

// nameIn returns the name in a line "diff --git a/x b/x". Both are the same, but for a renamed file, which a line of
// its own names.
func nameIn(line string) string {
	names := strings.TrimPrefix(line, "diff --git ")
	if strings.HasPrefix(names, `"`) {
		half := (len(names) - 1) / 2
		return strings.TrimPrefix(unquote(names[:half]), "a/")
	}
	return strings.TrimPrefix(names[:max(len(names)-1, 0)/2], "a/")
}

// unquote returns a name that git may have quoted as in C.
func unquote(name string) string {
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return plain
	}
	return name
}

// git runs git in a folder and returns its output.
func git(folder string, args ...string) ([]byte, error) {
	cmd := program.Command(context.Background(), folder, "git", append(slices.Clone(tame), args...)...)
	// A clone that lacks objects fetches them by the programs that its configuration names.
	cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if message := strings.TrimSpace(string(exit.Stderr)); message != "" {
			first, _, _ := strings.Cut(message, "\n")
			return nil, errors.New(first)
		}
	}
	return out, err
}
