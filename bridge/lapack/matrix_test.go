package lapack

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

// A matrix has rows of equal length. An empty one knows no number of columns.
type matrix [][]complex128

func zeros(rows, columns int) matrix {
	a := make(matrix, rows)
	for i := range a {
		a[i] = make([]complex128, columns)
	}
	return a
}

func eye(n int) matrix { return diagonal(n, n, func(int) complex128 { return 1 }) }

func diagonal(rows, columns int, f func(int) complex128) matrix {
	a := zeros(rows, columns)
	for i := range min(rows, columns) {
		a[i][i] = f(i)
	}
	return a
}

// random returns a matrix with elements from the unit disk, which are real for a real type.
func random(r *rand.Rand, e elementType, rows, columns int) matrix {
	a := zeros(rows, columns)
	for i := range a {
		for j := range a[i] {
			a[i][j] = complex(2*r.Float64()-1, 0)
			if e.complex {
				a[i][j] += complex(0, 2*r.Float64()-1)
			}
			a[i][j] = e.round(a[i][j])
		}
	}
	return a
}

// triangular returns the lower triangle, or the upper one, of a random matrix with a large
// diagonal.
func triangular(r *rand.Rand, e elementType, n int, lower bool) matrix {
	a := random(r, e, n, n)
	for i := range a {
		for j := range a {
			switch {
			case i == j:
				a[i][i] = complex(2+r.Float64(), 0)
				a[i][i] = e.round(a[i][i])
			case (i > j) != lower:
				a[i][j] = 0
			}
		}
	}
	return a
}

// hermitian returns A + Aᴴ.
func hermitian(r *rand.Rand, e elementType, n int) matrix {
	a := random(r, e, n, n)
	return a.plus(a.adjoint())
}

func (a matrix) columns() int {
	if len(a) == 0 {
		return 0
	}
	return len(a[0])
}

func (a matrix) clone() matrix { return a.plus(zeros(len(a), a.columns())) }

func (a matrix) plus(b matrix) matrix {
	c := zeros(len(a), a.columns())
	for i := range c {
		for j := range c[i] {
			c[i][j] = a[i][j] + b[i][j]
		}
	}
	return c
}

func (a matrix) times(b matrix) matrix {
	c := zeros(len(a), b.columns())
	for i := range c {
		for j := range c[i] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// product multiplies matrices.
func product(first matrix, others ...matrix) matrix {
	for _, m := range others {
		first = first.times(m)
	}
	return first
}

func (a matrix) transpose() matrix {
	b := zeros(a.columns(), len(a))
	for i := range a {
		for j, v := range a[i] {
			b[j][i] = v
		}
	}
	return b
}

func (a matrix) adjoint() matrix {
	b := a.transpose()
	for i := range b {
		for j := range b[i] {
			b[i][j] = cmplx.Conj(b[i][j])
		}
	}
	return b
}

// part returns the elements that keep selects, and zeros.
func (a matrix) part(keep func(i, j int) bool) matrix {
	b := a.clone()
	for i := range b {
		for j := range b[i] {
			if !keep(i, j) {
				b[i][j] = 0
			}
		}
	}
	return b
}

func (a matrix) lower() matrix { return a.part(func(i, j int) bool { return i >= j }) }
func (a matrix) upper() matrix { return a.part(func(i, j int) bool { return i <= j }) }

// first returns the first columns.
func (a matrix) first(columns int) matrix {
	b := make(matrix, len(a))
	for i := range a {
		b[i] = a[i][:columns]
	}
	return b
}

func (a matrix) norm() float64 {
	sum := 0.0
	for _, row := range a {
		for _, v := range row {
			sum += real(v)*real(v) + imag(v)*imag(v)
		}
	}
	return math.Sqrt(sum)
}

// near fails the test if two matrices differ by more than what rounding explains.
func near(t *testing.T, e elementType, what string, want, got matrix) {
	t.Helper()
	if len(want) != len(got) || want.columns() != got.columns() {
		t.Errorf("%s: %d by %d elements, want %d by %d", what, len(got), got.columns(), len(want), want.columns())
		return
	}
	difference := zeros(len(want), want.columns())
	for i := range want {
		for j := range want[i] {
			difference[i][j] = want[i][j] - got[i][j]
		}
	}
	if d, limit := difference.norm(), 200*e.epsilon*(1+want.norm()); !(d <= limit) {
		t.Errorf("%s: it differs by %.3g, more than %.3g\nwant %v\ngot  %v", what, d, limit, want, got)
	}
}

// orthonormal fails the test if the columns are not unit vectors at right angles.
func orthonormal(t *testing.T, e elementType, what string, q matrix) {
	t.Helper()
	if len(q) > 0 {
		near(t, e, what, eye(q.columns()), q.adjoint().times(q))
	}
}

// reflectors returns the product of the reflectors I - tau v vᴴ. Each v has a 1 in row offset
// of its column, what is below in the matrix, and zeros above.
func reflectors(a matrix, tau []complex128, offset int) matrix {
	q := eye(len(a))
	for k, factor := range tau {
		v := zeros(len(a), 1)
		v[k+offset][0] = 1
		for i := k + offset + 1; i < len(a); i++ {
			v[i][0] = a[i][k]
		}
		step := q.times(v).times(v.adjoint())
		for i := range step {
			for j := range step[i] {
				q[i][j] -= factor * step[i][j]
			}
		}
	}
	return q
}

// sorted returns values in the order of their real and imaginary parts.
func sorted(values []complex128) []complex128 {
	return slices.SortedFunc(slices.Values(values), func(a, b complex128) int {
		switch {
		case math.Abs(real(a)-real(b)) > 1e-3 && real(a) < real(b):
			return -1
		case math.Abs(real(a)-real(b)) > 1e-3:
			return 1
		case imag(a) < imag(b):
			return -1
		}
		return 1
	})
}
