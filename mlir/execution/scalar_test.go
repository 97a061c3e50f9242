package execution_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/tensor"
)

const scalars = `
func.func @half(%x: f16) -> f16 { return %x : f16 }
func.func @brain(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}
func.func @complex(%x: complex<f16>) -> complex<f16> { return %x : complex<f16> }
func.func @i17(%x: i17, %y: i17) -> i17 {
  %0 = arith.addi %x, %y : i17
  return %0 : i17
}
func.func @sign(%x: i17) -> i64 {
  %0 = arith.extsi %x : i17 to i64
  return %0 : i64
}
func.func @i2(%x: i2) -> i2 {
  %0 = arith.addi %x, %x : i2
  return %0 : i2
}
func.func @i128(%x: i128, %y: i128) -> i128 {
  %0 = arith.muli %x, %y : i128
  return %0 : i128
}
func.func @i100(%x: i100) -> i100 {
  %0 = arith.constant 1 : i100
  %1 = arith.subi %x, %0 : i100
  return %1 : i100
}
func.func @i200(%x: i200) -> i200 { return %x : i200 }
func.func @several(%x: i128, %y: i17, %z: bf16) -> (i128, i17, bf16) { return %x, %y, %z : i128, i17, bf16 }
func.func @late(%x: i32, %y: i128) -> (i32, i128) { return %x, %y : i32, i128 }
func.func @quad(%x: f128) { return }
func.func @vector(%x: vector<4xf32>) { return }
func.func @elements(%x: memref<?xi17>) { return }
func.func @halves(%x: memref<?xf16>) { return }
`

// TestInvokeScalars calls functions with numbers of types that Go lacks.
func TestInvokeScalars(t *testing.T) {
	type several struct {
		A [2]uint64
		B int32
		C tensor.BFloat16
	}
	type pair struct{ A, B uint16 }
	const top = uint64(1) << 63
	tests := map[string]struct {
		function     string
		arguments    []any
		result, want any // pointers
	}{
		"f16":          {"half", []any{tensor.ToFloat16(1.5)}, new(tensor.Float16), new(tensor.ToFloat16(1.5))},
		"bits of f16":  {"half", []any{uint16(7)}, new(int16), new(int16(7))},
		"bf16":         {"brain", []any{tensor.ToBFloat16(-2.5)}, new(float32), new(float32(-2.5))},
		"complex":      {"complex", []any{pair{1, 2}}, new(pair), &pair{1, 2}},
		"i17":          {"i17", []any{int32(65535), int32(1)}, new(int32), new(int32(-65536))},
		"i17 unsigned": {"i17", []any{uint32(131071), int32(-1)}, new(uint32), new(uint32(131070))},
		"sign":         {"sign", []any{int32(-65536)}, new(int64), new(int64(-65536))},
		"sign of bits": {"sign", []any{uint32(131071)}, new(int64), new(int64(-1))},
		"i2":           {"i2", []any{int8(-1)}, new(int8), new(int8(-2))},
		"i2 unsigned":  {"i2", []any{uint8(3)}, new(uint8), new(uint8(2))},
		"i128":         {"i128", []any{[2]uint64{top}, [2]uint64{6}}, new([2]uint64), &[2]uint64{0, 3}},
		"i100":         {"i100", []any{[2]uint64{}}, new([2]uint64), &[2]uint64{math.MaxUint64, 1<<36 - 1}},
		"i200":         {"i200", []any{[4]uint64{1, 2, 3, 4}}, new([4]uint64), &[4]uint64{1, 2, 3, 4}},
		"several results": {"several", []any{[2]uint64{1, 2}, int32(-3), tensor.ToBFloat16(4)}, new(several),
			&several{[2]uint64{1, 2}, -3, tensor.ToBFloat16(4)}},
	}
	failing := map[string]struct {
		function  string
		arguments []any
		result    any
		want      string
	}{
		"another half": {"half", []any{tensor.ToBFloat16(1)}, new(uint16),
			"argument 0 of half has the type f16, which tensor.BFloat16 does not match: tensor.Float16, int16 or uint16 is wanted"},
		"a float": {"brain", []any{float32(1)}, new(float32), "tensor.BFloat16, int16 or uint16 is wanted"},
		"a float for a result": {"half", []any{uint16(1)}, new(float32),
			"half returns a result of type f16, which *float32 cannot hold: give a pointer to it: tensor.Float16,"},
		"an integer of another size": {"i17", []any{int64(1), int32(1)}, new(int32),
			"argument 0 of i17 has the type i17, which int64 does not match: int32 or uint32 is wanted"},
		"too large": {"i17", []any{int32(1), int32(65536)}, new(int32),
			"argument 1 of i17: 65536 has more than the 17 bits of i17"},
		"too small":          {"i17", []any{int32(-65537), int32(0)}, new(int32), "-65537 has more than the 17 bits"},
		"too large unsigned": {"i17", []any{uint32(1 << 17), int32(0)}, new(int32), "has more than the 17 bits of i17"},
		"one word": {"i128", []any{uint64(1), [2]uint64{}}, new([2]uint64),
			"which uint64 does not match: [2]uint64 with the lowest word first is wanted"},
		"too large for words": {"i100", []any{[2]uint64{0, 1 << 36}}, new([2]uint64), "more than the 100 bits of i100"},
		"a late wide part": {"late", []any{int32(1), [2]uint64{}}, new(struct {
			A int32
			B [2]uint64
		}), "of more than 64 bits is at a multiple of 16 bytes: let it be the first part"},
		"a long float": {"quad", []any{1.0}, nil, "argument 0 of quad has the type f128, which float64 does not match: Go has no type for f128: let the function take or return a pointer"},
		"a vector":     {"vector", []any{[4]float32{}}, nil, "Go has no type for vector<4xf32>: let the function"},
		"odd elements": {"elements", []any{execution.NewMemRef([]int32{1}, 1)}, nil,
			"its elements are int32, and Go has no type for i17: let the function"},
		"elements of another half": {"halves", []any{execution.NewMemRef([]tensor.BFloat16{1}, 1)}, nil,
			"its elements are tensor.BFloat16, and tensor.Float16, int16 or uint16 is wanted"},
	}
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		e := compile(t, ranOn(t, engine, scalars, toLLVM), execution.Options{})
		for name, test := range tests {
			if err := e.Invoke(test.function, test.result, test.arguments...); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			check.Diff(t, name, test.want, test.result)
		}
		for name, test := range failing {
			err := e.Invoke(test.function, test.result, test.arguments...)
			if err == nil {
				t.Errorf("%s is accepted", name)
				continue
			}
			check.Error(t, err, test.want)
		}
		check.NoError(t, e.Invoke("halves", nil, execution.NewMemRef([]tensor.Float16{1}, 1)))
	})
}

