package stages

import "github.com/calliope-mlir/calliope/internal/errtext"

// given panics if a method is called on a nil pointer or a zero value.
func (p *Plan) given(method string) {
	if p == nil || p.devices == nil {
		panic(errtext.Receiver("stages: Plan."+method, p == nil, "Cut or Load"))
	}
}

func (p *Program) given(method string) {
	if p == nil || p.group == nil {
		panic(errtext.Receiver("stages: Program."+method, p == nil, "Compile or Plan.Compile"))
	}
}
