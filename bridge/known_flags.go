package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/internal/nearest"
)

// nearestFlag returns the flag of XLA that is most similar to a name, or "".
func (p *Plugin) nearestFlag(name string) string {
	known, _ := p.knownFlags() // without the file there is no hint
	return nearest.Name(strings.TrimLeft(name, "-"), maps.Keys(known))
}

func (p *Plugin) knownFlags() (map[string]bool, error) {
	p.knownOnce.Do(func() { p.known, p.knownErr = readFlags(p.path) })
	return p.known, p.knownErr
}

// checkEnvironment returns an error if XLA would end the process for what is in XLA_FLAGS, which it
// parses when it makes its first client.
func (p *Plugin) checkEnvironment() error {
	const variable = "XLA_FLAGS"
	text := strings.TrimSpace(os.Getenv(variable))
	if text == "" || p.parsed.Load() {
		return nil
	}
	if !strings.HasPrefix(text, "-") { // the name of a file
		content, err := os.ReadFile(text)
		if err != nil {
			return fmt.Errorf("bridge: %s: %w: give flags, which begin with --, or a file with flags", variable, err)
		}
		text = string(content)
	}
	known, err := p.knownFlags()
	if err != nil {
		return fmt.Errorf("bridge: %s: %w", variable, err)
	}
	for _, flag := range splitFlags(text) {
		name, dashes := strings.CutPrefix(flag, "--")
		name, value, _ := strings.Cut(name, "=")
		if !dashes || !known[name] {
			return &FlagError{Flag: name, Value: value, Nearest: p.nearestFlag(name), Variable: variable}
		}
	}
	return nil
}

// splitFlags splits the text of XLA_FLAGS as XLA does: at spaces that are not in a quoted value, up to
// the first word that is not a flag.
func splitFlags(text string) (flags []string) {
	for {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "-") {
			return flags
		}
		end := strings.IndexAny(text, " \t\r\n")
		i := strings.IndexAny(text, "= \t\r\n")
		if i >= 0 && i+1 < len(text) && text[i] == '=' && (text[i+1] == '"' || text[i+1] == '\'') {
			quote := text[i+1]
			for end = i + 2; end < len(text) && text[end] != quote; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			end++
		}
		if end < 0 || end > len(text) {
			end = len(text)
		}
		flags, text = append(flags, text[:end]), text[end:]
	}
}

// readFlags returns the names of XLA's flags in the file of a plugin: all strings that begin with xla_.
// These are a few more names than XLA has flags.
func readFlags(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const longest = 256
	names, buf, kept := map[string]bool{}, make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		data := buf[:kept+n]
		for rest := data; ; {
			i := bytes.Index(rest, []byte("xla_"))
			if i < 0 {
				break
			}
			rest = rest[i:]
			end := bytes.IndexFunc(rest, func(r rune) bool {
				return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
			})
			if end < 0 {
				break
			}
			if rest[end] == 0 {
				names[string(rest[:end])] = true
			}
			rest = rest[end:]
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return names, nil
		case err != nil:
			return nil, err
		}
		kept = copy(buf, data[len(data)-longest:])
	}
}
