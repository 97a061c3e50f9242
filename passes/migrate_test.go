package passes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

const migrateCorpus = "../tests/testdata/modules"

// TestMigrateCorpus migrates real modules: those with old hooks have neither tokens nor feeds
// afterwards, and the others do not change.
func TestMigrateCorpus(t *testing.T) {
	migrated := 0
	for _, row := range check.Rows(t, filepath.Join(migrateCorpus, "INDEX.tsv")) {
		if row["kind"] == "bad" {
			continue
		}
		t.Run(row["file"], func(t *testing.T) {
			data := check.Must(os.ReadFile(filepath.Join(migrateCorpus, row["file"])))
			m, err := mlirtest.ContextOf(t, mlirtest.LibraryFor(t, data)).Parse(row["file"], data)
			check.NoError(t, err)
			before := m.String()
			result, err := passes.Migrate(m, passes.MigrateOptions{})
			if err != nil {
				t.Fatalf("%v\n%s", err, m)
			}
			after := m.String()
			if row["legacy_hooks"] == "no" {
				if len(result.Callbacks) == 0 && before != after {
					check.Diff(t, "the module", before, after)
				}
				return
			}
			migrated++
			if len(result.Skipped) > 0 || result.Tokens == 0 {
				t.Errorf("%d tokens were removed, and these are left: %v", result.Tokens, result.Skipped)
			}
			clean(t, m)
			if strings.Contains(after, "tuple<") {
				t.Errorf("the module still has a tuple:\n%s", after)
			}
		})
	}
	if migrated < 10 {
		t.Errorf("only %d modules were migrated", migrated)
	}
}
