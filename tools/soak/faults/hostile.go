package faults

// hostileFaults are those of programs that do all that Go allows without unsafe.
func hostileFaults() []Fault {
	return []Fault{
		{"append to the operands", withResult, appended},
		{"shape of a result overwritten", onCompile, overwrittenShape},
		{"deadline of a small module", onCompile, smallDeadline},
		{"lost functions", dispatched, lostFunctions},
	}
}
