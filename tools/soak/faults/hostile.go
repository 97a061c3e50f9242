package faults

import (
	"runtime"
	"slices"
)

// hostileFaults are those of programs that do all that Go allows without unsafe.
func hostileFaults() []Fault {
	var onMethods []Fault
	for _, m := range []misbehaviour{cyclicError(), goexitError(), goexitString(), blockingError()} {
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
		{"layout that is not row-major", onCompile, refused(columnMajor, nil, 0)},
	})
}
