package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/native"
)

// compileMeasured compiles the module by package jit, so that report gets the profile of each run.
func (m *module) compileMeasured(s *standIns, report func(jit.Profile), progress io.Writer) (engine.Executable, error) {
	ctx := context.Background()
	foreign, err := load.LAPACKOf(ctx, m.ir.Module, native.EnsureOptions{Progress: progress})
	if err != nil {
		return nil, err
	}
	made, err := jit.Compile(ctx, m.ir.Module, jit.Options{Foreign: foreign, JAXCallbacks: s.jax, Profile: report})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// showProfile prints what the operations of a run took, the longest first.
func showProfile(out io.Writer, p jit.Profile) {
	byName := map[string]*jit.Piece{}
	var list []*jit.Piece
	total := time.Duration(0)
	for _, piece := range p.Pieces {
		name := fmt.Sprint(piece.Operations)
		if byName[name] == nil {
			byName[name] = &jit.Piece{Operations: piece.Operations}
			list = append(list, byName[name])
		}
		byName[name].Count += piece.Count
		byName[name].Time += piece.Time
		total += piece.Time
	}
	slices.SortStableFunc(list, func(a, b *jit.Piece) int { return cmp.Compare(b.Time, a.Time) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "time\tshare\tcount\t  operations")
	for _, piece := range list {
		share := 100 * float64(piece.Time) / float64(max(total, 1))
		fmt.Fprintf(table, "%s\t%.1f%%\t%d\t  %s\n", short(piece.Time), share, piece.Count, operationsOf(*piece))
	}
	_ = table.Flush() // a closed output is not an error of the run
}

// operationsOf returns the names and positions of the operations of a piece of code.
func operationsOf(piece jit.Piece) string {
	texts := make([]string, len(piece.Operations))
	for i, o := range piece.Operations {
		texts[i] = o.String()
	}
	return strings.Join(texts, ", ")
}

// add adds what the operations of a run took to the trace.
func (x *observers) add(p jit.Profile) {
	if x.tracer == nil {
		return
	}
	for _, l := range p.Laps {
		x.tracer.Add("operations", operationsOf(p.Pieces[l.Piece]), p.Begin.Add(l.Begin), p.Begin.Add(l.End))
	}
}
