package stages_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// savedVariable names the file of the plan that the second process of TestSavedElsewhere loads.
const savedVariable = "CALLIOPE_TEST_SAVED_PLAN"

// TestSavedElsewhere saves a plan, and runs it in a second process on a client and on the interpreter. There too, a
// function that is not registered is an error.
func TestSavedElsewhere(t *testing.T) {
	if path := os.Getenv(savedVariable); path != "" {
		runSaved(t, path)
		return
	}
	register(t, "double", double, callbacks.Options{})
	m := layers(t, "double", 3)
	plan, err := stages.Cut(m, stages.Options{Devices: stages.On(newClient(t).Engine()), Force: cutAll("double")})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	data, err := plan.Serialize()
	check.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plan")
	check.NoError(t, os.WriteFile(path, data, 0o600))
	e, err := plan.Compile(t.Context())
	check.NoError(t, err)
	check.Cleanup(t, e)
	want, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.NoError(t, err)
	_, missing := stages.Compile(t.Context(), layers(t, "nobody", 1),
		stages.Options{Devices: []stages.Device{stages.Interpreter()}})

	cmd := exec.Command(os.Args[0], "-test.run=^TestSavedElsewhere$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), savedVariable+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the second process: %v\n%.2000s", err, out)
	}
	for _, line := range []string{
		"missing: " + strings.ReplaceAll(missing.Error(), "nobody", "double"),
		fmt.Sprint("client: ", want), "compiles: 1", fmt.Sprint("interpreter: ", want),
	} {
		if !strings.Contains(string(out), line+"\n") {
			t.Errorf("the second process lacks %q:\n%.2000s", line, out)
		}
	}
}

// runSaved is the second process.
func runSaved(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	check.NoError(t, err)
	cache, err := bridge.OpenCache(t.TempDir(), bridge.CacheOptions{})
	check.NoError(t, err)
	client, err := check.Must(bridge.Open(bridge.OpenOptions{})).NewClient(bridge.ClientOptions{Cache: cache})
	check.NoError(t, err)
	check.Cleanup(t, client)
	for _, way := range []struct {
		name    string
		devices []stages.Device
	}{{"client", stages.On(client.Engine())}, {"interpreter", nil}} {
		plan, err := stages.Load(mlirtest.Context(t), data, stages.Options{Devices: way.devices})
		check.NoError(t, err)
		if way.devices != nil {
			_, err := plan.Compile(t.Context())
			if unknown := new(callbacks.UnknownError); !errors.As(err, &unknown) {
				t.Errorf("got %v, want an UnknownError", err)
			}
			fmt.Println("missing:", err)
			register(t, "double", double, callbacks.Options{})
		}
		e, err := plan.Compile(t.Context())
		check.NoError(t, errors.Join(err, plan.Close()))
		got, err := e.Call(context.Background(), floats(1, 2, 3, 4))
		check.NoError(t, errors.Join(err, e.Close()))
		fmt.Println(way.name+":", got)
	}
	fmt.Println("compiles:", cache.Stats().Misses)
}

// TestUnsavable checks that a callback of this process only is not saved.
func TestUnsavable(t *testing.T) {
	id, err := callbacks.Default.RegisterFunc(double, callbacks.Options{})
	check.NoError(t, err)
	t.Cleanup(func() { check.NoError(t, callbacks.Default.UnregisterID(id)) })
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	f.Return(builder.RuntimeCall(f.Param(0), f.Param(0), builder.Callback{ID: id}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	plan, err := stages.Cut(m, stages.Options{})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	_, err = plan.Serialize()
	check.Error(t, err, fmt.Sprintf(`the callback "id %d" at `, id), "save_test.go:",
		"bound by an id, which only this process has: bind it by a name")
}

// TestLoadInline checks that a plan with inline callbacks needs a device that can call back.
func TestLoadInline(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	plan, err := stages.Cut(layers(t, "double", 1), stages.Options{Devices: stages.On(newClient(t).Engine())})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	check.Diff(t, "decision", stages.Inline, plan.Callbacks()[0].Decision)
	data, err := plan.Serialize()
	check.NoError(t, err)
	_, err = stages.Load(mlirtest.Context(t), data, stages.Options{})
	check.Error(t, err, `the callback "double" is inline in stage 0`, "the JIT compiler, which cannot call back")
	again, err := stages.Load(mlirtest.Context(t), data, stages.Options{Devices: stages.On(newClient(t).Engine())})
	check.NoError(t, err)
	e, err := again.Compile(t.Context())
	check.NoError(t, errors.Join(err, again.Close()))
	got, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.NoError(t, errors.Join(err, e.Close()))
	check.Diff(t, "results", "[f32[4] [3 11 19 27]]", fmt.Sprint(got))
}
