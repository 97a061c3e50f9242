package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A result is a figure that a suite printed, with what belongs to it.
type result struct {
	name, value, unit string
	limit             string // "-" for none
	over              bool
	cpu, allocs, all  string // of one call, of one call, of all runs; "" if not measured
}

// readResults reads the lines of a suite. Processor times, allocations and rates belong to the figure before them.
func readResults(lines string) ([]result, error) {
	var list []result
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("the line %q is no figure", line)
		}
		of, what := path.Split(f[0])
		last := len(list) - 1
		if last >= 0 && list[last].name+"/" == of {
			switch what {
			case "cpu":
				list[last].cpu = f[1] + " " + micros(f[2])
				continue
			case "allocs":
				list[last].allocs = f[1]
				continue
			case "all":
				list[last].all = f[1] + "/s"
				continue
			}
		}
		list = append(list, result{name: f[0], value: f[1], unit: f[2], limit: f[3], over: f[4] == "over"})
	}
	return list, nil
}

// micros writes the unit of a time as people do.
func micros(unit string) string { return regexp.MustCompile(`^us\b`).ReplaceAllString(unit, "µs") }

// time returns the figure in microseconds, or false if it is no time.
func (r result) time() (us float64, ok bool) {
	unit, _, _ := strings.Cut(r.unit, "/")
	scale, ok := map[string]float64{"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]
	value, err := strconv.ParseFloat(r.value, 64)
	return scale * value, ok && err == nil && value > 0
}

// peerName is the name of what a figure is compared with: other programs, and the same work without what is measured.
var peerName = regexp.MustCompile(`^(c|copy|jax|python|gopjrt|xla|bare|grep)(-|$)|` +
	`^(none|plain(-devices)?|without|unordered|inline|by-hand|compile)$`)

// theirs reports whether the figure is that of a floor or of a peer.
func (r result) theirs() bool { return peerName.MatchString(path.Base(r.name)) }

func (r result) ours() bool { return !r.theirs() }

// A group is figures of the same work, by us and by others.
type group struct {
	name    string
	results []result
}

// besidePeers returns the times of works that a floor or a peer did, too: no differences of times.
func besidePeers(list []result) []group {
	var groups []group
	for _, r := range list {
		name := path.Dir(r.name)
		if _, ok := r.time(); !ok || strings.HasSuffix(name, "/goal") || strings.Contains(r.name, "-above-") ||
			strings.HasSuffix(r.name, "-extra") {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{name: name})
		}
		groups[i].results = append(groups[i].results, r)
	}
	return slices.DeleteFunc(groups, func(g group) bool {
		return !slices.ContainsFunc(g.results, result.theirs) || !slices.ContainsFunc(g.results, result.ours)
	})
}
