package faults

import (
	"runtime"
	"slices"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// hostileFaults are faults of programs that do everything that Go allows without unsafe.
func hostileFaults() []Fault {
	var onMethods []Fault
	for _, m := range []misbehaviour{cyclicError(), goexitError(), goexitString(), blockingError(), replacedResult()} {
		onMethods = append(onMethods, Fault{Name: m.name, Ways: m.ways, prepare: m.prepare})
	}
	return slices.Concat(onMethods, []Fault{
		{"append to the operands", withResult, appended},
		{"shape of a result overwritten", onCompile, overwrittenShape},
		{"deadline of a small module", onCompile, smallDeadline},
		{"lost functions", dispatched, lostFunctions},
		{"log handler that panics", everyWay, failingHandler(func() { panic("no log") })},
		{"log handler that calls Goexit", everyWay, failingHandler(runtime.Goexit)},
		{"unlocked thread", everyWay, unlockedThread},
		{"passthrough without waiting", onlyAsync, passingAsync},
		{"more runs than threads", everyWay, manyRuns},
		{"layout that is not row-major", onCompile,
			refused(columnMajor, isA(func(*bridge.LayoutError) error { return nil }), notOfXLA)},
	})
}

// replacedResult replaces the array of a result instead of filling it.
func replacedResult() misbehaviour {
	return misbehaviour{name: "result replaced", ways: withResult,
		want: isA(func(*callbacks.ReplacedError) error { return nil }), fn: func(f *callbacks.Frame) error {
			for i := range f.Results {
				f.Results[i] = tensor.Scalar(true)
			}
			return nil
		}}
}
