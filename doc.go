// Package calliope compiles Go functions on arrays with XLA, and lets the compiled programs call Go.
//
//	f := calliope.Func(func(x builder.Value) builder.Value {
//		y := calliope.Passthrough(builder.Cos(x), func(v []float32) { fmt.Println("in Go:", v) })
//		return builder.Sin(y)
//	})
//	defer f.Close()
//	y, err := calliope.Call[[]float32](f, []float32{0, 1, 2, 3})
//
// A [Function] holds a Go function on values of package builder. Its first call with arrays of some shapes builds a
// module, prepares it for XLA and compiles it. Later calls with these shapes run it.
//
// # Arguments and results
//
// Arguments and results are trees: an array, or a struct, Go array, slice or map of trees, as in package builder. A
// tree of arguments has the structure of the parameter that it is for, with arrays in place of values. An array is
//
//   - a Go number or a slice of numbers, of any rank;
//   - a tensor.Array or a tensor.View;
//   - an [Array], which stays on its device.
//
// A struct type with one type parameter is a tree on both sides:
//
//	type params[T any] struct{ Kernel, Bias T }
//
//	step := calliope.Func(func(p params[builder.Value]) params[builder.Value] { … }, calliope.FuncOptions{Donate: []int{0}})
//	p, err := calliope.Call[params[calliope.Array]](step, params[tensor.Array[float32]]{…})
//
// # Callbacks
//
// [Tap], [Passthrough], [RuntimeCall], [PureCall], [Print] and [Check] call Go closures. A closure belongs to the
// function that was compiled, and is released when it is closed. A module that is to run in another process needs
// callbacks with names: those of package builder.
//
// # Sessions
//
// A [Session] has the libraries, the client and the registry that functions use. The first call opens the default one;
// see [Default] and [SetDefault]. What is behind it can be reached: the other packages are not hidden.
package calliope
