package embed

/*
#include "api.h"
*/
import "C"

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

//export calliopePreflight
func calliopePreflight(
	library C.int64_t, context, module unsafe.Pointer, in *C.calliope_preflight_options,
) C.calliope_status {
	const what = "calliope_preflight"
	return inModule(what, library, context, module, func(m *mlir.Module) error {
		o, err := preflightOptions(what, in)
		if err != nil {
			return err
		}
		err = preflight.Check(m, o)
		if problems := new(preflight.Error); errors.As(err, &problems) {
			return refusal("%s", inC.Replace(err.Error()))
		}
		return err
	})
}

// inC replaces the advice for programs in Go.
var inC = strings.NewReplacer(
	"apply passes.ApplyPolicies to the module", "call calliope_prepare before",
	"make a callback of it with passes.Migrate", "make a callback of it with calliope_fix",
	"with passes.ReplaceLegacy", "with calliope_replace_legacy",
	"compile it with Partitions above 1", "set options.partitions",
	"name the callbacks that serve its calls in CompileOptions.JAXCallbacks of bridge",
	"register a handler of the host, and name the target in options.targets",
	"lapack.Register of bridge/lapack serves it, and Handlers must have lapack.Targets then",
	"register a handler of the host, and name the target in options.targets",
)

func preflightOptions(what string, in *C.calliope_preflight_options) (o preflight.Options, err error) {
	asked.Lock()
	o.Targets = slices.AppendSeq(contract.Targets(), maps.Keys(asked.targets))
	asked.Unlock()
	if in == nil {
		return o, nil
	}
	if in.struct_size != C.sizeof_calliope_preflight_options {
		return o, invalid("%s: options.struct_size is %d: set it to sizeof(calliope_preflight_options), which is %d",
			what, in.struct_size, C.sizeof_calliope_preflight_options)
	}
	if in.partitions < 0 || in.partitions > stablehlo.MaxDevices {
		return o, invalid("%s: options.partitions is %d: it must be 0 to %d", what, in.partitions, stablehlo.MaxDevices)
	}
	o.Partitions = int(in.partitions)
	targets, err := pointers(what, "targets", in.num_targets, (*unsafe.Pointer)(unsafe.Pointer(in.targets)))
	for _, t := range targets {
		o.Handlers = append(o.Handlers, C.GoString((*C.char)(t)))
	}
	return o, err
}
