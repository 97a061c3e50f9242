package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// toolEnv is the environment variable that makes the test program the command.
const toolEnv = "CALLIOPE_MLIR_RUN_TEST_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(toolEnv) != "" || os.Getenv(workerEnv) != "" {
		main()
	}
	// The tool fetches the last two if a module needs them, and says so.
	nativetest.Main(m, append(native.DefaultParts(), native.Jaxlib, native.LAPACK)...)
}

type outcome struct {
	status         int
	stdout, stderr string
}

// command is a command line of the tool, run in a directory.
type command struct {
	folder string
	stdin  string
	env    []string
	stdout *os.File // nil: kept for the outcome
}

// slots limits how many tools run at the same time: each contains a whole XLA.
var slots = make(chan struct{}, 2)

func (c command) run(t *testing.T, args ...string) outcome {
	t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir = c.folder
	cmd.Env = append(os.Environ(), toolEnv+"=1")
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Stdin = strings.NewReader(c.stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.stdout != nil {
		cmd.Stdout = c.stdout
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want compares an outcome with a status and with texts on stdout and stderr.
func (o outcome) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if o.status != status || !strings.Contains(o.stdout, stdout) || !strings.Contains(o.stderr, stderr) ||
		stderr == "" && o.stderr != "" {
		t.Errorf("status %d, want %d\nstdout, to have %q:\n%s\nstderr, to have %q:\n%s", o.status, status, stdout,
			o.stdout, stderr, o.stderr)
	}
}

// corpus is a directory of modules from other projects (see its README).
const corpus = "../../tests/testdata/modules"

// alsoRun are modules that the index has for an outfeed that is never used.
var alsoRun = []string{"hook_defined_unused.mlir"}

// Every module that a CPU can run gives the results of its author's system.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	ran := 0
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		name := row["file"]
		if row["runnable"] != "cpu" && row["runnable"] != "lapack" && !slices.Contains(alsoRun, name) {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.npz")
			args := []string{name, "--in", row["npz"], "--expect", row["npz"], "--out", out}
			rtol, coarse := strings.CutPrefix(row["tolerance"], "bf16 ")
			got := command{folder: corpus}.run(t, append(args, "--rtol", rtol)...)
			got.want(t, exitDone, "outputs match "+row["npz"], "")
			if coarse {
				checkOthers(t, out, filepath.Join(corpus, row["npz"]))
			}
		})
	}
	if ran < 19 {
		t.Errorf("only %d modules ran", ran)
	}
}

// Modules with hints about memories and processors, which JAX lowered for another platform,
// give the results of JAX.
func TestPlacement(t *testing.T) {
	for _, name := range []string{"compute_on", "device_put", "loop", "offload"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command{folder: filepath.Join(corpus, "../placement")}.run(t, name+".mlir", "--in", name+".npz",
				"--expect", name+".npz")
			got.want(t, exitDone, "outputs match "+name+".npz", "")
		})
	}
}

