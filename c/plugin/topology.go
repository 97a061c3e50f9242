package main

import (
	"fmt"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// A topology is that of a client.
type topology struct {
	memory
	client *client
	self   abi.Handle
}

func init() {
	on(abi.ClientTopologyDescription, func(a *abi.ClientTopologyDescriptionArgs) error {
		a.Topology = object[*client](a.Client).topology.self
		return nil
	})
	on(abi.TopologyDescriptionDestroy, func(a *abi.TopologyDescriptionDestroyArgs) error {
		object[*topology](a.Topology) // it is the client's
		return nil
	})
	on(abi.TopologyDescriptionPlatformName, func(a *abi.TopologyDescriptionPlatformNameArgs) error {
		c := object[*topology](a.Topology).client
		a.PlatformName, a.PlatformNameSize = c.platformName, len(c.platform)
		return nil
	})
	on(abi.TopologyDescriptionPlatformVersion, func(a *abi.TopologyDescriptionPlatformVersionArgs) error {
		a.PlatformVersion, a.PlatformVersionSize = object[*topology](a.Topology).client.version, len(platformVersion)
		return nil
	})
	on(abi.TopologyDescriptionGetDeviceDescriptions, func(a *abi.TopologyDescriptionGetDeviceDescriptionsArgs) error {
		t := object[*topology](a.Topology)
		var list []abi.Handle
		for _, d := range t.client.devices {
			list = append(list, d.description)
		}
		a.Descriptions, a.NumDescriptions = copied(&t.memory, list), len(list)
		return nil
	})
	on(abi.TopologyDescriptionAttributes, func(a *abi.TopologyDescriptionAttributesArgs) error {
		_, a.NumAttributes = object[*topology](a.Topology), 0
		return nil
	})
	on(abi.TopologyDescriptionFingerprint, func(a *abi.TopologyDescriptionFingerprintArgs) error {
		object[*topology](a.Topology)
		return fmt.Errorf("%w: a topology has no fingerprint", errMissing)
	})
}
