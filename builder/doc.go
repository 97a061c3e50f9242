// Package builder writes StableHLO programs: functions of typed values, every operation
// of the dialect under the name that NumPy or JAX has for it, control flow, and callbacks
// into Go.
//
//	b := builder.New(ctx, builder.Options{})
//	f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
//	x := builder.Cos(f.Param(0))
//	x = builder.IOCallback(builder.Callback{Name: "log"}, x)
//	f.Return(builder.Sin(x))
//	module, err := b.Module()
//
// # Operations
//
// Operations are functions of values, one call an operation, with a few that are made of
// several. What holds for all of them:
//
//   - Elementwise operations take Go numbers in place of values: builder.Mul(0.5, x).
//     Shapes are equal, or made so by hand; see Operand.
//   - Axes count from 0, or from -1 at the end. Where axes may be left out, all are meant.
//   - What an operation has beside its operands is a struct whose zero value is the usual
//     choice: builder.Conv(x, kernel, builder.ConvOptions{Same: true}).
//   - Reduce, Sort, Scatter and their like take a Go function of single elements, which is
//     called once, while building. It may be an operation itself: builder.Add.
//   - Where several values go together they are a tree: a Value, or a struct, slice, array
//     or map of trees; see While.
//   - Types never convert by themselves: see Convert.
//
// Operations that only tokens order (create_token, outfeed, send and so on) are in package
// stablehlo only: callbacks are ordered by themselves. Complete programs are in
// examples/programs.
//
// # Mistakes
//
// Mistakes need no checking as one goes: the first one is kept, with the Go file and
// line that made it, what follows from it does nothing, and Module returns it. The
// same file and line is each operation's location, so that everything said about the
// module later points into the Go code too. That line is the innermost one outside of
// this package. Only an operation that no operand ties to a function has nowhere to keep
// its mistake: it panics.
//
// # Regions
//
// If, Case, While, Loop, Reduce and others take Go functions, which are called at once
// and build what is run later. What is built meanwhile, by whatever code, goes into the
// region. A value can be used in the function and region that it was made in, and in
// regions inside; to the outside a region gives what its Go function returns. A panic in
// such a function goes through, and what was built in the region is gone.
//
//	y := builder.If(pred, func() builder.Value {
//		return builder.Cos(x)
//	}, func() builder.Value {
//		return builder.Sin(x)
//	})
//
// # Order
//
// Taps, and other callbacks with an Effect, run in the order in which they are built,
// within their effect: in loops turn by turn, and in functions at each call. Callbacks
// that do not depend on one another may run at once where they are registered as
// callbacks.Deferred; in small programs that takes Options.Overlap.
//
// # Modules of others
//
// Open goes on with a module that is there already: it finds functions, adds to them,
// and puts taps behind values of somebody else's program.
package builder