// checkOthers compares outputs other than bfloat16 with the usual tolerance.
func checkOthers(t *testing.T, gotPath, wantPath string) {
	got, want := views(t, gotPath), views(t, wantPath)
	for name, v := range got {
		if v.Shape.DType == tensor.BF16 {
			continue
		}
		if d := compare(v, want[name], tolerance{rtol: 1e-5, atol: 1e-6}); d.elements != 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func views(t *testing.T, path string) map[string]tensor.View {
	t.Helper()
	f, err := npz.Open(path)
	check.NoError(t, err)
	defer f.Close()
	list := map[string]tensor.View{}
	for _, name := range f.Names() {
		a, err := f.Array(name, nil)
		check.NoError(t, err)
		list[name] = a.View
	}
	return list
}

// Modules with handlers of other hosts: a tap can replace handlers that only observe.
func TestCorpusTaps(t *testing.T) {
	for name, taps := range map[string][]string{
		"exla_host_callback_hooks": {
			"tap exla_host_callback_hooks.mlir:4:10: exla_runtime_callback\n  0: u8[8] [0 0 0 0 0 0 0 0]\n  1: f32[4] [1.65",
			"tap exla_host_callback_hooks.mlir:8:12: exla_runtime_callback\n",
			"\n  2: f32[] 2.4",
		},
		"cb_debug_in_scan_cond": {
			"tap cb_debug_in_scan_cond.mlir:30:5: xla_ffi_python_cpu_callback\n  0: f32[3] [",
			"tap cb_debug_in_scan_cond.mlir:39:7: xla_ffi_python_cpu_callback\n  0: f32[3] [",
		},
		"legit_words_in_strings": {"tap legit_words_in_strings.mlir:8:18: stablehlo.outfeed\n  0: f32[4] ["},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{name + ".mlir", "--in", name + ".npz", "--expect", name + ".npz"}
			got := command{folder: corpus}.run(t, args...)
			got.want(t, exitFailed, "", "these custom calls have no handler:\n  "+name+".mlir:")
			got.want(t, exitFailed, "", "with --tap their operands are printed")
			got = command{folder: corpus}.run(t, append(args, "--tap")...)
			for _, tap := range taps {
				got.want(t, exitDone, tap, "")
			}
		})
	}
}

// Each module of the corpus that cannot run gets an error message.
func TestCorpusRefused(t *testing.T) {
	for args, want := range map[string]string{
		"hook_in_while.mlir --in hook_in_while.npz":                  "would wait forever, because nothing is at their other end:\n  hook_in_while.mlir:17:12: stablehlo.outfeed",
		"hook_2024_tuple_shape.mlir --in hook_2024_tuple_shape.npz":  "mlir-lint names replacements",
		"hook_bytecode.mlirbc":                                       "hook_bytecode.mlirbc: stablehlo.outfeed",
		"cb_io_ordered.mlir":                                         "needs inputs: use --in:\n  in0: f32[5]",
		"ffi_call_typed.mlir --in ffi_call_typed.npz --tap":          "ffi_call_typed.mlir:4:12: host_stats (--tap cannot serve it: its results are not of the types of its operands)",
		"ffi_call_legacy_v1_v2.mlir --in ffi_call_legacy_v1_v2.npz":  "\n  ffi_call_legacy_v1_v2.mlir:3:10: legacy_scale\n  ffi_call_legacy_v1_v2.mlir:4:10: legacy_orig\n",
		"legit_send_recv.mlir":                                       "needs inputs: use --in:\n  in0: f32[4]",
		"bad_truncated.mlir":                                         "bad_truncated.mlir:33:24: error: expected SSA operand",
		"bad_truncated_bytecode.mlirbc":                              "cannot read bad_truncated_bytecode.mlirbc",
		"bad_binary_junk.mlir":                                       "bad_binary_junk.mlir:1:2: error",
		"bad_empty.mlir":                                             "bad_empty.mlir: it is empty: use a StableHLO module",
		"absent.mlir":                                                "absent.mlir: no such file or directory",
		".":                                                          "is a directory",
		"mlp_forward.mlir --in absent.npz":                           "--in: open absent.npz: no such file",
		"mlp_forward.mlir --in README.md":                            "README.md: it is neither a .npy array nor a .npz archive",
		"mlp_forward.mlir --in convnet.npz":                          "--in convnet.npz does not fit mlp_forward.mlir:\n  in0 is ",
		"mlp_forward.mlir --in mlp_forward.npz --in mlp_forward.npz": "mlp_forward.npz is a .npz file, which must be the only file",
		"mlp_forward.mlir --in mlp_forward.npz --expect mlp_train_step.npz": "is not expected: @main has 1 results",
		"dtypes_mixed.mlir --in dtypes_mixed.npz --expect sort_topk.npz":    "out6 is missing: c64[3] is expected",
		"dtypes_mixed.mlir --in sort_topk.npz":                              "in2 is missing: c64[",
		"gomlx_while.mlir --in convnet.npz":                                 "in0 is not expected: @main has 0 parameters",
		"mlp_forward.mlir --in mlp_forward.npz --out mlp_forward.npz":       "--out mlp_forward.npz: the run reads this file, which would be lost",
		"mlp_forward.mlir --in mlp_forward.npz --out absent/y.npz":          "--out absent/y.npz: ",
		"mlp_forward.mlir --frobnicate":                                     "flag provided but not defined: -frobnicate (mlir-run -h lists the flags)",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			command{folder: corpus}.run(t, strings.Fields(args)...).want(t, exitFailed, "", want)
		})
	}
}

