package lower

import (
	"math"
	"math/big"
	"testing"
)

// TestSincos holds sincos against Taylor's series with 200 bits.
func TestSincos(t *testing.T) {
	exact := func(first int64, x *big.Float) float64 { // x^first/first! - …
		term, sum := new(big.Float).SetPrec(200).SetInt64(1), new(big.Float).SetPrec(200)
		for k := int64(1); k < 60; k++ {
			if (k-1)%2 == first {
				sum.Add(sum, term)
				term.Neg(term)
			}
			term.Mul(term, x).Quo(term, new(big.Float).SetInt64(k))
		}
		v, _ := sum.Float64()
		return v
	}
	const digits = "1.570796326794896619231321691639751442098584699687552910487472296153908203143104499314017"
	halfPi, _, err := big.ParseFloat(digits, 10, 200, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	standard := 0
	for n := int64(1); n <= 200; n++ {
		for m := range n/2 + 1 {
			x := new(big.Float).Mul(halfPi, new(big.Float).SetInt64(m))
			x.Quo(x, new(big.Float).SetInt64(n))
			sin, cos := sincos(m, n)
			wantSin, wantCos := exact(1, x), exact(0, x)
			if sin != wantSin || cos != wantCos {
				t.Errorf("sincos(%d, %d) = %v, %v; want %v, %v", m, n, sin, cos, wantSin, wantCos)
			}
			if s, c := math.Sincos(math.Pi / 2 * float64(m) / float64(n)); s != wantSin || c != wantCos {
				standard++
			}
		}
	}
	if standard == 0 {
		t.Error("math.Sincos has the same bits: sincos is not needed")
	}
}
