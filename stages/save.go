package stages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A SavedError reports bytes that [Load] refuses because they are not a saved plan, because they were
// changed, or because another release wrote them. Cut the module again.
type SavedError struct{ Err error }

func (e *SavedError) Error() string {
	return fmt.Sprintf("stages: Load: %v: give what Plan.Serialize returned, or cut the module again", e.Err)
}
func (e *SavedError) Unwrap() error { return e.Err }

// Serialize returns the plan as bytes, for [Load] in this or another process: the modules of the stages as
// portable artifacts, their order, and the callbacks with what became of them. Compiled code is not in them; a client's
// bridge.Cache keeps that.
//
// A callback that is bound by an id of this process is refused. The others are bound anew by name when the
// loaded plan is compiled, with the same errors.
func (p *Plan) Serialize() ([]byte, error) {
	p.given("Serialize")
	if err := p.open("Plan.Serialize"); err != nil {
		return nil, err
	}
	for _, c := range p.callbacks {
		if c.Decision != Lower && !c.Config.ByName() && c.Config.Host.Opaque == "" {
			at := ""
			if c.Loc != "" {
				at = " at " + c.Loc
			}
			return nil, fmt.Errorf("stages: Serialize: the callback %q%s is bound by an id, which only this process has: bind it by a name", c.Name, at)
		}
	}
	s := savedPlan{Inputs: p.inputs, Outputs: p.outputs, Replicas: p.replicas, Numbered: p.numbered,
		Effects: p.tokens.effects, Leading: p.tokens.leading, JAX: p.options.JAXCallbacks}
	for _, c := range p.callbacks {
		s.Callbacks = append(s.Callbacks, savedCallback{
			Callback: *c, Pure: c.pure, Foreign: c.foreign, Attributes: c.attributes, Before: c.before,
			Returned: c.returned, InPlace: c.inPlace,
		})
	}
	for _, stage := range p.stages {
		module, err := stablehlo.Unprepared(stage.module).Artifact("")
		if err != nil {
			return nil, fmt.Errorf("stages: Serialize: %s: %w", stage.Name, err)
		}
		saved := savedStage{
			Operations: stage.Operations, Inputs: stage.Inputs, Outputs: stage.Outputs, After: stage.After,
			Device: stage.Device, Module: module,
		}
		for i, donate := range stage.donate {
			if donate {
				saved.Donate = append(saved.Donate, i)
			}
		}
		s.Stages = append(s.Stages, saved)
	}
	s.add(p.main)
	return s.seal()
}

// Load makes a plan of what Serialize returned, on the devices of o. The modules are read into c, which must
// stay open until the plan is closed. Options.Place may change where the stages are. The plan has its decisions, its
// replicas and the names of JAX's callbacks, so o must not have them.
//
// The error is a *SavedError if data was damaged. The checksum detects damage, and no intent: a run calls the
// functions of the process that data names, and bytecode that was made for it can crash the library, so load only what
// you trust.
func Load(c *mlir.Context, data []byte, o Options) (*Plan, error) {
	if c == nil {
		return nil, errors.New("stages: Load: the MLIR context is nil: check the error that was returned with it")
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.Lower) > 0 || len(o.Force) > 0 || o.Strategy != ByDevice || o.Compile.Replicas != 0 ||
		len(o.Compile.JAXCallbacks) > 0 {
		return nil, errors.New("stages: Load: the plan has its decisions, replicas and JAX's callbacks: leave these options out, or cut the module again")
	}
	s, err := unseal(data)
	if err != nil {
		return nil, &SavedError{err}
	}
	p, err := s.plan(o.devices())
	if err != nil {
		return nil, &SavedError{err}
	}
	if err := o.checkReplicas(p.replicas); err != nil {
		return nil, err
	}
	for i, stage := range p.stages {
		if o.Place == nil && stage.Device >= len(p.devices) {
			err = fmt.Errorf("the plan has it on device %d, and Options.Devices has %d: give more devices, or a function Place", stage.Device, len(p.devices))
		} else if stage.module, err = c.Parse(stage.Name, s.Stages[i].Module); err == nil {
			err = stage.check()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("stages: Load: %s: %w", stage.Name, err), p.Close())
		}
	}
	if err := p.place(o.Place); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	o.Compile.JAXCallbacks = s.JAX
	p.compileWith(o)
	return p, nil
}

// check returns an error if the module's main does not have the stage's inputs and outputs.
func (s *Stage) check() error {
	_, functions := function.Defined(s.module)
	main, ok := functions["main"]
	if !ok {
		return errors.New("the module has no function main")
	}
	a, _ := main.Attribute("function_type")
	t, _ := a.TypeValue()
	inputs, outputs, _ := t.Signature()
	if err := sameTypes(inputs, s.Inputs); err != nil {
		return fmt.Errorf("the parameters of main: %w", err)
	}
	if err := sameTypes(outputs, s.Outputs); err != nil {
		return fmt.Errorf("the results of main: %w", err)
	}
	return nil
}

func sameTypes(types []mlir.Type, shapes []tensor.Shape) error {
	if len(types) != len(shapes) {
		return fmt.Errorf("there are %d, and the plan has %d", len(types), len(shapes))
	}
	for i, t := range types {
		if s, err := stablehlo.ShapeOf(t); err != nil || !s.Equal(shapes[i]) {
			return fmt.Errorf("%d is %s, and the plan has %s", i, t, shapes[i])
		}
	}
	return nil
}

