package stablehlo

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// chloModule has no portable form.
const chloModule = `func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.tan %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`

// besideCHLO has an operation of CHLO, and one that the minimum version lacks.
const besideCHLO = `func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  %1 = stablehlo.tan %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}`

// TestProgramNewCHLO writes operations of CHLO for plugins that know them and that do not.
func TestProgramNewCHLO(t *testing.T) {
	const module = `func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {
  %0 = chlo.mulhi %arg0, %arg0 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}`
	_, current := versions(t)
	for _, test := range []struct {
		version  string
		bytecode bool
	}{{"1.13.3", true}, {"1.16.1", true}, {current, false}, {"1.20.0", false}, {"", false}} {
		m := mlirtest.Parse(t, mlirtest.Context(t), module)
		before := m.String()
		data := check.Must(Unprepared(m).Artifact(test.version))
		check.Diff(t, test.version+" is an artifact", test.bytecode, IsPortableArtifact(data))
		check.Diff(t, "the module afterwards", before, m.String())
	}
}

func TestProgram(t *testing.T) {
	minimum, current := versions(t)
	for _, test := range []struct{ name, text, version, stamp string }{
		{"no version", portable, "", current},
		{"the library's version", portable, current, current},
		{"an older version", old, minimum, minimum},
		{"the version of a plugin", portable, "1.13.3", "1.13.3"},
		{"a newer version", portable, "99.0.0", current},
		{"another dialect", chloModule, "", ""},
		{"another dialect and an older version", chloModule, "1.13.3", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), test.text)
			before := m.String()
			data, err := Unprepared(m).Artifact(test.version)
			check.NoError(t, err)
			check.Diff(t, "the module afterwards", before, m.String())
			check.Diff(t, "is bytecode", test.stamp != "", mlir.IsBytecode(data))
			check.Diff(t, "is a portable artifact", test.stamp != "", IsPortableArtifact(data))
			if test.stamp != "" && !strings.Contains(string(data), "StableHLO_v"+test.stamp+"\x00") {
				t.Errorf("the artifact does not have the version %s: %q", test.stamp, data[:min(len(data), 40)])
			}
			again, err := mlirtest.Context(t).Parse("m.mlirbc", data)
			check.NoError(t, err)
			check.Diff(t, "the module read again", before, again.String())
		})
	}
}

func TestProgramErrors(t *testing.T) {
	minimum, _ := versions(t)
	c := mlirtest.Context(t)
	closed := mlirtest.Parse(t, c, old)
	closed.Close()
	lost := mlirtest.Library(t).NewContext(mlir.ContextOptions{})
	orphan := mlirtest.Parse(t, lost, old)
	lost.Close()
	for _, test := range []struct {
		name       string
		module     *mlir.Module
		version    string
		want       string
		diagnostic bool
	}{
		{"nil", nil, "", "stablehlo: Unprepared: the module is nil", false},
		{"closed", closed, "", "stablehlo: Unprepared: the module cannot be serialized: mlir: Module.Operation called after Module.Close", false},
		{"closed context", orphan, "", "stablehlo: Unprepared: the module cannot be serialized: mlir: Module.Operation called after Context.Close", false},
		{"no version", mlirtest.Parse(t, c, old), "abc", `"abc" is not a version`, false},
		{"no version for bytecode", mlirtest.Parse(t, c, chloModule), "1.2", `"1.2" is not a version`, false},
		{"a version before the minimum", mlirtest.Parse(t, c, old), "0.1.0",
			"target version 0.1.0 is less than minimum supported " + minimum, true},
		{"an operation that the version lacks", mlirtest.Parse(t, c, portable), minimum, "test.mlir:4:10: stablehlo.custom_call needs StableHLO 1.3.0 in this form, and the module is wanted for " + minimum, true},
		{"such an operation beside CHLO", mlirtest.Parse(t, c, besideCHLO), minimum,
			"test.mlir:3:8: stablehlo.tan needs StableHLO 1.4.0", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			data, err := Unprepared(test.module).Artifact(test.version)
			check.Error(t, err, test.want)
			if _, ok := errors.AsType[*mlir.DiagnosticError](err); ok != test.diagnostic || data != nil {
				t.Errorf("%d bytes and the error %v, want none, and a DiagnosticError: %t", len(data), err,
					test.diagnostic)
			}
		})
	}
}

// TestProgramOfEngines holds that a library that cannot write portable artifacts writes
// text.
func TestProgramOfEngines(t *testing.T) {
	for _, e := range mlirtest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, e.Library), "func.func @main() { return }")
			writes := e.Library.Has("stablehloSerializePortableArtifactFromModule")
			for _, version := range []string{"", "1.13.3"} {
				data, err := Unprepared(m).Artifact(version)
				check.NoError(t, err)
				check.Diff(t, "is bytecode", writes, mlir.IsBytecode(data))
				check.Diff(t, "is a portable artifact", writes, IsPortableArtifact(data))
			}
		})
	}
}
