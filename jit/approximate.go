package jit

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// approximations are the names of the functions that take the place of operations on f32. LLVM vectorizes them, which
// it does not do with calls of the C library.
var approximations = map[string]string{"math.exp": "calliope.exp", "math.tanh": "calliope.tanh"}

// approximate replaces operations by their approximations.
func approximate(m *mlir.Module, _ *Executable) error {
	var found []mlir.Operation
	f32 := m.Context().F32Type()
	for op := range m.Operation().All() {
		if approximations[op.Name()] != "" && op.Result(0).Type().Equal(f32) {
			found = append(found, op)
		}
	}
	if len(found) == 0 {
		return nil
	}
	added, err := m.Context().Parse("approximations", []byte(approximationsText()))
	if err != nil {
		return err
	}
	defer added.Close()
	for op := range added.Body().Operations() {
		m.Body().Append(op.Clone())
	}
	for _, op := range found {
		call, err := mlir.Create(mlir.Before(op), mlir.OperationState{
			Name: "func.call", Location: op.Location(), Operands: op.OperandValues(), Results: []mlir.Type{f32},
			Attributes: []mlir.NamedAttribute{
				{Name: "callee", Value: m.Context().SymbolAttribute(approximations[op.Name()])}},
		})
		if err != nil {
			return err
		}
		op.Result(0).ReplaceAllUses(call.Result(0))
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// approximationsText returns the functions.
//
// The exponential is that of Cephes: x is n·log(2) + r with a small r, for which there is a polynomial. The power of
// two is multiplied in halves, because it may itself be too large or too small for f32. The hyperbolic tangent is the
// rational function of Eigen, which XLA uses, too.
func approximationsText() string {
	return fmt.Sprintf(`
func.func private @calliope.exp(%%x: f32) -> f32 {
  %%high = arith.constant 89.0 : f32
  %%low = arith.constant -104.0 : f32
  %%above = arith.cmpf ogt, %%x, %%high : f32
  %%x0 = arith.select %%above, %%high, %%x : f32
  %%below = arith.cmpf olt, %%x0, %%low : f32
  %%x1 = arith.select %%below, %%low, %%x0 : f32
  %%log2e = arith.constant 1.44269504088896341 : f32
  %%half = arith.constant 0.5 : f32
  %%one = arith.constant 1.0 : f32
  %%n0 = arith.mulf %%x1, %%log2e fastmath<contract> : f32
  %%n1 = arith.addf %%n0, %%half fastmath<contract> : f32
  %%n = math.floor %%n1 : f32
  %%ln2high = arith.constant 0.693359375 : f32
  %%ln2low = arith.constant -2.12194440e-4 : f32
  %%r0 = arith.mulf %%n, %%ln2high fastmath<contract> : f32
  %%r1 = arith.subf %%x1, %%r0 fastmath<contract> : f32
  %%r2 = arith.mulf %%n, %%ln2low fastmath<contract> : f32
  %%r = arith.subf %%r1, %%r2 fastmath<contract> : f32
%s  %%rr = arith.mulf %%r, %%r fastmath<contract> : f32
  %%y0 = arith.mulf %s, %%rr fastmath<contract> : f32
  %%y1 = arith.addf %%y0, %%r fastmath<contract> : f32
  %%y = arith.addf %%y1, %%one fastmath<contract> : f32
  %%i = arith.fptosi %%n : f32 to i32
  %%c1 = arith.constant 1 : i32
  %%bias = arith.constant 127 : i32
  %%c23 = arith.constant 23 : i32
  %%i0 = arith.shrsi %%i, %%c1 : i32
  %%i1 = arith.subi %%i, %%i0 : i32
  %%b0 = arith.addi %%i0, %%bias : i32
  %%b1 = arith.addi %%i1, %%bias : i32
  %%s0 = arith.shli %%b0, %%c23 : i32
  %%s1 = arith.shli %%b1, %%c23 : i32
  %%f0 = arith.bitcast %%s0 : i32 to f32
  %%f1 = arith.bitcast %%s1 : i32 to f32
  %%z0 = arith.mulf %%y, %%f0 : f32
  %%z = arith.mulf %%z0, %%f1 : f32
  %%nan = arith.cmpf uno, %%x, %%x : f32
  %%result = arith.select %%nan, %%x, %%z : f32
  return %%result : f32
}
func.func private @calliope.tanh(%%x: f32) -> f32 {
  %%high = arith.constant 7.99881172180175781 : f32
  %%low = arith.constant -7.99881172180175781 : f32
  %%above = arith.cmpf ogt, %%x, %%high : f32
  %%x0 = arith.select %%above, %%high, %%x : f32
  %%below = arith.cmpf olt, %%x0, %%low : f32
  %%x1 = arith.select %%below, %%low, %%x0 : f32
  %%xx = arith.mulf %%x1, %%x1 : f32
%s%s  %%upper = arith.mulf %%x1, %s : f32
  %%y = arith.divf %%upper, %s : f32
  %%magnitude = math.absf %%x : f32
  %%tiny = arith.constant 4.0e-4 : f32
  %%linear = arith.cmpf olt, %%magnitude, %%tiny : f32
  %%y0 = arith.select %%linear, %%x, %%y : f32
  %%far = arith.constant 9.02 : f32
  %%one = arith.constant 1.0 : f32
  %%flat = arith.cmpf oge, %%magnitude, %%far : f32
  %%sign = math.copysign %%one, %%x : f32
  %%result = arith.select %%flat, %%sign, %%y0 : f32
  return %%result : f32
}
`, horner("p", "%r", expCoefficients), last("p", expCoefficients),
		horner("a", "%xx", tanhUpper), horner("b", "%xx", tanhLower), last("a", tanhUpper), last("b", tanhLower))
}

// The coefficients of the polynomials, that of the highest power first.
var (
	expCoefficients = []float64{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
		5.0000001201e-1}
	tanhUpper = []float64{-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
		1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03}
	tanhLower = []float64{1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03}
)

// horner returns the operations that compute a polynomial of a value. Its result has the name that last returns.
func horner(name, of string, coefficients []float64) string {
	var b strings.Builder
	for i, c := range coefficients {
		if i == 0 {
			fmt.Fprintf(&b, "  %%%s0 = arith.constant %.17e : f32\n", name, c)
			continue
		}
		fmt.Fprintf(&b, "  %%%[1]sc%[2]d = arith.constant %.17[3]e : f32\n", name, i, c)
		fmt.Fprintf(&b, "  %%%[1]sm%[2]d = arith.mulf %%%[1]s%[3]d, %[4]s fastmath<contract> : f32\n", name, i, i-1, of)
		fmt.Fprintf(&b, "  %%%[1]s%[2]d = arith.addf %%%[1]sm%[2]d, %%%[1]sc%[2]d fastmath<contract> : f32\n", name, i)
	}
	return b.String()
}

func last(name string, coefficients []float64) string {
	return fmt.Sprintf("%%%s%d", name, len(coefficients)-1)
}