func write(t *testing.T, folder, name string, data string) {
	t.Helper()
	check.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(data), 0o644))
}

func writeArray(t *testing.T, folder, name string, v tensor.View) {
	t.Helper()
	var b bytes.Buffer
	check.NoError(t, npz.Encode(&b, v))
	write(t, folder, name, b.String())
}

// add is a module of two parameters.
const add = `func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.add %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}`

func TestRun(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "add.mlir", add)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	writeArray(t, folder, "b.npy", tensor.Vector[float32](10, 20))
	writeArray(t, folder, "long.npy", tensor.Vector[float32](1, 2, 3))
	writeArray(t, folder, "double.npy", tensor.Vector[float64](1, 2))
	for name, arrays := range map[string][]npz.Named{
		"good":  {{Name: "out0", View: tensor.Vector[float32](11, 22)}},
		"near":  {{Name: "out0", View: tensor.Vector[float32](11, 23)}},
		"other": {{Name: "result", View: tensor.Vector[float32](11, 23)}},
		"keys":  {{Name: "x", View: tensor.Vector[float32](1, 2)}, {Name: "y", View: tensor.Vector[float32](10, 20)}},
	} {
		check.NoError(t, npz.WriteFile(filepath.Join(folder, name+".npz"), arrays))
	}
	for name, test := range map[string]struct {
		args           string
		stdin          string
		status         int
		stdout, stderr string
	}{
		"printed":        {"add.mlir --in a.npy --in b.npy", "", exitDone, "out0 f32[2] [11 22]\n", ""},
		"standard input": {"- --in a.npy --in b.npy", add, exitDone, "out0 f32[2] [11 22]\n", ""},
		"bad input":      {"-", "hello", exitFailed, "", "<stdin>:1:1: error: "},
		"no input":       {"-", "", exitFailed, "", "<stdin>: it is empty"},
		"expected": {"add.mlir --in a.npy --in b.npy --expect good.npz", "", exitDone,
			"1 of 1 outputs match good.npz\n", ""},
		"different": {"add.mlir --in a.npy --in b.npy --expect near.npz", "", exitDiffers, "1 of 2", ""},
		"tolerated": {"add.mlir --in a.npy --in b.npy --expect near.npz --rtol 0.1", "", exitDone, "match", ""},
		"expected missing": {"add.mlir --in a.npy --in b.npy --expect other.npz", "", exitFailed, "",
			"out0 is missing: f32[2] is expected"},
		"other keys":    {"add.mlir --in keys.npz", "", exitFailed, "", "in0 is missing: f32[2] is expected\n  in1 is missing: f32[2] is expected\n  the .npz file has the keys x, y, and in0, in1 are expected"},
		"input missing": {"add.mlir --in a.npy", "", exitFailed, "", "in1 is missing: f32[2] is expected"},
		"input too many": {"add.mlir --in a.npy --in a.npy --in a.npy", "", exitFailed, "",
			"in2 is not expected: @main has 2 parameters"},
		"shape": {"add.mlir --in long.npy --in a.npy", "", exitFailed, "", "in0 is f32[3]: f32[2] is expected"},
		"type": {"add.mlir --in a.npy --in double.npy", "", exitFailed, "",
			"in1 is f64[2]: f32[2] is expected"},
		"no main": {"-", "func.func @f() { return }", exitFailed, "",
			"it has no function @main, the one to run: choose one with --function: @f"},
		"no such function": {"- --function g", "func.func @main() { return }\nfunc.func private @h() { return }", exitFailed, "",
			"it has no function @g, the one to run: choose one with --function: @main"},
		"another function": {"- --function twice --in a.npy", `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %m = func.call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %r = stablehlo.add %m, %a : tensor<2xf32>
  return %r : tensor<2xf32>
}`, exitDone, "out0 f32[2] [2 4]\n", ""},
		"unknown size": {"-", "func.func @main(%a: tensor<?xf32>) { return }", exitFailed, "",
			"needs inputs: use --in:\n  in0: f32[?]\n"},
		"refused by XLA": {"- --in a.npy", `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.custom_call @Qr(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}`, exitFailed, "", "<stdin>: bridge: compile: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command{folder: folder, stdin: test.stdin}.run(t, strings.Fields(test.args)...).want(t, test.status,
				test.stdout, test.stderr)
		})
	}
	t.Run("help", func(t *testing.T) {
		t.Parallel()
		command{}.run(t, "-h").want(t, exitDone, "usage: mlir-run", "")
	})
	t.Run("version", func(t *testing.T) {
		t.Parallel()
		command{}.run(t, "--version").want(t, exitDone, "mlir-run "+version.Version+"\n", "")
	})
}

