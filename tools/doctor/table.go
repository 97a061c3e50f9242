package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/native"
)

// The jobs that find the versions for the tables, and their steps.
const (
	versionMLIR   = "version of an MLIR library"
	versionPlugin = "versions of a plugin"

	stableHLO, pjrt, ffi = "StableHLO", "PJRT", "FFI"
)

// The tables are between these lines.
const (
	tableBegin = "<!-- compatibility: written by go generate ./tools/doctor -->\n"
	tableEnd   = "<!-- end of compatibility -->\n"
)

// column is a part in the tables of compatibility.
type column struct {
	part     native.Part
	path     string // "" if it is not on this machine
	versions map[string]string
}

// tables holds what is known of each MLIR library and plugin, and which pairs work.
type tables struct {
	libraries, plugins []column
	pairs              map[[2]native.Part]string // "runs", or the error; also by a library and ""
}

// compatibility prints the tables, or writes them to a file, and returns the exit status.
func compatibility(ctx context.Context, out io.Writer, into []string, fetch bool, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "doctor: %v\n", err)
		return exitFailed
	}
	if !withC {
		return fail(errors.New("-table opens native libraries: build doctor with cgo"))
	}
	if fetch {
		for _, p := range slices.Concat(libraryOrder, native.Plugins()) {
			if p.Fetchable() {
				if _, err := native.Ensure(ctx, p, native.EnsureOptions{Progress: stderr}); err != nil {
					return fail(err)
				}
			}
		}
	}
	t, err := measure(ctx, slices.Concat(libraryOrder, native.Plugins()))
	if err != nil {
		return fail(err)
	}
	if absent := t.absent(); len(absent) > 0 {
		fmt.Fprintf(stderr, "doctor: ? stands for what is not known, because this machine lacks %s: `%s -table` fetches it\n", strings.Join(absent, ", "), version.Fetch)
	}
	if len(into) == 0 {
		fmt.Fprint(out, t)
		return exitWell
	}
	old, err := os.ReadFile(into[0])
	if err != nil {
		return fail(err)
	}
	before, _, after, err := cutTables(string(old))
	if err != nil {
		return fail(fmt.Errorf("%s: %w", into[0], err))
	}
	err = replace.File(into[0], func(w io.Writer) error {
		_, err := io.WriteString(w, before+t.String()+after)
		return err
	})
	if err != nil {
		return fail(err)
	}
	return exitWell
}

// absent returns the parts that are not on this machine.
func (t *tables) absent() (parts []string) {
	for _, e := range slices.Concat(t.libraries, t.plugins) {
		if e.path == "" {
			parts = append(parts, string(e.part))
		}
	}
	return parts
}

// cutTables returns the tables in a document, and what is around them.
func cutTables(text string) (before, inside, after string, err error) {
	before, rest, begins := strings.Cut(text, tableBegin)
	inside, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return "", "", "", fmt.Errorf("it lacks the lines %q and %q", tableBegin, tableEnd)
	}
	return before + tableBegin, inside, tableEnd + after, nil
}

// measure opens the parts that are on this machine, and runs the self-test on each pair and without a plugin.
func measure(ctx context.Context, parts []native.Part) (*tables, error) {
	t := &tables{pairs: map[[2]native.Part]string{}}
	for _, p := range slices.Concat(libraryOrder, native.Plugins()) {
		e := column{part: p, versions: map[string]string{}}
		job, library, into := versionMLIR, native.MLIR, &t.libraries
		if slices.Contains(native.Plugins(), p) {
			job, library, into = versionPlugin, native.PJRTPlugin, &t.plugins
		}
		found, err := native.Find(p)
		// The tables are about releases: a library that the environment names, or that
		// replaces a missing one, is something else.
		if err == nil && slices.Contains(parts, p) && found.Version == p.Release() {
			e.path = found.Path
			runJob(ctx, job, defaultLimit, []string{library.Env() + "=" + found.Path}, nil, func(s step) {
				e.versions[s.Name] = s.Text + cell(s.Problem)
			})
		} else if err != nil && !errors.As(err, new(*native.NotFoundError)) {
			return nil, err
		}
		*into = append(*into, e)
	}
	for _, l := range t.libraries {
		if l.path == "" {
			continue
		}
		library := native.MLIR.Env() + "=" + l.path
		t.pairs[[2]native.Part{l.part}] = try(ctx, tryIR, library)
		for _, p := range t.plugins {
			if p.path != "" {
				t.pairs[[2]native.Part{l.part, p.part}] = try(ctx, tryAll, library, native.PJRTPlugin.Env()+"="+p.path)
			}
		}
	}
	return t, context.Cause(ctx)
}

