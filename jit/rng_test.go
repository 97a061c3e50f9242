package jit_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestRng draws numbers of each type. Their mean and deviation are those of the distribution, the limits hold, and each
// run and each iteration of a loop draws others. A mean of so many numbers is further away than the tolerance in one of
// 10^9 runs.
func TestRng(t *testing.T) {
	const n = 20000
	for _, tt := range []struct {
		typ, distribution string
		a, b              string
		low, high         float64 // of a uniform distribution of which high is the next number after the highest
	}{
		{"f32", "UNIFORM", "-1.0", "3.0", -1, 3},
		{"f64", "UNIFORM", "0.0", "1.0", 0, 1},
		{"f16", "UNIFORM", "-8.0", "8.0", -8, 8},
		{"bf16", "UNIFORM", "0.0", "1.0", 0, 1},
		{"f8E5M2", "UNIFORM", "0.0", "1.0", 0, 1},
		{"i8", "UNIFORM", "-100", "100", -100, 100},
		{"ui8", "UNIFORM", "10", "255", 10, 255},
		{"i4", "UNIFORM", "-8", "7", -8, 7},
		{"i16", "UNIFORM", "-32768", "32767", -32768, 32767},
		{"i32", "UNIFORM", "-2147483648", "2147483647", math.MinInt32, math.MaxInt32},
		{"ui32", "UNIFORM", "0", "4294967295", 0, math.MaxUint32},
		{"i64", "UNIFORM", "-9223372036854775808", "9223372036854775807", math.MinInt64, math.MaxInt64},
		{"i32", "UNIFORM", "5", "5", 5, 6},
		{"f32", "NORMAL", "2.0", "3.0", 0, 0},
		{"f64", "NORMAL", "-2.0", "0.5", 0, 0},
		{"f16", "NORMAL", "0.0", "1.0", 0, 0},
	} {
		t.Run(fmt.Sprint(tt.distribution, tt.typ, tt.a), func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main() -> tensor<2x%[1]dxf64> {
	%%a = stablehlo.constant dense<%[3]s> : tensor<%[2]s>
	%%b = stablehlo.constant dense<%[4]s> : tensor<%[2]s>
	%%n = stablehlo.constant dense<%[1]d> : tensor<1xi64>
	%%zero = stablehlo.constant dense<0> : tensor<i32>
	%%one = stablehlo.constant dense<1> : tensor<i32>
	%%two = stablehlo.constant dense<2> : tensor<i32>
	%%none = stablehlo.constant dense<0.0> : tensor<2x%[1]dxf64>
	%%r:2 = stablehlo.while(%%i = %%zero, %%all = %%none) : tensor<i32>, tensor<2x%[1]dxf64>
	cond {
		%%c = stablehlo.compare LT, %%i, %%two : (tensor<i32>, tensor<i32>) -> tensor<i1>
		stablehlo.return %%c : tensor<i1>
	} do {
		%%x = stablehlo.rng %%a, %%b, %%n, distribution = %[5]s : (tensor<%[2]s>, tensor<%[2]s>, tensor<1xi64>) -> tensor<%[1]dx%[2]s>
		%%y = stablehlo.convert %%x : (tensor<%[1]dx%[2]s>) -> tensor<%[1]dxf64>
		%%row = stablehlo.reshape %%y : (tensor<%[1]dxf64>) -> tensor<1x%[1]dxf64>
		%%next = stablehlo.dynamic_update_slice %%all, %%row, %%i, %%zero : (tensor<2x%[1]dxf64>, tensor<1x%[1]dxf64>, tensor<i32>, tensor<i32>) -> tensor<2x%[1]dxf64>
		%%j = stablehlo.add %%i, %%one : tensor<i32>
		stablehlo.return %%j, %%next : tensor<i32>, tensor<2x%[1]dxf64>
	}
	return %%r#1 : tensor<2x%[1]dxf64>
}`, n, tt.typ, tt.a, tt.b, tt.distribution))
			e := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
			check.Cleanup(t, e)
			draw := func() []float64 {
				return check.Must(tensor.Slice[float64](check.Must(e.Call(t.Context()))[0]))
			}
			first, second := draw(), draw()
			constant := tt.high == tt.low+1 && tt.a == tt.b
			if same := slices.Equal(first, second) || slices.Equal(first[:n], first[n:]); same != constant {
				t.Error("the numbers are the same in each run, or in each iteration")
			}
			mean, deviation := moments(first)
			wantMean, want := (tt.low+tt.high)/2, (tt.high-tt.low)/math.Sqrt(12)
			step := 0.0
			if tt.typ[0] != 'f' && tt.typ[0] != 'b' { // integers
				step = 1
				wantMean, want = wantMean-0.5, math.Sqrt((want*want*12-1)/12)
			}
			if tt.distribution == "NORMAL" {
				fmt.Sscan(tt.a, &wantMean)
				fmt.Sscan(tt.b, &want)
			} else if low, high := slices.Min(first), slices.Max(first); low < tt.low || high > tt.high-step ||
				step == 0 && high >= tt.high {
				t.Errorf("numbers from %v to %v", low, high)
			}
			coarse := map[string]float64{"f16": 0.01, "bf16": 0.01, "f8E5M2": 0.2}[tt.typ]
			if math.Abs(mean-wantMean) > 6.2*want/math.Sqrt(2*n)+coarse*want {
				t.Errorf("mean %v, want %v", mean, wantMean)
			}
			if math.Abs(deviation-want) > 0.05*want+coarse*want+1e-6 {
				t.Errorf("deviation %v, want %v", deviation, want)
			}
		})
	}
}

func moments(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}

func TestRngErrors(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%a: tensor<i1>) -> tensor<4xi1> {
	%n = stablehlo.constant dense<4> : tensor<1xi64>
	%0 = stablehlo.rng %a, %a, %n, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<4xi1>
	return %0 : tensor<4xi1>
}`)
	_, err := jit.Compile(t.Context(), m, jit.Options{})
	check.Error(t, err, "stablehlo.rng at test.mlir:3:7: its numbers must be floating-point ones, or integers")
}
