package lower

import "math"

// sincos returns the sine and the cosine of π/2·m/n, for m from 0 to n/2. Those of package math may be wrong in the
// last bit, and each transform with such roots would be less exact than that of XLA, which rounds them once.
func sincos(m, n int64) (sin, cos float64) {
	const halfPi, rest = math.Pi / 2, 6.123233995736766e-17 // π/2, and what its rounding leaves out
	x := double{halfPi, rest}.times(double{float64(m), 0}).over(float64(n))
	square := x.times(x)
	// series is 1 - x²/(k·(k+1))·(1 - x²/((k+2)·(k+3))·…), of Taylor's series.
	series := func(k float64) double {
		sum := double{1, 0}
		for d := k + 20; d >= k; d -= 2 { // what is left is below 1e-21
			term := sum.times(square).over(d * (d + 1))
			sum = fastSum(1, -term.high)
			sum.low -= term.low
		}
		return sum
	}
	s, c := x.times(series(2)), series(1)
	return s.high + s.low, c.high + c.low
}

// A double is the sum of two numbers, of which the second is at most a rounding error of the first.
type double struct{ high, low float64 }

func (x double) times(y double) double {
	high := x.high * y.high
	return fastSum(high, math.FMA(x.high, y.high, -high)+(x.high*y.low+x.low*y.high))
}

func (x double) over(y float64) double {
	high := x.high / y
	return fastSum(high, (math.FMA(-high, y, x.high)+x.low)/y)
}

// fastSum returns x + y, if x is not the smaller one.
func fastSum(x, y float64) double {
	sum := float64(x + y)
	return double{sum, float64(y - float64(sum-x))}
}
