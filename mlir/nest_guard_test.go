package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestNestGuard checks that text is refused on which a verifier would crash for what is around an operation, or at the
// end of its region, and that similar text is parsed.
func TestNestGuard(t *testing.T) {
	const (
		launch  = "%c = arith.constant 1 : index gpu.launch_func @k::@g blocks in (%c, %c, %c) threads in (%c, %c, %c)"
		generic = `%c = "arith.constant"() <{value = 1 : index}> : () -> index "gpu.launch_func"(%c, %c, %c, %c, %c, %c) ` +
			`<{kernel = @k::@g, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0>}> : ` +
			`(index, index, index, index, index, index) -> ()`
		kernel   = " gpu.module @k { gpu.func @g() kernel { gpu.return } }"
		around   = "'gpu.launch_func' op is in mine.op, an operation of an unknown dialect: the library would crash on it"
		unended  = "'torch.global_slot.module_initializer' op does not end with torch.initialize.global_slots: the library would"
		slot     = " torch.global_slot @s : !torch.int "
		ended    = "torch.initialize.global_slots [ @s(%0 : !torch.int) ]"
		each     = "'transform.foreach' op does not end with transform.yield: the library would crash on it"
		needs    = "'transform.foreach' op needs a region that ends with transform.yield"
		one      = "%0 = torch.constant.int 1 "
		foreach  = "transform.foreach %a : !transform.any_op { ^bb0(%x: !transform.any_op): "
		foreach2 = `"transform.foreach"(%a) ({ ^bb0(%x: !transform.any_op): `
	)
	in := func(inner string) string {
		return "module attributes {gpu.container_module} { func.func @f() { " + inner + " return }" + kernel + " }"
	}
	script := func(inner string) string {
		return "module attributes {transform.with_named_sequence} { transform.named_sequence @f(%a: !transform.any_op) {\n" +
			inner + "\ntransform.yield } }"
	}
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	t.Cleanup(func() { c.Close() })
	for name, test := range map[string]struct{ text, want string }{
		"launch":                {in(launch), ""},
		"in a loop":             {in("%a = arith.constant 1 : index scf.for %i = %a to %a step %a { " + launch + "}"), ""},
		"in an unknown one":     {in(`"mine.op"() ({` + "\n" + launch + `}) {a = 1} : () -> ()`), around},
		"generic":               {in(`"mine.op"() <{b = {a = 1}}> ({` + "\n" + generic + `}) : () -> ()`), around},
		"further in":            {in(`"mine.op"() ({ scf.execute_region {` + "\n" + launch + ` scf.yield } }) : () -> ()`), around},
		"around a module":       {`"mine.op"() ({ ` + in(launch) + `}) : () -> ()`, ""},
		"beside":                {in(`"mine.op"() ({ "mine.end"() : () -> () }) : () -> () ` + launch), ""},
		"in a comment":          {in("// \"mine.op\"() ({\n" + launch), ""},
		"in a string":           {in(`"mine.op"() {a = "\"b.c\"() ({"} : () -> () ` + launch), ""},
		"in a location":         {in(`"mine.op"() : () -> () loc("a.b"("c.d":1:2)) ` + launch), ""},
		"initializer":           {"torch.global_slot.module_initializer { " + one + ended + "}" + slot, ""},
		"initializer, generic":  {`"torch.global_slot.module_initializer"() ({ ` + one + ended + "}) {a = {b = 1}} : () -> ()" + slot, ""},
		"initializer, no end":   {"torch.global_slot.module_initializer { " + one + "}" + slot, unended},
		"initializer, call":     {"torch.global_slot.module_initializer { " + one + `"mine.end"(%0) : (!torch.int) -> () }` + slot, unended},
		"initializer, no block": {`"torch.global_slot.module_initializer"() ({}) : () -> ()` + slot, unended},
		"loop":                  {script(foreach + "transform.yield }"), ""},
		"loop, implied":         {script(foreach + "}"), ""},
		"loop, implied after":   {script(foreach + "transform.print %x : !transform.any_op }"), ""},
		"loop without end":      {script(foreach + `"mine.end"() : () -> () }`), each},
		"loop, generic":         {script(foreach2 + "transform.yield }) : (!transform.any_op) -> ()"), ""},
		"loop, generic, no end": {script(foreach2 + `"mine.end"() : () -> () }) : (!transform.any_op) -> ()`), each},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := c.Parse("", []byte(test.text))
			if test.want == "" {
				check.NoError(t, err)
				again := check.Must(c.Parse("", []byte(m.Operation().Print(mlir.PrintOptions{Generic: true}))))
				check.NoError(t, again.Close())
				again = check.Must(c.Parse("", check.Must(m.Bytecode())))
				check.NoError(t, again.Close())
				check.NoError(t, m.Close())
				return
			}
			check.Error(t, err, test.want)
			if strings.Contains(test.text, "\n") {
				check.Error(t, err, "mlir: parse failed: -:2:")
			}
		})
	}
	_, err := c.ParseOperation("", []byte(`"func.func"() <{function_type = (!transform.any_op) -> (), sym_name = "f"}> ({ ^bb0(%a: !transform.any_op): `+
		`"transform.foreach"(%a) ({}) : (!transform.any_op) -> () "func.return"() : () -> () }) : () -> ()`))
	check.Error(t, err, needs)
}

// TestUnknownAroundLaunch moves a launch into an operation of an unknown dialect: nothing that verifies it crashes.
func TestUnknownAroundLaunch(t *testing.T) {
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	m := check.Must(c.Parse("", []byte(`module attributes {gpu.container_module} {
  func.func @f() {
    "mine.op"() ({ "mine.end"() : () -> () }) : () -> ()
    %c = arith.constant 1 : index
    gpu.launch_func @k::@g blocks in (%c, %c, %c) threads in (%c, %c, %c)
    return
  }
  gpu.module @k { gpu.func @g() kernel { gpu.return } }
}`)))
	var outer, number, launch mlir.Operation
	for op := range m.Operation().All() {
		switch op.Name() {
		case "mine.op":
			outer = op
		case "arith.constant":
			number = op
		case "gpu.launch_func":
			launch = op
		}
	}
	number.MoveBefore(outer)
	launch.MoveBefore(outer.Region(0).First().First())
	const want = "-:5:5: error: 'gpu.launch_func' op is in an operation of an unknown dialect: the library would crash on it"
	check.Error(t, m.Verify(), want)
	if text := m.String(); !strings.Contains(text, `"gpu.launch_func"(`) {
		t.Errorf("it is not printed in generic form:\n%s", text)
	}
	_, err := m.Bytecode()
	check.Error(t, err, want)
	data := check.Must(m.Operation().BytecodeAssumingVerified())
	_, err = c.Parse("", data)
	check.Error(t, err, "'gpu.launch_func' op is in mine.op, an operation of an unknown dialect")
}
