package builder

// LinearSolve returns the function that solves product(p, x) = b for x, where product is linear in x, as
// jax.lax.custom_linear_solve. Its derivatives are those of the solution, in any mode and to any order: they solve
// systems with the same matrix or its transpose, and do not pass through solve. So solve may stop at any precision, by
// a loop of unknown length for example. It gets the product with the matrix of the system, and the right side. p, x and
// b are trees, and b is one like x.
//
// product and solve may use values from outside, but have no derivative with respect to them: make these a part of p.
// They must have no callbacks with side effects.
func LinearSolve[P, T any](product func(p P, x T) T, solve func(product func(x T) T, b T) T) func(p P, b T) T {
	return linearSolve("linear_solve", product, solve, new(ruled), new(ruled))
}

// linearSolve is LinearSolve. self and transposed are the identities of the function and of that with the transposed
// matrix, which have each other in their rules.
func linearSolve[P, T any](
	name string, product func(p P, x T) T, solve func(product func(x T) T, b T) T, self, transposed *ruled,
) func(p P, b T) T {
	type system struct {
		P P
		B T
	}
	type solved struct {
		P P
		X T
	}
	var solution func(system) T
	r := rules[system, T, solved]{
		name: name, self: self,
		jvp: func(s, ds system) (x, dx T) {
			x = solution(s)
			_, change := JVP(func(p P) T { return product(p, x) }, s.P, ds.P)
			return x, solution(system{s.P, MapTrees(func(v ...Value) Value { return Sub(v[0], v[1]) }, ds.B, change)})
		},
		forward: func(s system) (T, solved) {
			x := solution(s)
			return x, solved{s.P, x}
		},
		backward: func(s solved, dx T) system {
			db := adjointSolve(name, product, solve, self, transposed, s.P, s.X, dx)
			_, pull := VJP(func(p P) T { return product(p, s.X) }, s.P)
			return system{pull(negated(db)), db}
		},
	}
	f := func(s system) T {
		of := func(x T) T { return asIs(name, x, product(s.P, x), "the solution", "the product with it") }
		return asIs(name, s.B, solve(of, s.B), "the right side", "the solution")
	}
	if product == nil || solve == nil {
		f = nil
	}
	solution = r.of(f, f == nil)
	return func(p P, b T) T { return solution(system{p, b}) }
}

// adjointSolve solves a system with the transposed matrix of that which linearSolve solves with these arguments. x is a
// tree like its solution.
func adjointSolve[P, T any](
	name string, product func(p P, x T) T, solve func(product func(x T) T, b T) T, self, transposed *ruled, p P, x, b T,
) T {
	back := func(p P, y T) T { return LinearTranspose(func(x T) T { return product(p, x) }, x)(y) }
	return linearSolve(name, back, solve, transposed, self)(p, b)
}

// Root returns the function that finds x with f(p, x) = 0, from a first guess on, as jax.lax.custom_root. Its
// derivatives with respect to p are those of the root, in any mode and to any order, and do not pass through find,
// which may stop at any precision: the derivative of x is the solution of a linear system whose matrix is the
// derivative of f by x, which solve solves as that of LinearSolve. There is none with respect to the guess. p and x are
// trees, and f returns one like x. Values from outside are as for LinearSolve.
func Root[P, T any](
	f func(p P, x T) T, find func(f func(x T) T, guess T) T, solve func(product func(x T) T, b T) T,
) func(p P, guess T) T {
	type start struct {
		P     P
		Guess T
	}
	type found struct {
		P P
		X T
	}
	slope := func(at found, dx T) T {
		_, dy := JVP(func(x T) T { return f(at.P, x) }, at.X, dx)
		return dy
	}
	self, transposed := new(ruled), new(ruled)
	var root func(start) T
	r := rules[start, T, found]{
		name: "root",
		jvp: func(s, ds start) (x, dx T) {
			x = root(s)
			_, change := JVP(func(p P) T { return f(p, x) }, s.P, ds.P)
			dx = linearSolve("root", slope, solve, self, transposed)(found{s.P, x}, change)
			return x, negated(dx)
		},
		forward: func(s start) (T, found) {
			x := root(s)
			return x, found{s.P, x}
		},
		backward: func(at found, dx T) start {
			u := adjointSolve("root", slope, solve, self, transposed, at, at.X, dx)
			_, pull := VJP(func(p P) T { return f(p, at.X) }, at.P)
			return start{pull(negated(u)), MapTrees(func(v ...Value) Value { return ZerosLike(v[0]) }, dx)}
		},
	}
	whole := func(s start) T {
		of := func(x T) T { return asIs("root", x, f(s.P, x), "the argument", "what the function returns") }
		return asIs("root", s.Guess, find(of, s.Guess), "the guess", "the root")
	}
	if f == nil || find == nil || solve == nil {
		whole = nil
	}
	root = r.of(whole, whole == nil)
	return func(p P, guess T) T { return root(start{p, guess}) }
}

// asIs returns a tree, which must have the structure and types of another one.
func asIs[T any](name string, want, got T, wantIs, gotIs string) T {
	if err := difference(want, got, wantIs, gotIs); err != nil {
		s, _ := trees(name, want)
		s.fail("%w", err)
	}
	return got
}

func negated[T any](x T) T { return MapTrees(func(v ...Value) Value { return Neg(v[0]) }, x) }