// Inputs of every element type, also without elements, are returned unchanged.
func TestEveryType(t *testing.T) {
	var params, values, types []string
	var in []npz.Named
	for _, d := range tensor.DTypes() {
		for _, dims := range [][]int{nil, {3}, {2, 0}} {
			v := tensor.View{Shape: tensor.ShapeOf(d, dims...)}
			v.Data = bytes.Repeat([]byte{1}, v.Shape.NumBytes())
			in = append(in, npz.Named{Name: fmt.Sprint("in", len(in)), View: v})
			sizes := ""
			for _, n := range dims {
				sizes += fmt.Sprint(n, "x")
			}
			typ := "tensor<" + sizes + d.MLIR() + ">"
			value := fmt.Sprint("%", len(params))
			params, values, types = append(params, "%arg"+value[1:]+": "+typ), append(values, "%arg"+value[1:]),
				append(types, typ)
		}
	}
	folder := t.TempDir()
	write(t, folder, "m.mlir", fmt.Sprintf("func.func @main(%s) -> (%s) {\n  return %s : %[2]s\n}",
		strings.Join(params, ", "), strings.Join(types, ", "), strings.Join(values, ", ")))
	check.NoError(t, npz.WriteFile(filepath.Join(folder, "in.npz"), in))
	command{folder: folder}.run(t, "m.mlir", "--in", "in.npz", "--out", "out.npz").want(t, exitDone, "", "")
	out := views(t, filepath.Join(folder, "out.npz"))
	if len(out) != len(in) {
		t.Errorf("%d results of %d", len(out), len(in))
	}
	for i, n := range in {
		got := out[fmt.Sprint("out", i)]
		if !got.Shape.Equal(n.View.Shape) || !slices.Equal(got.Data, n.View.Data) {
			t.Errorf("%d: %s, want %s", i, got, n.View)
		}
	}
}

func TestReplicas(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "m.mlir", `func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
  %r = "stablehlo.all_reduce"(%a) ({^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %i = stablehlo.replica_id : tensor<ui32>
  return %r, %i : tensor<2xf32>, tensor<ui32>
}`)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	writeArray(t, folder, "b.npy", tensor.Vector[float32](10, 20))
	for name, test := range map[string]struct {
		args, stdout, stderr string
		status               int
	}{
		"one for all": {"--in a.npy", "out0 f32[2] [2 4]\nout1 u32[] 0\nout2 f32[2] [2 4]\nout3 u32[] 1\n", "",
			exitDone},
		"one for each": {"--in a.npy --in b.npy --devices 3",
			"out0 f32[2] [11 22]\nout1 u32[] 0\nout2 f32[2] [11 22]\nout3 u32[] 1\n", "", exitDone},
		"one for too many": {"--in a.npy --in b.npy --in b.npy", "",
			"in2 is not expected: @main has 1 parameters, and there are 2 replicas", exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"m.mlir", "--replicas", "2"}, strings.Fields(test.args)...)
			command{folder: folder}.run(t, args...).want(t, test.status, test.stdout, test.stderr)
		})
	}
}

