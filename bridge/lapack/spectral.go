package lapack

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/fortran"
)

// syevd, heevd for complex matrices, finds the eigenvalues and eigenvectors of a Hermitian
// matrix by divide and conquer.
func syevd[T scalar, R float](c *call) error {
	n := c.square(0)
	c.quadratic(n)
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	values := result[R](c, 1, n)
	info := result[int32](c, 2)
	if c.err != nil || c.n == 0 {
		return c.err
	}
	mode, uplo := char(c.char("mode")), char(c.char("uplo"))
	run := func(times int, work, length, rwork, rlength, iwork, ilength fortran.Arg) {
		args := []fortran.Arg{mode, uplo, integer(n), a.all(), leading(n), values.all(), work, length}
		if isComplex[T]() {
			args = append(args, rwork, rlength)
		}
		c.routine.Call(times, append(args, iwork, ilength, info.all())...)
	}
	best, rbest, ibest := new(T), new(R), new(int32)
	ask := integer(-1)
	run(1, to(best), ask, to(rbest), ask, to(ibest), ask)
	lwork, lrwork, liwork := max(1, size(*best)), max(1, size(*rbest)), max(1, int(*ibest))
	work, length := memory[T](lwork), integer(lwork)
	rwork, rlength := memory[R](lrwork), integer(lrwork)
	iwork, ilength := memory[int32](liwork), integer(liwork)
	run(c.n, work, length, rwork, rlength, iwork, ilength)
	return nil
}

// decomposition has what the two routines of a singular value decomposition share.
type decomposition[T scalar, R float] struct {
	m, n   int
	mode   byte
	a      array[T]
	values array[R]
	u, vt  array[T]
	rows   int // of vt
	info   array[int32]
}

func svd[T scalar, R float](c *call) *decomposition[T, R] {
	m, n := c.matrix(0)
	k := min(m, n)
	c.quadratic(k)
	d := &decomposition[T, R]{m: m, n: n, mode: c.char("mode")}
	columns, rows := k, k
	switch {
	case d.mode == 'A':
		columns, rows = m, n
	case d.mode == 'N':
		// The arrays exist, and nothing is stored in them.
		if dims := c.frame.Results[2].Shape.Dims; len(dims) > 0 && dims[len(dims)-1] == m {
			columns = m
		}
		if dims := c.frame.Results[3].Shape.Dims; len(dims) > 1 && dims[len(dims)-2] == n {
			rows = n
		}
	}
	d.a = inPlace(c, 0, operand[T](c, 0, m, n), m, n)
	d.values = result[R](c, 1, k)
	d.u, d.vt, d.rows = result[T](c, 2, m, columns), result[T](c, 3, rows, n), rows
	d.info = result[int32](c, 4)
	for i := range c.n {
		if c.err != nil {
			break
		}
		if d.mode == 'N' || k == 0 {
			d.u.fill(i, 0)
			d.vt.fill(i, 0)
		}
		if d.mode == 'A' && k == 0 { // any unitary matrices do
			identity(d.u.item(i), m)
			identity(d.vt.item(i), n)
		}
	}
	return d
}

// identity makes a matrix of zeros the identity.
func identity[T scalar](matrix []T, n int) {
	for i := range n {
		matrix[i*n+i] = 1
	}
}

// gesdd decomposes A = U Σ Vᴴ by divide and conquer.
func gesdd[T scalar, R float](c *call) error {
	d := svd[T, R](c)
	if c.err != nil {
		return c.err
	}
	least, most := min(d.m, d.n), max(d.m, d.n)
	iwork := memory[int32](8 * least)
	var rwork fortran.Arg
	if isComplex[T]() {
		// The size that the documentation of cgesdd gives.
		if d.mode == 'N' {
			rwork = memory[R](7 * least)
		} else {
			rwork = memory[R](max(5*least*least+5*least, 2*most*least+2*least*least+least))
		}
	}
	return each[T](c, func(times int, work, length fortran.Arg) {
		args := []fortran.Arg{
			char(d.mode), integer(d.m), integer(d.n), d.a.all(), leading(d.m), d.values.all(),
			d.u.all(), leading(d.m), d.vt.all(), leading(d.rows), work, length,
		}
		if isComplex[T]() {
			args = append(args, rwork)
		}
		c.routine.Call(times, append(args, iwork, d.info.all())...)
	})
}

