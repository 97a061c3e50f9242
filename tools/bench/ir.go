package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/calliope-mlir/calliope/internal/capi/client"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
)

const (
	irOperations = 100_000
	irOperation  = "stablehlo.add"
	irFile       = "model.py"
	irLines      = 1000 // of the file: each operation comes from the line after the last one's
)

// irSuite measures work on 100,000 operations in Go beside the same work in a C
// program on the same library, and in Python through the bindings in jaxlib.
func irSuite(ctx context.Context, s settings, r *report) error {
	if _, err := native.Ensure(ctx, native.MLIR, native.EnsureOptions{}); err != nil {
		return err
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	python, err := startPython(ctx, s)
	if err != nil {
		return err
	}
	if python != nil {
		defer python.stop()
	}
	for _, work := range irWorks {
		times := make([][]float64, len(work.clients))
		var above, below [][]float64
		above = make([][]float64, len(work.clients))
		below = make([][]float64, len(work.clients))
		for i := range s.repeat + 1 {
			// In turn, so that what else the machine does falls on all of them.
			row := make([]float64, len(work.clients))
			for j, c := range work.clients {
				if row[j], err = measure(library, c.work); err != nil {
					return fmt.Errorf("%s/%s: %w", work.name, c.name, err)
				}
			}
			var there float64
			if python != nil {
				if there, err = python.measure(work.name); err != nil {
					return err
				}
			}
			if i == 0 { // the first turn warms up
				continue
			}
			for j := range row {
				times[j] = append(times[j], row[j])
				above[j] = append(above[j], row[j]/row[0])
				below[j] = append(below[j], there/row[j])
			}
			if python != nil {
				python.times[work.name] = append(python.times[work.name], there)
			}
		}
		name := "ir/" + work.name + "/"
		for j, c := range work.clients {
			r.figure(name+c.name, median(times[j])*1e9/irOperations, "ns/op", nil)
		}
		if python != nil {
			r.figure(name+"python", median(python.times[work.name])*1e9/irOperations, "ns/op", nil)
		}
		for j, c := range work.clients[1:] {
			r.figure(name+c.name+"-over-c", median(above[j+1]), "x", c.overC)
			if python != nil {
				r.figure(name+"python-over-"+c.name, median(below[j+1]), "x", c.underPython)
			}
		}
	}
	return nil
}

// irClient is one way to do a piece of work. The first of each work is the C client.
type irClient struct {
	name               string
	work               func(*irModule) error
	overC, underPython *limit
}

var irWorks = []struct {
	name    string
	clients []irClient
}{
	{"build", []irClient{
		{name: "c", work: buildInC},
		{"go", buildInGo, atMost(1.3), atLeast(3)},
		{"go-stablehlo", buildInStableHLO, atMost(1.3), atLeast(3)},
	}},
	{"walk", []irClient{{name: "c", work: walkInC}, {"go", walkInGo, nil, atLeast(3)}}},
	{"print", []irClient{{name: "c", work: printInC}, {"go", printInGo, atMost(1.3), nil}}},
	{"parse", []irClient{{name: "c", work: parseInC}, {"go", parseInGo, atMost(1.3), nil}}},
	{"verify", []irClient{{name: "c", work: verifyInC}, {"go", verifyInGo, atMost(1.3), nil}}},
}

// irModule is what the clients work on: a function in a new context.
type irModule struct {
	ctx     *mlir.Context
	client  *client.Client
	module  *mlir.Module
	block   mlir.Block
	seconds float64
}

// time is the work that counts.
func (m *irModule) time(work func() error) error {
	runtime.GC() // what was left before is not this work's
	start := time.Now()
	err := work()
	m.seconds = time.Since(start).Seconds()
	return err
}

// measure does one piece of work in a context of its own and returns the seconds
// that its timed part took.
func measure(l *mlir.Library, work func(*irModule) error) (float64, error) {
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	const source = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
	module, err := c.Parse("", []byte(source))
	if err != nil {
		return 0, err
	}
	if err := c.LoadDialect("stablehlo"); err != nil {
		return 0, err
	}
	m := &irModule{ctx: c, client: client.New(l.RawTable(), c.Raw()), module: module}
	for f := range module.Body().Operations() {
		m.block = f.Region(0).First()
	}
	if err := m.block.Terminator().Erase(); err != nil {
		return 0, err
	}
	if err := work(m); err != nil {
		return 0, err
	}
	return m.seconds, nil
}

// build appends the operations, untimed, and a terminator.
func (m *irModule) build() error {
	if err := m.client.Build(m.module.Raw(), irOperation, irFile, irLines, irOperations); err != nil {
		return err
	}
	result := m.block.Argument(0)
	_, err := m.block.Create(mlir.OperationState{Name: "func.return", Operands: []mlir.Value{result}})
	return err
}

func buildInC(m *irModule) error {
	return m.time(func() error {
		return m.client.Build(m.module.Raw(), irOperation, irFile, irLines, irOperations)
	})
}

func buildInGo(m *irModule) error {
	return m.time(func() error {
		x := m.block.Argument(0)
		for i := range irOperations {
			op, err := m.block.Create(mlir.OperationState{
				Name: irOperation, Location: m.ctx.FileLocation(irFile, i%irLines+1, 7),
				Operands: []mlir.Value{x, x}, InferResults: true,
			})
			if err != nil {
				return err
			}
			x = op.Result(0)
		}
		return nil
	})
}

func buildInStableHLO(m *irModule) error {
	return m.time(func() error {
		x := m.block.Argument(0)
		for i := range irOperations {
			add := stablehlo.Binary{Op: stablehlo.Add, LHS: x, RHS: x}
			op, err := add.Create(m.block, m.ctx.FileLocation(irFile, i%irLines+1, 7))
			if err != nil {
				return err
			}
			x = op.Result(0)
		}
		return nil
	})
}

// counted is an error where a walk missed something.
func counted(n int) error {
	if n != irOperations {
		return fmt.Errorf("%d operations were counted, not %d", n, irOperations)
	}
	return nil
}

func walkInC(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(func() error { return counted(m.client.Count(m.module.Raw(), irOperation)) })
}

func walkInGo(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(func() error {
		n := 0
		m.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
			if op.Name() == irOperation {
				n++
			}
			return mlir.WalkContinue
		})
		return counted(n)
	})
}

func printInC(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(func() error {
		m.client.Print(m.module.Raw())
		return nil
	})
}

func printInGo(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(func() error {
		_ = m.module.String()
		return nil
	})
}

func parseInC(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	source := client.NewSource(m.module.String())
	defer source.Free()
	var destroy func()
	err := m.time(func() error {
		d, ok := m.client.Parse(source)
		destroy = d
		if !ok {
			return fmt.Errorf("the C client could not parse what was printed")
		}
		return nil
	})
	destroy()
	return err
}

func parseInGo(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	source := []byte(m.module.String())
	return m.time(func() error {
		_, err := m.ctx.Parse("", source)
		return err
	})
}

func verifyInC(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(func() error {
		if !m.client.Verify(m.module.Raw()) {
			return fmt.Errorf("the C client's module is not valid")
		}
		return nil
	})
}

func verifyInGo(m *irModule) error {
	if err := m.build(); err != nil {
		return err
	}
	return m.time(m.module.Verify)
}
