package bridge

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const negation = `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
 %y = stablehlo.negate %x : tensor<2xf32>
 return %y : tensor<2xf32>
}`

func TestFlags(t *testing.T) {
	c := testClient(t)
	for _, test := range []struct {
		name, flag, value string
		want              *FlagError
		text              string
	}{
		{name: "bool", flag: "xla_cpu_enable_fast_math", value: "false"},
		{name: "bool as a number", flag: "xla_cpu_enable_fast_math", value: "1"},
		{name: "bool as XLA reads it", flag: "xla_cpu_enable_fast_math", value: "True"},
		{name: "int32", flag: "xla_cpu_prefer_vector_width", value: "128"},
		{name: "float", flag: "xla_gpu_auto_spmd_partitioning_memory_budget_ratio", value: "0.5"},
		{name: "string", flag: "xla_cpu_max_isa", value: "SSE4_2"},
		{name: "list of strings", flag: "xla_disable_hlo_passes", value: "dce,cse"},
		{name: "enum", flag: "xla_step_marker_location", value: "STEP_MARK_AT_ENTRY"},
		{name: "true as a string", flag: "xla_dump_hlo_module_re", value: "true"},

		{name: "no bool", flag: "xla_cpu_enable_fast_math", value: "maybe", want: &FlagError{Type: "bool"},
			text: `xla_cpu_enable_fast_math is of type bool, which cannot be "maybe"`},
		{name: "no number", flag: "xla_cpu_prefer_vector_width", value: "", want: &FlagError{Type: "int32"},
			text: `of type int32, which cannot be ""`},
		{name: "true as a number", flag: "xla_cpu_prefer_vector_width", value: "true", want: &FlagError{Type: "int32"}},
		{name: "fraction", flag: "xla_cpu_prefer_vector_width", value: "1.5", want: &FlagError{Type: "int32"}},
		{name: "too large", flag: "xla_cpu_prefer_vector_width", value: "99999999999", want: &FlagError{Type: "int32"}},
		{name: "no float", flag: "xla_gpu_auto_spmd_partitioning_memory_budget_ratio", value: "half",
			want: &FlagError{Type: "float"}},
		{name: "unknown enum", flag: "xla_gpu_shape_checks", value: "SOMETIMES", want: &FlagError{Type: "enum"}},
		{name: "unknown", flag: "xla_no_such_flag", value: "1", want: &FlagError{},
			text: `no flag "xla_no_such_flag"; its flags are`},
		{name: "misspelled", flag: "xla_cpu_prefer_vectr_width", value: "1", want: &FlagError{},
			text: `no flag "xla_cpu_prefer_vectr_width" (is it "xla_cpu_prefer_vector_width"?)`},
		{name: "dashes", flag: "--xla_cpu_enable_fast_math", value: "true", want: &FlagError{}, text: `no flag "--xla_cpu_enable_fast_math" (is it "xla_cpu_enable_fast_math"?); give the name without dashes`},
		{name: "empty", value: "x", want: &FlagError{}, text: `no flag ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			flags := map[string]string{test.flag: test.value}
			before := maps.Clone(flags)
			e, err := c.Compile(t.Context(), Source(negation), engine.CompileOptions{Flags: flags})
			check.Diff(t, "the caller's flags", before, flags)
			if test.want == nil {
				check.NoError(t, err)
				defer e.Close()
				outputs, err := e.Run(t.Context(), tensor.Vector[float32](1, -2))
				check.NoError(t, err)
				check.Diff(t, "result", []float32{-1, 2}, host[float32](t, outputs[0]))
				return
			}
			check.Error(t, err, test.text, "bridge: compile: ")
			refused, ok := errors.AsType[*FlagError](err)
			if !ok {
				t.Fatalf("got %v, want a FlagError", err)
			}
			check.Diff(t, "flag", [3]string{test.flag, test.value, test.want.Type},
				[3]string{refused.Flag, refused.Value, refused.Type})
			if plugin, ok := errors.AsType[*PluginError](err); !ok || plugin.Code != codeInvalidArgument {
				t.Errorf("the plugin's error is %v", plugin)
			}
		})
	}
}

// Flags are of one compile.
func TestFlagsAreOfOneCompile(t *testing.T) {
	c := testClient(t)
	levels := func(o engine.CompileOptions) string {
		dir := t.TempDir()
		o.DumpTo = filepath.Join(dir, "new", "folder")
		compile(t, c, negation, o)
		files, err := filepath.Glob(filepath.Join(o.DumpTo, "*debug_options"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the debug options are in %v: %v", files, err)
		}
		options, err := os.ReadFile(files[0])
		check.NoError(t, err)
		for line := range strings.Lines(string(options)) {
			if level, ok := strings.CutPrefix(line, "xla_backend_optimization_level: "); ok {
				return strings.TrimSpace(level)
			}
		}
		return "default" // which XLA leaves out
	}
	for _, test := range []struct {
		options engine.CompileOptions
		want    string
	}{
		{engine.CompileOptions{}, "default"},
		{engine.CompileOptions{OptimizationLevel: engine.NoOptimization}, "0"},
		{engine.CompileOptions{OptimizationLevel: 1}, "1"},
		{engine.CompileOptions{OptimizationLevel: 2, Replicas: 2}, "2"},
		{engine.CompileOptions{Flags: map[string]string{"xla_backend_optimization_level": "1"}}, "1"},
		{engine.CompileOptions{}, "default"},
	} {
		check.Diff(t, "level", test.want, levels(test.options))
	}
}

func TestCompileOptionsRefused(t *testing.T) {
	c := testClient(t)
	file := filepath.Join(t.TempDir(), "file")
	check.NoError(t, os.WriteFile(file, nil, 0o666))
	for _, test := range []struct {
		options engine.CompileOptions
		want    string
	}{
		{engine.CompileOptions{OptimizationLevel: 4}, "no OptimizationLevel 4"},
		{engine.CompileOptions{OptimizationLevel: -2}, "no OptimizationLevel -2"},
		{engine.CompileOptions{OptimizationLevel: 1, Flags: map[string]string{"xla_backend_optimization_level": "2"}},
			`OptimizationLevel and Flags both have xla_backend_optimization_level, "1" and "2"`},
		{engine.CompileOptions{DumpTo: t.TempDir(), Flags: map[string]string{"xla_dump_to": "x"}},
			"DumpTo and Flags both have xla_dump_to"},
		{engine.CompileOptions{DumpTo: file}, "DumpTo: mkdir"},
		{engine.CompileOptions{Flags: map[string]string{"xla_cpu_max_isa": "\xff"}}, "not valid UTF-8"},
	} {
		e, err := c.Compile(t.Context(), Source(negation), test.options)
		if err == nil {
			e.Close()
		}
		check.Error(t, err, "bridge: Compile: ", test.want)
	}
	check.Diff(t, "held", ClientStats{}, c.Stats())
}
