package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// harmlessPasses has a line for each pass of LLVM 22 that writes and reads no files and runs no programs, with its
// options. A test asks that library for all of its passes and options. What it lacks is refused: passes of other
// libraries, pipelines under one name, and the passes with files of TestHarmlessPasses.
//
//go:embed harmless_passes.txt
var harmlessPasses string

// harmless returns the options of passes that are harmless. Those of StableHLO may have any, which is nil.
var harmless = sync.OnceValue(func() map[string][]string {
	options := map[string][]string{}
	for line := range strings.Lines(harmlessPasses) {
		words := strings.Fields(line)
		options[words[0]] = words[1:]
	}
	for _, p := range stablehlo.Passes() {
		options[p.Name] = nil
	}
	return options
})

// pipelineOptions are options of harmless passes that are pipelines.
var pipelineOptions = []string{"default-pipeline", "op-pipelines"}

var fileOption = regexp.MustCompile(
	`(?i)([a-z0-9_-]*(?:file|path|dir|librar|link|toolkit|command|cmd|dump|executable)[a-z0-9_-]*)\s*=`)

const (
	trustAdvice = "give the passes by flags, or allow it by --trust-reproducer"
	deepest     = 64 // the depth of a pipeline
)

// refuseFiles returns an error for a pipeline of a stranger in which a pass or an option may not be harmless.
func refuseFiles(pipeline string) error {
	unknown := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\'' }
	if strings.ContainsFunc(pipeline, unknown) {
		return unreadable()
	}
	rest, err := refusePasses(pipeline, deepest)
	if err == nil && rest != "" {
		err = unreadable()
	}
	return err
}

func unreadable() error { return fmt.Errorf("its pipeline cannot be read: %s", trustAdvice) }

// refusePasses reads passes, and operations with passes, up to the end or a closing parenthesis, and returns what
// follows. It finds the names and the options where MLIR's parser does.
func refusePasses(text string, depth int) (rest string, err error) {
	if depth == 0 {
		return "", unreadable()
	}
	for {
		end := strings.IndexAny(text, ",{()")
		if end < 0 {
			end = len(text)
		}
		name := strings.TrimSpace(text[:end])
		switch text = text[end:]; {
		case strings.HasPrefix(text, "("): // the passes of an operation
			if rest, err = refusePasses(text[1:], depth-1); err != nil {
				return "", err
			}
			if text = rest; !strings.HasPrefix(text, ")") {
				return "", unreadable()
			}
			text = text[1:]
		case name != "":
			given := ""
			if strings.HasPrefix(text, "{") {
				n := closingBrace(text)
				if n < 0 {
					return "", unreadable()
				}
				given, text = text[1:n], text[n+1:]
			}
			if err := refusePass(name, given, depth); err != nil {
				return "", err
			}
		}
		text = strings.TrimLeft(text, " ")
		if !strings.HasPrefix(text, ",") {
			if text != "" && text[0] != ')' {
				return "", unreadable()
			}
			return text, nil
		}
		text = text[1:]
	}
}

// closingBrace returns the position of the brace that closes the first one, or -1.
func closingBrace(text string) int {
	depth := 0
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// refusePass reads the options of a pass, which spaces separate outside of brackets.
func refusePass(pass, text string, depth int) error {
	known, isHarmless := harmless()[pass]
	if known == nil {
		if m := fileOption.FindStringSubmatch(text); m != nil {
			return fmt.Errorf("its pipeline has the option %s, which may name files or programs: %s", m[1], trustAdvice)
		}
	}
	if !isHarmless {
		return fmt.Errorf("its pipeline has the pass %s, which may write or read files, or run programs: %s", pass,
			trustAdvice)
	}
	level, start := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) {
			switch text[i] {
			case '{', '(', '[':
				level++
			case '}', ')', ']':
				level--
			}
			if text[i] != ' ' || level > 0 {
				continue
			}
		}
		key, value, _ := strings.Cut(text[start:i], "=")
		start = i + 1
		switch {
		case key == "" && value == "", known == nil:
		case !slices.Contains(known, key):
			return fmt.Errorf("its pipeline has the option %s of the pass %s, which is not known to be harmless: %s",
				key, pass, trustAdvice)
		case slices.Contains(pipelineOptions, key):
			if strings.HasPrefix(value, "{") {
				value = strings.TrimSuffix(value[1:], "}")
			}
			rest, err := refusePasses(value, depth-1)
			if err == nil && rest != "" {
				err = unreadable()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
