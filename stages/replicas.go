package stages

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

const replicasAttribute = "mhlo.num_replicas"

// replicas returns the number of replicas of a module, and checks that there are devices for them.
func (o Options) replicas(m *mlir.Module) (int, error) {
	n := 1
	if a, ok := m.Operation().Attribute(replicasAttribute); ok {
		if number, ok := a.Int(); ok && number > 1 {
			n = int(number)
		}
	}
	switch {
	case o.Compile.Replicas < 0 || o.Compile.Replicas > 0 && n > 1 && o.Compile.Replicas != n:
		return 0,
			fmt.Errorf("stages: Options.Compile.Replicas is %d, but the module has %s = %d", o.Compile.Replicas, replicasAttribute, n)
	case o.Compile.Replicas > 0:
		n = o.Compile.Replicas
	}
	return n, o.checkReplicas(n)
}

// checkReplicas returns an error unless there are devices for n replicas.
func (o Options) checkReplicas(n int) error {
	devices := o.devices()
	if n == 1 {
		return nil
	}
	if len(devices) > 1 || o.Place != nil {
		return fmt.Errorf("stages: the module has %d replicas, which run on the first devices of one client: give only On(client.Engine()), and no Options.Place", n)
	}
	if d := devices[0]; !d.onHost() {
		switch {
		case d.Number > 0:
			return fmt.Errorf("stages: the module has %d replicas, which run on the first devices of one client, and %s is not the first: give On(client.Engine())", n, d)
		case d.Engine.NumDevices() < n:
			return fmt.Errorf("stages: the module has %d replicas, and the client has %d devices: increase ClientOptions.Devices", n, d.Engine.NumDevices())
		}
	}
	return nil
}

// checkPolicy returns an error if the policy of a callback names a replica that there is not.
func (c *cutter) checkPolicy(op mlir.Operation, cb *Callback) error {
	p, err := cb.Config.Policy.Placement()
	if err == nil && p.Device >= c.plan.replicas {
		err = fmt.Errorf("device %d only calls it (policy %q), and the program runs on %d: increase Options.Compile.Replicas, or name another device", p.Device, cb.Config.Policy, c.plan.replicas)
	}
	if err != nil {
		return cutError(op, "the callback %q: %w", cb.Name, err)
	}
	return nil
}

// numberReplicas makes the number of the replica one more argument of main, because a stage does not know it.
func (c *cutter) numberReplicas(main mlir.Block) error {
	var list []mlir.Operation
	main.Parent().Walk(func(op mlir.Operation) mlir.WalkAction {
		switch op.Name() {
		case "func.func", "stablehlo.if", "stablehlo.case", "stablehlo.while":
			return mlir.WalkContinue
		case "stablehlo.replica_id":
			list = append(list, op)
		}
		return mlir.WalkSkip
	})
	if len(list) == 0 {
		return nil
	}
	number := main.AddArgument(list[0].Result(0).Type(), list[0].Location())
	for _, op := range list {
		op.Result(0).ReplaceAllUses(number)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	c.plan.numbered = true
	return nil
}

// collectives are the operations that all replicas make together.
var collectives = []string{
	"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.collective_broadcast",
	"stablehlo.collective_permute", "stablehlo.collective_reduce", "stablehlo.cross-replica-sum",
	"stablehlo.reduce_scatter", "stablehlo.replica_id",
}

// joinReplicas says whether replicas execute a stage together.
func (p *Plan) joinReplicas(s *Stage) error {
	if p.replicas == 1 {
		return nil
	}
	var first mlir.Operation
	s.module.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if slices.Contains(collectives, op.Name()) {
			first, s.replicas = op, p.replicas
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	if s.replicas == 0 {
		if _, ok := s.module.Operation().Attribute(replicasAttribute); ok {
			s.module.Operation().RemoveAttribute(replicasAttribute)
		}
		return nil
	}
	if p.devices[s.Device].onHost() {
		return cutError(first, "%s cannot make operations of several replicas: give a device of a client",
			p.devices[s.Device])
	}
	return nil
}
