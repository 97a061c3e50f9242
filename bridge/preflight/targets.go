package preflight

import (
	"fmt"
	"slices"
)

// cpuTargets are the custom calls that XLA's CPU compiler serves by itself, with any
// API version: annotations, and operations that it expands.
var cpuTargets = []string{
	"ApproxTopK",
	"Eigh",
	"LayoutConstraint",
	"ProductOfElementaryHouseholderReflectors",
	"Qr",
	"SPMDFullToShardShape",
	"SPMDShardToFullShape",
	"Sharding",
	"TopK",
	"xla.sdy.FuncResultSharding",
	"xla.sdy.PropagationBarrier",
	"xla.sdy.ShardingGroup",
}

// partitionedTargets are those that it serves only in a module that is partitioned.
var partitionedTargets = []string{
	"xla.sdy.GlobalToLocalShape",
	"xla.sdy.LocalToGlobalShape",
}

// nearest is the known target that is most alike, "" where none is.
func (o Options) nearest(target string) string {
	known := slices.Concat(cpuTargets, o.targets(), o.Handlers)
	best, name := len(target)/2, "" // further than that is another word
	for _, k := range known {
		if n := len(k) - len(target); max(n, -n) > best {
			continue // a hostile module's target may be long, and the distance slow
		}
		if d := distance(target, k); d < best || d == best && name != "" && k < name {
			best, name = d, k
		}
	}
	return name
}

// distance is the number of letters to insert, delete or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func isIt(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (is it %q?)", name)
}
