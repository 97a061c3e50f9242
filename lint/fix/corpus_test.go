package fix_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
)

// each returns a rule with a repair for each operation of a name.
func each(name string, wanted bool, f finding.Fix) *lint.Analyzer {
	return &lint.Analyzer{Name: "r", Doc: "d", Run: func(p *lint.Pass) error {
		for op := range p.Operations(name) {
			if _, ok := op.Attribute("x.y"); ok == wanted {
				p.ReportFix(op, finding.Note, f, "m")
			}
		}
		return nil
	}}
}

// In each text of the corpus, the operations of each name get an attribute and lose it again. The
// text is then the same, byte for byte. Some operations have no text of their own, and some forms
// no place for attributes; their module is printed anew.
func TestCorpusLocal(t *testing.T) {
	local, anew := 0, map[string]int{}
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if row["kind"] != "good" || row["form"] != "text" {
			continue
		}
		data := check.Must(os.ReadFile(filepath.Join(corpus, row["file"])))
		library := mlirtest.LibraryFor(t, data)
		names := map[string]bool{}
		m := mlirtest.ContextOf(t, library)
		for op := range check.Must(m.Parse("", data)).Operation().All() {
			names[op.Name()] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			run := func(data []byte, rule *lint.Analyzer) fix.Result {
				r, err := fix.Apply(library, row["file"], data,
					fix.Options{Options: lint.Options{Analyzers: []*lint.Analyzer{rule}}})
				check.NoError(t, err)
				check.Diff(t, "left", 0, len(r.Left))
				return r
			}
			with := run(data,
				each(name, false, finding.Fix{Set: map[string]string{"x.y": `["}", dense<[1, 2]> : tensor<2xi32>]`}}))
			if with.Anew != "" {
				anew[name]++
				continue
			}
			local++
			without := run(with.Data, each(name, true, finding.Fix{Remove: []string{"x.y"}}))
			if string(without.Data) != string(data) {
				check.Diff(t, row["file"]+": "+name, string(data), string(without.Data))
			}
		}
	}
	t.Logf("%d local, not local: %v", local, anew)
	if local < 380 {
		t.Errorf("only %d repairs were local; not local: %v", local, anew)
	}
	for _, name := range []string{"stablehlo.custom_call", "stablehlo.create_token", "stablehlo.outfeed", "func.func",
		"builtin.module"} {
		check.Diff(t, name, 0, anew[name])
	}
}
