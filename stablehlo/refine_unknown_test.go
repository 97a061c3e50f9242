package stablehlo_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestRefineUnknown checks operations of dialects that the library does not have, which ended the process.
func TestRefineUnknown(t *testing.T) {
	const variable = "CALLIOPE_TEST_REFINE_UNKNOWN"
	if os.Getenv(variable) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRefineUnknown$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), variable+"=1", "GOTRACEBACK=none")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const unknown = "the library does not know this operation, and operand 0 has a dynamic shape: "
	for name, test := range map[string]struct {
		body string
		want []string // of the error, or nil
	}{
		"an argument": {`  %1 = "mine.op"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>`, []string{"refining mine.op at ", ":2", unknown + "tensor<?xf32>"}},
		"an argument, with a static result": {`  %1 = "mine.op"(%a) : (tensor<?xf32>) -> tensor<4xf32>
  return %a : tensor<?xf32>`, []string{"refining mine.op at ", ":2", unknown}},
		"an intermediate result": {`  %1 = stablehlo.add %a, %a : tensor<?xf32>
  "mine.op"(%1) : (tensor<?xf32>) -> ()
  return %a : tensor<?xf32>`, []string{"refining mine.op at ", ":3", unknown}},
		"a tuple": {`  %1 = stablehlo.tuple %a : tuple<tensor<?xf32>>
  "mine.op"(%1) : (tuple<tensor<?xf32>>) -> ()
  return %a : tensor<?xf32>`, []string{"refining mine.op at ", ":3", unknown + "tuple<tensor<?xf32>>"}},
		"in a loop": {`  %1 = stablehlo.while(%i = %a) : tensor<?xf32>
  cond {
    %p = "mine.op"(%i) : (tensor<?xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i : tensor<?xf32>
  }
  return %1 : tensor<?xf32>`, []string{"refining mine.op at ", ":4", unknown}},
		"in a function": {`  %1 = func.call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>`, []string{"refining mine.call at ", ":", unknown}},
		"the terminator": {`  "mine.return"(%a) : (tensor<?xf32>) -> ()`,
			[]string{"refining mine.return at ", ":2", unknown}},
		"an assertion": {`  %c = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%c) {error_message = "why", has_side_effect = true} : (tensor<i1>) -> ()
  "mine.op"(%a) : (tensor<?xf32>) -> ()
  return %a : tensor<?xf32>`, []string{"refining mine.op at ", ":4", unknown}},
		"a result": {`  %1 = "mine.op"() : () -> tensor<?xf32>
  return %1 : tensor<?xf32>`, []string{"refining mine.op at ", ":2", "stays dynamic: tensor<?xf32>"}},
		"static": {`  %c = stablehlo.constant dense<1.0> : tensor<4xf32>
  %1 = "mine.op"(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<?xf32>`, nil},
		"not reached": {"  return %a : tensor<?xf32>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			eachRefining(t, func(t *testing.T, c *mlir.Context) {
				c.SetAllowUnregistered(true)
				m := mlirtest.Parse(t, c, "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"+test.body+`
}
func.func private @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %1 = "mine.call"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}`)
				refined, err := stablehlo.Refine(m, f32(4))
				if test.want != nil {
					check.Error(t, err, test.want...)
					return
				}
				check.NoError(t, err)
				refined.Close()
			})
		})
	}
}
