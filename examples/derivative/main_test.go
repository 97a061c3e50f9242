package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPullBack compares the derivative that is written by hand with finite differences.
func TestPullBack(t *testing.T) {
	const h, tolerance = 1e-5, 1e-7
	random := rand.New(rand.NewPCG(1, 2))
	list := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.Float64()
		}
		return x
	}
	for range 100 {
		p, times, dy := list(2), list(7), list(7)
		got := pullBack(p, times, dy)
		for i := range p {
			moved := func(by float64) (sum float64) {
				q := [2]float64(p)
				q[i] += by
				for j, y := range decay(q[:], times) {
					sum += dy[j] * y
				}
				return sum
			}
			if want := (moved(h) - moved(-h)) / (2 * h); math.Abs(got[i]-want) > tolerance {
				t.Errorf("the derivative by parameter %d of %v is %v, want %v", i, p, got[i], want)
			}
		}
	}
}
