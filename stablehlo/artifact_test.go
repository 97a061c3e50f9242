package stablehlo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestVersions(t *testing.T) {
	minimum, current := versions(t)
	c, m := number(t, current), number(t, minimum)
	if m > c || m == 0 {
		t.Errorf("the minimum version %s does not match the current version %s", minimum, current)
	}
}

// versions returns the versions of the library.
func versions(t *testing.T) (minimum, current string) {
	t.Helper()
	minimum, err := MinimumVersion(mlirtest.Library(t))
	check.NoError(t, err)
	current, err = CurrentVersion(mlirtest.Library(t))
	check.NoError(t, err)
	return minimum, current
}

// number returns a comparable form of a version major.minor.patch.
func number(t *testing.T, version string) (n int) {
	t.Helper()
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		t.Fatalf("the version %q is not of the form major.minor.patch", version)
	}
	for _, part := range parts {
		v, err := strconv.Atoi(part)
		check.NoError(t, err)
		n = n*1000 + v
	}
	return n
}

// old uses only features of the minimum version.
const old = `module @m {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @callback(%0) {api_version = 2 : i32, backend_config = "x", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
`

// portable has a callback with all its attributes.
const portable = `module @m {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @callback(%0) {api_version = 4 : i32, backend_config = {callback = "cb", v = 1 : i64}, has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.sine %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
`

func TestPortableArtifact(t *testing.T) {
	minimum, current := versions(t)
	for _, test := range []struct{ name, text, target, stamp string }{
		{"default", portable, "", current},
		{"current", portable, current, current},
		{"minimum", old, minimum, minimum},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), test.text)
			cosine := mlirtest.Find(m, "stablehlo.cosine")[0]
			before := m.String()
			data, err := PortableArtifact(m, test.target)
			check.NoError(t, err)
			check.Diff(t, "the module afterwards", before, m.String())
			check.Diff(t, "an operation of it", "tensor<4xf32>", cosine.Result(0).Type().String())
			if !IsPortableArtifact(data) || !strings.Contains(string(data), "StableHLO_v"+test.stamp+"\x00") {
				t.Errorf("the artifact does not have the version %s: %q", test.stamp, data[:min(len(data), 40)])
			}
			again, err := mlirtest.Context(t).Parse("m.mlirbc", data)
			check.NoError(t, err)
			check.NoError(t, again.Verify())
			check.Diff(t, "the module read again", before, again.String())
		})
	}
}

// TestPortableArtifactForms checks how a parsed artifact differs from its module.
func TestPortableArtifactForms(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main() {
  stablehlo.custom_call @t() {api_version = 4 : i32, backend_config = {id = array<i64: 7, 8>}} : () -> ()
  stablehlo.custom_call @t() {api_version = 1 : i32, backend_config = ""} : () -> ()
  return
}`)
	data, err := PortableArtifact(m, "")
	check.NoError(t, err)
	c := mlirtest.Context(t)
	again, err := c.Parse("", data)
	check.NoError(t, err)
	var got []string
	for _, op := range mlirtest.Find(again, "stablehlo.custom_call") {
		call, _ := AsCustomCall(op)
		got = append(got, call.BackendConfig.String())
	}
	check.Diff(t, "backend configs", []string{"{id = dense<[7, 8]> : tensor<2xi64>}", "<nil attribute>"}, got)
}

// TestPortableArtifactOfCHLO has operations of CHLO, which an artifact cannot hold, and leaves them in the module.
func TestPortableArtifactOfCHLO(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xi32>) {
  %0 = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
  %1 = func.call @f(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2:2 = chlo.top_k(%1, k = 2) : tensor<3xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %1, %2#0, %2#1 : tensor<3xf32>, tensor<2xf32>, tensor<2xi32>
}
func.func private @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`)
	before := m.String()
	data, err := PortableArtifact(m, "")
	check.NoError(t, err)
	check.Diff(t, "the module", before, m.String())
	again, err := mlirtest.Context(t).Parse("", data)
	check.NoError(t, err)
	defer again.Close()
	check.Diff(t, "has CHLO", false, hasCHLO(again))
	got, err := Evaluate(again, tensor.Vector[float32](0.5, 0.25, -0.125))
	check.NoError(t, err)
	near := cmpopts.EquateApprox(1e-5, 0)
	check.Diff(t, "elements", []float32{0.5, 0.25, -0.125}, check.Must(tensor.Slice[float32](got[0])), near)
	check.Diff(t, "largest", []float32{0.5, 0.25}, check.Must(tensor.Slice[float32](got[1])), near)
	check.Diff(t, "where", []int32{0, 1}, check.Must(tensor.Slice[int32](got[2])))
}

// TestPortableArtifactOfShardy writes operations and attributes of Shardy, and reads them again.
func TestPortableArtifactOfShardy(t *testing.T) {
	const sharding = `sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	const shardingAttribute = `func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @t(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=1]>, [{}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	const shardingArgument = `func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=1]>, [{}]>}) {
  return
}`
	for _, text := range []string{sharding, shardingAttribute, shardingArgument} {
		m := mlirtest.Parse(t, mlirtest.Context(t), text)
		again := mlirtest.Parse(t, mlirtest.Context(t), string(check.Must(PortableArtifact(m, ""))))
		check.Diff(t, "the module", m.String(), again.String())
	}
}

func TestPortableArtifactErrors(t *testing.T) {
	minimum, _ := versions(t)
	const newer = `func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tan %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	for _, test := range []struct{ name, text, target, want string }{
		{"a cycle", "%c = arith.constant 0 : i32\n%a = arith.addi %a, %c : i32", "", "stablehlo: a portable artifact cannot hold arith.constant at test.mlir:1:6, remove or lower it first: "},
		{"typed FFI to an old version", portable, minimum, "failed to legalize operation 'vhlo.custom_call_v2'"},
		{"newer operation", newer, minimum, "failed to convert VHLO to v" + minimum},
		{"no version", portable, "abc", "Invalid target version argument 'abc'"},
		{"two numbers", portable, "1.2", "Invalid target version argument '1.2'"},
		{"a letter before it", portable, "v" + minimum, "Invalid target version argument"},
		{"a NUL in it", portable, minimum + "\x00", "Invalid target version argument"},
		{"future", portable, "99.0.0", "target version 99.0.0 is greater than current version"},
		{"past", portable, "0.1.0", "target version 0.1.0 is less than minimum supported " + minimum},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, []byte(test.text))), test.text)
			before := m.String()
			data, err := PortableArtifact(m, test.target)
			check.Error(t, err, test.want)
			check.Error(t, err, fmt.Sprintf("mlir: serializing a portable artifact of StableHLO %s", test.target))
			if d := new(mlir.DiagnosticError); !errors.As(err, &d) || data != nil {
				t.Errorf("%d bytes and the error %v, want none and a DiagnosticError", len(data), err)
			}
			check.Diff(t, "the module afterwards", before, m.String())
		})
	}
}
