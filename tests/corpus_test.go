package tests

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const corpusFolder = "testdata/modules"

// corpusRow is one row of INDEX.tsv under the names of its columns.
type corpusRow map[string]string

func (r corpusRow) file() string { return r["file"] }

func (r corpusRow) read(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpusFolder, r.file()))
	check.NoError(t, err)
	return data
}

// corpus is the rows of INDEX.tsv.
func corpus(t testing.TB) (rows []corpusRow) {
	t.Helper()
	for _, row := range check.Rows(t, filepath.Join(corpusFolder, "INDEX.tsv")) {
		rows = append(rows, row)
	}
	return rows
}

// The four kinds of rows.
func isGood(r corpusRow) bool { return r["kind"] == "good" }
func isEdge(r corpusRow) bool { return r["kind"] == "edge" && r["parses_jaxlib053"] == "yes" }
func isRefused(r corpusRow) bool {
	return !isGood(r) && strings.HasPrefix(r["parses_jaxlib053"], "no: ")
}
func isCrash(r corpusRow) bool { return strings.HasPrefix(r["parses_jaxlib053"], "crash") }

// eachFile runs a test for every row that is wanted, each with a context of its own of the
// library that the file needs. It fails if there are none.
func eachFile(t *testing.T, want func(corpusRow) bool, test func(*testing.T, *mlir.Context, corpusRow)) {
	t.Helper()
	ran := 0
	for _, row := range corpus(t) {
		if !want(row) {
			continue
		}
		ran++
		t.Run(row.file(), func(t *testing.T) { test(t, contextFor(t, row.read(t)), row) })
	}
	if ran == 0 {
		t.Error("no file of the corpus is of this kind")
	}
}

// contextFor returns a context of the library that a module needs.
func contextFor(t testing.TB, source []byte) *mlir.Context {
	return mlirtest.ContextOf(t, mlirtest.LibraryFor(t, source))
}

func newContext(t testing.TB) *mlir.Context {
	c := library.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, c)
	return c
}

func parse(t testing.TB, c *mlir.Context, name string, data []byte) *mlir.Module {
	t.Helper()
	m, err := c.Parse(name, data)
	check.NoError(t, err)
	check.NoError(t, m.Verify())
	return m
}

