// Package stages runs modules with callbacks on devices that cannot call back: plugins without
// XLA's typed FFI, the compiler of package jit, and StableHLO's interpreter. It cuts a module at
// its callbacks into stages, which are modules without callbacks, and runs stage, callback, stage
// and so on, with the results and errors of an execution that calls back.
//
// [Cut] makes a [Plan] of a module. [Plan.Compile] compiles its stages on a [Device], and
// returns a [Executable]. [Compile] does both, and leaves the module whole if the device can call
// back:
//
//	e, err := stages.Compile(ctx, module, stages.Options{Devices: stages.On(client.Engine())})
//	…
//	results, err := e.Call(ctx, x, y)
//
// # How a module is cut
//
// Every callback is a boundary, and so is every if, case and while that contains one: its regions
// are cut in turn, and the program evaluates the condition. All other operations of a block
// belong to stages. Two operations are in one stage if they wait for the same boundaries, so a
// stage runs as soon as these are done, and stages that wait for different callbacks run at the
// same time. A value that another stage, a callback or the result needs crosses once. Operations
// without operands, such as constants, are in each stage that uses them. What nothing
// uses is dropped.
//
// Stages run on one device, or each on a device that [Options].Place chooses: of one client, of several, or
// those that need no client. A module with replicas runs on a device for each.
//
// Callbacks in reductions, sorts and other regions that XLA compiles into one step cannot be cut,
// and Cut refuses them.
package stages

//go:generate go test -run ^TestPicture$ -update .
