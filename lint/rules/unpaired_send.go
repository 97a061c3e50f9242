package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// UnpairedSend reports transfers between devices of which the module has only one end.
var UnpairedSend = &lint.Analyzer{
	Name:     "unpaired-send",
	Doc:      "a send to another device has no recv on its channel, or a recv no send",
	Run:      unpairedSend,
	Severity: finding.Warning,
	Details: `Severity: warning.

All devices run the same module, and a send to another device waits for the recv with its channel. If a channel has only
one of them, a device waits forever, unless another program has the other end. If both have source_target_pairs, these are
the same.

    %1 = "stablehlo.send"(%x, %0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
      : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %2:2 = "stablehlo.recv"(%1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}   // not 1
      : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)

Transfers to and from the host are not reported: the host has the other end. Source: StableHLO's specification, send and
recv.`,
}

const deviceToDevice = 1

func unpairedSend(p *lint.Pass) error {
	type ends struct{ sends, recvs []mlir.Operation }
	channels := map[int64]*ends{}
	var order []int64
	for op := range p.Operations("stablehlo.send", "stablehlo.recv") {
		handle, _ := op.Attribute("channel_handle")
		channel, ok := stablehlo.AsChannelHandle(handle)
		if !ok || channel.Type != deviceToDevice {
			continue
		}
		e := channels[channel.Handle]
		if e == nil {
			e = &ends{}
			channels[channel.Handle], order = e, append(order, channel.Handle)
		}
		if op.Name() == "stablehlo.send" {
			e.sends = append(e.sends, op)
		} else {
			e.recvs = append(e.recvs, op)
		}
	}
	for _, number := range order {
		e := channels[number]
		for _, one := range []struct {
			here, there []mlir.Operation
			other       string
		}{{e.sends, e.recvs, "recv"}, {e.recvs, e.sends, "send"}} {
			for _, op := range one.here {
				if len(one.there) == 0 {
					p.Report(op, finding.Warning, "the module has no stablehlo.%s of channel %d: the device waits forever, unless another program has it",
						one.other, number)
				}
			}
		}
		if len(e.sends) > 0 && len(e.recvs) > 0 {
			sent, stated := e.sends[0].Attribute("source_target_pairs")
			received, also := e.recvs[0].Attribute("source_target_pairs")
			if stated && also && sent != received {
				p.Report(e.recvs[0], finding.Warning, "the source_target_pairs of channel %d are %s here, and %s in the send at %s",
					number, received, sent, p.Place(e.sends[0]))
			}
		}
	}
	return nil
}
