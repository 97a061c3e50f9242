package lapack

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// sizes of matrices. XLA of jaxlib 0.10 may crash while it compiles a call with matrices without
// elements: TestRandomShapes and TestEmptySVD call the functions themselves.
var sizes = [][2]int{{1, 1}, {3, 3}, {5, 3}, {3, 5}, {40, 40}}

// seeded returns random numbers that are the same in each run.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func column(values []complex128) matrix {
	m := zeros(len(values), 1)
	for i, v := range values {
		m[i][0] = v
	}
	return m
}

// flat returns the elements of a column.
func flat(m matrix) []complex128 {
	var values []complex128
	for _, row := range m {
		values = append(values, row...)
	}
	return values
}

func info(t *testing.T, want int, b batch, i int) {
	t.Helper()
	if got := b.items[i][0][0]; got != complex(float64(want), 0) {
		t.Errorf("info of matrix %d is %v, want %d", i, real(got), want)
	}
}

func TestPotrf(t *testing.T) {
	check.NoRaces(t)
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 40} {
			for _, lower := range []bool{true, false} {
				factors := make(func() matrix { return triangular(r, e, n, lower) })
				uplo, a := byte('U'), batch{dims: dims}
				for _, f := range factors.items {
					if lower {
						a.items = append(a.items, f.times(f.adjoint()))
					} else {
						a.items = append(a.items, f.adjoint().times(f))
					}
				}
				if lower {
					uplo = 'L'
				}
				item := e.item(n, n)
				p.call(e.target("potrf"), option("uplo", uplo), []shape{item}, []shape{item, numbers()}, []batch{a},
					func(out []batch) {
						for i, want := range factors.items {
							got := out[0].items[i].upper()
							if lower {
								got = out[0].items[i].lower()
							}
							near(t, e, fmt.Sprintf("factor %c of order %d", uplo, n), want, got)
							info(t, 0, out[1], i)
						}
					})
			}
		}
		p.run(t)
	})
}

// The second leading minor of the matrix is negative.
func TestPotrfIndefinite(t *testing.T) {
	for _, e := range elementTypes {
		item := e.item(2, 2)
		a := batch{dims: []int{2}, items: []matrix{{{1, 2}, {2, 1}}, eye(2)}}
		out := run(t, e.target("potrf"), option("uplo", 'L'), []shape{item}, []shape{item, numbers()}, a)
		info(t, 2, out[1], 0)
		info(t, 0, out[1], 1)
		near(t, e, "factor of the other matrix", eye(2), out[0].items[1].lower())
	}
}

func TestGetrf(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, size := range sizes {
			m, n := size[0], size[1]
			k := min(m, n)
			a := make(func() matrix { return random(r, e, m, n) })
			item := e.item(m, n)
			p.call(e.target("getrf"), "", []shape{item}, []shape{item, numbers(k), numbers()}, []batch{a},
				func(out []batch) {
					for i, want := range a.items {
						info(t, 0, out[2], i)
						lu := out[0].items[i]
						l := lu.part(func(i, j int) bool {
							return i > j
						}).first(min(k, lu.columns())).plus(diagonal(m, k, func(int) complex128 { return 1 }))
						got := l.times(lu.upper()[:k])
						pivots := flat(out[1].items[i])
						for row := k - 1; row >= 0; row-- { // undo the exchanges
							other := int(real(pivots[row])) - 1
							got[row], got[other] = got[other], got[row]
						}
						near(t, e, fmt.Sprint("product of size ", size), want, got)
					}
				})
		}
		p.run(t)
	})
}

// The third pivot of the matrix is 0.
func TestGetrfSingular(t *testing.T) {
	for _, e := range elementTypes {
		item := e.item(3, 3)
		a := batch{items: []matrix{{{2, 0, 0}, {0, 1, 1}, {0, 1, 1}}}}
		out := run(t, e.target("getrf"), "", []shape{item}, []shape{item, numbers(3), numbers()}, a)
		info(t, 3, out[2], 0)
	}
}