// TestFunctionScalars has compiled code call Go functions with numbers of types that Go lacks.
func TestFunctionScalars(t *testing.T) {
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		m := ranOn(t, engine, `
func.func private @host(i17, i128, f16) -> i17
func.func @call(%x: i17, %y: i128, %z: f16) -> i17 {
  %0 = call @host(%x, %y, %z) : (i17, i128, f16) -> i17
  return %0 : i17
}`, toLLVM)
		e := compile(t, m, execution.Options{Functions: map[string]any{
			"host": func(x int32, y [2]uint64, z tensor.Float16) int32 {
				return x + int32(y[1]) + int32(z.Float32())
			}}})
		var sum int32
		check.NoError(t, e.Invoke("call", &sum, int32(-5), [2]uint64{0, 2}, tensor.ToFloat16(-1)))
		check.Diff(t, "the result", int32(-4), sum)
		check.Error(t, e.Invoke("call", &sum, int32(-65536), [2]uint64{}, tensor.ToFloat16(-1)),
			"the result of the Go function for @host: -65537 has more than the 17 bits of i17")
		_, err := execution.New(m, execution.Options{Functions: map[string]any{
			"host": func(x int32, y [2]uint64, z tensor.BFloat16) int32 { return 0 }}})
		check.Error(t, err, "its parameter 2 is f16 in the module, which tensor.BFloat16 does not match")
	})
}

// TestInvokeComputesBF16 holds that the advice of the error works.
func TestInvokeComputesBF16(t *testing.T) {
	const text = `func.func @twice(%x: bf16) -> bf16 {
  %0 = arith.addf %x, %x : bf16
  return %0 : bf16
}`
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		var got tensor.BFloat16
		three := tensor.ToBFloat16(3)
		err := compile(t, ranOn(t, engine, text, toLLVM), execution.Options{}).Invoke("twice", &got, three)
		if err != nil { // a newer libgcc has the functions
			check.Error(t, err, "twice cannot be linked: the module computes with bf16", "arith-expand{include-bf16=1} before")
		}
		m := ranOn(t, engine, text, "builtin.module(func.func("+
			"arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},arith-expand{include-bf16=1}))", toLLVM)
		check.NoError(t, compile(t, m, execution.Options{}).Invoke("twice", &got, three))
		check.Diff(t, "the result", tensor.ToBFloat16(6), got)
	})
}

// TestSignatureScalars holds that a type in Options.Signatures is what the compiled code takes.
func TestSignatureScalars(t *testing.T) {
	eachExecution(t, func(t *testing.T, engine mlirtest.Engine) {
		m := ranOn(t, engine, "llvm.func @f(%x: f16) { llvm.return }")
		for typ, want := range map[string]bool{"(f16) -> ()": true, "(bf16) -> ()": false, "(i16) -> ()": false} {
			e, err := execution.New(m, execution.Options{Signatures: map[string]string{"f": typ}})
			if (err == nil) != want {
				t.Errorf("%s: %v", typ, err)
			}
			if err == nil {
				e.Close()
			}
		}
	})
}
