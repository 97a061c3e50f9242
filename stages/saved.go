package stages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

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
	JAX             []string // see Stage.jax
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
