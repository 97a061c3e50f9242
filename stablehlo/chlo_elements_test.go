package stablehlo_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestCheckBroadcasts holds that each operation of CHLO that broadcasts is refused on the element types that the
// operation it stands for does not take, as the library verifies it.
func TestCheckBroadcasts(t *testing.T) {
	table, err := os.ReadFile("../tools/opgen/facts/chlo.txt")
	check.NoError(t, err)
	c := mlirtest.Context(t)
	check.NoError(t, stablehlo.LoadQuant(c))
	const text = `func.func @main(%%x: tensor<2x%[1]s>) -> tensor<2x%[2]s> {
		%%0 = "%[3]s"(%%x, %%x) %[4]s : (tensor<2x%[1]s>, tensor<2x%[1]s>) -> tensor<2x%[2]s>
		return %%0 : tensor<2x%[2]s> }`
	n := 0
	for line := range strings.Lines(string(table)) {
		name, ok := strings.CutPrefix(line, "operation chlo.broadcast_")
		if !ok {
			continue
		}
		name = strings.Fields(name)[0]
		plain, attribute, plainAttribute := "stablehlo."+name, "", ""
		switch name {
		case "select": // its operands differ
			continue
		case "next_after", "polygamma", "zeta":
			plain = "chlo." + name
		case "compare":
			attribute = "<{comparison_direction = #chlo<comparison_direction EQ>}>"
			plainAttribute = strings.ReplaceAll(attribute, "chlo", "stablehlo")
		}
		for _, e := range []string{"i1", "i2", "i32", "ui8", "ui64", "f4E2M1FN", "f8E5M2", "bf16", "f32", "f64",
			"complex<f32>", "!quant.uniform<i8:f32, 0.5:3>"} {
			result := map[string]string{"compare": "i1", "complex": "complex<" + e + ">"}[name]
			if result == "" {
				result = e
			}
			m, err := c.Parse("test.mlir", fmt.Appendf(nil, text, e, result, "chlo.broadcast_"+name, attribute))
			if err != nil {
				continue
			}
			err = stablehlo.CheckElements(m.Operation().Index())
			_, refused := errors.AsType[*stablehlo.ElementError](err)
			check.NoError(t, m.Close())
			n++
			m, err = c.Parse("test.mlir", fmt.Appendf(nil, text, e, result, plain, plainAttribute))
			if err == nil {
				check.NoError(t, m.Close())
			}
			if refused != (err != nil) {
				t.Errorf("%s of %s is refused: %v, and the one that it stands for: %v", name, e, refused, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d operations are compared", n)
	}
}

// TestCheckUnary holds that each other operation of CHLO on one array is refused on the element types of which the
// library's pass makes no StableHLO.
func TestCheckUnary(t *testing.T) {
	table, err := os.ReadFile("../tools/opgen/facts/chlo.txt")
	check.NoError(t, err)
	c := mlirtest.Context(t)
	p, err := c.NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(func.func(chlo-legalize-to-stablehlo))"})
	check.NoError(t, err)
	defer p.Close()
	const text = `func.func @main(%%x: tensor<2x%[1]s>) -> tensor<2x%[2]s> {
		%%0 = "%[3]s"(%%x) : (tensor<2x%[1]s>) -> tensor<2x%[2]s>
		return %%0 : tensor<2x%[2]s> }`
	n, refused := 0, 0
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "operation" {
			continue
		}
		name := fields[1]
		for _, e := range []string{"i1", "i2", "i32", "ui8", "f4E2M1FN", "f8E5M2", "f16", "bf16", "f64",
			"complex<f32>"} {
			result := e
			if strings.HasPrefix(name, "chlo.is_") {
				result = "i1"
			}
			m, err := c.Parse("test.mlir", fmt.Appendf(nil, text, e, result, name))
			if err != nil {
				continue
			}
			n++
			err = stablehlo.CheckElements(m.Operation().Index())
			if failed := p.Run(m); (err != nil) != (failed != nil) {
				t.Errorf("%s of %s is refused: %v, and the pass says: %v", name, e, err, failed)
			}
			if err != nil {
				refused++
			}
			check.NoError(t, m.Close())
		}
	}
	if n < 60 || refused < 5 {
		t.Errorf("%d operations are compiled, and %d are refused", n, refused)
	}
}
