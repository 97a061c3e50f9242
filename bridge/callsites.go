package bridge

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// A CallSite is a custom call of a compiled program that calls Go.
type CallSite struct {
	// Name is the callback's name, or its id in words; see contract.Config.Name. It is empty
	// if each call has the id as an operand.
	Name      string
	Registry  string // of the callback; "" is the default one
	Form      contract.Form
	Signature string // of operands and results, without ids and tokens; see contract.Signature
	Effect    string // that orders the call; "" is none
	Target    string // of the custom call

	// Config is all that the module says of the call. For a ForeignTarget, it is what its
	// registration says.
	Config contract.Config
}

// Callbacks returns the calls of Go in the program that XLA made of the module, in the order
// in which it instantiated them: as scheduled, those in the condition of a loop before those
// in its body. A call that is in the program once is returned once, whatever the number of
// devices and of its executions. The list differs from the calls in the module: XLA removes
// unused pure calls and branches that are never taken, and copies functions to where they
// are called. It is empty if the plugin does not report the program.
func (e *Executable) Callbacks() []CallSite {
	e.given("Callbacks")
	sites, attrs, _ := callSites(e.xla.Program, e.client.plugin.served())
	for i, s := range sites {
		if t, ok := e.client.plugin.foreignTo(s.Target); ok {
			c := t.config()
			sites[i].Name, sites[i].Registry, sites[i].Form, sites[i].Config = c.Name(), c.Registry, c.Form, c
			if t.callbackOf != nil {
				sites[i].nameJAX(e.jax, attrs[i])
			}
		}
	}
	return sites
}

// callSites returns the custom calls of the targets in a program (see [parameters]), and of each its
// attributes and its place in the source. The field numbers are from xla/service/hlo.proto.
func callSites(program []byte, targets map[string]bool) (sites []CallSite, attrs [][]contract.Attr, places []string) {
	const module, computation, computationID, entry = 1, 3, 5, 6
	hlo := first(program, module).bytes
	w := siteWalk{targets: targets, computations: map[uint64][]byte{}, orders: schedule(hlo)}
	for c := range fields(hlo, computation) {
		w.computations[first(c.bytes, computationID).number] = c.bytes
	}
	w.visit(first(hlo, entry).number)
	return w.sites, w.attrs, w.places
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

// A siteWalk collects the call sites of a program.
type siteWalk struct {
	targets      map[string]bool
	computations map[uint64][]byte // not yet visited, by id
	orders       map[uint64][]uint64
	sites        []CallSite
	attrs        [][]contract.Attr // of each site, nil if they cannot be read
	places       []string          // of each site, "" if the program does not say
}

// visit adds the call sites of a computation, and of those that it calls.
func (w *siteWalk) visit(id uint64) {
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
			site, attrs := callSite(in, instructions)
			w.sites, w.attrs, w.places = append(w.sites, site), append(w.attrs, attrs), append(w.places, placeOf(in))
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

// callSite reads a custom call, and its attributes if they have a form that the contract has.
func callSite(call []byte, instructions map[uint64][]byte) (CallSite, []contract.Attr) {
	const shape, target, operandIDs, backendConfig = 3, 28, 36, 43
	s := CallSite{Target: string(first(call, target).bytes)}
	var operands, results []tensor.Shape
	for f := range fields(call, operandIDs) {
		for _, id := range f.numbers() {
			operands = append(operands, protoShape(first(instructions[id], shape).bytes))
		}
	}
	for _, r := range arrays(first(call, shape).bytes) {
		results = append(results, protoShape(r))
	}
	attrs, err := parseConfig(string(first(call, backendConfig).bytes))
	if err == nil {
		s.Config, err = contract.Decode(attrs)
	}
	if err != nil {
		// XLA bound the call by attributes that are not of the form that it prints.
		s.Config = contract.Config{}
		operands, results = operands[leadingTokens(operands):], results[leadingTokens(results):]
	} else {
		operands, results = dataOf(s.Config, operands, results)
		if s.Config.Encoding != contract.EncodingOperand {
			s.Name = s.Config.Name()
		}
	}
	s.Registry, s.Form, s.Effect = s.Config.Registry, s.Config.Form, s.Config.Effect
	s.Signature = contract.Signature(operands, results)
	return s, attrs
}

// dataOf returns the operands and results that the function gets.
func dataOf(c contract.Config, operands, results []tensor.Shape) (in, out []tensor.Shape) {
	switch c.Encoding {
	case contract.EncodingServer:
		operands = operands[min(1, len(operands)):]
	case contract.EncodingOperand:
		operands = operands[:max(0, len(operands)-1)]
	}
	if data, _, _, err := c.Split(len(operands)); err == nil {
		operands = operands[:data]
	}
	switch formOf(c.Form) {
	case formPassthrough:
		return operands, operands
	case formObserve:
		return operands, nil
	}
	return operands, results[:max(0, len(results)-c.NumTokens)]
}