// Callbacks of the toolkit's own contract are served too, if they have a name.
func TestTapOwnCallbacks(t *testing.T) {
	module := func(binding, call string) string {
		return fmt.Sprintf(`func.func @main() -> tensor<f32> {
  %%a = stablehlo.constant dense<3.0> : tensor<f32>
  %%r = stablehlo.custom_call @%s(%%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, %s}} : (tensor<f32>) -> tensor<f32>
  %%s = stablehlo.custom_call @Sharding(%%r) : (tensor<f32>) -> tensor<f32>
  return %%s : tensor<f32>
}`, call, binding)
	}
	for name, test := range map[string]struct {
		module         string
		args           []string
		status         int
		stdout, stderr string
	}{
		"without --tap": {module(`form = "passthrough", callback = "seen"`, "calliope_io_callback"), nil, exitFailed,
			"", "  <stdin>:3:8: callback \"seen\"\nwith --tap"},
		"passthrough": {module(`form = "passthrough", callback = "seen"`, "calliope_io_callback"), []string{"--tap"},
			exitDone, "tap seen\n  0: f32[] 3\nout0 f32[] 3\n", ""},
		"call": {module(`form = "call", callback = "seen"`, "calliope_runtime_call"), []string{"--tap"}, exitDone,
			"tap seen\n  0: f32[] 3\nout0 f32[] 3\n", ""},
		"registry": {module(`form = "call", callback = "seen", registry = "r"`, "calliope_runtime_call"),
			[]string{"--tap"}, exitDone, "tap seen\n  0: f32[] 3\nout0 f32[] 3\n", ""},
		"by id": {module(`form = "passthrough", callback_id = 77 : i64`, "calliope_io_callback"), []string{"--tap"},
			exitFailed, "", `callback "id 77" (--tap cannot serve it: it is bound by an id`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command{stdin: test.module}.run(t, append(test.args, "-")...).want(t, test.status, test.stdout, test.stderr)
		})
	}
}

func TestTapForms(t *testing.T) {
	const head = "func.func @main() -> tensor<2xf32> {\n  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n  %b = stablehlo.constant dense<3> : tensor<i32>\n  "
	for name, test := range map[string]struct {
		call           string
		status         int
		stdout, stderr string
	}{
		"typed":      {`%r = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {k = 1 : i64}} : (tensor<2xf32>) -> tensor<2xf32>`, exitDone, "tap <stdin>:4:8: f\n  0: f32[2] [1 2]\nout0 f32[2] [1 2]\n", ""},
		"untyped":    {`%r = stablehlo.custom_call @f(%a) {backend_config = "x"} : (tensor<2xf32>) -> tensor<2xf32>`, exitDone, "out0 f32[2] [1 2]\n", ""},
		"of JAX":     {`%r = stablehlo.custom_call @f(%a) {backend_config = "", mhlo.backend_config = {k = 1 : i64}} : (tensor<2xf32>) -> tensor<2xf32>`, exitDone, "out0 f32[2] [1 2]\n", ""},
		"aliased":    {`%r = stablehlo.custom_call @f(%b, %a) {api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>`, exitDone, "  0: s32[] 3\n  1: f32[2] [1 2]\nout0 f32[2] [1 2]\n", ""},
		"several":    {`%r, %s = stablehlo.custom_call @f(%a, %b) {api_version = 4 : i32} : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)`, exitDone, "out0 f32[2] [1 2]\n", ""},
		"no results": {`stablehlo.custom_call @f(%a, %b) {has_side_effect = true} : (tensor<2xf32>, tensor<i32>) -> () %r = stablehlo.add %a, %a : tensor<2xf32>`, exitDone, "tap <stdin>:4:3: f\n  0: f32[2] [1 2]\n  1: s32[] 3\nout0 f32[2] [2 4]\n", ""},
		"unneeded":   {`%s = stablehlo.custom_call @f(%a) : (tensor<2xf32>) -> tensor<9xf32> %r = stablehlo.add %a, %a : tensor<2xf32>`, exitDone, "out0 f32[2] [2 4]\n", ""},
		"fewer": {`%r = stablehlo.custom_call @f(%a, %b) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>`,
			exitFailed, "", "<stdin>:4:8: f (--tap cannot serve it: its results are not of the types of its operands)"},
		"another": {`%r = stablehlo.custom_call @f(%b) : (tensor<i32>) -> tensor<2xf32>`, exitFailed, "",
			"its results are not of the types of its operands"},
		"token": {`%t = stablehlo.create_token : !stablehlo.token %r, %u = stablehlo.custom_call @f(%a, %t) {has_side_effect = true, api_version = 4 : i32} : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)`, exitFailed, "", "f (--tap cannot serve it: operand 1 is !stablehlo.token, not an array)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := head + test.call + "\n  return %r : tensor<2xf32>\n}"
			command{stdin: module}.run(t, "-", "--tap").want(t, test.status, test.stdout, test.stderr)
		})
	}
}

