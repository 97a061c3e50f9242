package operations

import (
	"fmt"
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

func controlling() []*operation {
	return []*operation{
		{name: "if", takes: anyType, moves: true, make: func(g *generator, x value) []value {
			y := g.operand(x.element, x.dims...)
			return g.one("", []value{g.operand(element{DType: tensor.Pred})}, x, gives(x), gives(y))
		}},
		{name: "case", takes: anyType, moves: true, make: func(g *generator, x value) []value {
			regions := []string{gives(x)}
			for range g.IntN(3) {
				regions = append(regions, gives(g.operand(x.element, x.dims...)))
			}
			return g.one("", []value{g.index(element{DType: tensor.S32}, len(regions))}, x, regions...)
		}},
		{name: "while", takes: "sufp8c", moves: true, make: func(g *generator, x value) []value {
			// A counter, and an array that is reversed or stays in each step.
			e := pick(g.Rand, of(tensor.S32, tensor.S64, tensor.S8, tensor.U8, tensor.U32))
			t, c := x.String(), arrayOf(e)
			end := g.scalarOf(e, int64(g.IntN(6)))
			step := g.scalarOf(e, int64(1+g.IntN(3)))
			i := g.given(e, nil, filled(e, nil, func(r *rand.Rand, v tensor.View, i int) {
				progen.SetInteger(v, i, int64(r.IntN(3)))
			}))
			cond := fmt.Sprintf(`{ ^bb0(%%i: %[1]s, %%x: %[2]s): %%p = "stablehlo.compare"(%%i, %[3]s) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (%[1]s, %[1]s) -> tensor<i1> "stablehlo.return"(%%p) : (tensor<i1>) -> () }`,
				c, t, end.name)
			body := fmt.Sprintf(`{ ^bb0(%%i: %[1]s, %%x: %[2]s): %%j = "stablehlo.add"(%%i, %[3]s) : (%[1]s, %[1]s) -> %[1]s %%y = "stablehlo.reverse"(%%x) <{dimensions = %[4]s}> : (%[2]s) -> %[2]s "stablehlo.return"(%%j, %%y) : (%[1]s, %[2]s) -> () }`,
				c, t, step.name, int64s(g.some(len(x.dims))))
			return g.several("", []value{i, x}, []value{{element: e}, {element: x.element, dims: x.dims}}, cond, body)
		}},
		{name: "composite", takes: "sufp8c", make: func(g *generator, x value) []value {
			// The function that it stands for adds its operands, or returns them in turn.
			t, y := x.String(), g.operand(x.element, x.dims...)
			g.n++
			f := fmt.Sprintf("@v%d_", g.n)
			g.p.functions = append(g.p.functions, fmt.Sprintf(
				"func.func private %[1]s(%%x: %[2]s, %%y: %[2]s) -> (%[2]s, %[2]s) {\n"+
					"  %%z = stablehlo.add %%x, %%y : %[2]s\n  return %%z, %%x : %[2]s, %[2]s\n}\n", f, t))
			text := fmt.Sprintf(`name = "soak.sum", decomposition = %s, version = %d : i32`, f, g.IntN(2))
			if g.chance(1, 2) {
				text += ", composite_attributes = {n = 1 : i64}"
			}
			return g.several(text, []value{x, y}, []value{x, x})
		}},
	}
}

// gives is a region that returns a value.
func gives(v value) string {
	return fmt.Sprintf(`{ "stablehlo.return"(%s) : (%s) -> () }`, v.name, v)
}
