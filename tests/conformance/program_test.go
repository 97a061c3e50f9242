package conformance

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// program is a module whose function main runs some samples on their arguments, one
// after the other.
type program struct {
	samples   []*sample
	Module    []byte
	Arguments []tensor.View
	results   []int // how many results each sample has
	replicas  int
}

// newProgram builds the module, verifies it, and writes it as a portable artifact. It adds
// to goTypes what the operations were made of.
func newProgram(c *mlir.Context, goTypes map[string]string, samples ...*sample) (p *program, err error) {
	at := samples[0]
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%s: %v", at.name(), wrong)
		}
	}()
	p = &program{samples: samples, replicas: max(1, samples[0].replicas)}
	var around strings.Builder
	var arguments [][]tensor.View
	var types []mlir.Type
	for _, s := range samples {
		at = s
		list := check.Must(s.arguments())
		p.Arguments = append(p.Arguments, list...)
		list = list[:len(list)/p.replicas]
		arguments = append(arguments, list)
		for _, v := range list {
			types = append(types, mlirtest.Type(c, mlirType(v.Shape)))
		}
		around.WriteString(s.around)
	}
	if samples[0].quantized {
		if err := stablehlo.LoadQuant(c); err != nil {
			return nil, err
		}
	}
	m := check.Must(c.Parse("conformance", []byte("module {"+around.String()+"}")))
	block := c.NewBlock(mlir.Location{}, types...)
	var results []mlir.Value
	var resultTypes []mlir.Type
	n := 0
	for i, s := range samples {
		at = s
		b := &body{Body: &mlirtest.Body{C: c, Block: block}, goType: goTypes, made: map[string]bool{}}
		for range arguments[i] {
			b.In = append(b.In, block.Argument(n))
			n++
		}
		list := s.build(b)
		if !b.made["stablehlo."+s.op] {
			return nil, fmt.Errorf("%s: the sample makes no such operation", s.name())
		}
		p.results = append(p.results, len(list))
		for _, v := range list {
			results, resultTypes = append(results, v), append(resultTypes, v.Type())
		}
	}
	check.Must(mlir.Create(block, mlir.OperationState{Name: "func.return", Operands: results}))
	region := c.NewRegion()
	region.Append(block)
	check.Must(mlir.Create(m.Body(),
		mlir.OperationState{Name: "func.func", Regions: []mlir.Region{region}, Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: c.StringAttribute("main")},
			{Name: "function_type", Value: c.TypeAttribute(c.FunctionType(types, resultTypes))},
		}}))
	if err := m.Verify(); err != nil {
		return nil, fmt.Errorf("%s: %w", at.op, err)
	}
	if samples[0].quantized {
		// The first makes operations of the dialects chlo and shape, which the others take
		// away.
		pass(c, m, "builtin.module(func.func(stablehlo-legalize-quant-to-math,chlo-legalize-to-stablehlo),canonicalize,func.func(shape-legalize-to-stablehlo,stablehlo-canonicalize-dynamism),canonicalize)")
	}
	// Bytecode that isn't a portable artifact is for readers of the same release, and XLA's
	// is another: 1.13.3 in the oldest plugin.
	version := "1.13.3"
	if samples[0].prepared {
		version = "1.15.0"
		if err := passes.Prepare(m, passes.PrepareOptions{}); err != nil {
			return nil, err
		}
	}
	p.Module, err = stablehlo.PortableArtifact(m, version)
	return p, err
}

// pass runs a pass pipeline.
func pass(c *mlir.Context, m *mlir.Module, pipeline string) {
	manager := check.Must(c.NewPassManager(mlir.PassManagerOptions{Pipeline: pipeline}))
	defer manager.Close()
	if err := manager.Run(m); err != nil {
		panic(err)
	}
}

// mlirType is a shape as MLIR writes it.
func mlirType(s tensor.Shape) string {
	var b strings.Builder
	for _, d := range s.Dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	return "tensor<" + b.String() + s.DType.MLIR() + ">"
}

// split gives each sample its part of the program's results.
func (p *program) split(results []tensor.View) (map[*sample][]tensor.View, error) {
	want := 0
	for _, n := range p.results {
		want += n
	}
	if len(results) != want*p.replicas {
		return nil, fmt.Errorf("%d results, want %d", len(results), want*p.replicas)
	}
	parts := map[*sample][]tensor.View{}
	for i, s := range p.samples {
		n := p.results[i]
		if p.replicas > 1 {
			n *= p.replicas // such a program has one sample
		}
		parts[s], results = results[:n], results[n:]
	}
	return parts, nil
}
