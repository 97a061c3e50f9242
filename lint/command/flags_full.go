//go:build cgo

package command

import (
	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
)

const usage = `usage: %[1]s [flags] [PATH …]
       %[1]s merge-sarif REPORT …
       %[1]s merge-baselines BASELINE …
       %[1]s lsp [flags]
       %[1]s completion bash|zsh|fish

Checks MLIR modules: text, bytecode, StableHLO portable artifacts and files of
jax.export, which it recognizes by their content. Of a folder and its subfolders, it
checks the files *.mlir, *.mlirbc, *.mlir.bc, *.stablehlo, *.vhlo and *.bc. "./..." is
the working directory. "-", or no argument, is standard input. Each finding is one line:

  file:line:column: severity: message [rule]

A file .mlir-lint.yaml in the folder of a path, or in one around it, sets severities,
ignores and known targets. The comment "// mlir-lint:ignore rule reason" ignores the
findings of a rule on its line, or on the next one. docs/mlir-lint.md describes both.

-fix repairs what has one safe repair. It writes a file if no error is left in it. It
changes the text of the operations that it repairs, and leaves the rest as it is.
-fix-unsafe also makes repairs after which the program does something else.
lsp is a language server for editors; "%[1]s lsp -h" prints its flags.

Exit status: 0 no errors, 1 errors (with -werror, also warnings; with -fix, if any is
left; with -diff, also if there is a difference), 2 an input that could not be read or is
invalid (rule [invalid]), or wrong usage.

Flags:
`

// newOptions returns the options of a full run.
func newOptions(program string) *options {
	o := newCheckOptions(program)
	o.addReporting()
	f := o.flags
	f.StringVar(&o.baseline, "baseline", "", "do not count the findings in this `file`")
	f.BoolVar(&o.writeBase, "write-baseline", false,
		"write the findings to the file of -baseline, so that they are known")
	f.BoolVar(&o.split, "split-input-file", false,
		`check the parts of each text between lines "// -----" as modules of their own`)
	o.fixing.register(f)
	f.BoolVar(&o.noCache, "no-cache", false, "check files anew that did not change since an earlier run")
	f.StringVar(&o.addIgnores, "add-ignores", "",
		"write comments into the files that ignore their errors and warnings for this `reason`")
	f.BoolVar(&o.settings, "show-settings", false, "print how each file is checked as JSON, and exit")
	f.BoolVar(&o.watching, "watch", false, "check again whenever a file or a configuration changes")
	f.StringVar(&o.explain, "explain", "", "explain this `rule` and exit")
	return o
}

// newCheckOptions returns the options that say how one module is checked.
func newCheckOptions(program string) *options {
	o := newSharedOptions(program)
	o.memory = 8 * bounded.GiB
	f := o.flags
	f.BoolVar(&o.strict, "strict", false,
		"report as errors what may be intended, such as tokens that order send and recv")
	f.Func("target-stablehlo", "report what needs a later `version` of StableHLO, for example 1.13.3", func(text string) error {
		o.target = text
		return config.CheckVersion(text)
	})
	f.BoolVar(&o.allowed, "allow-unregistered-dialect", false,
		"accept operations, types and attributes of dialects that the library does not have")
	f.StringVar(&o.engine, "engine", "", "read all modules with this MLIR `library`: a path, or "+partList()+
		" (default: the one that has the dialects of the module)")
	f.Var(&o.memory, memoryFlag, "the `memory` that checking one input may take, on Linux and Windows")
	return o
}