func TestQR(t *testing.T) {
	check.NoRaces(t)
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var factor, apply program
		for _, size := range sizes {
			m, n := size[0], size[1]
			k := min(m, n)
			a := make(func() matrix { return random(r, e, m, n) })
			item, tau := e.item(m, n), e.item(k)
			factor.call(e.target("geqrf"), "", []shape{item}, []shape{item, tau}, []batch{a}, func(qr []batch) {
				thin := batch{dims: dims}
				var unitary []matrix
				for i, want := range a.items {
					q := reflectors(qr[0].items[i], flat(qr[1].items[i]), 0)
					unitary = append(unitary, q)
					orthonormal(t, e, "product of reflectors", q)
					near(t, e, fmt.Sprint("Q R of size ", size), want, q.times(qr[0].items[i].upper()))
					thin.items = append(thin.items, qr[0].items[i].first(k))
				}
				item := e.item(m, k)
				apply.call(e.target(e.unitary+"gqr"), "", []shape{item, tau}, []shape{item}, []batch{thin, qr[1]},
					func(out []batch) {
						for i, want := range a.items {
							q := out[0].items[i]
							orthonormal(t, e, "Q", q)
							near(t, e, fmt.Sprint("thin Q R of size ", size), want, q.times(qr[0].items[i].upper()[:k]))
						}
					})
				for _, left := range []bool{true, false} {
					for _, transpose := range []bool{true, false} {
						multiply(t, &apply, e, m, k, left, transpose, thin, qr[1], unitary, make)
					}
				}
			})
		}
		factor.run(t)
		apply.run(t)
	})
}

// multiply multiplies a random matrix by the unitary matrix that reflectors a and tau stand for.
func multiply(
	t *testing.T, p *program, e elementType, m, k int, left, transpose bool, a, tau batch, unitary []matrix,
	make func(func() matrix) batch,
) {
	t.Helper()
	r := seeded()
	rows, columns := m, 2
	if !left {
		rows, columns = 2, m
	}
	c := make(func() matrix { return random(r, e, rows, columns) })
	item := e.item(rows, columns)
	p.call(e.target(e.unitary+"mqr"), fmt.Sprintf("left = %t, transpose = %t", left, transpose),
		[]shape{e.item(m, k), e.item(k), item}, []shape{item}, []batch{a, tau, c}, func(out []batch) {
			for i := range c.items {
				q := unitary[i]
				if transpose {
					q = q.adjoint()
				}
				var want matrix
				if left {
					want = q.times(c.items[i])
				} else {
					want = c.items[i].times(q)
				}
				near(t, e, fmt.Sprintf("product of %d by %d elements, left %t, transpose %t", m, k, left, transpose),
					want, out[0].items[i])
			}
		})
}

func TestPivotedQR(t *testing.T) {
	check.NoRaces(t)
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, size := range sizes {
			m, n := size[0], size[1]
			k := min(m, n)
			a := make(func() matrix { return random(r, e, m, n) })
			free := make(func() matrix { return zeros(n, 1) })
			item, columns, tau := e.item(m, n), numbers(n), e.item(k)
			p.call(e.target("geqp3"), "", []shape{item, columns}, []shape{item, columns, tau}, []batch{a, free},
				func(out []batch) {
					for i, want := range a.items {
						q := reflectors(out[0].items[i], flat(out[2].items[i]), 0)
						exchanged := zeros(m, n)
						for j, from := range flat(out[1].items[i]) {
							for row := range exchanged {
								exchanged[row][j] = want[row][int(real(from))-1]
							}
						}
						near(t, e, fmt.Sprint("Q R of size ", size), exchanged, q.times(out[0].items[i].upper()))
						for j := 1; j < k; j++ {
							upper := out[0].items[i]
							above := column(upper[j-1][j-1 : j]).norm()
							if column(upper[j][j:j+1]).norm() > above*(1+1e-3) {
								t.Errorf("the diagonal grows at %d", j)
							}
						}
					}
				})
		}
		p.run(t)
	})
}

