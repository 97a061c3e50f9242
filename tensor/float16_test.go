package tensor_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// format is a 16-bit floating point format, as IEEE 754 describes one. What the tests
// expect is computed from it in float64, where each value, and each midpoint of two
// adjacent values, is exact.
type format struct {
	name     string
	fraction int // bits
	bias     int
	decode   func(uint16) float32
	encode   func(float32) uint16
}

var formats = []format{
	{"Float16", 10, 15,
		func(b uint16) float32 { return tensor.Float16(b).Float32() },
		func(f float32) uint16 { return uint16(tensor.ToFloat16(f)) }},
	{"BFloat16", 7, 127,
		func(b uint16) float32 { return tensor.BFloat16(b).Float32() },
		func(f float32) uint16 { return uint16(tensor.ToBFloat16(f)) }},
}

// infinity is the bits of +Inf, the first that are no number.
func (f format) infinity() uint16 { return 1<<15 - 1<<f.fraction }

// value is what the bits mean; magnitudes of +Inf and above count on, as if the
// exponent had no end.
func (f format) value(b uint16) float64 {
	fraction := float64(b & (1<<f.fraction - 1))
	exponent := int(b&0x7fff) >> f.fraction
	if exponent == 0 {
		exponent = 1
	} else {
		fraction += math.Ldexp(1, f.fraction)
	}
	v := math.Ldexp(fraction, exponent-f.bias-f.fraction)
	if b>>15 == 1 {
		return math.Copysign(v, -1)
	}
	return v
}

// round is the bits of the nearest value, of the even one where two are as near.
func (f format) round(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	infinity := int(f.infinity())
	above := uint16(sort.Search(infinity, func(b int) bool { return f.value(uint16(b)) >= x }))
	if above == 0 || math.IsInf(x, 1) {
		return sign | above
	}
	below := above - 1
	down, up := x-f.value(below), f.value(above)-x
	if down < up || down == up && below%2 == 0 {
		return sign | below
	}
	return sign | above
}

func TestFloat16EveryValue(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			nans := 0
			for i := range 1 << 16 {
				b := uint16(i)
				got := f.decode(b)
				back := f.encode(got)
				if b&0x7fff > f.infinity() {
					nans++
					if got == got || back&0x7fff <= f.infinity() || math.Signbit(float64(got)) != (b>>15 == 1) ||
						back>>15 != b>>15 {
						t.Fatalf("%#04x is a NaN: as float32 it is %v, and back %#04x", b, got, back)
					}
					continue
				}
				want := f.value(b)
				if b&0x7fff == f.infinity() {
					want = math.Inf(1 - int(b>>15)*2)
				}
				if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
					t.Fatalf("%#04x is %v, want %v", b, got, want)
				}
				if back != b {
					t.Fatalf("%#04x is %v, which becomes %#04x again", b, got, back)
				}
			}
			if want := 2 * (1<<f.fraction - 1); nans != want {
				t.Errorf("saw %d NaNs, want %d", nans, want)
			}
		})
	}
}

// Between each two adjacent values lie a midpoint, which goes to the even one, and values
// just below and above it, which do not.
func TestFloat16RoundsToNearestEven(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			for b := range f.infinity() {
				below, above := f.value(b), f.value(b+1)
				exact := (below + above) / 2
				middle := float32(exact)
				if float64(middle) != exact {
					t.Fatalf("the midpoint above %#04x is no float32: the test is wrong", b)
				}
				even := b + b%2
				for _, c := range []struct {
					x    float32
					want uint16
				}{
					{middle, even},
					{math.Nextafter32(middle, 0), b},
					{math.Nextafter32(middle, float32(math.Inf(1))), b + 1},
				} {
					for _, sign := range []uint16{0, 1 << 15} {
						x, want := c.x, c.want|sign
						if sign != 0 {
							x = -x
						}
						if got, ref := f.encode(x), f.round(float64(x)); got != want || ref != want {
							t.Fatalf("%v became %#04x, want %#04x (by search: %#04x)", x, got, want, ref)
						}
					}
				}
			}
		})
	}
}

func TestFloat16RandomValues(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 32))
	for range 50_000 {
		x := math.Float32frombits(random.Uint32())
		for _, f := range formats {
			got := f.encode(x)
			if x != x {
				if got&0x7fff <= f.infinity() {
					t.Fatalf("%s: the NaN %#08x became %#04x, which is none", f.name, math.Float32bits(x), got)
				}
			} else if want := f.round(float64(x)); got != want {
				t.Fatalf("%s: %v became %#04x, want %#04x", f.name, x, got, want)
			}
		}
	}
}

func TestFloat16Landmarks(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name     string
		x        float32
		half, bf uint16
	}{
		{name: "zero", x: 0},
		{name: "minus zero", x: float32(math.Copysign(0, -1)), half: 0x8000, bf: 0x8000},
		{name: "one", x: 1, half: 0x3c00, bf: 0x3f80},
		{name: "largest half", x: 65504, half: 0x7bff, bf: 0x4780},
		{name: "just below the end of halves", x: math.Nextafter32(65520, 0), half: 0x7bff, bf: 0x4780},
		{name: "end of halves", x: 65520, half: 0x7c00, bf: 0x4780},
		{name: "smallest normal half", x: 0x1p-14, half: 0x0400, bf: 0x3880},
		{name: "smallest half", x: 0x1p-24, half: 0x0001, bf: 0x3380},
		{name: "half of the smallest half", x: 0x1p-25, half: 0x0000, bf: 0x3300},
		{name: "largest float32", x: math.MaxFloat32, half: 0x7c00, bf: 0x7f80},
		{name: "smallest float32", x: math.SmallestNonzeroFloat32},
		{name: "infinity", x: inf, half: 0x7c00, bf: 0x7f80},
		{name: "minus infinity", x: -inf, half: 0xfc00, bf: 0xff80},
		// Its only set bit is one that the shorter formats do not have.
		{name: "NaN of small payload", x: math.Float32frombits(0x7f800001), half: 0x7e00, bf: 0x7fc0},
		{name: "minus NaN", x: math.Float32frombits(0xffffffff), half: 0xfe00, bf: 0xffff},
	} {
		t.Run(c.name, func(t *testing.T) {
			check.Diff(t, "half", tensor.Float16(c.half), tensor.ToFloat16(c.x))
			check.Diff(t, "bfloat16", tensor.BFloat16(c.bf), tensor.ToBFloat16(c.x))
		})
	}
}
