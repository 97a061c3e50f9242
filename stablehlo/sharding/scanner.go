package sharding

import (
	"strconv"
	"strings"
)

// A scanner reads the tokens of a text. After a token that does not fit, failed is true and
// nothing is read any more.
type scanner struct {
	rest   string
	failed bool
}

func (s *scanner) space() { s.rest = strings.TrimLeft(s.rest, " \n\t") }

// accept reads a token if it is the next one.
func (s *scanner) accept(token string) bool {
	s.space()
	rest, ok := strings.CutPrefix(s.rest, token)
	if s.failed || !ok {
		return false
	}
	s.rest = rest
	return true
}

// expect reads a token.
func (s *scanner) expect(token string) {
	if !s.accept(token) {
		s.failed = true
	}
}

// number reads a number that is not negative.
func (s *scanner) number() int {
	s.space()
	end := 0
	for end < len(s.rest) && '0' <= s.rest[end] && s.rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s.rest[:end], 10, 32)
	if s.failed || err != nil {
		s.failed = true
		return 0
	}
	s.rest = s.rest[end:]
	return int(n)
}

// numbers reads numbers with commas between them, at least one.
func (s *scanner) numbers() (list []int) {
	list = append(list, s.number())
	for s.accept(",") {
		list = append(list, s.number())
	}
	return list
}

// quoted reads a string in quotes.
func (s *scanner) quoted() string {
	s.expect(`"`)
	text, rest, ok := strings.Cut(s.rest, `"`)
	if s.failed || !ok || strings.Contains(text, `\`) {
		s.failed = true
		return ""
	}
	s.rest = rest
	return text
}

// word reads letters, digits, _, . and -.
func (s *scanner) word() string {
	s.space()
	end := strings.IndexFunc(s.rest, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("_.-$", r))
	})
	if end < 0 {
		end = len(s.rest)
	}
	if s.failed || end == 0 {
		s.failed = true
		return ""
	}
	word := s.rest[:end]
	s.rest = s.rest[end:]
	return word
}

// done reports whether all of the text was read.
func (s *scanner) done() bool {
	s.space()
	return !s.failed && s.rest == ""
}
