package rules

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ReplicaGroups reports collective operations whose groups are of other devices than the module's.
var ReplicaGroups = &lint.Analyzer{
	Name:     "replica-groups",
	Doc:      "the groups of a collective operation are not the devices that the module is for",
	Run:      replicaGroups,
	Severity: finding.Warning,
	Details: `Severity: warning.

The attributes mhlo.num_replicas and mhlo.num_partitions of a module say for how many devices it is. The groups of
all_reduce, all_gather, reduce_scatter and all_to_all divide them: each is in one group. Which devices the numbers mean
depends on the operation: replicas without a channel; all devices with use_global_device_ids; the partitions in an
all_to_all with a channel. The devices of collective_permute, collective_broadcast and collective_reduce are among them.

    module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
      …
      %0 = "stablehlo.all_gather"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids, …}

Here the devices 2 and 3 are in no group. What the library itself refuses, such as a number that occurs twice, is
invalid. Modules without these attributes and groups that are empty are not reported. Source: StableHLO's specification,
the constraints of each operation (all_reduce: C2).`,
}

// dividing have groups with all devices; others name some. With a channel, the numbers of some are those of partitions.
var (
	dividing = []string{"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.reduce_scatter"}
	naming   = []string{
		"stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce",
	}
	partitioned = []string{"stablehlo.all_to_all", "stablehlo.collective_broadcast", "stablehlo.collective_permute"}
)

func replicaGroups(p *lint.Pass) error {
	replicas, stated := countOf(p.Module, "mhlo.num_replicas")
	partitions, also := countOf(p.Module, "mhlo.num_partitions")
	if !stated && !also {
		return nil
	}
	for op := range p.Operations(slices.Concat(dividing, naming)...) {
		numbers, ok := groupsOf(op)
		if !ok {
			continue
		}
		var channel stablehlo.ChannelHandle
		if handle, ok := op.Attribute("channel_handle"); ok {
			channel, _ = stablehlo.AsChannelHandle(handle)
		}
		of, n := "replicas", replicas
		switch _, global := op.Attribute("use_global_device_ids"); {
		case channel.Handle <= 0:
		case global:
			of, n = "devices", replicas*partitions
		case slices.Contains(partitioned, op.Name()):
			of, n = "partitions", partitions
		}
		switch last := slices.Max(numbers); {
		case last >= n:
			p.Report(op, finding.Warning, "%s names %d, and the module is for %d %s, which are numbered from 0",
				op.Name(), last, n, of)
		case slices.Contains(dividing, op.Name()) && int64(len(numbers)) != n:
			p.Report(op, finding.Warning, "the groups of %s have %d of the %d %s of the module: each has to be in one",
				op.Name(), len(numbers), n, of)
		}
	}
	return nil
}

// groupsOf returns the numbers in the groups of a collective operation, or false if it has none.
func groupsOf(op mlir.Operation) (numbers []int64, ok bool) {
	if o, ok := stablehlo.AsCollectivePermute(op); ok {
		for _, pair := range o.SourceTargetPairs {
			numbers = append(numbers, pair[:]...)
		}
		return numbers, len(numbers) > 0
	}
	a, _ := op.Attribute("replica_groups")
	groups, _ := stablehlo.AsGroups(a)
	lists, err := groups.Devices(op)
	if err != nil {
		return nil, false // the mesh is not in the module
	}
	for _, n := range slices.Concat(lists...) {
		if n >= 0 { // -1 fills a group
			numbers = append(numbers, n)
		}
	}
	return numbers, len(numbers) > 0
}

// countOf returns an attribute of a module, or 1.
func countOf(m *mlir.Module, name string) (int64, bool) {
	if a, ok := m.Operation().Attribute(name); ok {
		return a.Int()
	}
	return 1, false
}
