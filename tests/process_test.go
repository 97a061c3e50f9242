package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// The test binary plays these parts when it is started with roleVariable set, so
// that a module really goes from one process to another.
const (
	roleVariable = "CALLIOPE_TEST_ROLE"
	fileVariable = "CALLIOPE_TEST_FILE"
)

var roles = map[string]func() error{
	"compile alias programs": compileAliasPrograms,

	"save bytecode": func() error { return save((*mlir.Module).Bytecode) },
	"save artifact": func() error {
		// The oldest plugin in use has this version.
		return save(func(m *mlir.Module) ([]byte, error) { return stablehlo.PortableArtifact(m, "1.13.3") })
	},
	"run":          func() error { return loadScaled("scale", "f32[3]->f32[3]") },
	"run unbound":  func() error { return loadScaled("scales", "f32[3]->f32[3]") },
	"run mistyped": func() error { return loadScaled("scale", "f32[4]->f32[4]") },
	"run the failer": func() error {
		return loadFunc("scale", "", func(*callbacks.Frame) error { panic("on purpose") })
	},
}

func save(form func(*mlir.Module) ([]byte, error)) error {
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3))
	y := builder.RuntimeCall(f.Param(0), builder.Neg(f.Param(0)), builder.Callback{Name: "scale"})
	f.Return(builder.Add(y, f.Param(0)))
	m, err := b.Module()
	if err != nil {
		return err
	}
	data, err := form(m)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv(fileVariable), data, 0o644)
}

func loadScaled(name, signature string) error {
	return loadFunc(name, signature, timesTen)
}

func loadFunc(name, signature string, fn callbacks.Func) error {
	ctx := context.Background()
	if err := callbacks.Default.Register(name, fn, callbacks.Options{Signature: signature}); err != nil {
		return err
	}
	data, err := os.ReadFile(os.Getenv(fileVariable))
	if err != nil {
		return err
	}
	client, err := openClient(0)
	if err != nil {
		return err
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(data), engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		return err
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		return err
	}
	fmt.Println(result)
	return nil
}

// play starts the test binary in a role.
func play(t *testing.T, role, file string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), roleVariable+"="+role, fileVariable+"="+file)
	out, err := command.CombinedOutput()
	return string(out), err
}

// TestBetweenProcesses saves a module with a callback bound by name in one process
// and runs it in others: one that has the function, and some that don't.
func TestBetweenProcesses(t *testing.T) {
	for _, form := range []string{"save bytecode", "save artifact"} {
		t.Run(form, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "module")
			if out, err := play(t, form, file); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := play(t, "run", file)
			if want := "f32[3] [-9 -18 -27]\n"; err != nil || out != want {
				t.Errorf("the other process printed %q, %v; want %q", out, err, want)
			}
			for role, want := range map[string]string{
				"run unbound":    `callback "scale" is not registered in the default registry (is it "scales"?)`,
				"run mistyped":   `callback "scale" is registered with the signature f32[4]->f32[4], but the module was built for another signature (` + contract.SignatureHash("f32[3]->f32[3]") + ")",
				"run the failer": `: on purpose`,
			} {
				out, err := play(t, role, file)
				if err == nil || !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
					t.Errorf("%s: %v, printed\n%s\nwant one line with %q", role, err, out, want)
				}
			}
		})
	}
}
