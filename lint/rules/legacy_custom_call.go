package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// LegacyCustomCall reports calls of untyped handlers.
var LegacyCustomCall = &lint.Analyzer{
	Name:     "legacy-custom-call",
	Doc:      "a custom call of API version 0 to 3 needs an untyped handler of the old kind",
	Run:      legacyCustomCall,
	Severity: finding.Warning,
	Details: `Severity: warning.

The API versions 1 to 3 call a C function with bare pointers: it gets no shapes, no types and no attributes, and
version 1 cannot report an error. Version 0 states none. XLA keeps these for old programs only.

    %0 = stablehlo.custom_call @scale(%x) {api_version = 2 : i32, backend_config = "3.0"} : (tensor<4xf32>) -> tensor<4xf32>

Register a handler of XLA's typed FFI and write api_version = 4 : i32, with a dictionary as backend_config. For
JAX's xla_python_cpu_callback and its old calls of LAPACK and cuSOLVER, export the program again with a newer JAX.
There is no safe repair, because the handler has to change too. If it cannot change, callbacks/legacy can serve it: see
the rule legacy-adapter.

JAX's spelling of a typed call, version 1 with mhlo.backend_config, is not reported, nor are targets that XLA serves
itself, such as Sharding, nor the checks of StableHLO's test data, nor known targets, which the program registers. Names
with a dot, such as mine.softmax, are operations that a compiler replaces, and not reported either. A target has one
finding in a module, at its first call. Calls of callback targets have the rule api-version.`,
}

func legacyCustomCall(p *lint.Pass) error {
	type handler struct {
		target  string
		version int
	}
	var first []*call
	calls := map[handler]int{}
	for _, c := range callsOf(p) {
		if c.typed || contract.IsTarget(c.Target) || c.ofXLA() || isReplaced(c.Target) ||
			slices.Contains(p.KnownTargets, c.Target) {
			continue
		}
		h := handler{c.Target, c.APIVersion}
		if calls[h]++; calls[h] == 1 {
			first = append(first, c)
		}
	}
	for _, c := range first {
		how := "is of API version 1, whose handler gets bare pointers and cannot report errors"
		switch c.APIVersion {
		case 0:
			how = "states no API version (0)"
		case 2, 3:
			how = fmt.Sprintf("is of API version %d, whose handler gets bare pointers, without shapes and types",
				c.APIVersion)
		}
		advice := "register a handler of XLA's typed FFI, and write api_version = 4 with a dictionary as backend_config"
		if isOfJAX(c.Target) {
			advice = "export the program with a newer JAX, which writes typed calls"
		}
		p.Report(c.op, finding.Warning, "the call of @%s %s: %s%s", c.Target, how, advice,
			further(calls[handler{c.Target, c.APIVersion}]-1, "call"))
	}
	return nil
}

// isReplaced reports whether no program registers a handler of a target, because a compiler replaces its calls: one
// with operations of its own, XLA's partitioner, or XLA's compiler for TPU.
func isReplaced(target string) bool {
	return strings.Contains(target, ".") ||
		slices.Contains([]string{"CustomSPMDPartitioning", "InspectSharding", "LuDecomposition"}, target)
}

// isOfJAX reports whether JAX wrote untyped calls of a target, and writes typed ones now.
func isOfJAX(target string) bool {
	return contract.PythonTargetOf(target) != contract.NotPython || target == "triton_kernel_call" ||
		slices.ContainsFunc(ofJAX, func(prefix string) bool { return strings.HasPrefix(target, prefix) })
}

// ofJAX begin the names of the libraries of linear algebra and random numbers in jaxlib.
var ofJAX = []string{"lapack_", "blas_", "cublas_", "cusolver_", "cusparse_", "cu_", "hipblas_", "hipsolver_",
	"hipsparse_", "hip_"}
