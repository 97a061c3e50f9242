package bridge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CompileOptions are the options of [Client.Compile]. At most one of Replicas and Partitions
// may be above 1.
type CompileOptions struct {
	// Replicas is the number of devices that each run the whole module.
	Replicas int
	// Partitions is the number of devices that share one run of a module that is sharded.
	// The inputs and outputs of a run are parts of arrays, which package stablehlo/sharding
	// splits and joins.
	Partitions int
	// GSPMD divides a module with Partitions by XLA's older partitioner instead of Shardy.
	// Modules need it whose shardings are the strings mhlo.sharding: with Shardy, XLA does not
	// honor all of them. With it, XLA refuses modules that have Shardy's attributes.
	GSPMD bool

	// JAXCallbacks names the callbacks, in the default registry, that serve the calls of JAX's
	// pure_callback, io_callback and debug.callback in a module that JAX lowered for CPU. The
	// call with index = i calls JAXCallbacks[i]; JAX counts the callbacks of a module in the
	// order in which it lowers them. The function gets the operands and fills the results, as
	// that of a callbacks.ForeignTarget. A name may be empty if XLA removes all calls with its index. A
	// name for which the module has no call is refused (see [DescribedProgram]), and so is a function
	// whose types, or the signature that it is registered with, are not those of its call.
	JAXCallbacks []string

	// Exact turns off XLA's algebraic simplification, its folding of constants and its excess precision of small
	// floating-point types, which change what a module computes: docs/reference/xla-deviations.md lists the cases.
	// A product that is added may still not be rounded. Code may take longer: attention up to twice as long. Without
	// Exact, Compile logs the first operation that it knows to get another value, see [DescribedProgram].
	//
	// It adds passes to the flag xla_disable_hlo_passes, and sets xla_allow_excess_precision to false unless
	// Flags has it.
	Exact bool

	// Flags are flags of XLA for this compile, by name without dashes, such as
	// "xla_cpu_prefer_vector_width": "512". They are the fields of the plugin's DebugOptions
	// (xla/xla.proto), and win over the environment variable XLA_FLAGS. A repeated field has
	// commas between its elements. A flag that the plugin does not have, and a value that is
	// not of the flag's type, are errors, see [FlagError].
	//
	// Compile sets xla_cpu_enable_fast_min_max to false, unless Flags has it, or one of the
	// environment variables XLA_FLAGS and XLA_DEBUG_OPTIONS: otherwise maximum, minimum and
	// clamp drop a NaN. Some plugins do not vectorize reductions that keep a NaN, such as the
	// maximum of each row: set it to true for modules without NaN in which these take long.
	// Operations on constants are not affected: some plugins drop a NaN when they fold them.
	Flags map[string]string
	// OptimizationLevel is how much XLA's backend optimizes, from 1 to 3. 0 means the
	// plugin's default, which is 3 unless XLA_FLAGS has another, and [NoOptimization] is level
	// 0 of XLA. It is the flag xla_backend_optimization_level.
	OptimizationLevel int
	// DumpTo is a folder to which XLA writes the module before and after its passes, and the
	// generated code, for people to read. Compile makes it if it does not exist. It is the
	// flag xla_dump_to; other flags with that prefix select what is written.
	DumpTo string
}

// NoOptimization is the OptimizationLevel of code that XLA does not optimize. It compiles
// fastest.
const NoOptimization = -1

// check returns the flags of XLA that the options ask for.
func (o CompileOptions) check(devices int) (flags map[string]string, err error) {
	switch {
	case o.Replicas < 0 || o.Partitions < 0:
		return nil,
			errors.New("a negative number of Replicas or Partitions is not possible; give 0 or 1 for one device")
	case o.Replicas > 1 && o.Partitions > 1:
		return nil, errors.New("both Replicas and Partitions are above 1; choose one")
	case max(o.Replicas, o.Partitions) > devices:
		return nil, fmt.Errorf("the options need %d devices, but the client has %d; increase ClientOptions.Devices",
			max(o.Replicas, o.Partitions), devices)
	case o.OptimizationLevel < NoOptimization || o.OptimizationLevel > 3:
		return nil, fmt.Errorf("there is no OptimizationLevel %d; give 1 to 3, 0 for the default, or NoOptimization",
			o.OptimizationLevel)
	}
	if err := checkJAXCallbacks(o.JAXCallbacks); err != nil {
		return nil, err
	}
	flags = map[string]string{}
	for flag, value := range o.Flags {
		if !utf8.ValidString(flag) || !utf8.ValidString(value) {
			return nil, fmt.Errorf("the flag %q with the value %q is not valid UTF-8", flag, value)
		}
	}
	maps.Copy(flags, o.Flags)
	set := func(field, flag, value string) error {
		if other, twice := flags[flag]; twice {
			return fmt.Errorf("%s and Flags both have %s, %q and %q; choose one", field, flag, value, other)
		}
		flags[flag] = value
		return nil
	}
	if o.OptimizationLevel != 0 {
		level := max(0, o.OptimizationLevel) // NoOptimization is 0
		if err := set("OptimizationLevel", "xla_backend_optimization_level", strconv.Itoa(level)); err != nil {
			return nil, err
		}
	}
	if o.Exact {
		flags[disabledPasses] = strings.TrimPrefix(flags[disabledPasses]+","+inexactPasses, ",")
		if _, set := flags[excessPrecision]; !set {
			flags[excessPrecision] = "False"
		}
	}
	if o.DumpTo != "" {
		dir, err := filepath.Abs(o.DumpTo) // "-" is standard output in XLA
		if err != nil {
			return nil, fmt.Errorf("DumpTo: %w", err)
		}
		// XLA only logs that it cannot write.
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("DumpTo: %w", err)
		}
		if err := set("DumpTo", "xla_dump_to", dir); err != nil {
			return nil, err
		}
	}
	return flags, nil
}
