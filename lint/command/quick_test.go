package command_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/native"
)

func TestQuick(t *testing.T) {
	// Nothing may open a library.
	t.Setenv(native.MLIR.Env(), writeFile(t, t.TempDir(), "lib.so", "no library"))
	dir := t.TempDir()
	writeFile(t, dir, "a.mlir", clean)
	writeFile(t, dir, "b.mlir", hook)
	writeFile(t, dir, "c.txt", hook)
	const token = `func.func @f() { %0 = stablehlo.create_token : !stablehlo.token return }`
	tests := []struct {
		name, stdin string
		args        []string
		exit        int
		output      []string
	}{
		{"standard input", hook, nil, 1,
			[]string{"<stdin>:2:8: note: stablehlo.create_token creates a token, use unknown", "[create-token]\n",
				"<stdin>:3:8: error: stablehlo.outfeed ", "[outfeed]\n"}},
		{"folder", "", []string{dir}, 1,
			[]string{filepath.Join(dir, "b.mlir") + ":2:8: note: ", filepath.Join(dir, "b.mlir") + ":3:8: error: "}},
		{"clean", clean, nil, 0, nil},
		{"token alone", token, nil, 0, []string{"<stdin>:1:23: note: "}},
		{"infeed", strings.ReplaceAll(hook, "outfeed", "infeed"), nil, 1,
			[]string{"<stdin>:2:8: note: ", "<stdin>:3:8: error: stablehlo.infeed ", "[infeed]\n"}},
		{"rule", hook, []string{"-rules", "create-token"}, 0, []string{"[create-token]\n"}},
		{"list", "", []string{"-list"}, 0, []string{"create-token\t", "ignore\t", "infeed\t", "outfeed\t"}},
		{"unknown rule", "", []string{"-rules", "outfeed,layouts"}, 2,
			[]string{`there is no rule "layouts": choose from create-token, ignore, infeed, invalid, outfeed`}},
		{"no time", "", []string{"-timeout", "0"}, 2, []string{"-timeout: give a time of more than zero"}},
		{"missing", "", []string{filepath.Join(dir, "no.mlir"), filepath.Join(dir, "b.mlir")}, 2,
			[]string{"no.mlir:1:1: error: there is no such file or folder: check the path", "b.mlir:2:8: "}},
		{"too large", hook, []string{"-max-module", "10"}, 2, []string{"raise -max-module"}},
		{"stdin twice", "", []string{"-", "-"}, 2, []string{"can be read only once"}},
		{"damaged text", "\n \"outfeed", nil, 2, []string{"<stdin>:2:2: error: the string does not end on its line, or has an unknown escape [invalid]\n"}},
		{"damaged bytecode", "ML\xefR\x0d\x00\x00\xff", nil, 2,
			[]string{"<stdin>:1:1: error: the bytecode is damaged: ", "[invalid]\n"}},
		{"newer bytecode", "ML\xefR\xff", nil, 2, []string{"<stdin>:1:1: error: it has a newer version of the bytecode format: it needs the full engine, without -quick [invalid]\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"-quick"}, test.args...)
			full := execute(test.stdin, args...)
			full.holds(t, test.exit, test.output...)
			if test.output == nil && full.Stdout+full.Stderr != "" {
				t.Errorf("printed %q, want nothing", full.Stdout+full.Stderr)
			}
			check.Diff(t, "the command without cgo", full, executeQuick(test.stdin, args...))
		})
	}
}

// executeQuick runs the command that has only -quick.
func executeQuick(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	exit := command.RunQuick(args, strings.NewReader(stdin), &stdout, &stderr)
	return result{exit, stdout.String(), stderr.String()}
}

// onlyFull matches what only a full run has: operations in fingerprints, repairs, and all rules in SARIF.
var onlyFull = regexp.MustCompile(`[0-9a-f]{32}|,"fix":\{[^}]*\}|(?s)"rules": \[.*?\n {10}\]|"ruleIndex": \d+`)

