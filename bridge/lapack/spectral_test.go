package lapack

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestSyevd(t *testing.T) {
	check.NoRaces(t)
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 40} {
			for _, uplo := range []byte("LU") {
				whole := make(func() matrix { return hermitian(r, e, n) })
				half := batch{dims: dims} // the other half is not read
				for _, a := range whole.items {
					if uplo == 'L' {
						half.items = append(half.items, a.lower())
					} else {
						half.items = append(half.items, a.upper())
					}
				}
				item := e.item(n, n)
				results := []shape{item, e.reals(n), numbers()}
				target := e.target(e.herm + "evd")
				attributes := option("uplo", uplo) + ", "
				var out []batch
				p.call(target, attributes+option("mode", 'V'), []shape{item}, results, []batch{half},
					func(o []batch) { out = o })
				p.call(target, attributes+option("mode", 'N'), []shape{item}, results, []batch{half},
					func(only []batch) {
						for i, a := range whole.items {
							info(t, 0, out[2], i)
							info(t, 0, only[2], i)
							values := flat(out[1].items[i])
							orthonormal(t, e, "eigenvectors", out[0].items[i])
							near(t, e, fmt.Sprintf("V Λ Vᴴ of order %d, %c", n, uplo), a,
								product(out[0].items[i], diagonal(n, n, func(i int) complex128 { return values[i] }),
									out[0].items[i].adjoint()))
							near(t, e, "eigenvalues alone", out[1].items[i], only[1].items[i])
							for k := 1; k < n; k++ {
								if real(values[k]) < real(values[k-1]) {
									t.Errorf("the eigenvalues are not in order: %v", values)
								}
							}
						}
					})
			}
		}
		p.run(t)
	})
}

func TestSVD(t *testing.T) {
	check.NoRaces(t)
	for _, routine := range []string{"gesdd", "gesvd"} {
		forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
			r := seeded()
			var p program
			for _, size := range [][2]int{{1, 1}, {4, 4}, {5, 3}, {3, 5}, {60, 4}, {4, 60}} {
				a := make(func() matrix { return random(r, e, size[0], size[1]) })
				var values []batch
				for _, mode := range []string{"A", "S", "N", "N full"} {
					decompose(t, &p, e, routine, mode, size[0], size[1], a, &values)
				}
			}
			p.run(t)
		})
	}
}

// decompose decomposes matrices, and holds the singular values to those of the first call in values.
func decompose(
	t *testing.T, p *program, e elementType, routine, mode string, m, n int, a batch, values *[]batch,
) {
	t.Helper()
	k := min(m, n)
	u, vt := e.item(m, k), e.item(k, n)
	if mode == "A" || mode == "N full" {
		u, vt = e.item(m, m), e.item(n, n)
	}
	results := []shape{e.item(m, n), e.reals(k), u, vt, numbers()}
	p.call(e.target(routine), option("mode", mode[0]), results[:1], results, []batch{a}, func(out []batch) {
		*values = append(*values, out[1])
		for i, want := range a.items {
			info(t, 0, out[4], i)
			near(t, e, "singular values in mode "+mode, (*values)[0].items[i], out[1].items[i])
			if mode[0] == 'N' {
				near(t, e, "U in mode N", zeros(m, u.dims[1]), out[2].items[i])
				continue
			}
			what := fmt.Sprintf(" of %d by %d elements in mode %s", m, n, mode)
			orthonormal(t, e, "U"+what, out[2].items[i])
			orthonormal(t, e, "V"+what, out[3].items[i].adjoint())
			s := flat(out[1].items[i])
			near(t, e, "U Σ Vᴴ"+what, want,
				product(out[2].items[i], diagonal(u.dims[1], vt.dims[0], func(i int) complex128 { return s[i] }),
					out[3].items[i]))
		}
	})
}

// eigenvalues returns the eigenvalues in the results of geev, and how many results they are.
func eigenvalues(e elementType, out []batch, i int) ([]complex128, int) {
	values := flat(out[0].items[i])
	if e.complex {
		return values, 1
	}
	for k, im := range flat(out[1].items[i]) {
		values[k] += complex(0, real(im))
	}
	return values, 2
}

// geevResults are the shapes of the results of geev.
func geevResults(e elementType, n int) []shape {
	vectors := shape{e.complexOf, []int{n, n}}
	if e.complex {
		return []shape{e.item(n), vectors, vectors, numbers()}
	}
	return []shape{e.item(n), e.item(n), vectors, vectors, numbers()}
}

