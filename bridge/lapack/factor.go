package lapack

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/run/fortran"
)

// trsm solves op(X) Y' = Y, or Y' op(X) = Y, for a triangular matrix X.
func trsm[T scalar](c *call) error {
	m, n := c.matrix(1)
	side, order := c.char("side"), n
	if side == 'L' {
		order = m
	}
	x := operand[T](c, 0, order, order)
	y := inPlace(c, 0, operand[T](c, 1, m, n), m, n)
	if c.err != nil {
		return c.err
	}
	one := T(1)
	c.routine.Call(c.n, char(side), char(c.char("uplo")), char(c.char("trans_x")), char(c.char("diag")),
		integer(m), integer(n), to(&one), x.all(), leading(order), y.all(), leading(m))
	return nil
}

// getrf factors A = P L U.
func getrf[T scalar](c *call) error {
	m, n := c.matrix(0)
	a := inPlace(c, 0, operand[T](c, 0, m, n), m, n)
	pivots := result[int32](c, 1, min(m, n))
	info := result[int32](c, 2)
	if c.err != nil {
		return c.err
	}
	c.routine.Call(c.n, integer(m), integer(n), a.all(), leading(m), pivots.all(), info.all())
	return nil
}

// geqrf factors A = Q R. Q is a product of reflectors, below the diagonal.
func geqrf[T scalar](c *call) error {
	m, n := c.matrix(0)
	a := inPlace(c, 0, operand[T](c, 0, m, n), m, n)
	tau := result[T](c, 1, min(m, n))
	info := new(int32) // not a result
	return each[T](c, func(times int, work, length fortran.Arg) {
		c.routine.Call(times, integer(m), integer(n), a.all(), leading(m), tau.all(), work, length, to(info))
	})
}

// geqp3 factors A P = Q R, where P exchanges columns.
func geqp3[T scalar, R float](c *call) error {
	m, n := c.matrix(0)
	a := inPlace(c, 0, operand[T](c, 0, m, n), m, n)
	columns := inPlace(c, 1, operand[int32](c, 1, n), n)
	tau := result[T](c, 2, min(m, n))
	info := new(int32) // not a result
	rwork := memory[R](2 * n)
	return each[T](c, func(times int, work, length fortran.Arg) {
		args := []fortran.Arg{integer(m), integer(n), a.all(), leading(m), columns.all(), tau.all(), work, length}
		if isComplex[T]() {
			args = append(args, rwork)
		}
		c.routine.Call(times, append(args, to(info))...)
	})
}

// orgqr, ungqr for complex matrices, makes the matrix Q of reflectors.
func orgqr[T scalar](c *call) error {
	m, n := c.matrix(0)
	k := c.last(1)
	if n > m || k > n {
		c.fail("operands 0 and 1 are %s and %s: the matrix must not have more columns than rows, nor fewer than there are reflectors", c.frame.Args[0].Shape, c.frame.Args[1].Shape)
	}
	a := inPlace(c, 0, operand[T](c, 0, m, n), m, n)
	tau := operand[T](c, 1, k)
	info := new(int32) // not a result
	return each[T](c, func(times int, work, length fortran.Arg) {
		c.routine.Call(times, integer(m), integer(n), integer(k), a.all(), leading(m), tau.all(), work, length,
			to(info))
	})
}

// ormqr, unmqr for complex matrices, multiplies a matrix by the matrix Q of reflectors.
func ormqr[T scalar](c *call) error {
	m, n := c.matrix(2)
	left, k := c.flag("left"), c.last(1)
	side, order := byte('R'), n
	if left {
		side, order = 'L', m
	}
	trans := byte('N')
	if c.flag("transpose") {
		trans = 'T'
		if isComplex[T]() {
			trans = 'C'
		}
	}
	if k > order {
		c.fail("operands 1 and 2 are %s and %s: there must not be more reflectors than the %d rows of each",
			c.frame.Args[1].Shape, c.frame.Args[2].Shape, order)
	}
	columns := c.last(0)
	if columns < k {
		c.fail("operands 0 and 1 are %s and %s: each reflector is a column", c.frame.Args[0].Shape,
			c.frame.Args[1].Shape)
	}
	a := operand[T](c, 0, order, columns)
	a.data = slices.Clone(a.data) // LAPACK writes to it, and restores it
	tau := operand[T](c, 1, k)
	product := inPlace(c, 0, operand[T](c, 2, m, n), m, n)
	info := new(int32) // not a result
	return each[T](c, func(times int, work, length fortran.Arg) {
		c.routine.Call(times, char(side), char(trans), integer(m), integer(n), integer(k), a.all(), leading(order),
			tau.all(),
			product.all(), leading(m), work, length, to(info))
	})
}

// potrf factors A = L Lᴴ, or A = Uᴴ U.
func potrf[T scalar](c *call) error {
	n := c.square(0)
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	info := result[int32](c, 1)
	if c.err != nil {
		return c.err
	}
	c.routine.Call(c.n, char(c.char("uplo")), integer(n), a.all(), leading(n), info.all())
	return nil
}

// gtsv solves T X = B for a tridiagonal matrix T, by elimination with pivots. Its diagonals
// have n elements each in JAX's calls: the first of the lower one and the last of the upper one
// are not part of the matrix.
func gtsv[T scalar](c *call) error {
	n, columns := c.matrix(3)
	lower := inPlace(c, 0, operand[T](c, 0, n), n)
	diagonal := inPlace(c, 1, operand[T](c, 1, n), n)
	upper := inPlace(c, 2, operand[T](c, 2, n), n)
	b := inPlace(c, 3, operand[T](c, 3, n, columns), n, columns)
	info := result[int32](c, 4)
	if c.err != nil {
		return c.err
	}
	c.routine.Call(c.n, integer(n), integer(columns), lower.rest(), diagonal.all(), upper.all(),
		b.all(), leading(n), info.all())
	return nil
}
