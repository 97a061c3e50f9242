package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/native"
)

// everything has the real rules and some that fail.
var everything = append(rules.All(),
	&lint.Analyzer{Name: "panics", Doc: "panics", Run: func(*lint.Pass) error { panic("out of luck") }},
	&lint.Analyzer{Name: "fails", Doc: "fails", Run: func(*lint.Pass) error { return errors.New("no idea") }},
	&lint.Analyzer{Name: "wears-out", Doc: "ends the second time that its worker runs it", Run: func(*lint.Pass) error {
		if runs++; runs == 2 {
			os.Exit(7)
		}
		return nil
	}},
	&lint.Analyzer{Name: "ends", Doc: "ends like Go without a thread", Run: func(*lint.Pass) error {
		fmt.Fprintln(os.Stderr, "runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort")
		os.Exit(2)
		return nil
	}},
	dies("dies"), dies("dies-too"),
	marks, hides, meddles, hangs, eats, differs,
)

var runs int

// TestMain makes the test binary a worker if the command starts it as one.
func TestMain(m *testing.M) {
	if _, worker := os.LookupEnv("CALLIOPE_MLIR_LINT_WORKER"); worker {
		os.Exit(command.Main(everything...))
	}
	os.Setenv("CALLIOPE_LINT_CACHE", "off") // tests of one file would get the answers of others
	// Under -race each worker would sleep for a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	nativetest.Main(m, native.MLIR)
}

// A result has the output and the exit status of a run.
type result struct {
	Exit           int
	Stdout, Stderr string
}

// execute runs the command in this process, with its own workers.
func execute(stdin string, args ...string) result {
	return executeWith(rules.All(), stdin, args...)
}

func executeWith(analyzers []*lint.Analyzer, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	exit := command.Run(args, strings.NewReader(stdin), &stdout, &stderr, analyzers)
	return result{exit, stdout.String(), stderr.String()}
}

// holds checks the exit status and that each text is in the output, in this order.
func (r result) holds(t *testing.T, exit int, texts ...string) {
	t.Helper()
	if r.Exit != exit {
		t.Errorf("exit status %d, want %d", r.Exit, exit)
	}
	rest := r.Stdout + r.Stderr
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Errorf("%q is missing or in the wrong order", text)
		}
		rest = after
	}
	if t.Failed() {
		t.Logf("printed:\n%s%s", r.Stdout, r.Stderr)
	}
}

const (
	clean = "func.func @f() { return }\n"
	hook  = `func.func @f(%x: tensor<f32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}
`
)

