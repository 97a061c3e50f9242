package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestParseGuard checks that text on which the verifier would divide by zero is refused, and
// that similar text is parsed.
func TestParseGuard(t *testing.T) {
	const (
		sizes = "concat_dimension = 0 : i64, split_count = 1 : i64, split_dimension = 0 : i64"
		empty = "replica_groups = dense<> : tensor<0x1xi64>"
		one   = "replica_groups = dense<0> : tensor<1x1xi64>"
	)
	call := func(operands, attributes string) string {
		return fmt.Sprintf("func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {\n  %%0 = \"stablehlo.all_to_all\"(%s) %s : (tensor<4xf32>) -> tensor<4xf32>\n  return %%0 : tensor<4xf32>\n}\n", operands, attributes)
	}
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("stablehlo") != nil {
			return
		}
		for _, text := range []string{
			call("%a", "{"+sizes+", "+empty+"}"),
			call("%a", "<{"+empty+", "+sizes+"}>"),
			call("%a", "<{"+empty+", "+sizes+`}> {a.b = "}", a.c = {d = 1 : i64}}`),
			call("%a", `{a.b = "}", a.c = {}, `+sizes+", replica_groups=dense< >:tensor<0x0xi64>}"),
			call("%a", "{"+sizes+`, "replica_groups" = dense<> : tensor<0x1xi64>}`),
			"#g = dense<> : tensor<0x1xi64>\n" + call("%a", "{"+sizes+", replica_groups = #g}"),
			call("\n%a", "\n{"+sizes+",\n"+empty+"}"),
			call("%a", "{"+sizes+", replica_groups = dense<0> : tensor<0x2xi64>}"),
			call("%a", "<{"+sizes+", replica_groups = dense<-1> : tensor<0x0xi64>}>"),
			"!t = tensor<0x2xi64>\n#g = dense<0> : !t\n" + call("%a", "{"+sizes+", replica_groups = #g}"),
			"!t = tensor<0x2xi64>\n" + call("%a", "{"+sizes+", replica_groups = dense<0> : !t}"),
		} {
			_, err := c.Parse("test.mlir", []byte(text))
			e := check.As[*mlir.DiagnosticError](t, err)
			check.Error(t, e, "mlir: parse failed: test.mlir:", ":8: error: 'stablehlo.all_to_all' op has no replica groups: the library would crash on it")
			_, err = c.ParseOperation("", []byte(text))
			check.Error(t, err, "mlir: parse failed: -:")
		}
		for _, text := range []string{
			call("%a", "{"+sizes+", "+one+"}"),
			"!t = tensor<1x1xi64>\n" + call("%a", "{"+sizes+", replica_groups = dense<0> : !t}"),
			call("%a", "{"+sizes+", "+one+", a.b = \""+empty+"\"}"),
			"#g = dense<0> : tensor<1x1xi64>\n" + call("%a", "{"+sizes+", replica_groups = #g}"),
			call("%a", "{"+sizes+", "+one+"}") + "// %0 = \"stablehlo.all_to_all\"(%a) {" + empty + "}\n",
			call("%a", "{"+sizes+", "+one+", a.b = \"\\\"stablehlo.all_to_all\\\"(%a) {"+empty+"}\"}"),
		} {
			m, err := c.Parse("test.mlir", []byte(text))
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				continue
			}
			m.Close()
		}
		for _, text := range []string{`"stablehlo.all_to_all"`, `"stablehlo.all_to_all"(%a) {`,
			`"stablehlo.all_to_all"(%a) {"`, `"stablehlo.all_to_all"() <`, `"stablehlo.all_to_all"() {a = "\`} {
			if _, err := c.Parse("test.mlir", []byte(text)); err == nil {
				t.Errorf("%s is parsed", text)
			}
		}
		operand := c.NewBlock(mlir.Location{}, mlirtest.Type(c, "tensor<4xf32>"))
		_, err := mlir.Create(c, mlir.OperationState{Name: "stablehlo.all_to_all",
			Operands: []mlir.Value{operand.Argument(0)}, Results: []mlir.Type{operand.Argument(0).Type()},
			Attributes: []mlir.NamedAttribute{
				{Name: "concat_dimension", Value: mlirtest.Attribute(c, "0 : i64")},
				{Name: "split_dimension", Value: mlirtest.Attribute(c, "0 : i64")},
				{Name: "split_count", Value: mlirtest.Attribute(c, "1 : i64")},
				{Name: "replica_groups", Value: mlirtest.Attribute(c, "dense<> : tensor<0x1xi64>")},
			}})
		check.Error(t, err, "mlir: stablehlo.all_to_all needs a replica group: the library would crash on it")
	})
}

// TestAliasGuard checks that a call without results is refused if it has an alias of one: in text, in bytecode and by
// Create.
func TestAliasGuard(t *testing.T) {
	const (
		alias = "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"
		f     = "func.func @f(%%a: tensor<4xf32>) -> tensor<4xf32> {\n  %s\n  return %%a : tensor<4xf32>\n}"
	)
	c := mlirtest.Context(t)
	for _, call := range []string{
		"stablehlo.custom_call @g(%a) {" + alias + "} : (tensor<4xf32>) -> ()",
		"stablehlo.custom_call @g(%a) {" + alias + ", has_side_effect = true} :\n (tensor<4xf32>) ->\n ()",
		`"stablehlo.custom_call"(%a) <{call_target_name = "g", ` + alias + "}> : (tensor<4xf32>) -> ()",
	} {
		_, err := c.Parse("test.mlir", fmt.Appendf(nil, f, call))
		check.Error(t, err, "mlir: parse failed: test.mlir:2:", "has output_operand_aliases and no results")
	}
	named := fmt.Sprintf("#%s\n"+f, strings.Replace(alias, "output_operand_", "", 1),
		"stablehlo.custom_call @g(%a) {output_operand_aliases = #aliases} : (tensor<4xf32>) -> ()")
	_, err := c.Parse("", []byte(named))
	check.Error(t, err, "has output_operand_aliases and no results")
	mlirtest.Parse(t, c, strings.Replace(named, alias[strings.Index(alias, "["):], "[]", 1))
	for name, data := range map[string]string{ // written by a library that did not verify
		"bytecode": "ML\xefR\rMLIR24.0.0git\x00\x01\x1f\a\x01\x05\t\t\x01\x03\x0f\x03\x05\a\x13\x05\x03\x17\x03-\x17\a" +
			"\x01\x15\v\x13\v\v\x13\x13\v\x0f\a\x13\x05\x03\x13\x01\a\x13\x13\a\x02S\x05\r\x17\x01\x01\x01\r\x03" +
			"\x05\x0f\x17\x01\x03\x03\x17\x01\x03\x1d\x05\x11\x01\x03\x15\x1f\x17\x01\x03G\x1d\x01\x01\x01\x1b" +
			"\x03\x11\x05\x05\x03\x01\x01\v\x04E\x05\x01P\x03\x01\a\x045\x03\x01\x05\x03P\t\x03\a\x04!\x03\x03\v" +
			"\x03\x03\v\x00\aD\x11\x05\x03\x01\x05\x00\x13\x06\x03\x01\x05\x01\x00\x93\x13\x05\x05\x15\x19\x0f" +
			"\x0f\x15\v\x11builtin\x00func\x00stablehlo\x00module\x00return\x00custom_call\x00test.mlir\x00f\x00g" +
			"\x00\b+\a\x05\x01\x01\r\x01\x05\x01\x01\a\x01\x13\x01\x01\r\x01\x01\x01\x1f\x01\x01",
		"artifact": "ML\xefR\rMLIR24.0.0git\x00\x01\x19\x05\x01\x05\t\x01\x03\v\x03\a\x0f\x13\x17\x035\x1f\a\x01\r\v\x13" +
			"\x13\x13\a\x13\x03\x13\v\v\v\v\v\v\v\x0f\x13\x03\a\x13\x13\a\x02c\x05\r\x17\x01\x01\x01\x17\x01\x03" +
			"\x03\x17\x01\x03\x1d\x1f\x17\x01\x03G\x03\x01\x1d\x0f#\x03\x1d\x11\v\x03\x1d\x13\x05\x01\x03\x03\x1d" +
			"\x15\x01\x01\x01)\x03\x11\x05\x11\x03\x01\x01\t\x04E\x05\x01P\x03\x01\a\x045\x03\x01\x05\x03P\x05" +
			"\x03\a\x04!\x03\x03\v\x03\x03\a\x00\x05D\t\x05\x03\x01\a\x00\v\x06\x03\x01\x05\x01\x00\x9f\x15\x05" +
			"\x05\x03\x15\x15\x1f\x11\x0f\v\x11builtin\x00vhlo\x00module\x00func_v1\x00custom_call_v2\x00return_v" +
			"1\x00test.mlir\x00\x00f\x00g\x00\b)\a\x05\x01\x01\v\r\x11\r\x13\x0f\x13\x15\x0f\x17\r\x19\r\x1b\r\r",
	} {
		_, err := c.Parse(name, []byte(data))
		check.Error(t, err, name, "has output_operand_aliases and no results")
	}
	_, err = mlir.Create(c, mlir.OperationState{Name: "stablehlo.custom_call", Attributes: []mlir.NamedAttribute{
		{Name: "call_target_name", Value: c.StringAttribute("g")},
		{Name: "output_operand_aliases", Value: mlirtest.Attribute(c, alias[strings.Index(alias, "["):])}}})
	check.Error(t, err, "stablehlo.custom_call needs a result for its output_operand_aliases")

	for _, call := range []string{
		"%0 = stablehlo.custom_call @g(%a) {" + alias + "} : (tensor<4xf32>) -> tensor<4xf32>\n" +
			"  stablehlo.custom_call @g() {has_side_effect = true} : () -> ()",
		"stablehlo.custom_call @g(%a) {output_operand_aliases = []} : (tensor<4xf32>) -> ()",
		"// stablehlo.custom_call @g(%a) {" + alias + "} : (tensor<4xf32>) -> ()",
	} {
		mlirtest.Parse(t, c, fmt.Sprintf(f, call))
	}
}

// TestBroadcastGuard checks that text on which a verifier of CHLO would index with a negative dimension
// is refused.
func TestBroadcastGuard(t *testing.T) {
	const add = "func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {\n" +
		"  %%0 = \"chlo.broadcast_add\"(%%a, %%a)%s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n  return %%0 : tensor<4xf32>\n}\n"
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for n, text := range []string{
			fmt.Sprintf(add, " {broadcast_dimensions = array<i64: -1>}"),
			fmt.Sprintf(add, "\n <{broadcast_dimensions =\narray<i64: 0,\n -1>}>"),
			"#d = array<i64: -1>\n" + fmt.Sprintf(add, " {broadcast_dimensions = #d}"),
		} {
			if n < start {
				continue
			}
			fmt.Printf("%s%d %q\n", mlirtest.CaseMark, n, text)
			_, err := mlirtest.Context(t).Parse("", []byte(text))
			check.Error(t, err, "a chlo.broadcast_ op has negative broadcast dimensions")
		}
		c := mlirtest.Context(t)
		_, err := c.Parse("", []byte("#d = array<i64: 0>\n#e = array<i64: -1>\n"+
			fmt.Sprintf(add, " {broadcast_dimensions = #d, a.b = #e}")))
		check.NoError(t, err)
		op := mlirtest.Find(mlirtest.Parse(t, c, fmt.Sprintf(add, "")), "chlo.broadcast_add")[0]
		check.Panics(t, "the attribute broadcast_dimensions of chlo.broadcast_add cannot be set to", func() {
			op.SetAttribute("broadcast_dimensions", mlirtest.Attribute(c, "array<i64: -1>"))
		})
		_ = op.String()
	})
}

// TestTransposeGuard checks that text is refused whose verification would never end, or crash.
func TestTransposeGuard(t *testing.T) {
	c := mlirtest.Context(t)
	for text, want := range map[string]string{
		`func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = linalg.transpose ins(%a: tensor<f32>) outs(%b: tensor<f32>) permutation = [ ]
  return %0 : tensor<f32>
}`: "-:2:68: error: the permutation of a linalg.transpose is empty: the library would hang on it",
		`module {"linalg.transpose"() <{permutation = array<i64>}> ({}) : () -> ()}`: "-:1:32: error: the perm",
		"module attributes {a.b = array<i1: true, -1>} {}":                           "-:1:26: error: an array of i1",
	} {
		_, err := c.Parse("", []byte(text))
		check.Error(t, err, want)
	}
	mlirtest.Parse(t, c, `func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = linalg.transpose ins(%a: tensor<2x3xf32>) outs(%b: tensor<3x2xf32>) permutation = [1, 0]
  return %0 : tensor<3x2xf32>
}`)
}
