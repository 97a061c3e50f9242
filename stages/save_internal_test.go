package stages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// everyStep returns a plan with steps of all kinds, constants that cross, empty arrays, tokens, and a stage on each of
// two devices.
func everyStep(t testing.TB) *Plan {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 4), tensor.ShapeOf(tensor.S32), tensor.ShapeOf(tensor.F32, 0))
	cb := builder.Callback{Name: "double", Effect: "e"}
	square := builder.PureCall(f.Param(0), f.Param(0), builder.Callback{Name: "square"})
	x := builder.RuntimeCall(square, builder.Add(square, float32(1)), cb)
	type state struct{ I, V builder.Value }
	s := builder.While(state{builder.Scalar(f, int32(0)), x},
		func(s state) builder.Value { return builder.Lt(s.I, int32(3)) },
		func(s state) state {
			y := builder.If(builder.Lt(s.I, f.Param(1)),
				func() builder.Value { return builder.RuntimeCall(s.V, builder.Add(s.V, square), cb) },
				func() builder.Value { return builder.Neg(s.V) })
			return state{builder.Add(s.I, int32(1)), y}
		}, builder.LoopOptions{})
	z := builder.Case(f.Param(1),
		func() builder.Value { return builder.Passthrough(s.V, builder.Callback{Name: "io"}) },
		func() builder.Value { return s.V },
		func() builder.Value { return builder.Abs(s.V) })
	builder.Tap(f.Constant(tensor.Vector[int32](1, 2, 3)), builder.Callback{Name: "see", Effect: "e"})
	builder.Tap(f.Param(2), builder.Callback{Name: "see", Effect: "e"})
	f.Return(z, f.Param(2))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	p, err := Cut(m, Options{
		Devices: []Device{Interpreter(), Interpreter()},
		Place: func(s *Stage) int {
			if slices.Contains(s.After, "double") {
				return 1
			}
			return 0
		},
		Lower: map[string]Lowering{"square": func(a []builder.Value) []builder.Value {
			return []builder.Value{builder.Mul(a[0], a[0])}
		}},
	})
	check.NoError(t, err)
	check.Cleanup(t, p)
	return p
}

// TestSaveAll checks that Load gives back all of a plan.
func TestSaveAll(t *testing.T) {
	p := everyStep(t)
	kinds := map[savedKind]bool{}
	s := savedPlan{}
	s.add(p.main)
	constants := 0
	for _, b := range s.Bodies {
		constants += len(b.Constants)
		for _, step := range b.Steps {
			kinds[step.Kind] = true
		}
	}
	check.Diff(t, "kinds of steps", int(savedLoop)+1, len(kinds))
	if constants < 2 || !slices.ContainsFunc(p.stages,
		func(s *Stage) bool { return s.Device == 1 && slices.Contains(s.donate, true) }) {
		t.Errorf("the plan has %d constants and the stages %v", constants, p.stages)
	}
	data, err := p.Serialize()
	check.NoError(t, err)
	c := mlirtest.Context(t)
	again, err := Load(c, data, Options{Devices: p.devices})
	check.NoError(t, err)
	check.Cleanup(t, again)
	check.Diff(t, "the plan", p, again, cmp.Exporter(func(reflect.Type) bool { return true }),
		cmpopts.EquateEmpty(), cmp.Transformer("module", func(m *mlir.Module) string { return m.String() }))
	data2, err := again.Serialize()
	check.NoError(t, err)
	if !bytes.Equal(data, data2) {
		t.Error("a loaded plan is saved as other bytes")
	}
	check.Diff(t, "the picture", p.DOT(), again.DOT())
}

// TestLoadDamaged changes each byte of a saved plan, and cuts it off after each.
func TestLoadDamaged(t *testing.T) {
	data, err := everyStep(t).Serialize()
	check.NoError(t, err)
	c := mlirtest.Context(t)
	refused := func(data []byte, what string, i int) {
		_, err := Load(c, data, Options{})
		if saved := new(SavedError); !errors.As(err, &saved) ||
			!strings.Contains(err.Error(), "or cut the module again") {
			t.Fatalf("%s %d: %v", what, i, err)
		}
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		refused(damaged, "changed byte", i)
	}
	for n := range len(data) {
		refused(data[:n], "the first bytes", n)
	}
	refused(append(bytes.Clone(data), 0), "one more than", len(data))
	damaged := bytes.Clone(data)
	binary.LittleEndian.PutUint32(damaged[8:], savedVersion+1)
	_, err = Load(c, damaged, Options{})
	check.Error(t, err, "the saved plan has format 2, and this release reads format 1")
}