// signalled is how an error names a signal: as Go's runtime does, or the system if it ended the process at once.
var signalled = regexp.MustCompile(`crashed \((SIG[A-Z]+|aborted|segmentation fault)`)

// XLA ends its process on each of these modules, and the command reports how.
func TestCrash(t *testing.T) {
	topK := func(results string) string {
		return `func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<4xf32>
  %r:` + fmt.Sprint(strings.Count(results, "tensor")) + ` = stablehlo.custom_call @TopK(%a) {has_side_effect = true} : (tensor<4xf32>) -> (` + results + `)
  return
}`
	}
	for name, test := range map[string]struct {
		module string
		env    []string
		want   []string
	}{
		"abort": {topK("tensor<4xf32>"), nil,
			[]string{"crashed (SIGABRT: abort); its last output was:\n  ", "Check failed: "}},
		// XLA writes beyond its memory here. Whether the processor or the allocator detects
		// it first, and whether Go's handler of the signal still runs, differs from run to run.
		"fault": {topK("tensor<9xf32>, tensor<9xi32>"), nil,
			[]string{"the process that compiled and ran it crashed ("}},
		"exit": {add, []string{"XLA_FLAGS=--xla_backend_optimization_level=high"},
			[]string{"crashed (exit status 1)", "--xla_dump_"}},
		"endless run": {endless, nil, []string{"not done after 3s: raise --timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
			args := []string{"-", "--timeout", "3s"}
			if test.module == add {
				args = append(args, "--in", "a.npy", "--in", "a.npy")
			}
			if name != "endless run" {
				args[2] = "2m"
			}
			got := command{folder: folder, stdin: test.module, env: test.env}.run(t, args...)
			for _, want := range test.want {
				got.want(t, exitFailed, "", want)
			}
			if name == "fault" && !signalled.MatchString(got.stderr) {
				t.Errorf("it does not name the signal:\n%s", got.stderr)
			}
			if strings.Contains(got.stderr, "goroutine") {
				t.Errorf("it shows Go's stack:\n%s", got.stderr)
			}
		})
	}
}

const endless = `func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %c) : tensor<i32>
    cond { %t = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %t : tensor<i1> }
    do { %n = stablehlo.add %i, %i : tensor<i32> stablehlo.return %n : tensor<i32> }
  return %r : tensor<i32>
}`

// TestPositional has the names that numpy.savez gives to arrays without one.
func TestPositional(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "m.mlir", `func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
	%0 = stablehlo.subtract %x, %y : tensor<2xf32>
	return %0 : tensor<2xf32>
}`)
	check.NoError(t, npz.WriteFile(filepath.Join(folder, "in.npz"), []npz.Named{
		{Name: "arr_1", View: tensor.Vector[float32](1, 1)}, {Name: "arr_0", View: tensor.Vector[float32](3, 5)},
	}))
	command{folder: folder}.run(t, "m.mlir", "--in", "in.npz").want(t, exitDone, "out0 f32[2] [2 4]\n", "")
}