func TestUsage(t *testing.T) {
	tests := []struct {
		name   string
		args   []string
		exit   int
		output []string
	}{
		{"help", []string{"-h"}, 0, []string{"usage: ", "file:line:column: severity: message [rule]", "-rules"}},
		{"list", []string{"-list"}, 0, []string{
			"after-all\t", "alias-copies\t", "alias-invalid\t", "alias-missing\t", "alias-whole-tuple\t",
			"api-version\t", "backend-config\t",
			"callback-binding\t", "callback-in-loop\t", "create-token\t", "hook-flag\t", "infeed\t", "jax-spelling\t",
			"layouts\t",
			"legacy-adapter\t", "legacy-custom-call\t", "outfeed\t", "placement\t", "side-effect\t", "token-value\t",
			"unknown-target\t", "unordered-effects\t",
			"zero-token\t",
		}},
		{"version", []string{"-version"}, 0, []string{" " + version.Version + "\n"}},
		{"version with -quick", []string{"-quick", "-version"}, 0, []string{" " + version.Version + "\n"}},
		{"format of statistics", []string{"-statistics", "-format", "sarif"}, 2,
			[]string{"-statistics has the formats text and json only"}},
		{"unknown flag", []string{"-jsn"}, 2,
			[]string{"-jsn: the flags are -h, -add-ignores, -allow-unregistered-dialect, -baseline, -config, -diff, ", "-fix, -fix-partial, -fix-unsafe, ",
				"-list, -max-memory, -max-module, ", "-quick, -reprint, -rules, ", "-timeout, -version, -watch, -werror, -write-baseline"}},
		{"unknown rule", []string{"-rules", "outfeed,infeeds"}, 2,
			[]string{`there is no rule "infeeds", did you mean "infeed": choose from after-all, `,
				"create-token, deprecated-op, ", "infeed, jax-spelling, ", "outfeed, placement, ",
				"unused-function, xla-deviates"}},
		{"quick and others", []string{"-quick", "-fix", "-strict", "-format", "json"}, 2,
			[]string{"-quick only finds operations, and does not parse modules: leave out -fix, -strict"}},
		{"no time", []string{"-timeout", "0"}, 2,
			[]string{`invalid value "0" for flag -timeout: give a time of more than zero, such as 30s or 2m` + "\n"}},
		{"odd time", []string{"-timeout", "soon"}, 2,
			[]string{`invalid value "soon" for flag -timeout: give a time of more than zero`}},
		{"no size", []string{"-max-module", "0"}, 2, []string{"give a size such as 4096 (bytes) or 512MiB"}},
		{"stdin twice", []string{"-", "-"}, 2, []string{"can be read only once"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { execute("", test.args...).holds(t, test.exit, test.output...) })
	}
}

func TestStandardInput(t *testing.T) {
	tests := []struct {
		name, stdin string
		args        []string
		exit        int
		output      []string
	}{
		{"findings", hook, nil, 1, []string{"<stdin>:2:8: error: stablehlo.create_token ", "[create-token]\n",
			"<stdin>:3:8: error: stablehlo.outfeed ", "[outfeed]\n"}},
		{"by name", hook, []string{"-"}, 1, []string{"<stdin>:2:8"}},
		{"none", clean, nil, 0, nil},
		{"empty", "", nil, 0, nil},
		{"one rule", hook, []string{"-rules", "outfeed, outfeed"}, 1, []string{"<stdin>:3:8"}},
		{"several errors", "func.func @f() { return }\nfunc.func @f() { return }\nfunc.func @f() { return }", nil, 2,
			[]string{"<stdin>:2:1: error: redefinition of symbol named 'f' (only these rules ran, without the library: infeed, outfeed) [invalid]\n"}},
		{"junk", "\x01\x02", nil, 2, []string{"<stdin>:1:"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := execute(test.stdin, test.args...)
			r.holds(t, test.exit, test.output...)
			if test.output == nil && r.Stdout+r.Stderr != "" {
				t.Errorf("printed %q, want nothing", r.Stdout+r.Stderr)
			}
		})
	}
	if r := execute(hook, "-rules", "outfeed"); strings.Count(r.Stdout, "\n") != 1 {
		t.Errorf("-rules outfeed printed\n%s", r.Stdout)
	}
}

// TestRuleFailures checks that the failure of a rule is reported, and does not hide the
// findings of others.
func TestRuleFailures(t *testing.T) {
	executeWith(everything, hook, "-rules", "panics,outfeed,fails,create-token").holds(t, 2,
		"<stdin>:1:1: error: the rule panics failed on this module: panic at ", "main_test.go:22: out of luck [invalid]\n",
		"<stdin>:1:1: error: the rule fails failed on this module: no idea [invalid]\n",
		"[create-token]\n", "[outfeed]\n")
}

// TestNoLibrary checks that a library that cannot be loaded is reported once, and not for each
// input.
func TestNoLibrary(t *testing.T) {
	t.Setenv(native.MLIR.Env(), writeFile(t, t.TempDir(), "lib.so", "no library"))
	dir := t.TempDir()
	r := execute("", writeFile(t, dir, "a.mlir", clean), writeFile(t, dir, "b.mlir", clean))
	r.holds(t, 2, "lib.so")
	if r.Stdout != "" || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("printed\n%s%s", r.Stdout, r.Stderr)
	}
}

// A full writer is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	if exit := command.Run(nil, strings.NewReader(hook), full{}, &stderr, rules.All()); exit != 2 ||
		!strings.Contains(stderr.String(), "writing the findings") {
		t.Errorf("exit status %d, %q", exit, stderr.String())
	}
	for _, arg := range []string{"-h", "-list"} {
		stderr.Reset()
		if exit := command.Run([]string{arg}, nil, full{}, &stderr, rules.All()); exit != 2 ||
			!strings.Contains(stderr.String(), "writing: ") {
			t.Errorf("%s: exit status %d, %q", arg, exit, stderr.String())
		}
	}
}
