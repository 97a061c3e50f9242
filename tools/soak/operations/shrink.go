package operations

import (
	"context"
	"slices"

	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/soak/execute"
)

// shrink returns a program that still differs on two engines, alone and with simpler inputs, and updates the finding.
// It returns p if it does not differ alone.
func shrink(ctx context.Context, reference, on *execute.Runner, p *program, f *finding) (*program, error) {
	differs := func(p *program) (bool, error) {
		text, inputs := module(p)
		want, crash, err := reference.Run(ctx, text, inputs)
		if err != nil || crash != "" || want.Refused+want.Error != "" {
			return false, err
		}
		got, crash, err := on.Run(ctx, text, inputs)
		if err != nil || crash != "" || got.Refused+got.Error != "" {
			return false, err
		}
		detail := p.difference(want.Results, got.Results)
		if detail != "" {
			f.Detail, f.want, f.got = detail, want.Results, got.Results
		}
		return detail != "", nil
	}
	alone, err := differs(p)
	if err != nil {
		return p, err
	}
	if !alone {
		f.What += " among other programs"
		return p, nil
	}
	for i, v := range p.inputs {
		zero := tensor.View{Shape: v.Shape, Data: make([]byte, len(v.Data))}
		if slices.Equal(zero.Data, v.Data) {
			continue
		}
		smaller := *p
		smaller.inputs = slices.Clone(p.inputs)
		smaller.inputs[i] = zero
		if ok, err := differs(&smaller); err != nil {
			return p, err
		} else if ok {
			p = &smaller
		}
	}
	if _, err := differs(p); err != nil { // what the finding says is about these inputs
		return p, err
	}
	return p, nil
}
