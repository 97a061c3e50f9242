package rules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const corpus = "../../tests/testdata/modules"

// TestFixes applies the repairs of every finding in testdata and in the corpus. The modules then
// verify, and what was repaired has no finding.
func TestFixes(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/*.mlir", corpus + "/*.mlir*"} {
		found, err := filepath.Glob(pattern)
		check.NoError(t, err)
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			check.NoError(t, err)
			if strings.Contains(file, "bad_") || stablehlo.IsPortableArtifact(data) {
				return
			}
			o := options(string(data))
			library := mlirtest.LibraryFor(t, data)
			repairable := func() []finding.Finding {
				found := check.Must(lint.Check(library, file, data, o))
				return slices.DeleteFunc(found, func(d finding.Finding) bool { return d.Fix == nil })
			}
			findings := repairable()
			for range 2 { // a function may be unused when another one is gone
				if len(findings) == 0 {
					return
				}
				data = []byte(mend(t, library, data, findings))
				findings = repairable()
			}
			for _, d := range findings {
				t.Errorf("after the repairs: %v; fix: %s", d, repair(d.Fix))
			}
		})
	}
}

// mend returns the text of a module after the repairs of its findings.
func mend(t *testing.T, library *mlir.Library, data []byte, findings []finding.Finding) (text string) {
	t.Helper()
	c := mlirtest.ContextOf(t, library)
	m, restore, err := lint.Parse(c, data, rules.All())
	check.NoError(t, err)
	ops := slices.Collect(m.Operation().All())
	migrate, replace, prepare := false, false, false
	var erase []mlir.Operation
	for _, d := range findings {
		if d.Fix == nil {
			continue
		}
		migrate, replace = migrate || d.Fix.Migrate, replace || d.Fix.ReplaceLegacy
		prepare = prepare || d.Fix.Prepare
		for name, value := range d.Fix.Set {
			ops[d.Operation-1].SetAttribute(name, check.Must(c.ParseAttribute(value)))
		}
		for _, name := range d.Fix.Remove {
			ops[d.Operation-1].RemoveAttribute(name)
		}
		if d.Fix.Erase {
			erase = append(erase, ops[d.Operation-1])
		}
	}
	if restore != nil {
		restore(m)
	}
	// Of alias_whole_tuple.mlir, one call has no safe repair.
	if err := m.Verify(); err != nil &&
		!strings.Contains(err.Error(), "output part has type 'tuple<tensor<2x3xf32>, tensor<2x3xf32>>'") {
		t.Fatal(err)
	}
	for _, op := range erase {
		check.NoError(t, op.Erase())
	}
	if replace {
		_, err := passes.ReplaceLegacy(m, passes.LegacyOptions{})
		check.NoError(t, err)
	}
	if migrate {
		_, err := passes.Migrate(m, passes.MigrateOptions{Callback: func(mlir.Operation) string { return "" }})
		check.NoError(t, err)
	}
	if prepare {
		check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
	}
	return m.String()
}

// TestCorpus checks that each old hook of the corpus has a repair, after which nothing is found
// that a module has to be mended for.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if hooks := row["legacy_hooks"]; hooks != "yes" && hooks != "token-only" {
			continue
		}
		t.Run(row["file"], func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(corpus, row["file"]))
			check.NoError(t, err)
			library := mlirtest.LibraryFor(t, data)
			findings := check.Must(lint.Check(library, "f", data, lint.Options{Analyzers: rules.All()}))
			for _, d := range findings {
				if d.Severity == finding.Error && (d.Fix == nil || !d.Fix.Migrate) {
					t.Errorf("%v; fix: %s", d, repair(d.Fix))
				}
			}
			mended := []byte(mend(t, library, data, findings))
			for _, d := range check.Must(lint.Check(library, "f", mended, lint.Options{Analyzers: rules.All()})) {
				if d.Severity != finding.Note {
					t.Errorf("after the repairs: %v", d)
				}
			}
		})
	}
}
