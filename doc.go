// Package calliope compiles Go functions on arrays, and modules of other programs, with XLA. What is compiled can call
// Go.
//
//	f := calliope.Func(func(x builder.Value) builder.Value {
//		y := calliope.Passthrough(builder.Cos(x), func(_ context.Context, v []float32) error {
//			fmt.Println("in Go:", v)
//			return nil
//		})
//		return builder.Sin(y)
//	})
//	defer f.Close()
//	y, err := calliope.Call[[]float32](ctx, f, []float32{0, 1, 2, 3})
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
//	step := calliope.FuncWith(func(p params[builder.Value]) params[builder.Value] { … }, calliope.FuncOptions{Donate: []int{0}})
//	p, err := calliope.Call[params[calliope.Array]](ctx, step, params[tensor.Array[float32]]{…})
//
// # Callbacks
//
// [Tap], [Passthrough], [RuntimeCall], [PureCall], [Print] and [Check] call Go closures. A closure belongs to the
// function that was compiled, and is released when it is closed. A module that is to run in another process needs
// callbacks with names: those of package builder.
//
// # Deadlines
//
// [Call] returns when its context ends. A compile then goes on, for the next call. A run ends with its next
// closure; a loop without closures ends if the session is opened with Options.Interruptible. Otherwise it keeps its
// device on XLA, and a later call that runs out of time returns a *bridge.BusyError that says who began it.
//
// # Modules
//
// [Load] makes a Function of a file: a StableHLO module in any form, a file of jax.export, or a program that was saved.
// It is called like any other:
//
//	model, err := calliope.Load(ctx, "model.jaxexport", calliope.FuncOptions{})
//	y, err := calliope.Call[[][]float32](ctx, model, x)
//
// A module with open dimensions is compiled once for each set of shapes. Its results have no structure in Go: see
// [Call]. What Executable.Serialize returns for a Function without closures is such a file.
//
// # Several devices
//
// A Go function that makes a mesh (builder.Builder.Mesh), and a module with one, runs on the devices of the session's
// client. Its arguments and results are whole arrays of the host. With Replicas in FuncOptions.Compile each device runs
// the whole function: each argument is then a slice with a tree for each replica, and so is the result.
//
//	session, err := calliope.Open(ctx, calliope.Options{Client: bridge.ClientOptions{Devices: 4}})
//
// # Sessions
//
// A [Session] has the libraries, the client and the registry that functions use. The first call opens the default one;
// see [Default] and [SetDefault]. What is behind it can be reached: the other packages are not hidden. A plugin that
// cannot call back runs a function in stages (see package stages), and without a plugin MLIR and LLVM compile it (see
// package jit).
package calliope
