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

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

//go:embed jax_models.py
var jaxModels string

// modelTime is about the time of one measurement of a model.
const modelTime = 100 * time.Millisecond

// The budgets of package jit over XLA: of each model, and the geometric mean.
const (
	jitModel  = 1
	jitModels = 0.7
)

// modelsSuite runs models that JAX lowers, beside JAX: on XLA, also with engine.CompileOptions.Exact, and compiled by
// package jit. The figures are the least times of a run and a compile, and ratios of them, from turns that alternate.
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
	all := ratios{}
	for name := range strings.FieldsSeq(names) {
		jax := func(context.Context) (float64, error) { return python.measure(name + " 1") }
		least, err := measureModel(ctx, client.Engine(), filepath.Join(folder, name), jax, s.repeat)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, who := range []string{"go", "jax", "jit"} {
			r.figure("models/"+name+"/"+who, least[who], "us", nil)
		}
		all.figure(r, name, "over-jax", least["go"]/least["jax"], atMost(1.2))
		all.figure(r, name, "exact-over-go", least["exact"]/least["go"], nil)
		all.figure(r, name, "jit-over-go", least["jit"]/least["go"], atMost(jitModel))
		all.figure(r, name, "jit-compile", least["jit-compile"]/least["go-compile"], atMost(jitCompile))
	}
	r.figure("models/over-jax", all.mean("over-jax"), "x", atMost(0.9))
	r.figure("models/exact-over-go", all.mean("exact-over-go"), "x", nil)
	r.figure("models/jit-over-go", all.mean("jit-over-go"), "x", atMost(jitModels))
	r.figure("models/jit-compile", all.mean("jit-compile"), "x", atMost(jitCompile))
	return nil
}

// ratios has those of all models, by what they compare.
type ratios map[string][]float64

func (all ratios) figure(r *report, model, name string, ratio float64, most *limit) {
	r.figure("models/"+model+"/"+name, ratio, "x", most)
	all[name] = append(all[name], ratio)
}

// mean returns the geometric mean.
func (all ratios) mean(name string) float64 {
	logs := 0.0
	for _, x := range all[name] {
		logs += math.Log(x)
	}
	return math.Exp(logs / float64(len(all[name])))
}

// measureModel returns the least times of a model, by what is measured.
func measureModel(
	ctx context.Context, xla engine.Engine, path string, jax func(context.Context) (float64, error), repeat int,
) (_ map[string]float64, err error) {
	turns := map[string]func(context.Context) (float64, error){"jax": jax}
	for name, on := range map[string]struct {
		engine.Engine
		engine.CompileOptions
	}{"go": {Engine: xla}, "exact": {xla, engine.CompileOptions{Exact: true}}, "jit": {Engine: jit.Engine()}} {
		l, err := loadModel(ctx, on.Engine, path+".mlir", path+".npz", nil, on.CompileOptions)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, l.close()) }()
		turns[name], turns[name+"-compile"] = l.measure, l.measureCompile
	}
	least := map[string]float64{}
	for range repeat {
		for name, turn := range turns { // in another order each time
			us, err := turn(ctx)
			if err != nil {
				return nil, err
			}
			if before, ok := least[name]; !ok || us < before {
				least[name] = us
			}
		}
	}
	return least, nil
}

// A loaded is a compiled model with its inputs.
type loaded struct {
	engine.Executable
	compile func(context.Context) (engine.Executable, error) // once more
	context *mlir.Context                                    // of the module
	inputs  []engine.Input
	buffers []*engine.Array
}

// loadModel compiles a model, after derive, which may be nil, and reads its inputs.
func loadModel(
	ctx context.Context, on engine.Engine, path, data string, derive func(m *mlir.Module) error,
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
	l = &loaded{context: library.NewContext(mlir.ContextOptions{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	m, err := l.context.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if derive != nil {
		if err := derive(m); err != nil {
			return nil, err
		}
	}
	l.compile = func(ctx context.Context) (engine.Executable, error) {
		return on.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), o)
	}
	if l.Executable, err = l.compile(ctx); err != nil {
		return nil, err
	}
	return l, l.read(ctx, on, data)
}

// read reads the inputs, and runs the model once, because the first run is slower.
func (l *loaded) read(ctx context.Context, on engine.Engine, data string) error {
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
		b, err := on.ArrayFromHost(ctx, v.View, 0)
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

// measureCompile returns the microseconds of a compile.
func (l *loaded) measureCompile(ctx context.Context) (us float64, err error) {
	start := time.Now()
	e, err := l.compile(ctx)
	if err != nil {
		return 0, err
	}
	us = time.Since(start).Seconds() * 1e6
	return us, e.Close()
}

func (l *loaded) close() error {
	var list []error
	for _, b := range l.buffers {
		list = append(list, b.Close())
	}
	if l.Executable != nil {
		list = append(list, l.Executable.Close())
	}
	return errors.Join(append(list, l.context.Close())...)
}