// A saved plan is
//
//	8 bytes    savedMagic
//	uint32     savedVersion, little-endian
//	32 bytes   SHA-256 of the rest
//	rest       a savedPlan in the encoding of package gob
const (
	savedMagic   = "\x89CLS\r\n\x1a\n" // damaged by what converts line ends or drops the eighth bit
	savedVersion = 1
	savedPrefix  = 8 + 4 + sha256.Size
)

type savedPlan struct {
	Inputs, Outputs []tensor.Shape
	Replicas        int
	Numbered        bool
	Effects         []string // of the runtime tokens
	Leading         bool     // of them
	JAX             []string // Options.JAXCallbacks, if some are inline
	Callbacks       []savedCallback
	Stages          []savedStage
	Bodies          []savedBody // main is the first; each comes before those in it
}

type savedCallback struct {
	Callback
	Pure, Foreign    bool
	Attributes       callbacks.Attributes
	Before, Returned int
	InPlace          []int
}

func init() { gob.Register(callbacks.Attributes{}) } // an attribute can be a dictionary

type savedStage struct {
	Operations      int
	Inputs, Outputs []tensor.Shape
	After           []string
	Device          int
	Donate          []int // inputs
	Module          []byte
}

type savedBody struct {
	Captures, Args int
	Shapes         []tensor.Shape
	Constants      []savedConstant
	Steps          []savedStep
	Results        []int
}

type savedConstant struct {
	Value int
	Data  []byte
}

// A savedStep is a step of any kind. In has the initial values of a loop, and the selector of a
// branch. Of the captures of bodies, the condition's come before the loop's.
type savedStep struct {
	Kind     savedKind
	Number   int // of the stage or callback
	In, Out  []int
	Bodies   []int
	Captures [][]int
}

type savedKind uint8

const (
	savedStageStep savedKind = iota
	savedCall
	savedIf
	savedCase
	savedLoop
)

// add adds a body and those in it, and returns its number.
func (s *savedPlan) add(b *body) int {
	number := len(s.Bodies)
	s.Bodies = append(s.Bodies, savedBody{})
	made := savedBody{Captures: b.captures, Args: b.args, Shapes: b.shapes, Results: b.results}
	for _, c := range b.consts {
		made.Constants = append(made.Constants, savedConstant{c.value, c.data.Data})
	}
	for _, step := range b.steps {
		made.Steps = append(made.Steps, s.step(step))
	}
	s.Bodies[number] = made
	return number
}

func (s *savedPlan) step(of step) savedStep {
	out := of.ends().out
	switch of := of.(type) {
	case *stageStep:
		return savedStep{Kind: savedStageStep, Number: of.stage.number, In: of.in, Out: out}
	case *callStep:
		return savedStep{Kind: savedCall, Number: of.index, In: of.in, Out: out}
	case *branchStep:
		made := savedStep{Kind: savedIf, In: []int{of.selector}, Out: out, Captures: of.captures}
		if of.name == "case" {
			made.Kind = savedCase
		}
		for _, b := range of.bodies {
			made.Bodies = append(made.Bodies, s.add(b))
		}
		return made
	case *loopStep:
		return savedStep{
			Kind: savedLoop, In: of.init, Out: out,
			Bodies: []int{s.add(of.cond), s.add(of.body)}, Captures: [][]int{of.condCaptures, of.bodyCaptures},
		}
	}
	panic("stages: unknown step")
}

// seal returns the bytes of a saved plan.
func (s *savedPlan) seal() ([]byte, error) {
	var rest bytes.Buffer
	if err := gob.NewEncoder(&rest).Encode(s); err != nil {
		return nil, fmt.Errorf("stages: Serialize: %w", err)
	}
	sum := sha256.Sum256(rest.Bytes())
	data := make([]byte, 0, savedPrefix+rest.Len())
	data = binary.LittleEndian.AppendUint32(append(data, savedMagic...), savedVersion)
	return append(append(data, sum[:]...), rest.Bytes()...), nil
}

// unseal undoes seal.
func unseal(data []byte) (*savedPlan, error) {
	rest, ok := bytes.CutPrefix(data, []byte(savedMagic))
	if !ok {
		return nil, errors.New("the data is not a saved plan")
	}
	if len(rest) < savedPrefix-len(savedMagic) {
		return nil, fmt.Errorf("the saved plan is cut off after %d bytes", len(data))
	}
	if v := binary.LittleEndian.Uint32(rest); v != savedVersion {
		return nil, fmt.Errorf("the saved plan has format %d, and this release reads format %d", v, savedVersion)
	}
	want, rest := rest[4:4+sha256.Size], rest[4+sha256.Size:]
	if got := sha256.Sum256(rest); !bytes.Equal(got[:], want) {
		return nil, fmt.Errorf("the saved plan is damaged: its SHA-256 is %x instead of %x", got, want)
	}
	s := new(savedPlan)
	if err := gob.NewDecoder(bytes.NewReader(rest)).Decode(s); err != nil {
		return nil, fmt.Errorf("the saved plan cannot be read: %w", err)
	}
	return s, nil
}
