package native

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/program"
	"github.com/calliope-mlir/calliope/internal/host/version"
)

// pips are the commands that start pip, best first. uv has no download command of its own,
// but it can run pip, which it fetches, and a Python if it finds none.
//
// With -I, Python takes modules neither from the working folder nor from the places that variables name. It does not
// look into the user's own site-packages either: a pip there is found by its script, pip3. The settings of pip are read
// as without it, from its files and from PIP_ variables.
var pips = [][]string{
	{"python3", "-I", "-m", "pip"},
	{"python", "-I", "-m", "pip"},
	{"pip3"},
	{"pip"},
	{"uv", "tool", "run", "pip"},
}

// probeLimit limits the test whether a pip works. A cold start from a slow disk takes
// seconds.
const probeLimit = 2 * time.Minute

// findPip returns the first of pips that starts. Being on PATH is not enough: a Python may
// lack pip, and a version manager's shim may lack a Python.
func findPip(ctx context.Context, s spec, b build) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var problems []string
	for _, pip := range pips {
		if _, err := program.Find(pip[0]); err != nil {
			continue
		}
		out := new(tail)
		cmd := command(ctx, "", slices.Concat(pip, []string{"--version"}))
		cmd.Stdout, cmd.Stderr = out, out
		err := cmd.Run()
		if err == nil {
			return pip, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("native: `%s --version` did not finish in time: %w", strings.Join(pip, " "),
				context.Cause(ctx))
		}
		problems = append(problems, fmt.Sprintf("%s: %s", strings.Join(pip, " "), out.reason(err)))
	}
	if problems == nil {
		return nil, fmt.Errorf("native: fetching %s needs Python with pip, or uv, but none of python3, python, pip3, pip and uv is on PATH: install one of them%s", s.project, s.otherwise(b))
	}
	return nil, fmt.Errorf("native: fetching %s needs pip, but no pip here works (%s): try `python3 -m ensurepip`, install your system's package of pip, or of Python for uv%s", s.project, strings.Join(problems, "; "), s.otherwise(b))
}

// otherwise returns the end of the advice in an error: what to do without the network.
func (s spec) otherwise(b build) string {
	return fmt.Sprintf(", or on another machine get %s of %s %s, sha256 %s, from PyPI, and here run `%s -import FILE` with that file, or set %s to the path of a library that you have",
		b.wheel(), s.project, s.version, b.sha256, version.Doctor, s.env)
}

// download makes pip fetch the wheel into the slot's work folder and returns the wheel's
// path. It names no package index: the user's pip settings decide.
func download(ctx context.Context, p Part, s spec, b build, sl slot, progress io.Writer) (string, error) {
	pip, err := findPip(ctx, s, b)
	if err != nil {
		return "", err
	}
	into := filepath.Join(sl.work, "wheel")
	temp := filepath.Join(sl.work, "tmp")
	for _, dir := range []string{into, temp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", cacheError(filepath.Dir(sl.dir), err)
		}
	}
	// The wheels are made for one Python version. With that version as an argument, pip
	// accepts them whatever version runs it.
	cmd := command(ctx, "", slices.Concat(pip, []string{"download",
		"--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check",
		"--platform", b.tag, "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311",
		"-d", into, s.project + "==" + s.version}))
	// pip's temporary copy is in the cache too: only one disk needs the space, and the next
	// fetch removes what a killed pip left behind.
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	fmt.Fprintf(progress, "fetching the %s: %s %s (%d MB), with %s, into %s\n", p, s.project, s.version, s.mb,
		strings.Join(pip, " "), filepath.Dir(sl.dir))
	last := new(tail)
	// The output is not shown while pip runs: a failing pip may print a hundred lines of
	// traceback, and the error below has the last ones.
	cmd.Stderr = last
	if isTerminal(progress) {
		cmd.Stdout = progress
	}
	err = cmd.Run()
	called := strings.Join(pip, " ")
	switch {
	case ctx.Err() != nil:
		return "", stopped(ctx, s.title)
	case err != nil && last.contains(noSpace, "Disk quota exceeded"):
		return "", diskFullError(filepath.Dir(sl.dir), fmt.Errorf("%s found no space left on it", called))
	case err != nil:
		err := fmt.Errorf("native: `%s` could not fetch %s %s: look at the network and at pip's settings (`%s config list`) and try again%s; pip said:\n%s", called, s.project, s.version, called, s.otherwise(b), last.text(err))
		if last.contains("No matching distribution found") && !last.contains("connection broken") {
			return "", &notInIndexError{err}
		}
		return "", err
	}
	wheels, err := os.ReadDir(into)
	if err != nil {
		return "", cacheError(filepath.Dir(sl.dir), err)
	}
	if len(wheels) != 1 {
		return "", fmt.Errorf("native: `%s download` stored %d files for %s %s instead of one: look at pip's settings (`%s config list`)", called, len(wheels), s.project, s.version, called)
	}
	return filepath.Join(into, wheels[0].Name()), nil
}

// noSpace is the text of ENOSPC in the output of programs.
const noSpace = "No space left on device"

func stopped(ctx context.Context, title string) error {
	return fmt.Errorf("native: fetching the %s was stopped: %w", title, context.Cause(ctx))
}

// command returns a command in a folder, or in one where nothing is read if it is "". The command is interrupted when
// ctx ends, so that the program can clean up, and killed if it does not end soon after. On Windows it is killed at
// once.
func command(ctx context.Context, folder string, args []string) *exec.Cmd {
	cmd := program.Command(ctx, folder, args[0], args[1:]...)
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return cmd.Process.Kill() // it cannot be interrupted
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// isTerminal reports whether w is a terminal, or at least a device like one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// tail keeps the end of what is written to it.
type tail struct{ buf []byte }

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = bytes.Clone(t.buf[extra:])
	}
	return len(p), nil
}

func (t *tail) contains(texts ...string) bool {
	for _, text := range texts {
		if bytes.Contains(t.buf, []byte(text)) {
			return true
		}
	}
	return false
}

// lines returns up to n last lines that are not blank, or err if there are none.
func (t *tail) lines(n int, err error) []string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.buf), "?")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return []string{err.Error()}
	}
	return lines[max(0, len(lines)-n):]
}

// reason returns the last line or, if uv printed an error and its causes in lines of their own,
// the error, its first cause and its last one.
func (t *tail) reason(err error) string {
	lines := t.lines(1000, err)
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "error: ") })
	if i < 0 {
		return lines[len(lines)-1]
	}
	reason := strings.TrimPrefix(lines[i], "error: ")
	var causes []string
	for _, line := range lines[i+1:] {
		if cause, ok := strings.CutPrefix(line, "cause: "); ok {
			causes = append(causes, cause)
		}
	}
	if len(causes) > 2 {
		causes = []string{causes[0], causes[len(causes)-1]}
	}
	return strings.Join(append([]string{reason}, causes...), ": ")
}

func (t *tail) text(err error) string {
	return "    " + strings.Join(t.lines(3, err), "\n    ")
}
