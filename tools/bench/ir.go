package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/bench/internal/client"
)

const (
	irOperations = 100_000
	irOperation  = "stablehlo.add"
	irFile       = "model.py"
	irLines      = 1000 // lines of the file: operations use the lines in turn
)

// irSuite measures work on 100,000 operations in Go, compared with the same work in a C
// program on the same library, and in Python through the bindings of jaxlib and of
// torch-mlir, whose library is the default one.
func irSuite(ctx context.Context, s settings, r *report) error {
	library, err := openMLIR(ctx)
	if err != nil {
		return err
	}
	bindings, err := startBindings(ctx, s)
	if err != nil {
		return err
	}
	var packages []string
	for _, b := range bindings {
		defer b.python.stop()
		packages = append(packages, b.path)
	}
	if err := compareOpen(ctx, s, r, packages); err != nil {
		return err
	}
	for _, work := range irWorks {
		var times, overC [][]float64 // by turn, then by client
		pythons := map[string][]float64{}
		for i := range s.repeat + 1 {
			row, err := work.measure(library)
			if err != nil {
				return fmt.Errorf("ir/%s: %w", work.name, err)
			}
			for _, b := range bindings {
				if !b.does(work.name) {
					continue
				}
				seconds, err := b.python.measure(work.name)
				if err != nil {
					return err
				}
				if i > 0 {
					pythons[b.name] = append(pythons[b.name], seconds)
				}
			}
			if i == 0 { // the first turn warms up
				continue
			}
			above := make([]float64, len(row))
			for j := range row {
				above[j] = row[j] / row[0]
			}
			times, overC = append(times, row), append(overC, above)
		}
		name := "ir/" + work.name + "/"
		perOperation := func(seconds float64) float64 { return seconds * 1e9 / irOperations }
		for j, c := range work.clients {
			r.figure(name+c.name, perOperation(median(column(times, j))), "ns/op", nil)
		}
		for _, b := range bindings {
			if len(pythons[b.name]) > 0 {
				r.figure(name+b.name, perOperation(median(pythons[b.name])), "ns/op", nil)
			}
		}
		for j, c := range work.clients[1:] {
			r.figure(name+c.name+"-over-c", median(column(overC, j+1)), "x", c.overC)
			for _, b := range bindings {
				if len(pythons[b.name]) == 0 {
					continue
				}
				var under []float64
				for i, seconds := range pythons[b.name] {
					under = append(under, seconds/times[i][j+1])
				}
				r.figure(name+b.name+"-over-"+c.name, median(under), "x", c.underPython)
			}
		}
	}
	return nil
}

func column(rows [][]float64, j int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[j]
	}
	return out
}

// irWork is work that several clients do.
type irWork struct {
	name string
	// pieces is the number of pieces of the work. All clients do a piece in turn, and the
	// median piece counts, so that disturbances affect no client more than another.
	pieces  int
	built   bool // whether the operations exist already
	clients []irClient
}

// irClient is one way to do the work. The first client of each work is the one in C.
type irClient struct {
	name               string
	work               func(*irModule) error
	overC, underPython *limit
}

var irWorks = []irWork{
	{"build", irOperations / irLines, false, []irClient{
		{name: "c", work: buildInC},
		{"go", buildInGo, atMost(1.3), atLeast(3)},
		{"go-stablehlo", buildInStableHLO, atMost(1.3), atLeast(3)},
		{"go-builder", buildInBuilder, atMost(1.3), atLeast(3)},
	}},
	{"typed", irOperations / irLines, false, []irClient{
		{name: "c", work: buildAddInC},
		{"go-typed", buildAddTyped, atMost(1.3), atLeast(4)},
		{"go-lines", buildAddLines, nil, atLeast(4)},
	}},
	{"callback", irOperations / irLines, false, []irClient{
		{name: "c", work: callInC},
		{"go-builder", callInBuilder, atMost(0.4), nil},
	}},
	{"walk", 1, true, []irClient{{name: "c", work: walkInC}, {"go", walkInGo, nil, atLeast(3)}}},
	{"print", 1, true, []irClient{{name: "c", work: printInC}, {"go", printInGo, atMost(1.3), nil}}},
	{"parse", 1, true, []irClient{{name: "c", work: parseInC}, {"go", parseInGo, atMost(1.3), nil}}},
	{"verify", 1, true, []irClient{{name: "c", work: verifyInC}, {"go", verifyInGo, atMost(1.3), nil}}},
}