// TestQuickSettings checks the ignores, configurations and formats of -quick.
func TestQuickSettings(t *testing.T) {
	ignored := strings.Replace(outfeeds, "  %u", "  // mlir-lint:ignore outfeed why\n  %u", 1)
	tree(t, map[string]string{
		"a.mlir":            outfeeds,
		"b.mlir":            ignored,
		"c/.mlir-lint.yaml": "rules: {outfeed: warning, layouts: off}\nignore:\n- path: gone.mlir\n- {path: not.mlir, rules: [outfeed]}\n",
		"c/a.mlir":          outfeeds,
		"c/gone.mlir":       outfeeds,
		"c/not.mlir":        outfeeds,
		"d/useless.mlir":    strings.ReplaceAll(ignored, "stablehlo.outfeed", "stablehlo.custom"),
		"e/.mlir-lint.yaml": "stricd: true",
		"e/a.mlir":          outfeeds,
		"f/unasked.mlir":    strings.Replace(ignored, "ignore outfeed", "ignore layouts", 1),
	})
	for _, test := range []struct {
		name string
		args []string
		exit int
		want []string
	}{
		{"ignores", []string{"a.mlir", "b.mlir"}, 1, []string{"a.mlir:2:8: error [outfeed]"}},
		{"useless", []string{"d"}, 0, []string{"d/useless.mlir:2:3: warning [ignore]"}},
		{"unasked", []string{"f"}, 1, []string{"f/unasked.mlir:3:8: error [outfeed]"}},
		{"configuration", []string{"c"}, 0, []string{"c/a.mlir:2:8: warning [outfeed]"}},
		{"-werror", []string{"-werror", "c"}, 1, []string{"c/a.mlir:2:8: warning [outfeed]"}},
		{"mistake", []string{"e"}, 2, []string{"e/.mlir-lint.yaml:1:1: error [invalid]"}},
		{"-config", []string{"-config", "c/.mlir-lint.yaml", "a.mlir"}, 0, []string{"a.mlir:2:8: warning [outfeed]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"-quick"}, test.args...)
			execute("", args...).want(t, test.exit, test.want...)
			executeQuick("", args...).want(t, test.exit, test.want...)
		})
	}
	for _, format := range []string{"json", "sarif", "github", "gitlab", "junit", "checkstyle"} {
		of := func(args ...string) string {
			r := executeWith(few, "", append(args, "-format", format, "-rules", "outfeed", "a.mlir", "b.mlir")...)
			return onlyFull.ReplaceAllString(r.Stdout, "")
		}
		check.Diff(t, format, of(), of("-quick"))
	}
}

// TestQuickNewFromRev checks the changed lines of -quick.
func TestQuickNewFromRev(t *testing.T) {
	tree(t, map[string]string{"a.mlir": outfeeds})
	commitAll(t)
	writeFile(t, ".", "new.mlir", outfeeds)
	args := []string{"-quick", "-new-from-rev", "HEAD", "a.mlir", "new.mlir"}
	execute("", args...).want(t, 1, "new.mlir:2:8: error [outfeed]")
	executeQuick("", args...).want(t, 1, "new.mlir:2:8: error [outfeed]")
}

// TestQuickOnly checks the usage of a build that has only -quick.
func TestQuickOnly(t *testing.T) {
	for _, test := range []struct {
		args   []string
		exit   int
		output string
	}{
		{[]string{"-h"}, 0, "built without cgo"},
		{nil, 2, "has only -quick: for everything else, build it with CGO_ENABLED=1"},
		{[]string{"-fix", "x"}, 2, "-fix: the flags are -h, -config, -format, -j, -list, -max-module, -new-from-rev, -no-gitignore, -quick, -rules, -shard, -statistics, -stdin-filename, -timeout, -version, -werror; this program was built without cgo"},
	} {
		var stdout, stderr bytes.Buffer
		exit := command.RunQuick(test.args, nil, &stdout, &stderr)
		result{exit, stdout.String(), stderr.String()}.holds(t, test.exit, test.output)
	}
	var stderr bytes.Buffer
	if exit := command.RunQuick([]string{"-quick"}, strings.NewReader(hook), full{}, &stderr); exit != 2 ||
		!strings.Contains(stderr.String(), "writing the findings") {
		t.Errorf("exit status %d, %q", exit, stderr.String())
	}
}

var severityAndMessage = regexp.MustCompile(`: (error|warning|note): (\S+) .*?( \(at [^)]*\))? \[`)

// TestQuickCorpus compares the findings in real modules with those of the full rules, except
// their severity and message, and the exit status with the table of the corpus.
func TestQuickCorpus(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	count := func(text string) int {
		n, _ := strconv.Atoi(text) // "-" if it could not be counted
		return n
	}
	const names = "create-token,outfeed"
	for _, file := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if file["kind"] == "bad" {
			continue
		}
		t.Run(file["file"], func(t *testing.T) {
			path := filepath.Join(corpus, file["file"])
			want := severityAndMessage.ReplaceAllString(execute("", "-rules", names, path).Stdout, ": $2$3 [")
			got := severityAndMessage.ReplaceAllString(execute("", "-quick", "-rules", names, path).Stdout, ": $2$3 [")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-full +quick):\n%s", diff)
			}
			quick := execute("", "-quick", path)
			if n := strings.Count(quick.Stdout, "[infeed]\n"); n != count(file["infeed"]) {
				t.Errorf("%d infeeds, want %s", n, file["infeed"])
			}
			exit := min(count(file["outfeed"])+count(file["infeed"]), 1)
			quick.holds(t, exit)
		})
	}
}

// TestQuickWithoutCgo builds the command without cgo and runs it.
func TestQuickWithoutCgo(t *testing.T) {
	check.NoRaces(t)
	t.Parallel()
	program := filepath.Join(t.TempDir(), "mlir-lint.exe")
	build := exec.Command("go", "build", "-o", program, "../../tools/mlir-lint")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program, "-quick", "-")
	run.Stdin = strings.NewReader(hook)
	out, err := run.Output()
	exited, _ := errors.AsType[*exec.ExitError](err)
	if exited == nil || exited.ExitCode() != 1 {
		t.Errorf("ended with %v, want exit status 1", err)
	}
	if diff := cmp.Diff(execute(hook, "-quick").Stdout, string(out)); diff != "" {
		t.Errorf("(-with +without cgo):\n%s", diff)
	}
}
