// Package builder writes StableHLO programs: functions of typed values, arithmetic,
// and callbacks into Go.
//
//	b := builder.New(ctx, builder.Options{})
//	f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
//	x := builder.Cos(f.Param(0))
//	x = builder.IOCallback(builder.Callback{Name: "log"}, x)
//	f.Return(builder.Sin(x))
//	module, err := b.Module()
//
// Mistakes need no checking as one goes: the first one is kept, with the Go file and
// line that made it, what follows from it does nothing, and Module returns it. The
// same file and line is each operation's location, so that everything said about the
// module later points into the Go code too. Only an operation that no operand ties to
// a function has nowhere to keep its mistake: it panics.
//
// Open goes on with a module that is there already: it finds functions, adds to them,
// and puts taps behind values of somebody else's program.
package builder
