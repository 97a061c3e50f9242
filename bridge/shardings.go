package bridge

import "github.com/calliope-mlir/calliope/bridge/internal/hlo"

// InputShardings returns how the parameters of a partitioned module are divided, in the
// order of [Executable.Inputs]. The compiler may have chosen this, where the module does not
// say it. Each text has XLA's form, such as {devices=[2,2]<=[4]}, which Parse of
// stablehlo/sharding reads; {unknown} is one that has no such form. The devices in it are
// partitions, in the order in which [Executable.Run] takes their inputs. The result is nil if
// the module is not partitioned, or if the plugin does not report the shardings.
func (e *Executable) InputShardings() []string {
	e.given("InputShardings")
	if e.partitions < 2 || !e.known {
		return nil
	}
	return e.withoutTokens(hlo.InputShardings(e.xla.Program), len(e.params))
}

// withoutTokens returns the n elements of a list that are not of runtime tokens, or nil if the list
// is too short.
func (e *Executable) withoutTokens(list []string, n int) []string {
	list = list[min(e.afterTokens(), len(list)):]
	if len(list) < n {
		return nil
	}
	return list[:n:n]
}

// OutputShardings is InputShardings for the results, in the order of [Executable.Outputs].
func (e *Executable) OutputShardings() []string {
	e.given("OutputShardings")
	if e.partitions < 2 || e.results == nil {
		return nil
	}
	return e.withoutTokens(hlo.OutputShardings(e.xla.Program), len(e.results))
}