// TestLoadHostile changes what a saved plan says, with the right checksum.
func TestLoadHostile(t *testing.T) {
	p := everyStep(t)
	data, err := p.Serialize()
	check.NoError(t, err)
	c := mlirtest.Context(t)
	find := func(s *savedPlan, kind savedKind) (*savedBody, *savedStep) {
		for i := range s.Bodies {
			for k := range s.Bodies[i].Steps {
				if step := &s.Bodies[i].Steps[k]; step.Kind == kind {
					return &s.Bodies[i], step
				}
			}
		}
		t.Fatalf("no step of kind %d", kind)
		return nil, nil
	}
	for _, test := range []struct {
		want   string
		change func(s *savedPlan)
	}{
		{"there are 0 replicas", func(s *savedPlan) { s.Replicas = 0 }},
		{"there is no decision default", func(s *savedPlan) { s.Callbacks[1].Decision = Default }},
		{"callback 1: contract: ", func(s *savedPlan) { s.Callbacks[1].Config.Callback = "" }},
		{"is negative", func(s *savedPlan) { s.Callbacks[1].Args[0].Dims[0] = -4 }},
		{"stage 0: tensor: ", func(s *savedPlan) { s.Stages[0].Inputs[0].Dims[0] = -1 }},
		{"stage 0: there is no device -1", func(s *savedPlan) { s.Stages[0].Device = -1 }},
		{"stage 0: there is no input 9", func(s *savedPlan) { s.Stages[0].Donate = []int{9} }},
		{"body 0 cannot be at depth 0", func(s *savedPlan) { s.Bodies = nil }},
		{"cannot be at depth 1", func(s *savedPlan) { _, l := find(s, savedLoop); l.Bodies[0] = 0 }},
		{"cannot be at depth 1", func(s *savedPlan) { _, l := find(s, savedLoop); l.Bodies[0] = -1 }},
		{"is larger than any array can be",
			func(s *savedPlan) { s.Bodies[0].Shapes[0].Dims = []int{1 << 40, 1 << 40} }},
		{"but 99 captures", func(s *savedPlan) { s.Bodies[1].Captures = 99 }},
		{"captures and -1 arguments", func(s *savedPlan) { s.Bodies[1].Args = -1 }},
		{"constant 0 is no value", func(s *savedPlan) { s.Bodies[0].Constants[0].Data = nil }},
		{"constant 0 is no value", func(s *savedPlan) { s.Bodies[0].Constants[0].Value = 1 << 20 }},
		{"is computed twice",
			func(s *savedPlan) { s.Bodies[0].Constants = append(s.Bodies[0].Constants, s.Bodies[0].Constants[0]) }},
		{"it returns a value that it does not have", func(s *savedPlan) { s.Bodies[0].Results[0] = -1 }},
		{"main: there are 1 shapes of each result, not 2",
			func(s *savedPlan) { s.Bodies[0].Results = s.Bodies[0].Results[:1] }},
		{"main: argument 0 is f32[4], not f32[5]", func(s *savedPlan) { s.Inputs[0].Dims = []int{5} }},
		{"main: there are 3 shapes of each argument, not 4", func(s *savedPlan) { s.Numbered = true }},
		{"it has a value that the body does not have", func(s *savedPlan) { s.Bodies[0].Steps[0].In[0] = 999 }},
		{"it has a value that the body does not have",
			func(s *savedPlan) { _, l := find(s, savedLoop); l.Captures[1] = []int{-1} }},
		{"there is no stage 99", func(s *savedPlan) { _, x := find(s, savedStageStep); x.Number = 99 }},
		{"there is no callback -1", func(s *savedPlan) { _, x := find(s, savedCall); x.Number = -1 }},
		{`the callback "square" is not cut`, func(s *savedPlan) { _, x := find(s, savedCall); x.Number = 0 }},
		{"tokens, but has only", func(s *savedPlan) { s.Callbacks[1].Config.NumTokens = 7 }},
		{"step 0: there are", func(s *savedPlan) { _, x := find(s, savedStageStep); x.In = append(x.In, x.In[0]) }},
		{"steps wait for each other", func(s *savedPlan) {
			b, x := find(s, savedCall)
			for v, shape := range b.Shapes {
				if shape.Equal(b.Shapes[x.In[0]]) && slices.Contains(x.Out, v) {
					x.In[0] = v
				}
			}
		}},
		{"it has 2 bodies, and captures of 1",
			func(s *savedPlan) { _, l := find(s, savedLoop); l.Captures = l.Captures[:1] }},
		{"a loop has a condition and a body", func(s *savedPlan) {
			_, l := find(s, savedLoop)
			l.Bodies, l.Captures = l.Bodies[:1], l.Captures[:1]
		}},
		{"result 0 is ", func(s *savedPlan) { _, l := find(s, savedLoop); slices.Reverse(l.In) }},
		{"there is no step of kind 9", func(s *savedPlan) { _, x := find(s, savedCase); x.Kind = 9 }},
		{"the selector of a case is one s32[]", func(s *savedPlan) { _, x := find(s, savedCase); x.In[0] = 0 }},
		{"a if has not 3 branches", func(s *savedPlan) {
			_, x := find(s, savedIf)
			x.Bodies, x.Captures = append(x.Bodies, len(s.Bodies)), append(x.Captures, nil)
			s.Bodies = append(s.Bodies, savedBody{})
		}},
		{"branch 0: there are ",
			func(s *savedPlan) { _, x := find(s, savedIf); x.Captures[0] = append(x.Captures[0], 0) }},
		{"stages: Load: stage 0: the parameters of main: ",
			func(s *savedPlan) { s.Stages[0].Module = s.Stages[1].Module }},
		{"stages: Load: stage 0: ", func(s *savedPlan) { s.Stages[0].Module = []byte("no module") }},
		{"the module has no function main",
			func(s *savedPlan) { s.Stages[0].Module = []byte("func.func @other() { return }") }},
		{"the plan has it on device 2, and Options.Devices has 2", func(s *savedPlan) { s.Stages[0].Device = 2 }},
	} {
		s, err := unseal(data)
		check.NoError(t, err)
		test.change(s)
		changed, err := s.seal()
		check.NoError(t, err)
		_, err = Load(c, changed, Options{Devices: p.devices})
		check.Error(t, err, test.want)
	}
	_, err = Load(c, data, Options{})
	check.Error(t, err, "the plan has it on device 1, and Options.Devices has 1: give more devices")
	_, err = Load(c, data, Options{Strategy: Cheapest})
	check.Error(t, err, "the plan has its decisions, replicas and JAX")
	moved, err := Load(c, data, Options{Place: func(*Stage) int { return 0 }})
	check.NoError(t, err)
	check.NoError(t, moved.Close())
}

