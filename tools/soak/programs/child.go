package programs

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// childVariable is the environment variable that has the batch of a child.
const childVariable = "CALLIOPE_SOAK_PROGRAMS"

// A batch is what a child runs: the programs of a range of seeds that fall to its plugin.
type batch struct {
	Ways            string
	First, End      uint64
	Plugin, Plugins int // the number of its plugin, and how many there are
	Spoiled         bool
	Crash           uint64
}

// way returns the way of a seed, or false if it falls to another plugin.
func (b batch) way(list []way, seed uint64) (way, bool) {
	n := uint64(len(list))
	return list[seed%n], int(seed/n%uint64(b.Plugins)) == b.Plugin
}

// An answer is what a child says: that it begins with a program, and how it ended.
type answer struct {
	Seed   uint64
	Begins bool
	Way    string
	Module string // of a program that begins, once it is made
	Took   time.Duration
	Error  string // "" if there is no mismatch
}

// Serve runs a batch and ends the process, if Run started it: see child.Serve.
func Serve() { child.Serve(childVariable, serve) }

func serve(b batch, out *json.Encoder) error {
	list, err := ways(b.Ways)
	if err != nil {
		return err
	}
	s, err := open()
	if err != nil {
		return err
	}
	s.spoiled = b.Spoiled
	for seed := b.First; seed < b.End; seed++ {
		w, ours := b.way(list, seed)
		if !ours {
			continue
		}
		if err := out.Encode(answer{Seed: seed, Way: w.name, Begins: true}); err != nil {
			return err
		}
		if b.Crash > 0 && seed == b.Crash {
			os.Exit(3)
		}
		start := time.Now()
		err := s.try(context.Background(), w, seed, func(module string) error {
			return out.Encode(answer{Seed: seed, Way: w.name, Begins: true, Module: module})
		})
		a := answer{Seed: seed, Way: w.name, Took: time.Since(start)}
		if err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return s.close()
}