// TestCorpusIndex holds that the rows and the files are the same set, and that each
// is of one kind: no file is left out by the tests below.
func TestCorpusIndex(t *testing.T) {
	var want, got []string
	for _, row := range corpus(t) {
		want = append(want, row.file())
		kinds := 0
		for _, is := range []func(corpusRow) bool{isGood, isEdge, isRefused, isCrash} {
			if is(row) {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%s is of %d kinds, want one", row.file(), kinds)
		}
	}
	for _, pattern := range []string{"*.mlir", "*.mlirbc"} {
		paths, err := filepath.Glob(filepath.Join(corpusFolder, pattern))
		check.NoError(t, err)
		for _, p := range paths {
			got = append(got, filepath.Base(p))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-INDEX.tsv +folder):\n%s", diff)
	}
}

var (
	// rangeEnd is what a location says beyond its first line and column.
	rangeEnd = regexp.MustCompile(`("[^"]*":\d+:\d+) to [\d:]+`)
	// noArgAttrs says of each argument of a function that it has no attributes.
	noArgAttrs = regexp.MustCompile(`arg_attrs = \[(\{\}(, )?)+\], `)
)

// TestCorpusForms takes every good module through each form in which it can be
// written, expects the same module again, and the same bytes when it is written a
// second time. Modules are compared in the generic form, in which nothing is left to
// a dialect's own printer. Two things do not outlive the short text: a list of empty
// argument attributes, and the locations of block arguments that it leaves out (as in
// stablehlo.while). Bytecode loses the end of a range that starts in column 0.
func TestCorpusForms(t *testing.T) {
	check.NoRaces(t)
	type options = mlir.PrintOptions
	text := func(p options) func(mlir.Operation) (string, error) {
		return func(o mlir.Operation) (string, error) { return o.Print(p), nil }
	}
	bytecode := func(o mlir.Operation) (string, error) {
		data, err := o.Bytecode()
		return string(data), err
	}
	plain := func(o mlir.Operation) string { return noArgAttrs.ReplaceAllString(o.Print(options{Generic: true}), "") }
	located := func(o mlir.Operation) string { return o.Print(options{Generic: true, DebugInfo: true}) }
	starts := func(o mlir.Operation) string { return rangeEnd.ReplaceAllString(located(o), "$1") }
	forms := []struct {
		name  string
		write func(mlir.Operation) (string, error)
		same  func(mlir.Operation) string
	}{
		{"text", text(options{}), plain},
		{"generic", text(options{Generic: true}), plain},
		{"text with locations", text(options{DebugInfo: true}), plain},
		{"generic with locations", text(options{Generic: true, DebugInfo: true}), located},
		{"bytecode", bytecode, starts},
	}
	eachFile(t, isGood, func(t *testing.T, c *mlir.Context, row corpusRow) {
		m := parse(t, c, row.file(), row.read(t)).Operation()
		for _, form := range forms {
			written, err := form.write(m)
			if err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			// A context of its own: nothing but what was written is left over.
			again := parse(t, contextFor(t, row.read(t)), form.name, []byte(written)).Operation()
			if diff := cmp.Diff(form.same(m), form.same(again)); diff != "" {
				t.Errorf("%s: not the same module (-want +got):\n%s", form.name, diff)
			}
			rewritten, err := form.write(again)
			if err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			if diff := cmp.Diff(written, rewritten); diff != "" {
				t.Errorf("%s: written a second time it differs (-first +second):\n%s", form.name, diff)
			}
		}
	})
}

// TestCorpusOperations holds the walk against the counts in EXPECT.json, which were
// made by another tool.
func TestCorpusOperations(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpusFolder, "EXPECT.json"))
	check.NoError(t, err)
	var expect map[string]struct {
		Ops map[string]int `json:"ops"`
	}
	check.NoError(t, json.Unmarshal(data, &expect))
	loaded := func(r corpusRow) bool { return isGood(r) || isEdge(r) }
	eachFile(t, loaded, func(t *testing.T, c *mlir.Context, row corpusRow) {
		got, total := map[string]int{}, 0
		parse(t, c, row.file(), row.read(t)).Operation().Walk(func(o mlir.Operation) mlir.WalkAction {
			got[o.Name()]++
			total++
			return mlir.WalkContinue
		})
		if diff := cmp.Diff(expect[row.file()].Ops, got); diff != "" {
			t.Errorf("operations (-want +got):\n%s", diff)
		}
		if want := row["n_ops"]; want != strconv.Itoa(total) {
			t.Errorf("there are %d operations, INDEX.tsv says %s", total, want)
		}
	})
}

// TestCorpusCustomCalls reads every custom call and holds it against INDEX.tsv. None
// of their aliases is refused.
func TestCorpusCustomCalls(t *testing.T) {
	type kind struct {
		Target        string `json:"target"`
		APIVersion    int    `json:"api_version"`
		BackendConfig string `json:"backend_config"`
		JAXConfig     bool   `json:"mhlo_backend_config"`
		HasSideEffect bool   `json:"has_side_effect"`
		Aliases       int    `json:"aliases"`
	}
	config := func(a mlir.Attribute) string {
		if a.IsNil() {
			return "none"
		}
		if a.IsDictionary() {
			return "dict"
		}
		if text, _ := a.Text(); text == "" {
			return "empty_string"
		}
		return "string"
	}
	aliased := 0
	eachFile(t, isGood, func(t *testing.T, c *mlir.Context, row corpusRow) {
		var calls []struct {
			kind
			Count int `json:"count"`
		}
		check.NoError(t, json.Unmarshal([]byte(row["custom_calls"]), &calls))
		want, got := map[kind]int{}, map[kind]int{}
		for _, call := range calls {
			want[call.kind] += call.Count
		}
		parse(t, c, row.file(), row.read(t)).Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
			call, ok := stablehlo.AsCustomCall(op)
			if !ok {
				return mlir.WalkContinue
			}
			_, jax := op.Attribute("mhlo.backend_config")
			got[kind{call.Target, call.APIVersion, config(call.BackendConfig), jax, call.HasSideEffect,
				len(call.Aliases)}]++
			aliased += len(call.Aliases)
			if err := aliasing.CheckOperation(op); err != nil {
				t.Errorf("%s: %v", op, err)
			}
			return mlir.WalkContinue
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("custom calls (-want +got):\n%s", diff)
		}
	})
	if aliased == 0 {
		t.Error("no custom call of the corpus has aliases")
	}
}

