package transform

import (
	"regexp"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The attributes of what were functions of JAX with derivatives of their own, which the names of the functions tell.
const (
	// ReLU is of the maximum and the minimum of relu and relu6, whose derivatives at the bounds are 0.
	ReLU = "calliope.autodiff.relu"
	// Sinc is of the value of sinc at 0, and of its derivatives there. It is their order.
	Sinc = "calliope.autodiff.sinc"
	// LastOf is of the last operation of det, pinv, LogGamma and Gamma. It is the name.
	LastOf = "calliope.autodiff.last_of"
	// Gamma is the name of random.gamma and random.loggamma.
	Gamma = "gamma"
	// LogGamma is the name of lgamma as JAX writes it since 0.12, and Known is of the numbers in it that are made of
	// bits.
	LogGamma = "lgamma"
	// Stopped is of a bitcast_convert to the same type whose derivative is zero.
	Stopped = "calliope.autodiff.stopped"
	Known   = "calliope.autodiff.known"
)

// markers mark the operations of a function of JAX by its name. A module has the name with a number for further shapes.
var markers = []struct {
	name *regexp.Regexp
	mark func(copied []mlir.Operation)
}{
	{regexp.MustCompile(`^relu6?(_\d+)?$`), markReLU},
	{regexp.MustCompile(`^sinc(_\d+)?$`), markSinc},
	{regexp.MustCompile(`^det(_\d+)?$`), markLast("stablehlo.multiply", "det")},
	{regexp.MustCompile(`^_?pinv(_\d+)?$`), markLast("stablehlo.dot_general", "pinv")},
	{regexp.MustCompile(`^_gamma(_\d+)?$`), markGamma},
	{logGamma, markLogGamma},
}

var logGamma = regexp.MustCompile(`^lgamma_impl(_\d+)?$`)

// mark marks the operations that were copied for a call of a function.
func mark(of *inlined, copied []mlir.Operation) {
	for _, m := range markers {
		if m.name.MatchString(of.name) {
			m.mark(copied)
		}
	}
	for ; of != nil; of = of.of {
		if logGamma.MatchString(of.name) {
			markBits(copied)
		}
	}
}

// markBits marks the floating point numbers that are made of bits.
func markBits(copied []mlir.Operation) {
	for _, op := range copied {
		if op.Name() == "stablehlo.bitcast_convert" {
			op.SetAttribute(Known, op.Context().StringAttribute(LogGamma))
		}
	}
}

// markReLU marks the maximum and the minimum, if there is nothing else and each is there once.
func markReLU(copied []mlir.Operation) {
	found := map[string]mlir.Operation{}
	for _, op := range copied {
		switch name := op.Name(); name {
		case "stablehlo.constant", "stablehlo.broadcast_in_dim":
		case "stablehlo.maximum", "stablehlo.minimum":
			if _, twice := found[name]; twice {
				return
			}
			found[name] = op
		default:
			return
		}
	}
	for _, op := range found {
		op.SetAttribute(ReLU, op.Context().StringAttribute("relu")) // an artifact has no unit
	}
}

// markSinc marks the sum, if there is one, and one sine.
func markSinc(copied []mlir.Operation) {
	var sums []mlir.Operation
	sines := 0
	for _, op := range copied {
		switch op.Name() {
		case "stablehlo.add":
			sums = append(sums, op)
		case "stablehlo.sine":
			sines++
		}
	}
	if len(sums) == 1 && sines == 1 {
		c := sums[0].Context()
		sums[0].SetAttribute(Sinc, c.IntegerAttribute(c.IntegerType(64, mlir.Signless), 0))
	}
}

// markLast marks the last operation, if it is one with a name.
func markLast(operation, name string) func(copied []mlir.Operation) {
	return func(copied []mlir.Operation) {
		if n := len(copied); n > 0 && copied[n-1].Name() == operation {
			copied[n-1].SetAttribute(LastOf, copied[n-1].Context().StringAttribute(name))
		}
	}
}

// markLogGamma marks the last operation, which selects NaN where the argument is NaN, and lets it select the argument
// there. Through the rest the argument has no tangents, because it is used by its bits.
func markLogGamma(copied []mlir.Operation) {
	last := copied[len(copied)-1]
	o, ok := stablehlo.AsSelect(last)
	if !ok || !o.Pred.IsResult() {
		return
	}
	c, ok := stablehlo.AsCompare(o.Pred.Owner())
	if ok && c.LHS == c.RHS && c.ComparisonDirection == stablehlo.CompareNE && c.LHS.Type() == last.Result(0).Type() {
		last.SetOperand(1, c.LHS)
		markLast("stablehlo.select", LogGamma)(copied)
	}
}

// markGamma marks the operation that computes the samples of the gamma distribution. What JAX has differentiated has
// more operations after it.
func markGamma(copied []mlir.Operation) {
	for _, op := range copied {
		if !GammaShape(op).IsNil() {
			op.SetAttribute(LastOf, op.Context().StringAttribute(Gamma))
		}
	}
}

// GammaShape returns the shapes of the distribution of the samples that an operation computes at the end of Gamma, or
// the zero Value. It multiplies by, or adds to the logarithm, a power of uniform samples with the exponent 1/shape.
func GammaShape(op mlir.Operation) (v mlir.Value) {
	power, ok := map[string]string{
		"stablehlo.multiply": "stablehlo.power", "stablehlo.add": "stablehlo.multiply",
	}[op.Name()]
	if !ok {
		return v
	}
	x := op.Operand(1)
	for _, step := range []struct {
		name    string
		operand int
	}{{"stablehlo.select", 2}, {power, 1}, {"stablehlo.divide", 1}} {
		if !x.IsResult() || x.Owner().Name() != step.name {
			return v
		}
		x = x.Owner().Operand(step.operand)
	}
	if x.Type() != op.Result(0).Type() {
		return v
	}
	return x
}
