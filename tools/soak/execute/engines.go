package execute

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/native"
)

// Plugins returns the CPU plugins for this platform.
func Plugins() []native.Part {
	return slices.DeleteFunc(native.Plugins(), func(p native.Part) bool {
		return !p.Fetchable() && p != native.PJRTPlugin
	})
}

// Engines finds engines, with commas between their names: jit, interpreter, and xla and exact with the name of a plugin
// behind a colon. An empty list is all, without the interpreter. XLA compiles modules as they are if unprepared is set.
func Engines(ctx context.Context, names string, unprepared bool) (list []Engine, err error) {
	var all []Engine
	paths := map[string]native.Part{}
	for _, part := range Plugins() {
		for name, kind := range map[string]string{"xla": XLA, "exact": Exact} {
			e := Engine{Kind: kind, Unprepared: unprepared, Name: name + ":" + string(part)}
			paths[e.Name] = part
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Engine) int { return cmp.Compare(a.Name, b.Name) })
	all = append(all, Engine{Kind: JIT, Name: "jit"})
	if names != "" {
		all = append(all, Engine{Kind: Interpreter, Name: "interpreter"})
		for name := range strings.SplitSeq(names, ",") {
			i := slices.IndexFunc(all, func(e Engine) bool { return e.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("there is no engine %q: take of %s", name, engineNames(all))
			}
			list = append(list, all[i])
		}
		all = list
	}
	for i, e := range all {
		if part, ok := paths[e.Name]; ok {
			found, err := native.Ensure(ctx, part, native.EnsureOptions{})
			if err != nil {
				return nil, err
			}
			all[i].Plugin = found.Path
		}
	}
	return all, nil
}

func engineNames(all []Engine) string {
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}
