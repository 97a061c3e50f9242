package command

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// shells are the shells that completion knows.
var shells = []string{"bash", "zsh", "fish"}

// completion returns a script for a shell that completes flags, and the values of those that have a choice.
func completion(args []string, flags *flag.FlagSet, choices map[string][]string) (*bytes.Buffer, error) {
	if len(args) != 1 || !slices.Contains(shells, args[0]) {
		return nil, fmt.Errorf("completion prints a script for a shell: give one of %s", strings.Join(shells, ", "))
	}
	var text bytes.Buffer
	program := flags.Name()
	if args[0] == "fish" {
		flags.VisitAll(func(f *flag.Flag) {
			_, doc := flag.UnquoteUsage(f)
			fmt.Fprintf(&text, "complete -c %s -o %s -d '%s'", program, f.Name, strings.ReplaceAll(doc, "'", ""))
			if values := choices[f.Name]; values != nil {
				fmt.Fprintf(&text, " -x -a '%s'", strings.Join(values, " "))
			}
			text.WriteString("\n")
		})
		return &text, nil
	}
	if args[0] == "zsh" {
		text.WriteString("autoload -Uz compinit bashcompinit && compinit && bashcompinit\n")
	}
	var names []string
	text.WriteString("_mlir_lint() {\n" +
		"  local words cur=${COMP_WORDS[COMP_CWORD]}\n" +
		"  case ${COMP_WORDS[COMP_CWORD-1]} in\n")
	flags.VisitAll(func(f *flag.Flag) {
		names = append(names, "-"+f.Name)
		if values := choices[f.Name]; values != nil {
			fmt.Fprintf(&text, "    -%s) words=%q ;;\n", f.Name, strings.Join(values, " "))
		}
	})
	fmt.Fprintf(&text, "    *) [[ $cur == -* ]] && words=%q ;;\n  esac\n", strings.Join(names, " "))
	text.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n")
	fmt.Fprintf(&text, "complete -o default -F _mlir_lint %s\n", program)
	return &text, nil
}

// choicesOf returns the values of the flags that have a choice.
func choicesOf(rules []report.Rule) map[string][]string {
	names := namesOf(rules)
	return map[string][]string{"format": report.Formats, "rules": names, "explain": names}
}
