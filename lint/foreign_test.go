package lint_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/quick"
	"github.com/calliope-mlir/calliope/lint/rules"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestForeign checks modules with a dialect that no library has, and modules that are not valid: what can be
// found in them is found.
func TestForeign(t *testing.T) {
	const (
		body = `func.func @f(%x: tensor<f32>, %t: !stablehlo.token) {
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  WHAT
  return
}`
		outfeed = "2:8: error: stablehlo.outfeed sends values"
		only    = "(only these rules ran, without the library: infeed, outfeed)"
	)
	with := func(what string) string { return strings.Replace(body, "WHAT", what, 1) }
	mine := with(`"mine.op"(%x) : (tensor<f32>) -> ()`)
	for _, test := range []struct {
		name, text string
		allowed    []string
		want       []string
	}{
		{"operation", mine, nil, []string{outfeed, "3:3: error: mine.op is of the dialect mine, which the library does not have: if it is right, allow it with -allow-unregistered-dialect"}},
		{"allowed", mine, []string{"other", "mine"}, []string{outfeed}},
		{"any", mine, []string{lint.AnyDialect}, []string{outfeed}},
		{"another is allowed", mine, []string{"other"}, []string{outfeed, "3:3: error: mine.op is of the dialect mine"}},
		{"once", with(`"mine.op"() : () -> () "mine.op"() : () -> () "mine.b"() : () -> () "yours.b"() : () -> ()`), nil,
			[]string{outfeed, "3:3: error: mine.op ", "3:71: error: yours.b "}},
		{"type", with("%c = builtin.unrealized_conversion_cast %x : tensor<f32> to !mine.type"), nil,
			[]string{outfeed, "3:69: error: `!\"mine\"<\"type\">` type created with unregistered dialect"}},
		{"allowed type", with("%c = builtin.unrealized_conversion_cast %x : tensor<f32> to !mine.type"),
			[]string{"mine"}, []string{outfeed}},
		{"own syntax", with("mine.op %x"), []string{lint.AnyDialect}, []string{outfeed, "3:3: error: Dialect `mine' not found for custom op 'mine.op': if it is right, allow it with " +
			"-allow-unregistered-dialect, or with allow-unregistered in the configuration, and write the operation in the generic form (only"}},
		{"StableHLO's dialect check", with("check.expect_eq_const %x, dense<1.0> : tensor<f32>"), nil, []string{outfeed}},
		{"of another library", with("mhlo.return"), nil, []string{outfeed, "3:3: error: Dialect `mhlo' not found for custom op 'mhlo.return'; the MLIR library of jaxlib has dialect mhlo: try -engine jaxlib (only"}},
		{"of another library, behind one of none", with(`"mine.op"() : () -> () "mhlo.add"() : () -> ()`), nil, []string{
			outfeed, "3:3: error: mine.op is of the dialect mine, which the library does not have: if it is right, allow it with " +
				"-allow-unregistered-dialect, or with allow-unregistered in the configuration",
			"3:26: error: mhlo.add is of the dialect mhlo, which the library does not have: if it is right, allow it with " +
				"-allow-unregistered-dialect, or with allow-unregistered in the configuration; the MLIR library of jaxlib has dialect mhlo: try -engine jaxlib"}},
		{"of another library, before one of none", with(`"mhlo.add"() : () -> () "mine.op"() : () -> ()`), nil,
			[]string{outfeed, "3:3: error: mhlo.add ", "3:27: error: mine.op "}},
		{"operation of a known dialect", with(`"stablehlo.mine"() : () -> ()`), []string{lint.AnyDialect},
			[]string{outfeed, "3:3: error: unregistered operation 'stablehlo.mine' found in dialect"}},
		{"wrong", with(`"stablehlo.abs"(%t) : (!stablehlo.token) -> tensor<f32>`), nil,
			[]string{outfeed, "3:3: error: 'stablehlo.abs' op operand #0 must be ranked tensor"}},
		{"damaged", with("= 3"), nil, []string{outfeed, "2:89: error: expected operation name in quotes"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(test.text), lint.Options{
				Analyzers: []*lint.Analyzer{rules.Outfeed, rules.Infeed}, AllowUnregistered: test.allowed}))
			parsed := true
			for i, d := range found {
				line := fmt.Sprintf("%d:%d: %v: %s", d.Line, d.Column, d.Severity, d.Text())
				if i >= len(test.want) || !strings.HasPrefix(line, test.want[i]) {
					t.Errorf("found %s", line)
				}
				if strings.Contains(line, ": mine.op ") && strings.Contains(line, "jaxlib") {
					t.Errorf("the hint is about another operation: %s", line)
				}
				parsed = parsed && !strings.HasSuffix(d.Message, only)
			}
			check.Diff(t, "number of findings", len(test.want), len(found))
			check.Diff(t, "a module was parsed", test.name != "own syntax" && test.name != "wrong" &&
				test.name != "damaged" && test.name != "operation of a known dialect" &&
				test.name != "of another library", parsed)
		})
	}
}

