// Legacy builds programs with custom calls of the conventions that XLA had before its typed FFI, and runs them
// with functions in C that were written for these conventions. The programs are those of XLA's document on custom
// calls, each with a function for hosts and with one for GPUs, which works on memory of the host here.
//
// It compiles the functions with $CC or cc, so it needs a C compiler. If the two native parts that it needs are
// missing, it fetches them.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/c/include"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run runs the programs and prints their results.
func run(ctx context.Context, out io.Writer) error {
	if err := native.EnsureAll(ctx, native.EnsureOptions{}); err != nil {
		return err
	}
	path, err := compile(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(path))
	library, err := legacy.Open(path)
	if err != nil {
		return err
	}
	m, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	for _, platform := range []string{"Host", "CUDA"} {
		registry, err := callbacks.NewRegistry("functions for "+platform, callbacks.RegistryOptions{})
		if err != nil {
			return err
		}
		for _, f := range library.Functions() {
			if f.Platform() != platform {
				continue
			}
			if err := f.Register(registry, "", callbacks.Options{}); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "Functions for the platform %s:\n", platform)
		for _, p := range programs(platform) {
			results, err := p.run(ctx, m, client, registry)
			if failure, ok := errors.AsType[*legacy.StatusError](err); ok {
				fmt.Fprintf(out, "  %s: failed: %s\n", p.title, failure.Message)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", p.title, err)
			}
			fmt.Fprintf(out, "  %s: %s\n", p.title, short(results[0]))
		}
		if err := registry.Close(); err != nil {
			return err
		}
	}
	return nil
}

//go:embed functions/custom_calls.c
var functions []byte

// compile compiles the functions and returns the path of the library.
func compile(ctx context.Context) (string, error) {
	folder, err := os.MkdirTemp("", "legacy")
	if err != nil {
		return "", err
	}
	path, source := filepath.Join(folder, "custom_calls.so"), filepath.Join(folder, "custom_calls.c")
	if err := errors.Join(os.CopyFS(folder, include.Headers), os.WriteFile(source, functions, 0o600)); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	command := append(strings.Fields(cmp.Or(os.Getenv("CC"), "cc")), "-std=c11", "-O2", "-fPIC", "-shared",
		"-I", folder, "-o", path, source)
	if text, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w (CC names another compiler)\n%s", strings.Join(command, " "), err,
			text), os.RemoveAll(folder))
	}
	return path, nil
}

// run builds a program, rewrites its custom call, and runs it.
func (p program) run(
	ctx context.Context, library *mlir.Library, client *bridge.Client, r *callbacks.Registry,
) (results []tensor.View, err error) {
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	b := builder.New(ir, builder.Options{})
	p.build(b, ir)
	module, err := b.Module()
	if err != nil {
		return nil, err
	}
	rewritten, err := passes.ReplaceLegacy(module, passes.LegacyOptions{Registry: r.Name()})
	if err != nil {
		return nil, err
	}
	if len(rewritten.Skipped) > 0 {
		return nil, fmt.Errorf("a custom call stays: %s", rewritten.Skipped[0])
	}
	executable, err := client.Compile(ctx, passes.Program(module, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, executable.Close()) }()
	var inputs []engine.Input
	for _, v := range p.inputs {
		inputs = append(inputs, v)
	}
	buffers, err := executable.Run(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	for _, buffer := range buffers {
		v, hostErr := buffer.ToHost(ctx)
		results = append(results, v)
		err = errors.Join(err, hostErr, buffer.Close())
	}
	return results, err
}

// short returns an array with its first and last elements.
func short(v tensor.View) string {
	n := v.Shape.NumElements()
	if n <= 8 {
		return v.String()
	}
	return fmt.Sprintf("%s %v %v %v … %v", v.Shape, v.At(0), v.At(1), v.At(2), v.At(n-1))
}
