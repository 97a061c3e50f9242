// Package builder builds StableHLO programs. A program consists of functions of typed
// values. The package has a function for every operation of the dialect, named as in NumPy
// or JAX, functions for control flow, and callbacks into Go.
//
//	b := builder.New(ctx, builder.Options{})
//	f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
//	x := builder.Cos(f.Param(0))
//	x = builder.Passthrough(builder.Callback{Name: "log"}, x)
//	f.Return(builder.Sin(x))
//	module, err := b.Module()
//
// # Operations
//
// Operations are functions of values. Most of them add one StableHLO operation, some add
// several. They share these rules:
//
//   - Elementwise operations accept Go numbers in place of values: builder.Mul(0.5, x).
//     Shapes must be equal; see Operand for the exceptions.
//   - Axes count from 0, or backward from -1, the last one. If axes are optional, leaving
//     them out means all axes.
//   - The options of an operation are a struct whose zero value is the usual choice:
//     builder.Conv(x, kernel, builder.ConvOptions{Same: true}).
//   - Reduce, Sort, Scatter and similar operations take a Go function of single elements.
//     It is called once, while building. It may be an operation itself, such as
//     builder.Add.
//   - Several values together form a tree: a Value, or a struct, slice, array or map of
//     trees. See While.
//   - Types are never converted implicitly. Use Convert.
//
// Operations that are ordered by tokens only (create_token, outfeed, send and so on) are in
// package stablehlo, not here. Callbacks need no tokens: the builder orders them. Complete
// programs are in examples/programs.
//
// # Mistakes
//
// Calls need no error checks. The builder records the first mistake, with the Go file and
// line that made it. Later calls then do nothing, and Module returns the mistake as an
// error. The Go file and line are also the location of each operation, so diagnostics about
// the module point into the Go code. The line is the innermost one outside of this package.
// An operation without any operand that belongs to a function cannot record its mistake: it
// panics.
//
// # Regions
//
// If, Case, While, Loop, Reduce and others take Go functions. They call these functions at
// once to build code that runs later. Everything that is built during such a call goes into
// the region, whatever code builds it. A value can be used in the function and region in
// which it was made, and in regions inside of it. A region passes values outward only
// through the result of its Go function. A panic in such a function propagates, and the
// region is discarded.
//
//	y := builder.If(pred, func() builder.Value {
//		return builder.Cos(x)
//	}, func() builder.Value {
//		return builder.Sin(x)
//	})
//
// # Callbacks
//
// There are four kinds of callbacks into Go. JAX has them too, partly under other names:
//
//   - Passthrough passes its operands through (the io_callback proposed for Nx).
//   - RuntimeCall returns new values (JAX's io_callback).
//   - PureCall returns new values and has no side effects (JAX's pure_callback).
//   - Tap returns nothing (JAX's debug.callback).
//
// # Order
//
// Taps, and other callbacks with an Effect, run in the order in which they are built, for
// each effect separately. In a loop the order holds for each iteration, in a function for
// each call. Callbacks that do not depend on one another may run at the same time if they
// are registered as callbacks.Deferred. In small programs this also needs Options.Overlap.
//
// # Existing modules
//
// Open continues with an existing module. It can find functions, add to them, and insert
// taps after values of a program that another tool wrote.
//
// # Several devices
//
// The device policy of a callback states who calls Go if several devices run the program. It
// applies to calls with side effects.
//
// If the module has a mesh ([Builder.Mesh]), its devices share the arrays. A callback in the body of
// a [Manual] sees a device's parts, and each device calls (contract.PerDevice, the default there), or
// one of them does (contract.Once). Elsewhere values are whole arrays, and the default is
// contract.Gather: the arrays are collected on all devices, one of them calls, and all get the
// results, also those of an [Passthrough]. Each device then holds the whole arrays, so the call takes as
// many times their size as there are devices. contract.Once means the same there, also for callbacks
// that are Optional or have an Every, which contract.Gather does not allow.
//
// If the module has no mesh, it may run as replicas (engine.CompileOptions.Replicas), which have
// arrays of their own. Each calls (contract.PerDevice, the default), or one of them does
// (contract.Once).
//
// Replicas, and the devices in the body of a Manual, have arrays of their own. There contract.Once gives
// the others the results of a [RuntimeCall], and they keep the values that they pass to an Passthrough.
//
// Callbacks of one effect keep their order: a call of one device
// begins when all devices have made the calls before it, and they wait for its end. Calls that each
// device makes are ordered on each device, and not between devices.
//
// [Builder.Module] applies passes.ApplyPolicies, which makes this so.
package builder