func geevOptions(left, right byte) string {
	return option("compute_left", left) + ", " + option("compute_right", right)
}

func TestGeev(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 6, 20} {
			a := make(func() matrix { return random(r, e, n, n) })
			item := e.item(n, n)
			var out []batch
			p.call(e.target("geev"), geevOptions('V', 'V'), []shape{item}, geevResults(e, n), []batch{a},
				func(o []batch) { out = o })
			p.call(e.target("geev"), geevOptions('N', 'N'), []shape{item}, geevResults(e, n), []batch{a},
				func(only []batch) {
					for i, m := range a.items {
						values, next := eigenvalues(e, out, i)
						lambda := diagonal(n, n, func(i int) complex128 { return values[i] })
						left, right := out[next].items[i], out[next+1].items[i]
						info(t, 0, out[next+2], i)
						near(t, loose(e), fmt.Sprint("A V of order ", n), right.times(lambda), m.times(right))
						near(t, loose(e), fmt.Sprint("Wᴴ A of order ", n), lambda.times(left.adjoint()),
							left.adjoint().times(m))
						for j := range n {
							v := column(flat(right.transpose()[j : j+1]))
							near(t, e, "length of an eigenvector", matrix{{1}}, matrix{{complex(v.norm(), 0)}})
						}
						alone, _ := eigenvalues(e, only, i)
						near(t, loose(e), "eigenvalues alone", column(sorted(values)), column(sorted(alone)))
						near(t, e, "eigenvectors that are not computed", zeros(n, n), only[next].items[i])
					}
				})
		}
		p.run(t)
	})
}

func TestGees(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 6, 20} {
			a := make(func() matrix { return random(r, e, n, n) })
			item := e.item(n, n)
			results := []shape{item, item, e.item(n), e.item(n), numbers(), numbers()}
			if e.complex {
				results = append(results[:2:2], e.item(n), numbers(), numbers())
			}
			last := len(results) - 1
			var out []batch
			p.call(e.target("gees"), option("mode", 'V')+", "+option("sort", 'N'), []shape{item}, results, []batch{a},
				func(o []batch) { out = o })
			p.call(e.target("gees"), option("mode", 'N')+", "+option("sort", 'N'), []shape{item}, results, []batch{a},
				func(only []batch) {
					for i, want := range a.items {
						info(t, 0, out[last-1], i) // selected
						info(t, 0, out[last], i)
						form, z := out[0].items[i], out[1].items[i]
						orthonormal(t, e, "Z", z)
						near(t, e, fmt.Sprint("Z T Zᴴ of order ", n), want, product(z, form, z.adjoint()))
						below := form.part(func(i, j int) bool { return i > j && (e.complex || i > j+1) })
						near(t, e, "T below the diagonal", zeros(n, n), below)
						near(t, e, "Z that is not computed", zeros(n, n), only[1].items[i])
						near(t, loose(e), "T alone", form, only[0].items[i])
						trace := 0i
						for k := range n {
							trace += want[k][k]
						}
						sum := 0i
						for _, v := range flat(out[2].items[i]) {
							sum += v
						}
						near(t, e, "sum of the eigenvalues", matrix{{trace}}, matrix{{sum}})
					}
				})
		}
		p.run(t)
	})
}

func TestGehrd(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 20} {
			a := make(func() matrix { return random(r, e, n, n) })
			item := e.item(n, n)
			p.call(e.target("gehrd"), fmt.Sprintf("low = 1 : i32, high = %d : i32", n), []shape{item},
				[]shape{item, e.item(max(0, n-1)), numbers()}, []batch{a},
				func(out []batch) {
					for i, want := range a.items {
						info(t, 0, out[2], i)
						q := reflectors(out[0].items[i], flat(out[1].items[i]), 1)
						h := out[0].items[i].part(func(i, j int) bool { return i <= j+1 })
						near(t, e, fmt.Sprint("Q H Qᴴ of order ", n), want, product(q, h, q.adjoint()))
					}
				})
		}
		p.run(t)
	})
}

