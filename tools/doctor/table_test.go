package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

const tablesFile = "../../docs/compatibility.md"

// fileTables returns the tables in the file.
func fileTables(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(tablesFile)
	check.NoError(t, err)
	_, inside, _, err := cutTables(string(text))
	check.NoError(t, err)
	return inside
}

// known replaces the cells of a table by those of another one if they were not measured.
func known(got, want string) string {
	lines, wants := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(lines) != len(wants) {
		return got
	}
	for i := range lines {
		cells, instead := strings.Split(lines[i], " | "), strings.Split(wants[i], " | ")
		for j := range cells {
			if c := strings.Trim(cells[j], " |"); len(cells) == len(instead) && (c == "?" || c == "not tried") {
				cells[j] = instead[j]
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return strings.Join(lines, "\n")
}

// ensureReleases makes the parts those that are pinned, and reports whether they are: a part
// that the package index lacks is replaced by another one.
func ensureReleases(t *testing.T, parts []native.Part) (all bool) {
	t.Helper()
	all = true
	for _, p := range parts {
		t.Setenv(p.Env(), "")
		if !p.Fetchable() {
			all = false
			continue
		}
		found, err := native.Ensure(t.Context(), p, native.EnsureOptions{})
		check.NoError(t, err)
		all = all && found.Version == p.Release()
	}
	return all
}

// TestTables compares docs/compatibility.md with the table of parts, and with what the default
// parts do. The test of the other ones has the build tag engines.
func TestTables(t *testing.T) {
	defaults := []native.Part{native.MLIR, native.PJRTPlugin}
	all := ensureReleases(t, defaults)
	tables, err := measure(t.Context(), defaults)
	check.NoError(t, err)
	want := fileTables(t)
	if d := cmp.Diff(want, known(tables.String(), want)); d != "" {
		t.Errorf("run `go generate ./tools/doctor`; docs/compatibility.md (-is +should be):\n%s", d)
	}
	if all && tables.pairs[[2]native.Part{native.MLIR, native.PJRTPlugin}] != "runs" {
		t.Errorf("the default parts do not run: %v", tables.pairs)
	}
}

// TestTableFile writes the tables to a file.
func TestTableFile(t *testing.T) {
	t.Setenv("CALLIOPE_CACHE", t.TempDir()) // nothing is there to be tried
	file := filepath.Join(t.TempDir(), "file.md")
	write := func(text string) {
		t.Helper()
		check.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("before\n" + tableBegin + "old\n" + tableEnd + "after\n")
	if exit, _, stderr := doctor(t, "-table", file); exit != exitWell ||
		!strings.Contains(stderr, "? stands for what is not known, because this machine lacks mlir, ") ||
		!strings.Contains(stderr, "-fetch -table` fetches it") {
		t.Fatalf("exit status %d, %s", exit, stderr)
	}
	_, printed, _ := doctor(t, "-table")
	text, err := os.ReadFile(file)
	check.NoError(t, err)
	if d := cmp.Diff("before\n"+tableBegin+printed+tableEnd+"after\n", string(text)); d != "" {
		t.Errorf("the file (-want +got):\n%s", d)
	}
	if !strings.Contains(printed, "| `mlir` | not tried | not tried | not tried | not tried |") {
		t.Errorf("it prints\n%s", printed)
	}
	write("no tables\n")
	if exit, _, stderr := doctor(t, "-table", file); exit != exitFailed ||
		!strings.Contains(stderr, "it lacks the lines") {
		t.Errorf("exit status %d, %s", exit, stderr)
	}
}

func TestCell(t *testing.T) {
	for problem, want := range map[string]string{
		`/x/selftest.go:51: add(f32[4]): mlir: /cache/lib.so does not know the operation "stablehlo.add"; others do`: "it lacks `stablehlo.add`",
		"bridge: /home/x/plugin.so: FFI 0.9 | not known; use another":                                                `bridge: plugin.so: FFI 0.9 \| not known`,
		"main.go:3: one\ntwo": "one",
	} {
		if got := cell(problem); got != want {
			t.Errorf("%q: %q, want %q", problem, got, want)
		}
	}
}
