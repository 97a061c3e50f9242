package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
)

//go:embed jax_gradients.py
var jaxGradients string

// autodiffSuite measures what making a gradient costs and, beside JAX, what gradients cost, in time and in temporary
// memory: both are compiled by the same plugin. The times are the least from turns that alternate.
func autodiffSuite(ctx context.Context, s settings, r *report) error {
	if err := transformLarge(ctx, s, r); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, s.python, "-c", "import jax").Run(); err != nil {
		note("%s has no JAX (pip install jax): the lines that compare with it are left out", s.python)
		return nil
	}
	return gradientsBesideJAX(ctx, s, r)
}

// layersOf10000 is the number of layers of three operations of the module that transformLarge transforms.
const layersOf10000 = 3333

// transformLarge measures parsing, which verifies, and differentiating a module of 10,000 operations.
func transformLarge(ctx context.Context, s settings, r *report) (err error) {
	var b strings.Builder
	b.WriteString("func.func @main(%w: tensor<8x8xf32>, %x0: tensor<8xf32>) -> tensor<f32> {\n%zero = stablehlo.constant dense<0.0> : tensor<f32>\n")
	for i := range layersOf10000 {
		fmt.Fprintf(&b, "%%a%d = stablehlo.dot_general %%w, %%x%d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>\n", i, i)
		fmt.Fprintf(&b, "%%b%d = stablehlo.tanh %%a%d : tensor<8xf32>\n%%x%d = stablehlo.add %%b%d, %%x%d : tensor<8xf32>\n", i, i, i+1, i, i)
	}
	fmt.Fprintf(&b, "%%r = stablehlo.reduce(%%x%d init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\nreturn %%r : tensor<f32>\n}\n", layersOf10000)
	library, err := openMLIR(ctx)
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	parse, times := math.Inf(1), map[string]float64{"jvp": math.Inf(1), "grad": math.Inf(1)}
	for range s.repeat {
		start := time.Now()
		m, err := c.Parse("", []byte(b.String()))
		if err != nil {
			return err
		}
		parse = min(parse, time.Since(start).Seconds())
		f, _ := m.SymbolTable().Lookup("main")
		for name, derive := range map[string]func(mlir.Operation, autodiff.Options) (mlir.Operation, error){
			"jvp": autodiff.JVP, "grad": autodiff.Grad,
		} {
			start := time.Now()
			if _, err := derive(f, autodiff.Options{}); err != nil {
				return errors.Join(err, m.Close())
			}
			times[name] = min(times[name], time.Since(start).Seconds())
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	r.figure("autodiff/10000-operations/parse", parse*1e3, "ms", nil)
	for _, name := range []string{"jvp", "grad"} {
		r.figure("autodiff/10000-operations/"+name+"-over-parse", times[name]/parse, "x", atMost(5))
	}
	return nil
}

// gradientsBesideJAX runs the gradients of this module and of JAX.
func gradientsBesideJAX(ctx context.Context, s settings, r *report) (err error) {
	folder, err := os.MkdirTemp("", "gradients")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	limited, cancel := context.WithTimeout(ctx, jaxLimit)
	defer cancel()
	names, err := runJAX(limited, s.python, jaxGradients, folder)
	if err != nil {
		return err
	}
	plugin, err := openPlugin(ctx)
	if err != nil {
		return err
	}
	if err := lapack.Register(plugin); err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	for name := range strings.FieldsSeq(names) {
		if err := gradientBesideJAX(ctx, s, r, client, filepath.Join(folder, name), name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func gradientBesideJAX(
	ctx context.Context, s settings, r *report, client *bridge.Client, path, name string,
) (err error) {
	ours, err := loadModel(ctx, client.Engine(), path+".mlir", path+".npz", gradientAsMain, engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.close()) }()
	theirs, err := loadModel(ctx, client.Engine(), path+".grad.mlir", path+".npz", nil, engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.close()) }()
	least, memory := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
	for i, l := range []*loaded{ours, theirs} {
		m, _, err := l.Executable.(*bridge.Executable).Memory()
		if err != nil {
			return err
		}
		memory[i] = float64(m.Temporaries)
	}
	for range s.repeat {
		for i, l := range []*loaded{ours, theirs} {
			us, err := l.measure(ctx)
			if err != nil {
				return err
			}
			least[i] = min(least[i], us)
		}
	}
	r.figure("autodiff/"+name+"/grad", least[0], "us", nil)
	r.figure("autodiff/"+name+"/jax", least[1], "us", nil)
	limit := atMost(1.1)
	if known, ok := decompositionLimits[name]; ok {
		limit = atMost(known)
	}
	r.figure("autodiff/"+name+"/over-jax", least[0]/least[1], "x", limit)
	r.figure("autodiff/"+name+"/temporaries", memory[0]/1024, "KiB", nil)
	if _, ok := decompositionLimits[name]; !ok {
		r.figure("autodiff/"+name+"/temporaries-over-jax", memory[0]/memory[1], "x", atMost(1.1))
	}
	return nil
}

// decompositionLimits are of gradients through decompositions. JAX has a rule for the whole of each; the module has
// only the calls of LAPACK that it makes, and what is made of their results.
var decompositionLimits = map[string]float64{"solve": 2.5, "slogdet": 4, "svd": 2.5}

// gradientAsMain makes the gradient of a module's function main its function main.
func gradientAsMain(m *mlir.Module) error {
	table := m.SymbolTable()
	f, ok := table.Lookup("main")
	if !ok {
		return errors.New("the module has no function main")
	}
	if _, err := autodiff.Grad(f, autodiff.Options{Name: "gradient"}); err != nil {
		return err
	}
	if err := f.Erase(); err != nil {
		return err
	}
	return table.Rename("gradient", "main")
}
