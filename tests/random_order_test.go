package tests

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	orderSeed  = flag.Uint64("orderseed", 0, "the first seed of TestRandomOrder")
	orderSeeds = flag.Uint64("orderseeds", 8, "the number of seeds of TestRandomOrder")
)

// The further steps of programs that run several times, on several devices.
type (
	looseStep struct { // a call without an order, with results or with a value passed through
		tag     int32
		through bool
	}
	workStep struct{} // so much that XLA executes the program on its own threads
)

func (s looseStep) build(p *program, _, x builder.Value) builder.Value {
	cb, args := builder.Callback{ID: p.callback}, []builder.Value{p.number(s.tag), x}
	if s.through {
		builder.Passthrough(args, cb)
	} else {
		builder.RuntimeCall(x, args, cb)
	}
	return x
}

func (s looseStep) run(m *evaluator, _, x int32) int32 {
	m.loose = append(m.loose, fmt.Sprintf("%d: %d", s.tag, x))
	return x
}

func (workStep) build(p *program, _, x builder.Value) builder.Value {
	v := builder.Add(builder.BroadcastTo(builder.Convert(x, tensor.F32), 1<<12),
		builder.Iota(p.f, tensor.ShapeOf(tensor.F32, 1<<12), 0))
	for range 3 {
		v = builder.Sin(builder.Add(v, v))
	}
	return builder.Add(x, builder.Convert(builder.Mul(0.25, builder.ReduceMax(v)), tensor.S32))
}

func (workStep) run(_ *evaluator, _, x int32) int32 { return x }

// loosened returns the steps with calls without an order between them, at each depth, and with
// some effects renamed.
func loosened(r *rand.Rand, s steps) (out steps) {
	name := func(effect string) string {
		if effect != builder.AllEffects && r.IntN(3) == 0 {
			return "log"
		}
		return effect
	}
	for _, step := range s {
		if r.IntN(3) == 0 {
			out = append(out, looseStep{r.Int32N(2000), r.IntN(2) == 0})
		}
		switch s := step.(type) {
		case tapStep:
			step = tapStep{name(s.effect), s.tag}
		case ifStep:
			step = ifStep{s.flag, loosened(r, s.yes), loosened(r, s.no)}
		case caseStep:
			var branches []steps
			for _, b := range s.branches {
				branches = append(branches, loosened(r, b))
			}
			step = caseStep{branches}
		case loopStep:
			step = loopStep{s.n, loosened(r, s.body)}
		case whileStep:
			step = whileStep{s.n, name(s.effect), s.tag, loosened(r, s.body)}
		}
		out = append(out, step)
	}
	return out
}

// A runProgram is a random program, compiled for one device and perhaps for two.
type runProgram struct {
	bodies []steps
	one    *bridge.Executable
	two    *bridge.Executable // nil if there is none
}

func (p *runProgram) interpret(m *evaluator, x int32) int32 {
	m.bodies = p.bodies
	return p.bodies[len(p.bodies)-1].run(m, 0, x)
}

// A runRecord is one execution, which its callbacks find in their context.
type runRecord struct {
	in       *sequenceRecord
	number   int // in the order in which the Sequence's runs were started
	program  *runProgram
	flags    [2]bool
	replicas bool
	mu       sync.Mutex
	loose    map[int][]string // by device
}

// name is the start of the run's entries. The devices of one run are not in order, but each is.
func (r *runRecord) name(device int) string {
	if r.replicas {
		return fmt.Sprintf("run %d on device %d ", r.number, device)
	}
	return fmt.Sprintf("run %d ", r.number)
}

// A tapEvent is an ordered call.
type tapEvent struct {
	run    *runRecord
	device int
	effect string
	tag, x int32
}

// A sequenceRecord has what happened in one Sequence.
type sequenceRecord struct {
	context func() context.Context
	runs    []*runRecord

	mu     sync.Mutex
	events []tapEvent
	now    []tapEvent // calls that have not returned
	atOnce []string   // ordered calls at the same time
}

