package command_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

const corpus = "../../tests/testdata/modules"

// TestCorpus checks the findings in real modules against the table of the corpus.
func TestCorpus(t *testing.T) {
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
				r.holds(t, 1, place(path, file["jax_diagnostic"])+": error: ", "[alias-invalid]\n")
			case file["kind"] == "bad":
				r.holds(t, 2, place(path, file["jax_diagnostic"])+": error: ", "[invalid]\n")
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
				if err != nil {
					t.Fatal(err)
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

var knownPlace = regexp.MustCompile(`"-":([1-9]\d*):(\d+)`)

// place returns the position of the error in a bad file: that of its diagnostic in the table,
// or the start of the file.
func place(path, diagnostic string) string {
	if at := knownPlace.FindStringSubmatch(diagnostic); at != nil {
		return path + ":" + at[1] + ":" + at[2]
	}
	return path + ":1:1"
}

// TestCorpusInOneRun checks that a run with many files on several workers prints the same
// lines as a run for each file, in the order of their names.
func TestCorpusInOneRun(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus, "*.mlir*"))
	if err != nil {
		t.Fatal(err)
	}
	var alone strings.Builder
	for _, path := range paths {
		alone.WriteString(execute("", path).Stdout)
	}
	if r := execute("", corpus); r.Exit != 2 || r.Stdout != alone.String() {
		t.Errorf("exit status %d; together:\n%s\nalone:\n%s", r.Exit, r.Stdout, alone.String())
	}
}

// TestUnread checks bytecode with the dialect of Shardy, as JAX writes it: the finding names
// the dialect, and says that the file is not at fault.
func TestUnread(t *testing.T) {
	r := execute("", "../../tools/mlir-run/testdata/shardy.mlirbc")
	r.holds(t, 2, "shardy.mlirbc:1:1: error: dialect 'sdy' ",
		"this is a limit of the libraries, and not a mistake in the file", "[invalid]\n")
}
