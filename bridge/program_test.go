package bridge

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// artifact is a Program of a function.
type artifact func(version string) ([]byte, error)

func (a artifact) Artifact(version string) ([]byte, error) { return a(version) }

func TestProgramVersion(t *testing.T) {
	c := testClient(t)
	own := c.plugin.stablehlo
	t.Cleanup(func() { c.plugin.stablehlo = own })
	var asked []string
	for _, reported := range []string{own, ""} {
		c.plugin.stablehlo = reported
		e, err := c.Compile(t.Context(), artifact(func(version string) ([]byte, error) {
			asked = append(asked, version)
			return []byte(mainFunc("", "", "return")), nil
		}), engine.CompileOptions{})
		check.NoError(t, err)
		check.NoError(t, e.Close())
	}
	check.Diff(t, "versions", []string{knownPlugin(t).stablehlo, ""}, asked)
}

func TestProgramErrors(t *testing.T) {
	c := testClient(t)
	failed := errors.New("no artifact")
	for _, test := range []struct {
		name    string
		program engine.Program
		want    string
	}{
		{"nil", nil, "bridge: Compile: the program is nil"},
		{"an empty source", Source{}, "bridge: Compile: the program is empty"},
		{"a nil source", Source(nil), "bridge: Compile: the program is empty"},
		{"an empty artifact", artifact(func(string) ([]byte, error) { return nil, nil }),
			"bridge: Compile: the program is empty"},
		{"an error", artifact(func(string) ([]byte, error) { return []byte("module {}"), failed }),
			"bridge: Compile: no artifact"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, ctx := range []context.Context{context.Background(), t.Context()} {
				e, err := c.Compile(ctx, test.program, engine.CompileOptions{})
				if e != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("got %v and %v, want an error that begins with %q", e, err, test.want)
				}
				if test.name == "an error" {
					check.Diff(t, "it is wrapped", true, errors.Is(err, failed))
				}
			}
		})
	}
	check.Diff(t, "uses of the client", int64(0), c.life.Uses())
}

// The error for bytes that are no module says so. That for a module with a mistake is XLA's.
func TestSourceIsNoModule(t *testing.T) {
	c := testClient(t)
	for source, want := range map[string]string{
		"junk":                `the program, which begins with "junk", is no StableHLO: give the text of a module, its bytecode or a portable artifact`,
		"\x7fELF\x02\x00\x01": `which begins with "\x7fELF\x02\x00\x01", is no StableHLO`,
		"{\"a\": 1}":          "is no StableHLO",
		"HloModule m\n\nENTRY e { ROOT x = f32[] parameter(0) }": `which begins with "HloModule m\n\nENTRY e", is no StableHLO: give the text of a module, its bytecode or a portable artifact; plugins do not read HLO`,
		"func.func @main( {":   "",
		"module { torch.foo }": "",
		bytecodeMagic + "junk": "",
	} {
		_, err := c.Compile(t.Context(), Source(source), engine.CompileOptions{})
		check.As[*PluginError](t, err)
		if !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "is no StableHLO") {
			t.Errorf("%.20q: got %v, want %q", source, err, want)
		}
	}
}

// described is a DescribedProgram.
type described func(version string, placed bool) (contract.Module, error)

func (d described) Artifact(string) ([]byte, error) { return nil, errors.New("the wrong form") }

func (d described) Describe(version string, placed bool) (contract.Module, error) {
	return d(version, placed)
}

// Compile leaves placement hints out, and logs what is inexact.
func TestProgramDescribed(t *testing.T) {
	var lines strings.Builder
	c, err := testPlugin(t).NewClient(ClientOptions{Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	check.NoError(t, err)
	check.Cleanup(t, c)
	for _, exact := range []bool{false, true} {
		lines.Reset()
		e, err := c.Compile(t.Context(), described(func(version string, placed bool) (contract.Module, error) {
			check.Diff(t, "version", c.plugin.stablehlo, version)
			check.Diff(t, "placed", false, placed)
			return contract.Module{Artifact: []byte(mainFunc("", "", "return")),
				Inexact: []string{"the first", "the second"}}, nil
		}), engine.CompileOptions{Exact: exact})
		check.NoError(t, err)
		check.NoError(t, e.Close())
		check.Diff(t, "logged", !exact, strings.Contains(lines.String(), `operation="the first" operations=2`))
	}
}

// Calls that only XLA may write are refused: it ends the process if their shapes are wrong.
func TestInternalCalls(t *testing.T) {
	c := testClient(t)
	const call = `stablehlo.custom_call @SliceToDynamic(%x) : (tensor<4xf32>) -> tensor<4xf32>`
	module := mainFunc("%x: tensor<4xf32>", "tensor<4xf32>", "%0 = "+call+"\nreturn %0 : tensor<4xf32>")
	for _, test := range []struct {
		name, place string
		program     engine.Program
	}{
		{"wrong shape", " (called at line ", Source(module)},
		{"generic text", " (called at line ", Source(strings.Replace(module, call,
			`"stablehlo.custom_call"(%x) {call_target_name = "SliceToDynamic"} : (tensor<4xf32>) -> tensor<4xf32>`, 1))},
		{"bytecode", ", which", Source(bytecodeMagic + "\x0dStableHLO\x00SliceToDynamic\x00")},
		{"described", " (called at model.py:3)", described(func(string, bool) (contract.Module, error) {
			calls := []contract.CustomCall{{Target: "other"}, {Target: "SliceToDynamic", Loc: "model.py:3"}}
			return contract.Module{Artifact: []byte(module), Calls: func() []contract.CustomCall { return calls }}, nil
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := c.Compile(t.Context(), test.program, engine.CompileOptions{})
			check.Error(t, err, `the module has a custom call of the target "SliceToDynamic"`+test.place)
		})
	}
	e, err := c.Compile(t.Context(), Source("// no SliceToDynamic.\n"+mainFunc("", "", "return")),
		engine.CompileOptions{})
	check.NoError(t, err)
	check.NoError(t, e.Close())
}

// The places of calls in a text, and what they are of.
func TestSourceCalls(t *testing.T) {
	m, err := Source(`module {
  %0 = stablehlo.custom_call @plain(%a) : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.custom_call"(%0) <{
      backend_config = {index = 3 : ui64}, call_target_name = "generic"}> : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.custom_call @"quoted name"(%1) {mhlo.backend_config = {index = 0 : ui64}} : (tensor<f32>) -> tensor<f32>
}`).Describe("", false)
	check.NoError(t, err)
	check.Diff(t, "calls", []contract.CustomCall{
		{Target: "plain", Loc: "line 2", Index: -1},
		{Target: "generic", Loc: "line 3", Index: 3},
		{Target: "quoted name", Loc: "line 5"},
	}, m.Calls())
	m, err = Source("ML\xefR").Describe("", false)
	check.NoError(t, err)
	check.Diff(t, "the calls in bytecode are known", false, m.Calls != nil)
}