// begin records the start of an ordered call.
func (s *sequenceRecord) begin(e tapEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.now {
		ordered := e.effect == other.effect || e.effect == builder.AllEffects || other.effect == builder.AllEffects
		if ordered && (e.run != other.run || e.device == other.device) {
			s.atOnce = append(s.atOnce,
				fmt.Sprint(e.run.name(e.device), e.effect, " and ", other.run.name(other.device), other.effect))
		}
	}
	s.now = append(s.now, e)
	s.events = append(s.events, e)
}

func (s *sequenceRecord) end(e tapEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.now, e)
	s.now = slices.Delete(s.now, i, i+1)
}

// observed returns the ordered calls of each effect. Those of several devices in one run, which
// are not in order, are sorted by device.
func (s *sequenceRecord) observed() map[string][]string {
	fences, lists := 0, map[string][]tapEvent{}
	for _, e := range s.events {
		if e.effect == builder.AllEffects {
			fences++
		}
		effect := e.effect
		if fences > 0 {
			effect = fmt.Sprint(effect, " after ", fences)
		}
		lists[effect] = append(lists[effect], e)
	}
	taps := map[string][]string{}
	for effect, list := range lists {
		for i := 0; i < len(list); {
			end := i + 1
			for end < len(list) && list[end].run == list[i].run {
				end++
			}
			slices.SortStableFunc(list[i:end], func(a, b tapEvent) int { return a.device - b.device })
			i = end
		}
		for _, e := range list {
			taps[effect] = append(taps[effect], fmt.Sprintf("%s%d: %d", e.run.name(e.device), e.tag, e.x))
		}
	}
	return taps
}

// A randomOrder is one seed's programs, runs and records.
type randomOrder struct {
	t       *testing.T
	random  *rand.Rand
	client  *bridge.Client
	devices int // how many of the client's are used
	id      int64
	met     chan struct{} // of the calls that meet
	calls   *atomic.Int64
}

type runKey struct{}

// meetingTag is the tag of a call that waits until another one is in Go at the same time.
const meetingTag = 9999

func (o *randomOrder) call(f *callbacks.Frame) error {
	o.calls.Add(1)
	tag, x := f.Args[0].At(0).(int32), f.Args[1].At(0).(int32)
	if f.Config.Form == contract.Call {
		out, err := tensor.Slice[int32](f.Results[0])
		if err != nil {
			return err
		}
		out[0] = x + 1
	}
	run, _ := f.Context().Value(runKey{}).(*runRecord)
	switch {
	case tag == meetingTag:
		select {
		case o.met <- struct{}{}:
		case <-o.met:
		case <-time.After(5 * time.Second):
			return errors.New("no other call came while this one waited")
		}
		return nil
	case run == nil:
		return errors.New("the context is not that of a run")
	case f.Config.NumTokens == 0 && f.Config.Effect == "":
		time.Sleep(time.Duration(tag%3) * 20 * time.Microsecond)
		run.mu.Lock()
		defer run.mu.Unlock()
		run.loose[f.Device] = append(run.loose[f.Device], fmt.Sprintf("%d: %d", tag, x))
		return nil
	}
	e := tapEvent{run, f.Device, f.Config.Effect, tag, x}
	run.in.begin(e)
	defer run.in.end(e)
	time.Sleep(time.Duration((int(tag)+f.Device)%3) * 10 * time.Microsecond)
	return nil
}

// compile compiles bodies whose last is main, with runtime tokens by the builder or by the pass.
func (o *randomOrder) compile(bodies []steps, c engine.CompileOptions) (*bridge.Executable, []string) {
	o.t.Helper()
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	byBuilder := o.random.IntN(2) == 0
	m, err := buildProgram(ctx, o.id, bodies, builder.Options{Overlap: true, RuntimeTokens: byBuilder})
	check.NoError(o.t, err)
	defer m.Close()
	if !byBuilder {
		_, err := passes.AddRuntimeTokens(m)
		check.NoError(o.t, err)
	}
	effects, err := stablehlo.RuntimeTokens(m)
	check.NoError(o.t, err)
	e, err := o.client.Compile(o.t.Context(), passes.Program(m, passes.PrepareOptions{}), c)
	check.NoError(o.t, err)
	check.Cleanup(o.t, e)
	return e, effects
}