// measure makes each client do the work in its own context. It returns the seconds of each
// client: the time of its median piece times the number of pieces.
func (w *irWork) measure(l *mlir.Library) ([]float64, error) {
	modules := make([]*irModule, len(w.clients))
	for i := range modules {
		m, err := newIRModule(l, w.built)
		if err != nil {
			return nil, err
		}
		defer m.close()
		modules[i] = m
	}
	runtime.GC() // garbage from before does not belong to this work
	pieces := make([][]float64, len(w.clients))
	for range w.pieces {
		for i, c := range w.clients {
			start := time.Now()
			err := c.work(modules[i])
			pieces[i] = append(pieces[i], time.Since(start).Seconds())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	seconds := make([]float64, len(w.clients))
	for i, p := range pieces {
		seconds[i] = median(p) * float64(w.pieces)
	}
	return seconds, nil
}

// irModule is the input of a client: a function in a new context.
type irModule struct {
	ctx    *mlir.Context
	client *client.Client
	module *mlir.Module
	block  mlir.Block
	text   string        // text of the module, if it is built already
	source client.Source // the same text in C's memory
	parsed []func()      // functions that destroy what the C client parsed
	built  *builder.Builder
	f      *builder.Func // function in built
}

func newIRModule(l *mlir.Library, built bool) (*irModule, error) {
	c := l.NewContext(mlir.ContextOptions{})
	m := &irModule{ctx: c, client: client.New(raw.LibraryTable(l), raw.Context(c))}
	if err := m.fill(built); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *irModule) fill(built bool) error {
	const source = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
	m.built = builder.New(m.ctx, builder.Options{})
	m.f = m.built.Func("main", tensor.ShapeOf(tensor.F32, 4))
	var err error
	if m.module, err = m.ctx.Parse("", []byte(source)); err != nil {
		return err
	}
	for f := range m.module.Body().Operations() {
		m.block = f.Region(0).First()
	}
	if err := m.block.Terminator().Erase(); err != nil {
		return err
	}
	if err := errors.Join(m.ctx.LoadDialect("stablehlo"), m.ctx.LoadDialect("arith")); err != nil || !built {
		return err
	}
	if err := m.client.Build(raw.Module(m.module), irOperation, irFile, irLines, irOperations); err != nil {
		return err
	}
	_, err = mlir.Create(m.block, mlir.OperationState{Name: "func.return", Operands: []mlir.Value{m.block.Argument(0)}})
	m.text = m.module.String()
	m.source = client.NewSource(m.text)
	return err
}

func (m *irModule) close() {
	for _, destroy := range m.parsed {
		destroy()
	}
	m.source.Free()
	m.built.Close()
	m.ctx.Close()
}

func buildInC(m *irModule) error {
	return m.client.Build(raw.Module(m.module), irOperation, irFile, irLines, irLines)
}

func buildInGo(m *irModule) error {
	x := m.block.Argument(0)
	for i := range irLines {
		op, err := mlir.Create(m.block, mlir.OperationState{
			Name: irOperation, Location: m.ctx.FileLocation(irFile, i+1, 7),
			Operands: []mlir.Value{x, x}, InferResults: true,
		})
		if err != nil {
			return err
		}
		x = op.Result(0)
	}
	return nil
}

func buildInStableHLO(m *irModule) error {
	x := m.block.Argument(0)
	b := mlir.NewBuilder(m.block, mlir.Location{})
	for i := range irLines {
		b.SetLocation(m.ctx.FileLocation(irFile, i+1, 7))
		x = stablehlo.Add(b, x, x)
	}
	return b.Err()
}

func buildAddInC(m *irModule) error {
	return m.client.Build(raw.Module(m.module), "arith.addf", irFile, irLines, irLines)
}

func buildAddTyped(m *irModule) error {
	x := m.block.Argument(0)
	b := mlir.NewBuilder(m.block, mlir.Location{})
	for i := range irLines {
		b.SetLocation(m.ctx.FileLocation(irFile, i+1, 7))
		x = arith.AddF(b, x, x)
	}
	return b.Err()
}

// buildAddLines has the line of the Go code as the location.
func buildAddLines(m *irModule) error {
	x := m.block.Argument(0)
	b := mlir.NewBuilder(m.block, mlir.Location{})
	for range irLines {
		x = arith.AddF(b, x, x)
	}
	return b.Err()
}

func buildInBuilder(m *irModule) error {
	x := m.f.Param(0)
	for range irLines {
		x = builder.Add(x, x)
	}
	return m.built.Err()
}

// irCallback is the callback that the clients call.
const irCallback, irSignature = "bench", "f32[4]->f32[4]"

func callInC(m *irModule) error {
	return m.client.Call(raw.Module(m.module), irCallback, contract.SignatureHash(irSignature), irFile, irLines,
		irLines)
}

func callInBuilder(m *irModule) error {
	x := m.f.Param(0)
	for range irLines {
		x = builder.Passthrough(x, builder.Callback{Name: irCallback})
	}
	return m.built.Err()
}

// counted returns an error if a walk missed operations.
func counted(n int) error {
	if n != irOperations {
		return fmt.Errorf("%d operations were counted, want %d", n, irOperations)
	}
	return nil
}

func walkInC(m *irModule) error { return counted(m.client.Count(raw.Module(m.module), irOperation)) }

func walkInGo(m *irModule) error {
	n := 0
	m.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == irOperation {
			n++
		}
		return mlir.WalkContinue
	})
	return counted(n)
}

func printInC(m *irModule) error {
	if n := m.client.Print(raw.Module(m.module)); n == 0 {
		return errors.New("nothing was printed")
	}
	return nil
}

func printInGo(m *irModule) error {
	if m.module.String() == "" {
		return errors.New("nothing was printed")
	}
	return nil
}

func parseInC(m *irModule) error {
	destroy, ok := m.client.Parse(m.source)
	if !ok {
		return errors.New("the printed text could not be parsed")
	}
	m.parsed = append(m.parsed, destroy)
	return nil
}

func parseInGo(m *irModule) error {
	_, err := m.ctx.Parse("", []byte(m.text))
	return err
}

func verifyInC(m *irModule) error {
	if !m.client.Verify(raw.Module(m.module)) {
		return errors.New("the module is not valid")
	}
	return nil
}

func verifyInGo(m *irModule) error { return m.module.Verify() }
