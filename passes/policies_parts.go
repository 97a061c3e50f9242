package passes

import (
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// isPartitioned reports whether a call is of a callback of JAX that each device makes with its part
// of the arrays, also outside of manual computations.
func isPartitioned(op mlir.Operation) bool {
	target, _ := op.Attribute("call_target_name")
	name, _ := target.Text()
	return name == contract.TargetJAXPartitioned
}

// An operandPart is what each device has of an operand in a manual computation.
type operandPart struct {
	mlir.Type
	sharding string // of the operand
}

// whole returns parts that are the operands.
func (a *policyApplier) whole(operands []mlir.Value) (parts []operandPart) {
	types := mlir.TypesOf(operands)
	for i, sharding := range a.replicated(types) {
		parts = append(parts, operandPart{types[i], sharding})
	}
	return parts
}

// divided returns the parts of operands as the module divides them. Where the module leaves that to
// the compiler, each device has the operand.
func (a *policyApplier) divided(operands []mlir.Value) ([]operandPart, error) {
	parts := a.whole(operands)
	for i, v := range operands {
		text, ok := shardingOf(v)
		if !ok {
			continue
		}
		shape, err := stablehlo.ShapeOf(v.Type())
		if err != nil {
			return nil, err
		}
		dims := dimensions.FindAllStringSubmatch(text, -1)
		if !strings.HasPrefix(text, a.c.SymbolAttribute(a.mesh.Name).String()+",") || strings.Contains(text, ":") ||
			len(dims) != shape.Rank() {
			continue
		}
		fits := true
		for d, axes := range dims {
			for _, axis := range a.mesh.Axes {
				if strings.Contains(axes[1], a.c.StringAttribute(axis.Name).String()) {
					fits = fits && shape.Dims[d]%int(axis.Size) == 0
					shape.Dims[d] /= int(axis.Size)
				}
			}
		}
		if !fits { // XLA would pad the parts
			continue
		}
		t, err := stablehlo.TensorType(a.c, shape)
		if err != nil {
			return nil, err
		}
		parts[i] = operandPart{t, "<" + text + ">"}
	}
	return parts, nil
}

// dimensions are the axes of each dimension in the text of a sharding.
var dimensions = regexp.MustCompile(`\{([^{}]*)\}`)

// shardings are the texts within the brackets of an sdy.sharding, or of the elements of an
// sdy.sharding_per_value.
var shardings = regexp.MustCompile(`<(@[^<>]*)>`)

// shardingOf returns the text of the sharding that the module states for a value.
func shardingOf(v mlir.Value) (string, bool) {
	var a mlir.Attribute
	var ok bool
	i := 0
	switch {
	case !v.IsResult():
		f := v.Block().Parent()
		if f.Name() != "func.func" || !v.Block().Equal(f.Region(0).First()) {
			return "", false
		}
		a, ok = function.ArgAttr(f, v.Index(), "sdy.sharding")
	case v.Owner().Name() == "sdy.sharding_constraint":
		a, ok = v.Owner().Attribute("sharding")
	default:
		a, ok = v.Owner().Attribute("sdy.sharding")
		i = v.Index()
	}
	if !ok {
		return "", false
	}
	found := shardings.FindAllStringSubmatch(a.String(), -1)
	if i >= len(found) {
		return "", false
	}
	return found[i][1], true
}

// onParts replaces a call outside of manual computations by one that each device makes with its
// parts of the operands.
func (a *policyApplier) onParts(op mlir.Operation) error {
	operands := op.OperandValues()
	parts, err := a.divided(operands)
	if err != nil {
		return err
	}
	_, err = a.manual(op, operands, parts, func(block mlir.Block, inside []mlir.Value) ([]mlir.Value, error) {
		call := block.Append(op.Clone())
		call.SetOperands(inside...)
		call.RemoveAttribute("sdy.sharding") // of the arrays outside
		return nil, nil
	})
	if err != nil {
		return err
	}
	return op.Erase()
}
