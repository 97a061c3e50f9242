package tensor_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// Every value of each type. The sums are those of the float32 values that ml_dtypes
// 0.6.0 makes of the bits 0, 1, 2 …, little-endian, with every NaN as 7fc00000.
func TestFloat8(t *testing.T) {
	for d, want := range map[tensor.DType]string{
		tensor.F8E5M2:        "229a94c5f728edf2",
		tensor.F8E4M3:        "9ce77bd30a02e10b",
		tensor.F8E4M3FN:      "422eccfaa21e72a6",
		tensor.F8E4M3B11FNUZ: "74505330e3c9cb73",
		tensor.F8E5M2FNUZ:    "aac12d2730bf26ca",
		tensor.F8E4M3FNUZ:    "ac4866f772a7c080",
		tensor.F8E3M4:        "dbadb7342f174274",
		tensor.F4E2M1FN:      "c736c7e2e761e089",
		tensor.F8E8M0FNU:     "2fb2732a95604377",
	} {
		var all []byte
		for bits := range 1 << d.Bits() {
			f, ok := tensor.Float8(d, byte(bits))
			if !ok {
				t.Fatalf("%s has no value", d)
			}
			u := math.Float32bits(f)
			if f != f {
				u = 0x7fc00000
			}
			all = binary.LittleEndian.AppendUint32(all, u)
		}
		sum := sha256.Sum256(all)
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("the values of %s have the sum %s, want %s", d, got, want)
		}
	}
	for _, d := range []tensor.DType{tensor.U8, tensor.S4, tensor.BF16, tensor.F32, tensor.Invalid, 200} {
		if f, ok := tensor.Float8(d, 1); ok || f != 0 {
			t.Errorf("%s is no such type, but its value is %v", d, f)
		}
	}
}