// TestCorpusRefused holds that every file which the library does not take ends in
// an error with the words of INDEX.tsv, at the line and column where another tool
// found the mistake.
func TestCorpusRefused(t *testing.T) {
	place := regexp.MustCompile(`^"-":(\d+):(\d+): `)
	eachFile(t, isRefused, func(t *testing.T, c *mlir.Context, row corpusRow) {
		m, err := c.Parse(row.file(), row.read(t))
		var d *mlir.DiagnosticError
		if m != nil || !errors.As(err, &d) || len(d.Diagnostics) == 0 {
			t.Fatalf("module %v and error %v, want a DiagnosticError with diagnostics", m, err)
		}
		// INDEX.tsv joins several diagnostics by a semicolon and cuts long ones.
		first, _, _ := strings.Cut(strings.TrimPrefix(row["parses_jaxlib053"], "no: "), "; ")
		if got := d.Diagnostics[0].Message; !strings.HasPrefix(got, first) {
			t.Errorf("the message is %q, want %q", got, first)
		}
		said, _, _ := strings.Cut(first, " If this is intended, ") // the rest is about flags of mlir-opt
		check.Error(t, err, said)
		check.Diff(t, "the hint", "", d.Hint)
		if at := place.FindStringSubmatch(row["jax_diagnostic"]); at != nil {
			got := d.Diagnostics[0].Position
			want := row.file() + ":" + at[1] + ":" + at[2]
			if got.String() != want {
				t.Errorf("the position is %v, want %s", got, want)
			}
		}
	})
}

// TestCorpusTooNew holds that the error of jaxlib's library for a module that is too new for
// it sends to the default one, which the other tests run it on.
func TestCorpusTooNew(t *testing.T) {
	tooNew := func(r corpusRow) bool { return isGood(r) && strings.HasPrefix(r["parses_jaxlib053"], "no: ") }
	eachFile(t, tooNew, func(t *testing.T, _ *mlir.Context, row corpusRow) {
		_, err := mlirtest.ContextOf(t, mlirtest.Jaxlib(t)).Parse(row.file(), row.read(t))
		check.Error(t, err, strings.TrimPrefix(row["parses_jaxlib053"], "no: "), "; the MLIR and StableHLO library ")
	})
}

// TestCorpusDeep holds that a file which overflows an ordinary stack is read to its
// end on a large one: what comes back is what the verifier says of the module.
func TestCorpusDeep(t *testing.T) {
	eachFile(t, isCrash, func(t *testing.T, _ *mlir.Context, row corpusRow) {
		data := row.read(t)
		err := mlir.OnLargeStack(func() error {
			c := library.NewContext(mlir.ContextOptions{})
			defer c.Close()
			_, err := c.Parse(row.file(), data)
			return err
		})
		want := "mlir: parse failed: " + row.file() + ":1:1: error: " +
			"'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'deep'"
		check.Error(t, err, want)
	})
}

// TestCorpusEdges holds that what is odd but valid is taken.
func TestCorpusEdges(t *testing.T) {
	eachFile(t, isEdge, func(t *testing.T, c *mlir.Context, row corpusRow) {
		parse(t, c, row.file(), row.read(t))
	})
}
