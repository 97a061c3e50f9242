package sharding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
)

// declared returns what Read returns, in short.
func declared(d sharding.Module) string {
	text := fmt.Sprintf("%d %d %s -> %s", d.Replicas, d.Partitions, d.Params, d.Results)
	if d.GSPMD {
		text += " GSPMD"
	}
	return text
}

func parse(t *testing.T, text string) *mlir.Module {
	t.Helper()
	return mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, []byte(text))), text)
}

const rows = ` {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}`

// strings4 is a module in the form that Shardy writes for programs without its dialect.
const strings4 = `module attributes {mhlo.num_partitions = 4 : i32, mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\\\22x\\\22=2, \\\22y\\\22=2]>, empty = #sdy.mesh<[]>}"}} {
  func.func @main(%a: tensor<4x6xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\\\22y\\\22}, {\\\22x\\\22}]>"}}) -> tensor<4x6xf32> {
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\\\22x\\\22}, {}]>]>"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}`

const gspmd = `module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}, %b: tensor<4x4xf32>) -> (tensor<4x4xf32> {mhlo.sharding = "{replicated}"}, tensor<4x4xf32>) {
    return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
  }
}`

func TestRead(t *testing.T) {
	main := func(attributes, meshes, a, r string) string {
		return fmt.Sprintf(`module attributes {%s} {
  %s
  func.func @main(%%a: tensor<4x4xf32>%s) -> (tensor<4x4xf32>%s) {
    return %%a : tensor<4x4xf32>
  }
}`, attributes, meshes, a, r)
	}
	const mesh = `sdy.mesh @mesh = <["x"=4]>`
	for name, test := range map[string]struct{ module, want string }{
		"plain":      {main("", "", "", ""), "1 1 [] -> []"},
		"replicas":   {main("mhlo.num_replicas = 2 : i32", "", "", ""), "2 1 [] -> []"},
		"partitions": {main("mhlo.num_partitions = 2 : i32", "", "", ""), "1 2 [{unknown}] -> [{unknown}]"},
		"one": {main("mhlo.num_partitions = 1 : i32", "", ` {mhlo.sharding = "{devices=[4]<=[4]}"}`, ""),
			"1 1 [] -> []"},
		"mesh": {main("", mesh, rows, ""), "1 4 [{devices=[4,1]0,1,2,3}] -> [{unknown}]"},
		"inlined": {main("", "", ` {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}, {}]>}`, ""),
			"1 4 [{devices=[4,1]0,1,2,3}] -> [{unknown}]"},
		"open": {main("", mesh, "", ` {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}`),
			"1 4 [{unknown}] -> [{replicated}]"},
		"empty mesh": {main("mhlo.num_partitions = 4 : i32", "sdy.mesh @mesh = <[]>", "", ""),
			"1 4 [{unknown}] -> [{unknown}]"},
		"strings": {strings4, "1 4 [{devices=[2,2]0,2,1,3}] -> [{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}]"},
		"gspmd":   {gspmd, "1 4 [{devices=[2,2]0,1,2,3} {unknown}] -> [{replicated} {unknown}] GSPMD"},
		"gspmd inside": {`module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`, "1 2 [{unknown}] -> [{unknown}] GSPMD"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := sharding.Read(parse(t, test.module))
			check.NoError(t, err)
			check.Diff(t, "declared", test.want, declared(d))
		})
	}
	for name, test := range map[string]struct{ module, want string }{
		"no number": {main("mhlo.num_partitions = \"4\"", "", "", ""),
			`mhlo.num_partitions = "4": a number from 1 to `},
		"no partition": {main("mhlo.num_partitions = 0 : i32", "", "", ""),
			`mhlo.num_partitions = 0 : i32: a number from 1 to `},
		"replicas": {main("mhlo.num_replicas = -1 : i32", "", "", ""),
			`mhlo.num_replicas = -1 : i32: a number from 1 to `},
		"conflict": {main("mhlo.num_partitions = 2 : i32", mesh, rows, ""),
			"mhlo.num_partitions is 2, but the mesh @mesh has 4 devices"},
		"unknown form": {main("mhlo.num_partitions = 2 : i32", "", ` {mhlo.sharding = "\08\03"}`, ""),
			`parameter 0 of @main: sharding: "\b\x03" is not a sharding in a form`},
		"result": {main("mhlo.num_partitions = 2 : i32", "", "", ` {mhlo.sharding = "{devices=[4]<=[4]}"}`),
			"result 0 of @main: sharding: {devices=[4]<=[4]}: it is not for 2 devices"},
		"mesh text": {main(`mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh}"}`, "", "", ""),
			`"{mesh}" is not a list of meshes`},
		"no main": {"module attributes {mhlo.num_partitions = 2 : i32} {}", "no function @main"},
	} {
		t.Run("bad "+name, func(t *testing.T) {
			_, err := sharding.Read(parse(t, test.module))
			check.Error(t, err, test.want)
		})
	}
}

// Bytecode and portable artifacts declare the same as the text.
func TestReadForms(t *testing.T) {
	for _, text := range []string{gspmd, strings4} {
		m := parse(t, text)
		want, err := sharding.Read(m)
		check.NoError(t, err)
		artifact, err := stablehlo.PortableArtifact(m, "")
		check.NoError(t, err)
		bytecode, err := m.Bytecode()
		check.NoError(t, err)
		for _, form := range [][]byte{artifact, bytecode} {
			again, err := m.Context().Parse("m", form)
			check.NoError(t, err)
			got, err := sharding.Read(again)
			check.NoError(t, err)
			check.Diff(t, "declared", declared(want), declared(got))
		}
	}
	text := strings.Replace(`module {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @main(%a: tensor<4x4xf32>ROWS) -> tensor<4x4xf32> {
    return %a : tensor<4x4xf32>
  }
}`, "ROWS", rows, 1)
	m := parse(t, text)
	bytecode, err := m.Bytecode()
	check.NoError(t, err)
	again, err := m.Context().Parse("m", bytecode)
	check.NoError(t, err)
	d, err := sharding.Read(again)
	check.NoError(t, err)
	check.Diff(t, "declared", "1 4 [{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}] -> [{unknown}]", declared(d))
}
