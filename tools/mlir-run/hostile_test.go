package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// identity is a module that returns its parameter.
func identity(typ string) string {
	return fmt.Sprintf("func.func @main(%%a: %s) -> %[1]s { return %%a : %[1]s }", typ)
}

// Deliberately wrong command lines get an error message.
func TestHostileModules(t *testing.T) {
	for name, test := range map[string]struct {
		module string
		args   string
		want   string
	}{
		"module in a module": {"module { module {} }", "", "<stdin>: it has no function @main"},
		"a module @main":     {"module { module @main {} }", "", "<stdin>: it has no function @main"},
		"@main too deep": {"module { module { func.func @main() { return } } }", "",
			"<stdin>: it has no function @main"},
		"no body": {"func.func private @main()", "", "<stdin>:1:1: the function @main has no body"},
		"no body elsewhere": {"module {\n  func.func private @f()\n  func.func @main() { return }\n}", "",
			"<stdin>:2:3: the function @f has no body"},
		"recursion": {"func.func @main() -> tensor<f32> { %r = func.call @main() : () -> tensor<f32> return %r : tensor<f32> }", "",
			"<stdin>:1:1: the function @main calls itself (@main → @main), which no compiled program can do"},
		"recursion of two": {`module {
  func.func @main() { func.call @a() : () -> () func.call @b() : () -> () return }
  func.func private @a() { func.call @c() : () -> () return }
  func.func private @b() { func.call @a() : () -> () return }
  func.func private @c() { func.call @b() : () -> () return }
}`, "", "<stdin>:3:3: the function @a calls itself (@a → @c → @b → @a)"},
		"too long": {identity("tensor<f32>") + strings.Repeat("\n", 2048), "--max-module 2KiB",
			"<stdin>: it is larger than 2KiB: raise --max-module to read it"},
		"huge parameter": {identity("tensor<4611686018427387904x4xf32>"), "", "must be arrays of known size"},
		"unranked":       {identity("tensor<*xf32>"), "", "must be arrays of known size"},
		"no array":       {identity("tuple<tensor<f32>>"), "", "must be arrays of known size"},
		"token taken":    {"func.func @main(%t: !stablehlo.token) { return }", "", "takes 1 tokens before its parameters, and returns 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command{stdin: test.module}.run(t, append(strings.Fields(test.args), "-")...)
			got.want(t, exitFailed, "", test.want)
			if strings.Contains(got.stderr, "crashed") {
				t.Errorf("it crashed: %s", got.stderr)
			}
		})
	}
	t.Run("a diamond is no circle", func(t *testing.T) {
		command{stdin: `module {
  func.func @main() -> tensor<f32> { %r = func.call @a() : () -> tensor<f32> %s = func.call @b() : () -> tensor<f32> return %s : tensor<f32> }
  func.func private @a() -> tensor<f32> { %r = func.call @b() : () -> tensor<f32> return %r : tensor<f32> }
  func.func private @b() -> tensor<f32> { %r = stablehlo.constant dense<1.0> : tensor<f32> return %r : tensor<f32> }
}`}.run(t, "-").want(t, exitDone, "out0 f32[] 1", "")
	})
}

// spoiled returns an archive with the entry in0.npy, which is compressed.
func spoiled(t *testing.T, head string, data io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("in0.npy")
	if err == nil {
		_, err = io.WriteString(w, head)
	}
	if err == nil {
		_, err = io.Copy(w, data)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestHostileArrays(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "two.mlir", identity("tensor<2xf32>"))
	write(t, folder, "mega.mlir", "func.func @main(%a: tensor<262144xf32>, %b: tensor<262144xf32>) { return }")
	header := func(shape string) string {
		var b bytes.Buffer
		check.NoError(t, npz.Encode(&b, tensor.Vector[float32](1, 2)))
		head := strings.TrimSuffix(b.String()[:b.Len()-8], "\n")
		length := len(head)
		head = strings.Replace(head, "(2,)", "("+shape+",)", 1)
		return head[:length-1] + "\n"
	}
	// All of it would be 8 GB.
	write(t, folder, "bomb.npz", spoiled(t, header("2147483648"), io.LimitReader(zeros{}, 1<<20)))
	write(t, folder, "long.npz", spoiled(t, header("2"), io.LimitReader(zeros{}, 1<<24)))
	write(t, folder, "ranks.npz", spoiled(t, header("2"+strings.Repeat(",1", 20)), io.LimitReader(zeros{}, 8)))
	mega := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 1<<18), Data: make([]byte, 1<<20)}
	if err := npz.WriteFile(filepath.Join(folder, "mega.npz"),
		[]npz.Named{{Name: "in0", View: mega}, {Name: "in1", View: mega}}); err != nil {
		t.Fatal(err)
	}
	if err := npz.WriteFile(filepath.Join(folder, "twice.npz"), []npz.Named{
		{Name: "in0", View: tensor.Vector[float32](1, 2)}, {Name: "in0", View: tensor.Vector[float32](3, 4)}}); err !=
		nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"two.mlir --in bomb.npz":                       "in0 is f32[2147483648]: f32[2] is expected",
		"two.mlir --in long.npz":                       "in0: long.npz: in0: it is damaged: f32[2] needs 8 bytes and there are more",
		"two.mlir --in ranks.npz":                      "in0 is f32[2,1,1,1,1,",
		"two.mlir --in twice.npz":                      `twice.npz: it contains "in0" twice`,
		"two.mlir --in .":                              "--in: . is a directory: use a .npy or .npz file",
		"two.mlir --expect . --in twice.npz":           `twice.npz: it contains "in0" twice`,
		"mega.mlir --in mega.npz --max-arrays 1536KiB": "in1: mega.npz: in1: f32[262144] needs 1MiB, and the arrays before it 1MiB: it is larger than 1536KiB: raise --max-arrays to read it",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			command{folder: folder}.run(t, strings.Fields(args)...).want(t, exitFailed, "", want)
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		command{folder: folder}.run(t, "mega.mlir", "--in", "mega.npz", "--max-arrays", "2MiB").want(t, exitDone, "",
			"")
	})
}