// libraryOrder has the MLIR libraries. The default one is the first, as among the plugins.
var libraryOrder = []native.Part{native.MLIR, native.Jaxlib, native.IREE, native.LLVM}

// try runs a self-test with the libraries of an environment, and returns "runs", or the first error.
func try(ctx context.Context, job string, env ...string) string {
	result := "runs"
	runJob(ctx, job, defaultLimit, env, nil, func(s step) {
		if s.Problem != "" && result == "runs" {
			result = "no: " + cell(s.Problem)
		}
	})
	return result
}

// detail matches what depends on the machine in an error: folders, and lines of this program.
var detail = regexp.MustCompile(`[\w.]+\.go:\d+: |/[^\s:"]*/`)

// unknown matches the error of a library that lacks a dialect.
var unknown = regexp.MustCompile(`does not know the operation "([\w.]+)"`)

// cell shortens an error to what fits into a table and is the same everywhere.
func cell(problem string) string {
	if m := unknown.FindStringSubmatch(problem); m != nil {
		return "it lacks `" + m[1] + "`"
	}
	problem, _, _ = strings.Cut(detail.ReplaceAllString(detail.ReplaceAllString(problem, ""), ""), ";")
	problem, _, _ = strings.Cut(problem, "\n")
	return strings.ReplaceAll(problem, "|", `\|`)
}

// String returns the tables as Markdown.
func (t *tables) String() string {
	var b strings.Builder
	platforms := native.Platforms()
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	head := func(cells ...string) {
		row(cells...)
		fmt.Fprintln(&b, strings.Repeat("|---", len(cells))+"|")
	}
	pinned := func(e column) (cells []string) {
		releases := e.part.Releases()
		for _, platform := range platforms {
			switch release := releases[platform]; release {
			case "":
				cells = append(cells, "–")
			case e.part.Release():
				cells = append(cells, "yes")
			default:
				cells = append(cells, release)
			}
		}
		return cells
	}
	version := func(e column, name string) string {
		if v := e.versions[name]; v != "" {
			return v
		}
		return "?"
	}
	head(append([]string{"MLIR library", "release", stableHLO}, platforms...)...)
	for _, e := range t.libraries {
		row(append([]string{name(e.part), e.part.Release(), version(e, stableHLO)}, pinned(e)...)...)
	}
	fmt.Fprintln(&b)
	head(append([]string{"plugin", "release", stableHLO, pjrt, ffi}, platforms...)...)
	for _, e := range t.plugins {
		row(append([]string{name(e.part), e.part.Release(), version(e, stableHLO), version(e, pjrt), version(e, ffi)},
			pinned(e)...)...)
	}
	fmt.Fprintln(&b)
	titles := []string{"self-test"}
	for _, p := range t.plugins {
		titles = append(titles, "`"+string(p.part)+"`")
	}
	head(append(titles, "no plugin")...)
	for _, l := range t.libraries {
		cells := []string{"`" + string(l.part) + "`"}
		for _, p := range append(slices.Clone(t.plugins), column{}) {
			cells = append(cells, cmp.Or(t.pairs[[2]native.Part{l.part, p.part}], "not tried"))
		}
		row(cells...)
	}
	return b.String()
}

// name returns the part's name in the tables.
func name(p native.Part) string {
	if p == native.MLIR || p == native.PJRTPlugin {
		return "`" + string(p) + "` (default)"
	}
	return "`" + string(p) + "`"
}
