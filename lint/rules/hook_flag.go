package rules

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// HookFlag checks the flags of EXLA's hooks.
var HookFlag = &lint.Analyzer{
	Name: "hook-flag",
	Doc:  "the flags of hooks break their protocol: an outfeed of a constant from 1 to 65535 before each hook, and of 0 at the end",
	Run:  hookFlag, ByHand: true,
	Details: `Severity: error.

EXLA's hooks send a flag before their values: an outfeed of a constant tensor<ui16>, whose value from 1 to 65535
chooses the hook. The flag 0 ends the program. The rule reports

- a flag 0 that is not the last outfeed or infeed on its token,
- flags without a flag 0 at the end,
- a flag that is not a constant,
- a flag that is sent with values of two types.

In each case the host misreads what follows, or waits forever. Flags are recognised as the repair of outfeed does.

    %flag = stablehlo.constant dense<1> : tensor<ui16>
    %1 = "stablehlo.outfeed"(%flag, %0) : (tensor<ui16>, !stablehlo.token) -> !stablehlo.token
    %2 = "stablehlo.outfeed"(%x, %1) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token

Correct the program that writes the module. There is no safe repair: mlir-lint -fix replaces such hooks only with -fix-partial,
and reports what the callbacks do not keep. If a flag is not a constant, the outfeeds of the module
have none either, because it is not known which hook each belongs to.`,
}

func hookFlag(p *lint.Pass) error {
	feeds := false
	for range p.Operations("stablehlo.outfeed") {
		feeds = true
		break
	}
	if !feeds {
		return nil
	}
	hooks := planOf(p).Hooks()
	first := map[int]passes.Hook{}
	var last, end mlir.Operation
	for _, h := range hooks {
		if h.Flag < 0 || h.Header {
			continue
		}
		op := h.Feeds[0]
		if h.Flag == 0 {
			end = op
			if r := tokensOf(p).reaches[op.Result(0)] & (toOutfeed | toInfeed); r != 0 {
				p.Report(op, finding.Error, "the flag 0 ends the program for the host, but %s follows on its token: send it last", namesOf(r))
			}
			continue
		}
		last = op
		other, known := first[h.Flag]
		if !known {
			first[h.Flag] = h
		} else if before, now := sent(other), sent(h); before != now {
			p.Report(op, finding.Error, "the flag %d is sent with %s here and with %s at %s: use a flag for each",
				h.Flag, now, before, p.Place(other.Feeds[0]))
		}
	}
	if last.IsNil() && end.IsNil() {
		return nil // no hooks of EXLA
	}
	for _, op := range unknownFlags(p) {
		p.Report(op, finding.Error,
			"the flag is not a constant, so the hook is not known: send a constant from 1 to 65535")
	}
	if end.IsNil() {
		p.Report(last, finding.Error, "no flag 0 follows: the host waits for more hooks after the program's end: send the flag 0 last")
	}
	return nil
}

// unknownFlags returns the outfeeds that send a flag that is not a constant: a value of a flag's type
// at a place for one, in a module with other flags.
func unknownFlags(p *lint.Pass) []mlir.Operation {
	type key struct{}
	return lint.Shared(p, key{}, func() []mlir.Operation {
		var unknown []mlir.Operation
		flags := false
		for _, h := range planOf(p).Hooks() {
			op := h.Feeds[0]
			switch {
			case h.Flag >= 0:
				flags = flags || !h.Header
			case op.Name() == "stablehlo.outfeed" && op.NumOperands() == 2 &&
				op.Operand(0).Type().String() == "tensor<ui16>":
				unknown = append(unknown, op)
			}
		}
		if !flags {
			return nil
		}
		return unknown
	})
}

// sent returns the types that belong to a flag.
func sent(h passes.Hook) string {
	var types []string
	for _, op := range h.Feeds[1:] {
		values := op.OperandValues()
		what := ""
		if op.Name() == "stablehlo.infeed" {
			values, what = op.ResultValues(), "an infeed of "
		}
		for _, v := range values[:len(values)-1] {
			types = append(types, fmt.Sprint(what, v.Type()))
		}
	}
	if len(types) == 0 {
		return "no values"
	}
	return strings.Join(types, ", ")
}