// program makes a random program. If two is true, it also runs on two devices at once.
func (o *randomOrder) program(two bool) *runProgram {
	o.t.Helper()
	p := &runProgram{}
	for k := range 3 {
		body := append(randomSteps(o.random, 2, k), tapStep{"", 0})
		if o.random.IntN(3) == 0 {
			body = fenced(o.random, body)
		}
		body = loosened(o.random, body)
		if k == 2 && o.random.IntN(4) > 0 {
			body = append(steps{workStep{}}, body...)
		}
		p.bodies = append(p.bodies, body)
	}
	var effects []string
	p.one, effects = o.compile(p.bodies, engine.CompileOptions{})
	if two && o.devices > 1 && !slices.Contains(effects, builder.AllEffects) {
		p.two, _ = o.compile(p.bodies, engine.CompileOptions{Replicas: 2})
	}
	return p
}

// inputs returns the arguments of a run.
func (o *randomOrder) inputs(x int32, flags [2]bool, devices ...int) (in []engine.Input) {
	o.t.Helper()
	for _, device := range devices {
		for _, v := range []tensor.View{tensor.Scalar(x), tensor.Scalar(flags[0]), tensor.Scalar(flags[1])} {
			b, err := o.client.ArrayFromHost(o.t.Context(), v, device)
			check.NoError(o.t, err)
			check.Cleanup(o.t, b)
			in = append(in, b)
		}
	}
	return in
}

// sequence plans runs of random programs on random devices, and returns the function that
// starts them all and waits for them.
func (o *randomOrder) sequence(record *sequenceRecord, programs []*runProgram, runs int) func() {
	var inputs [][]engine.Input
	for n := range runs {
		r := &runRecord{in: record, number: n, program: programs[o.random.IntN(len(programs))],
			loose: map[int][]string{}}
		r.flags = [2]bool{o.random.IntN(2) == 0, o.random.IntN(2) == 0}
		on := []int{o.random.IntN(o.devices)}
		if r.program.two != nil && o.random.IntN(4) == 0 {
			r.replicas, on = true, []int{0, 1}
		}
		record.runs = append(record.runs, r)
		inputs = append(inputs, o.inputs(int32(n), r.flags, on...))
	}
	return func() {
		var list []*bridge.Run
		for n, r := range record.runs {
			e := r.program.one
			if r.replicas {
				e = r.program.two
			}
			run, err := e.Start(context.WithValue(record.context(), runKey{}, r), inputs[n]...)
			if err != nil {
				o.t.Error(err)
				break
			}
			list = append(list, run)
		}
		for n, run := range list {
			outputs, err := run.Wait(o.t.Context())
			if err != nil {
				o.t.Errorf("run %d: %v", n, err)
				continue
			}
			want := record.runs[n].program.interpret(
				&evaluator{flags: record.runs[n].flags, taps: map[string][]string{}}, int32(n))
			for _, b := range outputs {
				if v, err := b.ToHost(o.t.Context()); err != nil || v.At(0) != want {
					o.t.Errorf("run %d returned %v, %v, not %d", n, v, err, want)
				}
				if err := b.Close(); err != nil {
					o.t.Error(err)
				}
			}
		}
	}
}

// compare holds what was observed in a Sequence against the interpreter. It reports whether
// calls without an order were seen in another one than the program's.
func (o *randomOrder) compare(record *sequenceRecord) (reordered bool) {
	o.t.Helper()
	want := &evaluator{taps: map[string][]string{}}
	for _, r := range record.runs {
		devices := 1
		if r.replicas {
			devices = 2
		}
		var loose []string
		for device := range devices {
			want.run, want.flags, want.loose = r.name(device), r.flags, nil
			r.program.interpret(want, int32(r.number))
			loose = want.loose
		}
		if len(loose) == 0 {
			check.Diff(o.t, "devices with calls without an order", 0, len(r.loose))
			continue
		}
		check.Diff(o.t, "devices with calls without an order", devices, len(r.loose))
		for _, got := range r.loose {
			reordered = reordered || !slices.Equal(loose, got)
			check.Diff(o.t, "calls without an order", slices.Sorted(slices.Values(loose)),
				slices.Sorted(slices.Values(got)))
		}
	}
	check.Diff(o.t, "order", want.taps, record.observed())
	check.Diff(o.t, "ordered calls at once", []string(nil), record.atOnce)
	return reordered
}