// gesvd decomposes A = U Σ Vᴴ by QR iteration.
func gesvd[T scalar, R float](c *call) error {
	d := svd[T, R](c)
	if c.err != nil {
		return c.err
	}
	rwork := memory[R](5 * min(d.m, d.n))
	return each[T](c, func(times int, work, length fortran.Arg) {
		args := []fortran.Arg{
			char(d.mode), char(d.mode), integer(d.m), integer(d.n), d.a.all(), leading(d.m), d.values.all(),
			d.u.all(), leading(d.m), d.vt.all(), leading(d.rows), work, length,
		}
		if isComplex[T]() {
			args = append(args, rwork)
		}
		c.routine.Call(times, append(args, d.info.all())...)
	})
}

// notFinite is the info of a matrix that is not finite, where it is argument 4 or 5.
const (
	notFinite4 = -4
	notFinite5 = -5
)

// geev finds the eigenvalues and eigenvectors of a real matrix.
func geev[T float, C complex64 | complex128](c *call) error {
	n := c.square(0)
	x := operand[T](c, 0, n, n)
	re, im := result[T](c, 0, n), result[T](c, 1, n)
	left, right := result[C](c, 2, n, n), result[C](c, 3, n, n)
	info := result[int32](c, 4)
	if c.err != nil || c.n == 0 {
		return c.err
	}
	a, vl, vr := make([]T, n*n), make([]T, n*n), make([]T, n*n)
	wantLeft, wantRight := c.char("compute_left"), c.char("compute_right")
	call := func(i int, work, length fortran.Arg) {
		c.routine.Call(1, char(wantLeft), char(wantRight), integer(n), to(unsafe.SliceData(a)), leading(n), re.from(i),
			im.from(i),
			to(unsafe.SliceData(vl)), leading(n), to(unsafe.SliceData(vr)), leading(n), work, length, info.from(i))
	}
	work, length := workspace[T](c, func(work, length fortran.Arg) { call(0, work, length) })
	if c.err != nil {
		return c.err
	}
	for i := range c.n {
		if copy(a, x.item(i)); finite(a) {
			call(i, work, length)
		} else {
			info.fill(i, notFinite4)
			re.fill(i, nan[T]())
			im.fill(i, nan[T]())
		}
		failed := info.item(i)[0] != 0
		eigenvectors(left.item(i), vl, im.item(i), wantLeft, failed)
		eigenvectors(right.item(i), vr, im.item(i), wantRight, failed)
	}
	return nil
}

// eigenvectors stores the eigenvectors of a real matrix. LAPACK packs those of a pair of complex
// eigenvalues as their real part and their imaginary part; im has the imaginary parts of the
// eigenvalues.
func eigenvectors[T float, C complex64 | complex128](to []C, packed, im []T, want byte, failed bool) {
	if want == 'N' || failed {
		value := C(0)
		if failed {
			value = nan[C]()
		}
		for k := range to {
			to[k] = value
		}
		return
	}
	n := len(im)
	for j := 0; j < n; j++ {
		column := packed[j*n:][:n]
		if im[j] == 0 || j+1 == n {
			for i, v := range column {
				to[j*n+i] = complexOf[T, C](v, 0)
			}
			continue
		}
		for i, v := range column {
			w := packed[(j+1)*n+i]
			to[j*n+i], to[(j+1)*n+i] = complexOf[T, C](v, w), complexOf[T, C](v, -w)
		}
		j++
	}
}

func complexOf[T float, C complex64 | complex128](re, im T) C {
	return C(complex(float64(re), float64(im)))
}

// geevComplex is geev for complex matrices.
func geevComplex[T complex64 | complex128, R float](c *call) error {
	n := c.square(0)
	x := operand[T](c, 0, n, n)
	values := result[T](c, 0, n)
	left, right := result[T](c, 1, n, n), result[T](c, 2, n, n)
	info := result[int32](c, 3)
	if c.err != nil || c.n == 0 {
		return c.err
	}
	a, rwork := make([]T, n*n), memory[R](2*n)
	wantLeft, wantRight := c.char("compute_left"), c.char("compute_right")
	call := func(i int, work, length fortran.Arg) {
		c.routine.Call(1, char(wantLeft), char(wantRight), integer(n), to(unsafe.SliceData(a)), leading(n),
			values.from(i),
			left.from(i), leading(n), right.from(i), leading(n), work, length, rwork, info.from(i))
	}
	work, length := workspace[T](c, func(work, length fortran.Arg) { call(0, work, length) })
	if c.err != nil {
		return c.err
	}
	for i := range c.n {
		if copy(a, x.item(i)); finite(a) {
			call(i, work, length)
		} else {
			info.fill(i, notFinite4)
			values.fill(i, nan[T]())
		}
		for _, v := range []struct {
			array[T]
			want byte
		}{{left, wantLeft}, {right, wantRight}} {
			switch {
			case info.item(i)[0] != 0:
				v.fill(i, nan[T]())
			case v.want == 'N':
				v.fill(i, 0)
			}
		}
	}
	return nil
}

