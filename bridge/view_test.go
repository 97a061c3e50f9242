package bridge

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestView(t *testing.T) {
	for what, c := range map[string]*Client{"plain": testClient(t), "debug": debugClient(t)} {
		for _, dtype := range allTypes() {
			for _, dims := range [][]int{nil, {5}, {2, 0}} {
				want := sample(tensor.ShapeOf(dtype, dims...))
				b, err := c.ArrayFromHost(t.Context(), want, 1)
				check.NoError(t, err)
				v, err := b.View(t.Context())
				check.NoError(t, err)
				check.Diff(t, what+" views", int64(1), c.Stats().Views)
				check.Report(t, b.Close())
				check.Diff(t, what, want, v.Tensor()) // after the buffer's Close
				for range 2 {
					check.Report(t, v.Close())
				}
				check.Diff(t, what+" held", ClientStats{}, c.Stats())
			}
		}
	}
}

// A view is not a copy, and its memory cannot be donated.
func TestViewIsNoCopy(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<1024xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}", typ,
		"%s = stablehlo.add %x, %x : "+typ+"\nreturn %s : "+typ), engine.CompileOptions{})
	b, err := c.ArrayFromHost(t.Context(), view(t, make([]float32, 1024), 1024), 0)
	check.NoError(t, err)
	v, err := b.View(t.Context())
	check.NoError(t, err)
	at, err := memoryOf(b).pjrt.Pointer()
	check.NoError(t, err)
	check.Diff(t, "the device's memory", true, unsafe.Pointer(&v.Tensor().Data[0]) == at)
	if _, err := e.Run(t.Context(), engine.Donate(b)); err == nil ||
		!strings.Contains(err.Error(), "in use by a run or a view") {
		t.Errorf("got %v, want a refusal", err)
	}
	check.Report(t, v.Close())
	func() {
		defer func() {
			if p := recover(); p != "engine: View.Tensor: the view is closed" {
				t.Errorf("a closed view panics with %v", p)
			}
		}()
		v.Tensor()
	}()
	out, err := e.Run(t.Context(), engine.Donate(b))
	check.NoError(t, err)
	out[0].Close()
	if _, err := b.View(t.Context()); err == nil || !strings.Contains(err.Error(), "closed or was donated") {
		t.Errorf("a view of a donated buffer: %v", err)
	}
}

// A view is valid after the Close of its client.
func TestViewAfterClient(t *testing.T) {
	c, err := testPlugin(t).NewClient(ClientOptions{})
	check.NoError(t, err)
	b, err := c.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3), 0)
	check.NoError(t, err)
	v, err := b.View(t.Context())
	check.NoError(t, err)
	b.Close()
	check.Report(t, c.Close())
	check.Diff(t, "the array", tensor.Vector[float32](1, 2, 3), v.Tensor())
	check.Report(t, v.Close())
	check.Diff(t, "the client is freed with its last view", true, c.xla.Closed())
}

// In debug mode, writing to a view or using it after its Close stops the program.
func TestDebugViews(t *testing.T) {
	if how := os.Getenv("CALLIOPE_TEST_VIEW"); how != "" {
		misuseView(t, how)
		return
	}
	for _, how := range []string{"write", "late"} {
		child := exec.Command(os.Args[0], "-test.run=^TestDebugViews$")
		child.Env = append(os.Environ(), "CALLIOPE_TEST_VIEW="+how, "CALLIOPE_DEBUG=1")
		out, err := child.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "unexpected fault address") ||
			!strings.Contains(string(out), "bridge.misuseView") {
			t.Errorf("%s: got %v, want a fault with the stack:\n%s", how, err, out)
		}
	}
}

func misuseView(t *testing.T, how string) {
	b, err := testClient(t).ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3), 0)
	check.NoError(t, err)
	v, err := b.View(t.Context())
	check.NoError(t, err)
	data := v.Tensor().Data
	if how == "write" {
		data[0] = 1
	}
	check.NoError(t, v.Close())
	t.Log(data[0])
}
