package engine

import "github.com/calliope-mlir/calliope/callbacks"

// CompileOptions are the options of [Engine.Compile]. The zero value is one device and the engine's usual code. What an
// engine does not have is an error, unless the comment of the field says otherwise. At most one of Replicas and
// Partitions may be above 1.
type CompileOptions struct {
	// Replicas is the number of devices that each run the whole module. 0 is one.
	Replicas int
	// Partitions is the number of devices that share one run of a module that is sharded. The inputs and outputs of a
	// run are parts of arrays, which package stablehlo/sharding splits and joins.
	Partitions int
	// GSPMD divides a module with Partitions by XLA's older partitioner instead of Shardy. Modules need it whose
	// shardings are the strings mhlo.sharding: with Shardy, XLA does not honor all of them. With it, XLA refuses
	// modules that have Shardy's attributes.
	GSPMD bool

	// JAXCallbacks names the callbacks, in the default registry, that serve the calls of JAX's pure_callback,
	// io_callback and debug.callback in a module that JAX lowered for CPU. The call with index = i calls
	// JAXCallbacks[i]; JAX counts the callbacks of a module in the order in which it lowers them. The function gets the
	// operands and fills the results, as that of a callbacks.ForeignTarget. A name may be empty if the engine removes
	// all calls with its index. A name for which the module has no call is refused, and so is a function whose types,
	// or the signature that it is registered with, are not those of its call.
	JAXCallbacks []string
	// Foreign has the targets of other hosts whose calls are callbacks, too, such as those of package bridge/lapack.
	// XLA keeps them for later compiles: see bridge.Plugin.RegisterForeign.
	Foreign []callbacks.ForeignTarget

	// Exact turns off XLA's algebraic simplification, its folding of constants and its excess precision of small
	// floating-point types, which change what a module computes: docs/reference/xla-deviations.md lists the cases. A
	// product that is added may still not be rounded. Code may take longer: attention up to twice as long. Without
	// Exact, XLA's client logs the first operation that it knows to get another value. The other engines are exact.
	//
	// It adds passes to the flag xla_disable_hlo_passes, and sets xla_allow_excess_precision to false unless Flags has
	// it.
	Exact bool

	// Flags are flags of XLA for this compile, by name without dashes, such as "xla_cpu_prefer_vector_width": "512".
	// They are the fields of the plugin's DebugOptions (xla/xla.proto), and win over the environment variable
	// XLA_FLAGS. A repeated field has commas between its elements. A flag that the plugin does not have, and a value
	// that is not of the flag's type, are errors, see bridge.FlagError.
	//
	// XLA's client sets xla_cpu_enable_fast_min_max to false, unless Flags has it, or one of the environment variables
	// XLA_FLAGS and XLA_DEBUG_OPTIONS: otherwise maximum, minimum and clamp drop a NaN. Some plugins do not vectorize
	// reductions that keep a NaN, such as the maximum of each row: set it to true for modules without NaN in which
	// these take long. Operations on constants are not affected: some plugins drop a NaN when they fold them.
	Flags map[string]string
	// OptimizationLevel is how much XLA's backend optimizes, from 1 to 3. 0 means the plugin's default, which is 3
	// unless XLA_FLAGS has another, and [NoOptimization] is level 0 of XLA. It is the flag
	// xla_backend_optimization_level. Engines without levels ignore it.
	OptimizationLevel int
	// DumpTo is a folder to which XLA writes the module before and after its passes, and the generated code, for people
	// to read. The compile makes it if it does not exist. It is the flag xla_dump_to; other flags with that prefix
	// select what is written.
	DumpTo string
}

// NoOptimization is the OptimizationLevel of code that XLA does not optimize. It compiles fastest.
const NoOptimization = -1
