// Package sharding reads how the arrays of a partitioned module are distributed over
// devices, and splits and joins arrays accordingly.
//
// A partitioned module is written for global arrays. XLA compiles it into one program that
// runs on each device, whose parameters and results are parts of these arrays.
//
// [Read] reads what a module declares: how many devices it is for, and the shardings of the
// parameters and results of @main. Both forms are read, the attributes of Shardy and the
// strings of XLA, such as {devices=[2,2]<=[4]}. Where a module leaves the choice to the
// compiler, only the compiled program has the answer. bridge.Executable.Shardings returns it as text
// for [Parse].
//
// The devices of a sharding are partitions, numbered from 0: device 2 is the third device of
// a run, and not necessarily the device of the machine with this number.
package sharding
