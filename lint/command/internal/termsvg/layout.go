package termsvg

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// classes are those of the parameters of a sequence that sets the style.
var classes = map[string]string{
	"0": "", "1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan",
}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// A screen is what a terminal shows.
type screen struct {
	columns int
	lines   [][]run
	column  int // of the next character
}

// layOut returns the lines that a terminal shows. A line that is too long continues in the next one.
func layOut(text string, columns int) ([][]run, error) {
	s := screen{columns: columns, lines: [][]run{nil}}
	class := ""
	for i := 0; i < len(text); {
		if m := sequence.FindStringSubmatch(text[i:]); m != nil {
			var err error
			if class, err = classOf(m[1]); err != nil {
				return nil, err
			}
			i += len(m[0])
			continue
		}
		end := len(text)
		if at := strings.IndexByte(text[i+1:], '\x1b'); at >= 0 {
			end = i + 1 + at
		}
		for _, r := range text[i:end] {
			if r != '\n' && !unicode.IsPrint(r) {
				return nil, fmt.Errorf("the picture cannot show the character %q", r)
			}
			s.put(r, class)
		}
		i = end
	}
	return s.lines, nil
}

// classOf returns the class for parameters such as "1;31".
func classOf(parameters string) (string, error) {
	var names []string
	for p := range strings.SplitSeq(parameters, ";") {
		class, ok := classes[p]
		if !ok {
			return "",
				fmt.Errorf("the picture has no style for the parameter %q of an escape sequence: add it to classes", p)
		}
		if class != "" {
			names = append(names, class)
		}
	}
	return strings.Join(names, " "), nil
}

// put shows one character.
func (s *screen) put(r rune, class string) {
	if r == '\n' || s.column == s.columns {
		s.lines = append(s.lines, nil)
		s.column = 0
	}
	if r == '\n' {
		return
	}
	line := &s.lines[len(s.lines)-1]
	if n := len(*line); n == 0 || (*line)[n-1].class != class {
		*line = append(*line, run{column: s.column, class: class})
	}
	last := &(*line)[len(*line)-1]
	last.text += string(r)
	s.column++
}
