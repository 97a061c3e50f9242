package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

// toolEnv is the environment variable that makes the test program the command.
const toolEnv = "CALLIOPE_OPT_TEST_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(toolEnv) != "" || os.Getenv(workerEnv) != "" {
		main()
	}
	nativetest.Main(m, native.MLIR)
}

// opt runs the command on a text as standard input, in a folder that becomes TMPDIR, too.
func opt(t *testing.T, folder, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), toolEnv+"=1", "TMPDIR="+folder)
	cmd.Dir = folder
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

const loss = `func.func @loss(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  %1 = stablehlo.sine %0 : tensor<3xf32>
  %2 = stablehlo.sine %0 : tensor<3xf32>
  %3 = stablehlo.add %1, %2 : tensor<3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
`

// operations returns the names of the operations of a text, in their order.
func operations(text string) (names []string) {
	for _, m := range regexp.MustCompile(
		`(?m)^ *(?:%\S+ = )?"?(stablehlo\.\w+|func\.func (?:private )?@[\w.]+)`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

func TestSteps(t *testing.T) {
	before := []string{"func.func @loss", "stablehlo.multiply", "stablehlo.sine", "stablehlo.sine", "stablehlo.add",
		"stablehlo.constant", "stablehlo.reduce"}
	shared := []string{"func.func @loss", "stablehlo.multiply", "stablehlo.sine", "stablehlo.add", "stablehlo.constant",
		"stablehlo.reduce"}
	ops := func(names string) (list []string) {
		for name := range strings.FieldsSeq(names) {
			list = append(list, "stablehlo."+name)
		}
		return list
	}
	batched := slices.Concat(before, []string{"func.func @loss.grad"},
		ops("constant multiply broadcast_in_dim cosine multiply cosine multiply add multiply"),
		[]string{"func.func @loss.grad.batch"},
		ops("constant broadcast_in_dim multiply broadcast_in_dim cosine broadcast_in_dim multiply cosine "+
			"broadcast_in_dim multiply add multiply"))
	for name, test := range map[string]struct {
		args  string
		files map[string]string
		want  []string
	}{
		"nothing":  {want: before},
		"a pass":   {args: "--cse", want: shared},
		"one dash": {args: "-cse", want: shared},
		"a pass of functions": {args: "--stablehlo-aggressive-simplification --cse",
			want: []string{"func.func @loss", "stablehlo.constant", "stablehlo.multiply", "stablehlo.sine",
				"stablehlo.add", "stablehlo.reduce"}},
		"options": {args: "--canonicalize=top-down=false --cse", want: []string{"func.func @loss",
			"stablehlo.constant", "stablehlo.multiply", "stablehlo.sine", "stablehlo.add", "stablehlo.reduce"}},
		"a pipeline":               {args: "--pass-pipeline=builtin.module(func.func(cse))", want: shared},
		"a pipeline without its =": {args: "--pass-pipeline builtin.module(cse)", want: shared},
		"a file": {args: "--pipeline-file=p",
			files: map[string]string{"p": "builtin.module( # all\n  func.func(cse))\n"}, want: shared},
		"in the order of the flags": {args: "--grad loss:1 --cse",
			want: append(shared[:len(shared):len(shared)], "func.func @loss.grad", "stablehlo.constant",
				"stablehlo.multiply", "stablehlo.broadcast_in_dim", "stablehlo.cosine", "stablehlo.multiply",
				"stablehlo.add", "stablehlo.multiply")},
		"a batch of gradients":         {args: "--grad loss:1 --batch loss.grad:8:0,- --symbol-dce", want: batched},
		"a rewriting changes nothing":  {args: "--prepare", want: before},
		"passes without verification":  {args: "--verify-each=false --cse", want: shared},
		"a rewriting between two sets": {args: "--cse --keep-values --cse", want: shared},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for name, text := range test.files {
				check.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			out, errs, status := opt(t, folder, loss, strings.Fields(test.args)...)
			if status != exitDone || errs != "" {
				t.Errorf("status %d, %s", status, errs)
			}
			if diff := cmp.Diff(test.want, operations(out)); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDerivatives makes each kind of new function.
func TestDerivatives(t *testing.T) {
	const linear = `func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }`
	for flag, want := range map[string][]string{
		"grad": {"f.grad"}, "hessian": {"f.hessian"}, "jac-fwd": {"f.jacfwd"}, "jac-rev": {"f.jacrev"}, "jvp": {"f.jvp"},
		"linear-transpose": {"f.transpose"}, "linearize": {"f.forward", "f.linear"},
		"value-and-grad": {"f.value_and_grad"}, "vjp": {"f.forward", "f.backward"},
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			out, errs, status := opt(t, t.TempDir(), linear, "--"+flag, "f")
			if status != exitDone {
				t.Fatal(errs)
			}
			var got []string
			for _, m := range regexp.MustCompile(`@(f\.[\w.]+)`).FindAllStringSubmatch(out, -1) {
				got = append(got, m[1])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("functions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out, errs, status := opt(t, t.TempDir(), "", "--version")
	check.Diff(t, "output", "calliope-opt "+version.Version+"\n", out+errs)
	check.Diff(t, "status", exitDone, status)
}

func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		args   string
		status int
		want   string
	}{
		"pass":               {"--cze", exitFailed, `(is it "cse"?)`},
		"own step":           {"--keep-value", exitFailed, "(did you mean --keep-values?)"},
		"value":              {"--pass-pipeline", exitCommand, "--pass-pipeline needs a value"},
		"boolean":            {"--verify-each=maybe", exitCommand, `"maybe" is neither true nor false`},
		"two files":          {"a b", exitCommand, "there are 2 files: a b: name one"},
		"no file":            {"nowhere.mlir", exitFailed, "open nowhere.mlir: no such file"},
		"no pipeline file":   {"--pipeline-file=nowhere", exitCommand, "open nowhere: no such file"},
		"two formats":        {"--emit-bytecode --emit-artifact", exitCommand, "exclude each other"},
		"version":            {"--emit-artifact=0.0.1", exitFailed, "0.0.1"},
		"function":           {"--grad los", exitFailed, "the module has no function @los"},
		"no function":        {"--grad=", exitCommand, "the function is missing"},
		"parameter":          {"--grad loss:7", exitFailed, "there is no parameter 7"},
		"parameter, no text": {"--vjp loss:x", exitCommand, `"x" is no parameter`},
		"no steps":           {"--max-steps 0 --grad loss", exitCommand, "0 is no number of steps"},
		"no size":            {"--batch loss", exitCommand, "is not FUNCTION:SIZE"},
		"size of a batch":    {"--batch loss:x", exitCommand, `"x" is no size`},
		"axes":               {"--batch loss:2:0", exitFailed, "Options.In has 1 axes, but the function has 2"},
		"axis":               {"--batch loss:2:a,b", exitCommand, `"a" is no axis`},
		"value of none":      {"--prepare=1", exitCommand, "it takes no value"},
		"size":               {"--max-module 10", exitFailed, "larger than 10 bytes: raise --max-module"},
		"no reproducer":      {"--run-reproducer", exitFailed, "it is no reproducer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, status := opt(t, t.TempDir(), loss, strings.Fields(test.args)...)
			if status != test.status || out != "" || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, stdout %q, stderr %s\nwant %d and %q", status, out, errs, test.status, test.want)
			}
		})
	}
}

// TestUnregistered follows the advice for an operation of another dialect.
func TestUnregistered(t *testing.T) {
	const mine = `module { "mine.op"() : () -> () }`
	_, errs, status := opt(t, t.TempDir(), mine)
	check.Diff(t, "status", exitFailed, status)
	if !strings.Contains(errs, "\n--allow-unregistered-dialect reads") ||
		strings.Contains(errs, "If this is intended") {
		t.Errorf("the error is %s", errs)
	}
	out, errs, status := opt(t, t.TempDir(), mine, "--allow-unregistered-dialect")
	if status != exitDone || !strings.Contains(out, "mine.op") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

func TestFormats(t *testing.T) {
	folder := t.TempDir()
	text, _, _ := opt(t, folder, loss)
	for _, flag := range []string{"--emit-bytecode", "--emit-artifact", "--emit-artifact=1.0.0",
		"--mlir-print-op-generic", "--mlir-print-debuginfo"} {
		if _, errs, status := opt(t, folder, loss, flag, "-o", "out"); status != exitDone {
			t.Fatalf("%s: %s", flag, errs)
		}
		got, errs, status := opt(t, folder, "", "out")
		if status != exitDone || got != text {
			t.Errorf("%s: status %d, %s%s", flag, status, errs, cmp.Diff(text, got))
		}
	}
	if got, _, _ := opt(t, folder, loss, "--mlir-print-op-generic"); !strings.Contains(got, `"stablehlo.sine"(%`) {
		t.Errorf("it is not generic: %s", got)
	}
	if _, errs,
		_ := opt(t, folder, loss, "--mlir-print-ir-after-all", "--cse"); !strings.Contains(errs, "IR Dump After CSE") {
		t.Errorf("the IR was not printed: %s", errs)
	}
	if got, _, _ := opt(t, folder, "", "--show-passes"); !strings.Contains(got, "--stablehlo-legalize-to-vhlo") {
		t.Errorf("passes: %s", got)
	}
}

// A pass that crashes is named, and leaves a reproducer, with which it crashes again.
func TestCrash(t *testing.T) {
	folder := t.TempDir()
	const module = `func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}`
	args := []string{"--stablehlo-legalize-to-linalg"}
	for range 2 {
		out, errs, status := opt(t, folder, module, append(args, "--cse")...)
		if status != exitFailed || out != "" || strings.Count(errs, "\n") != 2 {
			t.Fatalf("status %d, %s%s", status, out, errs)
		}
		m := regexp.MustCompile(
			`legalize-to-linalg.* crashed \(.*\)\n(\S+) has the module and the passes`).FindStringSubmatch(errs)
		if m == nil {
			t.Fatal(errs)
		}
		args = []string{"--run-reproducer", m[1]}
	}
	if _, errs, status := opt(t, folder, loss, "--cse"); status != exitDone {
		t.Errorf("status %d, %s", status, errs)
	}
	left, err := filepath.Glob(filepath.Join(folder, "calliope-opt-*"))
	if err != nil || len(left) != 2 {
		t.Errorf("%d reproducers are left, want 2: %v %v", len(left), left, err)
	}
}

// TestDerivativeOptions has options of derivatives before and after the flag that makes one.
func TestDerivativeOptions(t *testing.T) {
	const text = `func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
	%ten = stablehlo.constant dense<10.0> : tensor<f32>
	%r = stablehlo.while(%v = %x) : tensor<f32>
	cond {
		%c = stablehlo.compare LT, %v, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
		stablehlo.return %c : tensor<i1>
	} do {
		%next = stablehlo.multiply %v, %v : tensor<f32>
		stablehlo.return %next : tensor<f32>
	}
	return %r, %x : tensor<f32>, tensor<f32>
}`
	for args, want := range map[string]string{
		"--grad main":                     "set Options.Aux",
		"--aux --grad main":               "the most steps in Options.MaxSteps",
		"--max-steps=7 --grad main --aux": "tensor<7xf32>",
		"--jac-rev main --max-steps 9":    "tensor<9xf32>",
	} {
		out, errs, _ := opt(t, t.TempDir(), text, strings.Fields(args)...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("%s: %q is missing in\n%s%s", args, want, out, errs)
		}
	}
}

// TestPrintAfter prints the module within package jit.
func TestPrintAfter(t *testing.T) {
	out, errs, status := opt(t, t.TempDir(), loss, "--jit-print-after=make-loops")
	check.Diff(t, "status", exitFailed, status) // it has no main
	check.Diff(t, "output", "", out)
	if !strings.Contains(errs, "no function @main") {
		t.Errorf("the error is %s", errs)
	}
	of := strings.ReplaceAll(loss, "@loss", "@main")
	out, errs, status = opt(t, t.TempDir(), of, "--jit-print-after=make-loops", "--mlir-print-debuginfo")
	check.Diff(t, "status", exitDone, status)
	for _, want := range []string{"// -----// after make-loops //----- //\n", "scf.for", `loc("<stdin>":2:8)`} {
		if !strings.Contains(errs, want) {
			t.Errorf("there is no %q in %s", want, errs)
		}
	}
	if strings.Count(errs, "//----- //") != 1 || !strings.Contains(out, "stablehlo.sine") {
		t.Errorf("it prints %s and %s", out, errs)
	}
	_, errs, _ = opt(t, t.TempDir(), of, "--jit-print-after=all")
	if n := strings.Count(errs, "//----- //"); n < 10 {
		t.Errorf("it prints %d modules", n)
	}
	_, errs, status = opt(t, t.TempDir(), of, "--jit-print-after=make-lops")
	check.Diff(t, "status", exitFailed, status)
	if !strings.Contains(errs, "did you mean make-loops?") {
		t.Errorf("the error is %s", errs)
	}
}