// gees finds the Schur form A = Z T Zᵀ of a real matrix.
func gees[T float](c *call) error {
	n := c.square(0)
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	vectors := result[T](c, 1, n, n)
	re, im := result[T](c, 2, n), result[T](c, 3, n)
	selected, info := result[int32](c, 4), result[int32](c, 5)
	mode := c.char("mode")
	return schur(c, mode, a, vectors, []array[T]{re, im}, selected, info, func(i int, work, length fortran.Arg) {
		c.routine.Call(1, char(mode), char('N'), fortran.Arg{}, integer(n), a.from(i), leading(n), selected.from(i),
			re.from(i), im.from(i),
			vectors.from(i), leading(n), work, length, fortran.Arg{}, info.from(i))
	})
}

// geesComplex is gees for complex matrices.
func geesComplex[T complex64 | complex128, R float](c *call) error {
	n := c.square(0)
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	vectors := result[T](c, 1, n, n)
	values := result[T](c, 2, n)
	selected, info := result[int32](c, 3), result[int32](c, 4)
	rwork := memory[R](n)
	mode := c.char("mode")
	return schur(c, mode, a, vectors, []array[T]{values}, selected, info, func(i int, work, length fortran.Arg) {
		c.routine.Call(1, char(mode), char('N'), fortran.Arg{}, integer(n), a.from(i), leading(n), selected.from(i),
			values.from(i),
			vectors.from(i), leading(n), work, length, rwork, fortran.Arg{}, info.from(i))
	})
}

// schur calls gees for each matrix that is finite.
func schur[T scalar](
	c *call, mode byte, a, vectors array[T], values []array[T], selected, info array[int32],
	run func(i int, work, length fortran.Arg),
) error {
	if c.err != nil || c.n == 0 {
		return c.err
	}
	work, length := workspace[T](c, func(work, length fortran.Arg) { run(0, work, length) })
	if c.err != nil {
		return c.err
	}
	for i := range c.n {
		if finite(a.item(i)) {
			if mode == 'N' {
				vectors.fill(i, 0)
			}
			run(i, work, length)
			continue
		}
		info.fill(i, notFinite5)
		selected.fill(i, 0)
		for _, results := range append([]array[T]{a, vectors}, values...) {
			results.fill(i, nan[T]())
		}
	}
	return nil
}

// gehrd reduces a matrix to the Hessenberg form A = Q H Qᴴ. Q is a product of reflectors.
func gehrd[T scalar](c *call) error {
	n := c.square(0)
	low, high := c.number("low"), c.number("high")
	if c.err == nil && (low < 1 || low > max(1, n) || high < min(low, n) || high > n) {
		c.fail("the attributes low and high are %d and %d, and must be in order, from 1 to the order %d of the matrix", low, high, n)
	}
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	tau := result[T](c, 1, max(0, n-1))
	info := result[int32](c, 2)
	c.least = n // if low and high are equal, LAPACK 3.12 asks for 1 and needs this
	return each[T](c, func(times int, work, length fortran.Arg) {
		c.routine.Call(times, integer(n), integer(low), integer(high), a.all(), leading(n), tau.all(), work, length,
			info.all())
	})
}

// sytrd, hetrd for complex matrices, reduces a Hermitian matrix to the tridiagonal form
// A = Q T Qᴴ. Q is a product of reflectors.
func sytrd[T scalar, R float](c *call) error {
	n := c.square(0)
	a := inPlace(c, 0, operand[T](c, 0, n, n), n, n)
	diagonal, beside := result[R](c, 1, n), result[R](c, 2, max(0, n-1))
	tau := result[T](c, 3, max(0, n-1))
	info := result[int32](c, 4)
	return each[T](c, func(times int, work, length fortran.Arg) {
		c.routine.Call(times, char(c.char("uplo")), integer(n), a.all(), leading(n), diagonal.all(), beside.all(),
			tau.all(),
			work, length, info.all())
	})
}
