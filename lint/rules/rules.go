package rules

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
)

// All returns the rules, in the order in which -list prints them.
func All() []*lint.Analyzer {
	return []*lint.Analyzer{
		AfterAll, AliasCopies, AliasInvalid, AliasMissing, AliasWholeTuple, APIVersion, BackendConfig,
		CallbackBinding, CallbackInLoop, ConstantCondition, CreateToken, DeprecatedOp, DynamicShape, F64, HookFlag,
		Infeed, JAXSpelling, LargeConstant, Layouts, LegacyAdapter, LegacyCustomCall, Outfeed, Placement, ReplicaGroups,
		SideEffect, StableHLOVersion, TokenValue, UnknownTarget, UnorderedEffects, UnpairedSend, UnusableDonation,
		UnusedFunction, XLADeviates, XLAOverwrites, ZeroToken,
	}
}

// bytecode is the beginning of bytecode, for Pass.Mentions.
const bytecode = "ML\xefR"

// further returns the end of a message about the first of several things: " (and 2 further calls)".
func further(n int, thing string) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return " (and one further " + thing + ")"
	}
	return fmt.Sprintf(" (and %d further %ss)", n, thing)
}

// instead is the end of the messages about old host calls.
const instead = "use a stablehlo.custom_call with api_version = 4 instead, in the observe or the passthrough form"

func quote(s string) string { return fmt.Sprintf("%q", s) }

// list returns numbers as they are in a sentence: 0, 1 and 2.
func list(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