func TestTrsm(t *testing.T) {
	check.NoRaces(t)
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, size := range [][2]int{{1, 1}, {40, 3}} {
			solveTriangular(t, &p, e, dims, size[0], size[1], 'L', 'L', 'N', 'N', r, make)
		}
		for _, side := range []byte("LR") {
			for _, uplo := range []byte("LU") {
				for _, trans := range []byte("NTC") {
					for _, diag := range []byte("NU") {
						solveTriangular(t, &p, e, dims, 3, 2, side, uplo, trans, diag, r, make)
					}
				}
			}
		}
		p.run(t)
	})
}

// solveTriangular solves equations whose solutions are random.
func solveTriangular(
	t *testing.T, p *program, e elementType, dims []int, m, n int, side, uplo, trans, diag byte, r *rand.Rand,
	make func(func() matrix) batch,
) {
	t.Helper()
	order := n
	if side == 'L' {
		order = m
	}
	x := make(func() matrix { return triangular(r, e, order, uplo == 'L') })
	solutions := make(func() matrix { return random(r, e, m, n) })
	y := batch{dims: dims}
	for i, a := range x.items {
		if diag == 'U' { // the diagonal is not read
			a = a.part(func(i, j int) bool { return i != j }).plus(eye(order))
		}
		switch trans {
		case 'T':
			a = a.transpose()
		case 'C':
			a = a.adjoint()
		}
		if side == 'L' {
			y.items = append(y.items, a.times(solutions.items[i]))
		} else {
			y.items = append(y.items, solutions.items[i].times(a))
		}
	}
	attributes := option("side", side) + ", " + option("uplo", uplo) + ", " + option("trans_x", trans) + ", " +
		option("diag", diag)
	item := e.item(m, n)
	p.call(e.target("trsm"), attributes, []shape{e.item(order, order), item}, []shape{item}, []batch{x, y},
		func(out []batch) {
			for i, want := range solutions.items {
				what := fmt.Sprintf("solution %d by %d, %c%c%c%c", m, n, side, uplo, trans, diag)
				near(t, e, what, want, out[0].items[i])
			}
		})
}

func TestGtsv(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, size := range [][2]int{{1, 1}, {2, 1}, {5, 3}} {
			n, columns := size[0], size[1]
			var diagonals [3]batch
			for i := range diagonals {
				diagonals[i] = make(func() matrix { return random(r, e, n, 1) })
			}
			solutions := make(func() matrix { return random(r, e, n, columns) })
			b := batch{dims: dims}
			for k, x := range solutions.items {
				a := zeros(n, n)
				for i := range n {
					a[i][i] = diagonals[1].items[k][i][0]
					if i > 0 {
						a[i][i-1] = diagonals[0].items[k][i][0]
						a[i-1][i] = diagonals[2].items[k][i-1][0]
					}
				}
				b.items = append(b.items, a.times(x))
			}
			line, item := e.item(n), e.item(n, columns)
			p.call(e.target("gtsv"), "", []shape{line, line, line, item},
				[]shape{line, line, line, item, numbers()}, []batch{diagonals[0], diagonals[1], diagonals[2], b},
				func(out []batch) {
					for i, want := range solutions.items {
						info(t, 0, out[4], i)
						near(t, loose(e), fmt.Sprint("solution of size ", size), want, out[3].items[i])
					}
				})
		}
		p.run(t)
	})
}

// loose returns a type whose results may be less accurate, for matrices that may be nearly
// singular.
func loose(e elementType) elementType {
	e.epsilon *= 100
	return e
}

// The matrix of zeros is singular.
func TestGtsvSingular(t *testing.T) {
	for _, e := range elementTypes {
		line, item := e.item(2), e.item(2, 1)
		none := batch{items: []matrix{zeros(2, 1)}}
		out := run(t, e.target("gtsv"), "", []shape{line, line, line, item}, []shape{line, line, line, item, numbers()},
			none, none, none, none)
		info(t, 1, out[4], 0)
	}
}
