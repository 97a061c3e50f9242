package stages

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// stage makes the stage of a group.
func (b *blockCutter) stage(g *group) (*stageStep, error) {
	in, err := b.numbersOf(g.in)
	if err != nil {
		return nil, err
	}
	out, err := b.numbersOf(g.out)
	if err != nil {
		return nil, err
	}
	n := len(b.plan.stages)
	s := &Stage{Name: stageName(n), number: n, donate: make([]bool, len(in)), After: b.after(g.last())}
	for _, v := range in {
		s.Inputs = append(s.Inputs, b.body.shapes[v].Clone())
	}
	for _, v := range out {
		s.Outputs = append(s.Outputs, b.body.shapes[v].Clone())
	}
	for _, n := range g.nodes {
		if !n.free {
			s.Operations++
		}
	}
	b.plan.stages = append(b.plan.stages, s)
	s.module, err = b.emit(g)
	return &stageStep{flow: flow{in, out}, stage: s}, err
}

// emit makes the module of a group.
func (b *blockCutter) emit(g *group) (*mlir.Module, error) {
	c := b.module.Context()
	loc := b.module.Operation().Location()
	m := c.NewModule(loc)
	for name, a := range b.module.Operation().Attributes() {
		m.Operation().SetAttribute(name, a)
	}
	types := mlir.TypesOf(g.in)
	block := c.NewBlock(loc, types...)
	var mapping mlir.Mapping
	for i, v := range g.in {
		mapping.Map(v, block.Argument(i))
	}
	done := map[mlir.Operation]bool{}
	clone := func(op mlir.Operation) {
		if !done[op] {
			done[op] = true
			block.Append(op.CloneWith(&mapping))
		}
	}
	for _, n := range g.nodes {
		for _, v := range n.uses {
			if _, ok := mapping.Value(v); !ok {
				clone(v.Owner()) // a free one
			}
		}
		clone(n.op)
	}
	var results []mlir.Value
	var resultTypes []mlir.Type
	for _, v := range g.out {
		copied, _ := mapping.Value(v)
		results, resultTypes = append(results, copied), append(resultTypes, v.Type())
	}
	ret := mlir.OperationState{Name: "func.return", Location: loc, Operands: results}
	if _, err := mlir.Create(block, ret); err != nil {
		return m, err
	}
	region := c.NewRegion()
	region.Append(block)
	_, err := mlir.Create(m.Body(), mlir.OperationState{
		Name: "func.func", Location: loc, Regions: []mlir.Region{region},
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute("main")},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(types, resultTypes))},
			{Name: "sym_visibility", Value: c.StringAttribute("public")},
		},
	})
	if err != nil {
		return m, err
	}
	return m, b.functions(m)
}

// functions adds what the operations of a stage refer to by name, such as functions, and the meshes of shardings.
func (b *blockCutter) functions(m *mlir.Module) error {
	added := false
	for op := range b.module.Body().Operations() {
		name, named := op.Symbol()
		if !named || name == "main" {
			continue
		}
		m.Body().Append(op.Clone()).SetVisibility(mlir.Private) // so that it is dropped if nothing uses it
		added = true
	}
	if added {
		if err := dropUnused(m); err != nil {
			return err
		}
	}
	return m.Verify()
}