func TestSytrd(t *testing.T) {
	forEach(t, func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch) {
		r := seeded()
		var p program
		for _, n := range []int{1, 3, 40} {
			a := make(func() matrix { return hermitian(r, e, n) })
			item, less := e.item(n, n), max(0, n-1)
			results := []shape{item, e.reals(n), e.reals(less), e.item(less), numbers()}
			p.call(e.target(e.herm+"trd"), option("uplo", 'L'), []shape{item}, results, []batch{a}, func(out []batch) {
				for i, want := range a.items {
					info(t, 0, out[4], i)
					q := reflectors(out[0].items[i], flat(out[3].items[i]), 1)
					d, beside := flat(out[1].items[i]), flat(out[2].items[i])
					form := zeros(n, n)
					for k := range n {
						form[k][k] = d[k]
						if k > 0 {
							form[k][k-1], form[k-1][k] = beside[k-1], beside[k-1]
						}
					}
					near(t, e, fmt.Sprint("Q T Qᴴ of order ", n), want, product(q, form, q.adjoint()))
				}
			})
			// The reflectors of the upper half have another order: T has the norm of A.
			p.call(e.target(e.herm+"trd"), option("uplo", 'U'), []shape{item}, results, []batch{a}, func(out []batch) {
				for i, want := range a.items {
					d, beside := out[1].items[i].norm(), out[2].items[i].norm()
					near(t, e, "norm", matrix{{complex(want.norm(), 0)}},
						matrix{{complex(math.Sqrt(d*d+2*beside*beside), 0)}})
				}
			})
		}
		p.run(t)
	})
}

// Matrices that are not finite end the calls of every routine, and do not spoil the other
// matrices of their batch.
func TestNotFinite(t *testing.T) {
	check.NoRaces(t)
	for _, e := range elementTypes {
		const n = 12
		r := seeded()
		spoiled := func(bad float64) matrix {
			m := hermitian(r, e, n)
			m[7][3], m[3][7] = complex(bad, 0), complex(bad, 0)
			return m
		}
		good := hermitian(r, e, n).plus(diagonal(n, n, func(int) complex128 { return 30 }))
		a := batch{dims: []int{3}, items: []matrix{spoiled(math.NaN()), spoiled(math.Inf(1)), good}}
		alone := batch{dims: []int{3}, items: []matrix{good, good, good}}
		item, line := e.item(n, n), e.item(n)
		schur := []shape{item, item, line, line, numbers(), numbers()}
		if e.complex {
			schur = append(schur[:2:2], line, numbers(), numbers())
		}
		var p program
		for _, test := range []struct {
			routine, attributes string
			results             []shape
		}{
			{"potrf", option("uplo", 'L'), []shape{item, numbers()}},
			{"getrf", "", []shape{item, numbers(n), numbers()}},
			{"geqrf", "", []shape{item, line}},
			{"gesdd", option("mode", 'A'), []shape{item, e.reals(n), item, item, numbers()}},
			{"gesvd", option("mode", 'A'), []shape{item, e.reals(n), item, item, numbers()}},
			{e.herm + "evd", option("uplo", 'L') + ", " + option("mode", 'V'),
				[]shape{item, e.reals(n), numbers()}},
			{"geev", geevOptions('V', 'V'), geevResults(e, n)},
			{"gees", option("mode", 'V') + ", " + option("sort", 'N'), schur},
			{"gehrd", "low = 1 : i32, high = 12 : i32", []shape{item, e.item(n - 1), numbers()}},
			{e.herm + "trd", option("uplo", 'L'),
				[]shape{item, e.reals(n), e.reals(n - 1), e.item(n - 1), numbers()}},
		} {
			var want []batch
			p.call(e.target(test.routine), test.attributes, []shape{item}, test.results, []batch{alone},
				func(out []batch) { want = out })
			p.call(e.target(test.routine), test.attributes, []shape{item}, test.results, []batch{a},
				func(out []batch) {
					for i := range out {
						check.Diff(t, fmt.Sprintf("%s: result %d of the other matrix", e.target(test.routine), i),
							want[i].items[2], out[i].items[2])
					}
					last := out[len(out)-1]
					for k := range 2 {
						switch test.routine {
						case "geev":
							info(t, notFinite4, last, k)
							for i, b := range out[:len(out)-1] {
								for _, v := range flat(b.items[k]) {
									if !cmplx.IsNaN(v) {
										t.Errorf("result %d has %v", i, v)
									}
								}
							}
						case "gees":
							info(t, notFinite5, last, k)
						}
					}
				})
		}
		p.run(t)
	}
}