// TestForeignFunctions checks that a function is not taken for unused beside an operation of another dialect. Here only
// the text of an attribute names it, by way of an alias that the library does not keep.
func TestForeignFunctions(t *testing.T) {
	const text = `#kernel = #mine.kernel<symbol = @k>
func.func @main() {
  "mine.op"() <{program = #mine.program<kernels = [#kernel]>}> : () -> ()
  return
}
func.func private @k() { return }`
	o := lint.Options{AllowUnregistered: []string{"mine"}, Analyzers: []*lint.Analyzer{rules.UnusedFunction}}
	found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), o))
	check.Diff(t, "findings", 0, len(found))
}

// TestForeignLaunch checks a launch in an operation of another dialect, on which the library would crash.
func TestForeignLaunch(t *testing.T) {
	const text = `module attributes {gpu.container_module} {
  func.func @f() {
    %c = arith.constant 1 : index
    "mine.op"() ({
      gpu.launch_func @k::@g blocks in (%c, %c, %c) threads in (%c, %c, %c)
      "mine.end"() : () -> ()
    }) : () -> ()
    return
  }
  gpu.module @k {
    gpu.func @g() kernel { gpu.return }
  }
}`
	found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), lint.Options{}))
	if len(found) != 1 || found[0].Line != 4 ||
		!strings.HasPrefix(found[0].Message, "operation being parsed with an unregistered dialect: if it is right") {
		t.Errorf("found %v", found)
	}
}

// TestForeignBytecode checks bytecode with a dialect that the library does not have.
func TestForeignBytecode(t *testing.T) {
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	data := check.Must(check.Must(c.Parse("", []byte(`"mine.op"() {a = 1 : i64} : () -> ()`))).Bytecode())
	for allowed, want := range map[string]int{"mine": 0, "yours": 1} {
		o := lint.Options{AllowUnregistered: []string{allowed}}
		found := check.Must(lint.Check(mlirtest.Library(t), "f", data, o))
		check.Diff(t, allowed, want, len(found))
	}
	found := check.Must(lint.Check(mlirtest.Library(t), "f", data, lint.Options{}))
	if len(found) != 1 || !strings.HasPrefix(found[0].Message, "mine.op is of the dialect mine, ") {
		t.Errorf("found %v", found)
	}
}

// TestArtifactErrors checks that an artifact that the library cannot read has one error.
func TestArtifactErrors(t *testing.T) {
	data := check.Must(os.ReadFile("testdata/shardy/flat.mlirbc"))
	future := bytes.ReplaceAll(data, []byte("outfeed_v1"), []byte("outfeed_v9"))
	found := check.Must(lint.Check(mlirtest.Library(t), "f", future, lint.Options{}))
	if len(found) != 1 || !strings.HasPrefix(found[0].Message, "unregistered operation 'vhlo.outfeed_v9' found") {
		t.Errorf("found %v", found)
	}
}

// TestUnreduced checks that a module with shardings of a newer Shardy is read, with everything in its place.
func TestUnreduced(t *testing.T) {
	const text = `sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}], unreduced={"x"}>}, %t: !stablehlo.token) {
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}],
    unreduced=max{"x":(1)2}>]>} : tensor<4xf32> %u = "stablehlo.outfeed"(%0, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}`
	o := lint.Options{Analyzers: []*lint.Analyzer{rules.Outfeed}}
	found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), o))
	if len(found) != 1 || found[0].Rule != "outfeed" || found[0].Line != 4 || found[0].Column != 54 {
		t.Errorf("found %v", found)
	}
}

// TestNotMLIR checks that a file that is no module has one error, with and without the library.
func TestNotMLIR(t *testing.T) {
	for text, want := range map[string]string{
		"\x1f\x8b\x08\x00":                        "f:1:1: error: it is compressed with gzip: decompress it [invalid]",
		"\n<<<<<<< HEAD\nx\n=======\n>>>>>>> b\n": "f:2:1: error: git could not merge two versions of the file, which it marks here: choose one [invalid]",
	} {
		o := lint.Options{Analyzers: []*lint.Analyzer{rules.Outfeed}}
		found := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), o))
		check.Diff(t, "the findings", want, strings.TrimPrefix(strings.TrimSuffix(fmt.Sprint(found), "]"), "["))
		if _, err := quick.Check("f", []byte(text)); err == nil || !strings.Contains(want, err.Error()) {
			t.Errorf("without the library: %v, want %s", err, want)
		}
	}
}
