package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

// The parameters of the measurements of the ways of dispatch.
var (
	benchWays     = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred}
	payloads      = []int{16, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20} // bytes
	quickPayloads = []int{16, 64 << 10, 16 << 20}
	runsAtOnce    = []int{1, 2, 4, mostRuns}
)

const mostRepeats = 4

func (s settings) payloads() []int {
	if s.quick {
		return quickPayloads
	}
	return payloads
}

func (s settings) runsAtOnce() []int {
	if s.quick {
		return runsAtOnce[:1]
	}
	return runsAtOnce
}

// sized formats a payload.
func sized(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%dMiB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%dKiB", bytes>>10)
	}
	return fmt.Sprintf("%dB", bytes)
}

// ways measures a call of a function that does nothing, in a device loop, by each way of
// dispatch and each payload, compared with the handler in C. It measures one run, and
// several concurrent runs on separate devices. A line is the time of a call in its run.
// Next to it are the calls of all runs per second, the processor time of one call, and its
// allocations. It returns the latencies with one run.
func ways(ctx context.Context, plugin *bridge.Plugin, s settings, r *report) (list []series, err error) {
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: mostRuns})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	callers := []caller{inC("c", floor.Passthrough, formOf(callbacks.Inline))}
	for _, way := range benchWays {
		c, err := inGo(way.String(), callbacks.Options{Dispatch: way})
		if err != nil {
			return nil, err
		}
		callers = append(callers, c)
		list = append(list, series{name: "Go " + way.String()})
	}
	for _, bytes := range s.payloads() {
		runs := s.runsAtOnce()
		l, err := newLoops(ctx, client, callers, bytes, runs[len(runs)-1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sized(bytes), err)
		}
		for _, n := range runs {
			got, err := l.measure(ctx, n, min(s.repeat, mostRepeats))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s, %d runs: %w", sized(bytes), n, err), l.close())
			}
			for i := range got {
				got[i].name = fmt.Sprintf("%s/%s/%druns", strings.TrimPrefix(got[i].name, "go-"), sized(bytes), n)
			}
			got.report(r, "callbacks/")
			if n == 1 {
				for i := range list {
					list[i].points = append(list[i].points, point{float64(bytes), got[i+1].wall})
				}
			}
		}
		if err := l.close(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
