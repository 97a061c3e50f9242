package hlo

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Call is a custom call of a program.
type Call struct {
	Target            string
	Attrs             []contract.Attr // as far as Err is nil
	Err               error           // of attributes that have no form that the contract has
	Operands, Results []tensor.Shape
	Place             string // file and line that it was made for, "" if unknown
}

// Calls returns the custom calls of the targets in a program, in the order in which XLA instantiates
// them: as scheduled, those in the condition of a loop before those in its body. Each is returned once.
func Calls(program []byte, targets map[string]bool) []Call {
	const module, computation, computationID, entry = 1, 3, 5, 6
	hlo := first(program, module).bytes
	w := callWalk{targets: targets, computations: map[uint64][]byte{}, orders: schedule(hlo)}
	for c := range fields(hlo, computation) {
		w.computations[first(c.bytes, computationID).number] = c.bytes
	}
	w.visit(first(hlo, entry).number)
	return w.calls
}

// schedule returns the ids of the instructions of each computation by the computation's id,
// in the order of their execution.
func schedule(hlo []byte) map[uint64][]uint64 {
	const schedule, sequences, key, value, ids = 7, 1, 1, 2, 1
	orders := map[uint64][]uint64{}
	for s := range fields(first(hlo, schedule).bytes, sequences) {
		var order []uint64
		for f := range fields(first(s.bytes, value).bytes, ids) {
			order = append(order, f.numbers()...)
		}
		orders[first(s.bytes, key).number] = order
	}
	return orders
}

// A callWalk collects the calls of a program.
type callWalk struct {
	targets      map[string]bool
	computations map[uint64][]byte // not yet visited, by id
	orders       map[uint64][]uint64
	calls        []Call
}

// visit adds the calls of a computation, and of those that it calls.
func (w *callWalk) visit(id uint64) {
	const instruction, instructionID, opcode, target, called = 2, 35, 2, 28, 38
	computation := w.computations[id]
	delete(w.computations, id) // each is visited once
	instructions := map[uint64][]byte{}
	var order []uint64
	for f := range fields(computation, instruction) {
		id := first(f.bytes, instructionID).number
		instructions[id] = f.bytes
		order = append(order, id)
	}
	if scheduled := w.orders[id]; len(scheduled) > 0 {
		order = scheduled
	}
	for _, id := range order {
		in := instructions[id]
		op := string(first(in, opcode).bytes)
		if op == "custom-call" && w.targets[string(first(in, target).bytes)] {
			w.calls = append(w.calls, readCall(in, instructions))
		}
		var callees []uint64
		for f := range fields(in, called) {
			callees = append(callees, f.numbers()...)
		}
		if op == "while" {
			slices.Reverse(callees) // body, condition
		}
		for _, callee := range callees {
			w.visit(callee)
		}
	}
}

// readCall reads a custom call.
func readCall(call []byte, instructions map[uint64][]byte) Call {
	const shape, target, operandIDs, backendConfig = 3, 28, 36, 43
	c := Call{Target: string(first(call, target).bytes), Place: placeOf(call)}
	for f := range fields(call, operandIDs) {
		for _, id := range f.numbers() {
			c.Operands = append(c.Operands, protoShape(first(instructions[id], shape).bytes))
		}
	}
	for _, r := range arrays(first(call, shape).bytes) {
		c.Results = append(c.Results, protoShape(r))
	}
	c.Attrs, c.Err = ParseConfig(string(first(call, backendConfig).bytes))
	return c
}
