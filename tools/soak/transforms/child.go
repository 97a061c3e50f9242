package transforms

import (
	"encoding/json"
	"math/rand/v2"
	"os"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// childVariable is the environment variable that has the batch of a child.
const childVariable = "CALLIOPE_SOAK_TRANSFORMS"

// A batch is what a child runs: the trials of a range of seeds.
type batch struct {
	Root       string // of the repository
	Cases      string
	First, End uint64
	Crash      uint64 // see Options.crash
}

// An answer is what a child says: what it does next, or how a trial ended.
type answer struct {
	Seed    uint64
	Story   string // what was done
	Doing   string // "" at the end
	Outcome outcome
	Error   string
	Module  string // as it is now
}

// Serve runs a batch and ends the process, if Run started it: see child.Serve.
func Serve() { child.Serve(childVariable, serve) }

func serve(b batch, out *json.Encoder) error {
	s, err := open(b.Root, b.Cases)
	if err != nil {
		return err
	}
	for seed := b.First; seed < b.End; seed++ {
		t := &trial{session: s, r: rand.New(rand.NewPCG(seed, 0))}
		now := func(doing string) answer {
			a := answer{Seed: seed, Story: t.story, Doing: doing}
			if t.m != nil {
				a.Module = t.m.String()
			}
			return a
		}
		t.say = func(doing string) {
			if err := out.Encode(now(doing)); err != nil || doing != onOriginal && b.Crash > 0 && seed >= b.Crash {
				os.Exit(3)
			}
		}
		a := answer{Seed: seed}
		a.Outcome, err = t.do()
		if a.Story = t.story; err != nil {
			a = now("")
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			return err
		}
		if t.m != nil {
			if err := t.m.Context().Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