// TestLyingSizes reads plans whose gob states more than it has. Nothing is allocated for it.
func TestLyingSizes(t *testing.T) {
	good, err := (&savedPlan{Effects: []string{strings.Repeat("e", 100)}}).seal()
	check.NoError(t, err)
	good = good[savedPrefix:]
	huge := []byte{0xf8, 0, 0, 1, 0, 0, 0, 0, 0} // 1 << 40, as gob has it
	text := bytes.Index(good, []byte{100, 'e'})
	value := bytes.LastIndexByte(good[:text], 1) // how many effects there are
	check.Diff(t, "the place of the length", true, text > 0 && value > 0)
	c := mlirtest.Context(t)
	for name, data := range map[string][]byte{
		"a message": append(bytes.Clone(huge), good...),
		"a text":    slices.Concat(good[:text], huge, good[text+1:]),
		"a list":    slices.Concat(good[:value], huge, good[value+1:]),
	} {
		sum := sha256.Sum256(data)
		sealed := binary.LittleEndian.AppendUint32([]byte(savedMagic), savedVersion)
		sealed = append(append(sealed, sum[:]...), data...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Load(c, sealed, Options{})
		runtime.ReadMemStats(&after)
		check.Error(t, err, "the saved plan cannot be read: ")
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%s: %d bytes of memory for %v", name, n, err)
		}
	}
}

// FuzzLoad reads bytes that are not a saved plan, and a plan of such bytes with the right checksum. The modules in it
// are not read: damaged bytecode crashes the library.
func FuzzLoad(f *testing.F) {
	saved, err := everyStep(f).Serialize()
	check.NoError(f, err)
	f.Add(saved[savedPrefix:])
	f.Add(saved)
	f.Add([]byte{0xf8, 0, 0, 1, 0, 0, 0, 0, 0, 1})
	c := mlirtest.Context(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.Equal(data, saved) {
			_, err := Load(c, data, Options{})
			check.Diff(t, "a *SavedError", true, errors.As(err, new(*SavedError)))
		}
		sum := sha256.Sum256(data)
		sealed := binary.LittleEndian.AppendUint32([]byte(savedMagic), savedVersion)
		s, err := unseal(append(append(sealed, sum[:]...), data...))
		if err != nil {
			return
		}
		p, err := s.plan([]Device{Interpreter()})
		if err != nil {
			return
		}
		for _, stage := range p.stages {
			stage.Device = 0 // Load compares it with the devices
		}
		check.Diff(t, "bodies", len(s.Bodies) > 0, new(savedPlan).add(p.main) == 0)
		if text := p.Explain() + p.DOT(); !strings.Contains(text, "main returns") {
			t.Error(text)
		}
	})
}
