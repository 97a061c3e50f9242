package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

const corpus = "../../tests/testdata/modules"

// TestCorpus checks the findings in real modules against the table of the corpus.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	files := check.Rows(t, filepath.Join(corpus, "INDEX.tsv"))
	if len(files) < 49 {
		t.Fatalf("the corpus has %d files", len(files))
	}
	for _, file := range files {
		t.Run(file["file"], func(t *testing.T) {
			path := filepath.Join(corpus, file["file"])
			r := execute("", path)
			for line := range strings.Lines(r.Stdout) {
				brief(t, line)
			}
			switch {
			case strings.HasPrefix(file["file"], "bad_alias_"): // a rule explains the error
				r.holds(t, 1, place(path, file["jax_diagnostic"]), " error: ", "[alias-invalid]\n")
			case file["kind"] == "bad":
				r.holds(t, 2, place(path, file["jax_diagnostic"]), " error: ", "[invalid]\n")
			default:
				exit := 0
				if hooks := file["legacy_hooks"]; hooks == "yes" || hooks == "token-only" {
					exit = 1
				}
				r.holds(t, exit)
			}
			if file["kind"] == "bad" {
				return
			}
			for column, rule := range map[string]string{
				"outfeed": "[outfeed]", "infeed": "[infeed]", "create_token": "[create-token]",
				"after_all": "[after-all]",
			} {
				want, err := strconv.Atoi(file[column])
				check.NoError(t, err)
				if column == "after_all" && file["legacy_hooks"] == "no" { // it may stay
					want = 0
				}
				if got := strings.Count(r.Stdout, rule+"\n"); got != want {
					t.Errorf("%d findings %s, want %d:\n%s", got, rule, want, r.Stdout)
				}
			}
			// EXLA's cond drops the token of the branch. Everything else is ordered.
			unordered := 0
			if file["file"] == "hook_in_cond.mlir" {
				unordered = 1
			}
			if got := strings.Count(r.Stdout, "[unordered-effects]\n"); got != unordered {
				t.Errorf("%d calls are not ordered, want %d:\n%s", got, unordered, r.Stdout)
			}
		})
	}
}

var knownPlace = regexp.MustCompile(`"-":([1-9]\d*):\d+`)

// place returns the file and line of the error in a bad file: that of its diagnostic in the table,
// or the first one.
func place(path, diagnostic string) string {
	if at := knownPlace.FindStringSubmatch(diagnostic); at != nil {
		return path + ":" + at[1] + ":"
	}
	return path + ":1:"
}

// TestCorpusInOneRun checks that a run with many files on several workers prints the same
// lines as a run for each file, in the order of their names.
func TestCorpusInOneRun(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(corpus, "*.mlir*"))
	check.NoError(t, err)
	var alone strings.Builder
	for _, path := range paths {
		alone.WriteString(execute("", path).Stdout)
	}
	if r := execute("", corpus); r.Exit != 2 || r.Stdout != alone.String() {
		t.Errorf("exit status %d; together:\n%s\nalone:\n%s", r.Exit, r.Stdout, alone.String())
	}
}

// TestShardy checks modules with Shardy's dialect that JAX exported and lowered.
func TestShardy(t *testing.T) {
	t.Parallel()
	const folder = "../testdata/shardy/"
	for _, file := range check.Must(filepath.Glob(folder + "*.*")) {
		r := execute("", file)
		switch filepath.Base(file) {
		case "make.py":
		case "nested.mlirbc", "flat.mlirbc": // the second one is a portable artifact
			r.holds(t, 1, file+":1:1: error: stablehlo.create_token ", file+":1:1: error: stablehlo.outfeed ")
			check.Diff(t, "findings", 2, strings.Count(r.Stdout, "\n"))
		default:
			check.Diff(t, file, result{}, r)
		}
	}
	mended := filepath.Join(t.TempDir(), "flat.mlirbc")
	check.NoError(t, os.WriteFile(mended, check.Must(os.ReadFile(folder+"flat.mlirbc")), 0o600))
	execute("", "-fix", mended)
	execute("", mended).holds(t, 0)
	execute("", "-rules", "outfeed,backend-config", "../../bridge/testdata/jax/shard_map_debug.mlir").holds(t, 0)
}