// meet starts two runs of a call without an order on two devices, and one run of two such
// calls. Each call returns only when the other one of its pair is in Go at the same time. It
// returns the number of pairs.
func (o *randomOrder) meet(deferred bool) (pairs int) {
	o.t.Helper()
	var runs []*bridge.Run
	if o.devices > 1 {
		e, effects := o.compile([]steps{{workStep{}, looseStep{meetingTag, false}}}, engine.CompileOptions{})
		check.Diff(o.t, "effects of calls without an order", 0, len(effects))
		for device := range 2 {
			run, err := e.Start(o.t.Context(), o.inputs(0, [2]bool{}, device)...)
			check.NoError(o.t, err)
			runs = append(runs, run)
		}
		pairs++
	}
	discard(o.t, runs...)
	if deferred {
		e, _ := o.compile([]steps{{workStep{}, looseStep{meetingTag, false}, shift{1}, looseStep{meetingTag, false}}},
			engine.CompileOptions{})
		run, err := e.Start(o.t.Context(), o.inputs(0, [2]bool{}, 0)...)
		check.NoError(o.t, err)
		discard(o.t, run)
		pairs++
	}
	return pairs
}

// Random programs call Go in the order in which a person reads them, for each effect and
// against all effects: through nested control flow and functions, across several executions of
// several programs on 1 to 8 devices, in the client's Sequence and in others. The interpreter
// executes one run after another. Calls without an order are held against the same
// interpreter, and are seen out of order or at the same time, so the test can tell.
func TestRandomOrder(t *testing.T) {
	client := newClient(t, 8)
	var calls atomic.Int64
	reordered, met := 0, 0
	for seed := *orderSeed; seed < *orderSeed+*orderSeeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			o := &randomOrder{t: t, random: rand.New(rand.NewPCG(seed, 3)), client: client, devices: 1 + int(seed%8),
				met: make(chan struct{}), calls: &calls}
			options := callbacks.Options{FailRun: true}
			deferred := o.random.IntN(2) == 0
			if deferred {
				options.Dispatch = callbacks.Deferred
			}
			id, err := callbacks.Default.RegisterFunc(o.call, options)
			check.NoError(t, err)
			defer callbacks.Default.UnregisterID(id)
			o.id = id
			programs := []*runProgram{o.program(true), o.program(false)}
			var records []*sequenceRecord
			var starts []func()
			for k := range 3 {
				ctx := context.Background() // in which a run is launched without a further goroutine
				if o.random.IntN(2) == 0 {
					ctx = t.Context()
				}
				if k > 0 { // the first is the client's own
					ctx = bridge.WithSequence(ctx, client.NewSequence())
				}
				record := &sequenceRecord{context: func() context.Context { return ctx }}
				records = append(records, record)
				starts = append(starts, o.sequence(record, programs, 20))
			}
			var wg sync.WaitGroup
			for _, start := range starts {
				wg.Go(start)
			}
			wg.Wait()
			met += o.meet(deferred && runtime.GOMAXPROCS(0) > 1) // which is the number of workers
			check.NoError(t, client.Barrier(t.Context(), "end"))
			for _, record := range records {
				if o.compare(record) {
					reordered++
				}
			}
			for _, p := range programs {
				if t.Failed() {
					t.Logf("program: %#v", p.bodies)
				}
			}
		})
	}
	t.Logf("%d calls; calls without an order were in another one in %d sequences, and met %d times", calls.Load(),
		reordered, met)
	if *orderSeeds > 1 && met == 0 {
		t.Error("no calls without an order met, so the test cannot tell")
	}
}
