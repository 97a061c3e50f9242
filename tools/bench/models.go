package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

//go:embed jax_models.py
var jaxModels string

// modelTime is about the time of one measurement of a model.
const modelTime = 100 * time.Millisecond

// modelsSuite runs models that JAX lowers, beside JAX, and also with engine.CompileOptions.Exact. The figures are the
// least time of a run over JAX's, and that with Exact over that without, from turns that alternate.
func modelsSuite(ctx context.Context, s settings, r *report) (err error) {
	folder, err := os.MkdirTemp("", "models")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	python, err := startPython(ctx, s, jaxModels, folder)
	if err != nil || python == nil {
		return err
	}
	defer python.stop()
	names, err := python.answers.ReadString('\n')
	if err != nil {
		python.stop()
		return fmt.Errorf("lowering the models: %w\n%s", err, python.stderr.String())
	}
	client, err := openClient(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	overJAX, overGo, n := 1.0, 1.0, 0
	for name := range strings.FieldsSeq(names) {
		path := filepath.Join(folder, name)
		plain, err := loadModel(ctx, client, path+".mlir", path+".npz", nil, engine.CompileOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		exact, err := loadModel(ctx, client, path+".mlir", path+".npz", nil, engine.CompileOptions{Exact: true})
		if err != nil {
			return fmt.Errorf("%s: %w", name, errors.Join(err, plain.close()))
		}
		jax := func(context.Context) (float64, error) { return python.measure(name + " 1") }
		least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		for range s.repeat {
			for i, turn := range []func(context.Context) (float64, error){plain.measure, exact.measure, jax} {
				us, err := turn(ctx)
				if err != nil {
					return fmt.Errorf("%s: %w", name, errors.Join(err, plain.close(), exact.close()))
				}
				least[i] = min(least[i], us)
			}
		}
		if err := errors.Join(plain.close(), exact.close()); err != nil {
			return err
		}
		ours, exactly, theirs := least[0], least[1], least[2]
		r.figure("models/"+name+"/go", ours, "us", nil)
		r.figure("models/"+name+"/jax", theirs, "us", nil)
		r.figure("models/"+name+"/over-jax", ours/theirs, "x", atMost(1.2))
		r.figure("models/"+name+"/exact-over-go", exactly/ours, "x", nil)
		overJAX, overGo, n = overJAX*ours/theirs, overGo*exactly/ours, n+1
	}
	r.figure("models/over-jax", math.Pow(overJAX, 1/float64(n)), "x", atMost(0.9))
	r.figure("models/exact-over-go", math.Pow(overGo, 1/float64(n)), "x", nil)
	return nil
}

// A loaded is a compiled model with its inputs.
type loaded struct {
	*bridge.Executable
	inputs  []engine.Input
	buffers []*engine.Array
}

// loadModel compiles a model, after derive, which may be nil, and reads its inputs.
func loadModel(
	ctx context.Context, client *bridge.Client, path, data string, derive func(m *mlir.Module) error,
	o engine.CompileOptions,
) (l *loaded, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	library, err := load.Library(ctx, text, native.EnsureOptions{})
	if err != nil {
		return nil, err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if derive != nil {
		if err := derive(m); err != nil {
			return nil, err
		}
	}
	e, err := client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), o)
	if err != nil {
		return nil, err
	}
	l = &loaded{Executable: e}
	if err := l.read(ctx, client, data); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// read reads the inputs, and runs the model once, because the first run is slower.
func (l *loaded) read(ctx context.Context, client *bridge.Client, data string) error {
	arrays, err := npz.Open(data)
	if err != nil {
		return err
	}
	defer arrays.Close()
	for i := range l.Inputs() {
		v, err := arrays.Array(fmt.Sprint("in", i), nil)
		if err != nil {
			return err
		}
		b, err := client.ArrayFromHost(ctx, v.View, 0)
		if err != nil {
			return err
		}
		l.inputs, l.buffers = append(l.inputs, b), append(l.buffers, b)
	}
	_, err = l.measure(ctx)
	return err
}

// measure returns the microseconds of a run.
func (l *loaded) measure(ctx context.Context) (us float64, err error) {
	n, start := 0, time.Now()
	for n == 0 || time.Since(start) < modelTime {
		results, err := l.Run(ctx, l.inputs...)
		for _, b := range results {
			err = errors.Join(err, b.Close())
		}
		if err != nil {
			return 0, err
		}
		n++
	}
	return time.Since(start).Seconds() * 1e6 / float64(n), nil
}

func (l *loaded) close() error {
	var list []error
	for _, b := range l.buffers {
		list = append(list, b.Close())
	}
	return errors.Join(append(list, l.Close())...)
}
