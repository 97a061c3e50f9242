package hlo

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
)

// ParseConfig reads the backend_config of a call with the typed FFI, a dictionary in MLIR's
// textual form. It returns an error for values that the contract does not have.
func ParseConfig(text string) ([]contract.Attr, error) {
	p := configParser{rest: strings.TrimSpace(text)}
	if p.rest == "" {
		return nil, nil
	}
	var attrs []contract.Attr
	p.want("{")
	for p.err == nil && !p.take("}") {
		if len(attrs) > 0 {
			p.want(",")
		}
		key := p.key()
		p.want("=")
		attrs = append(attrs, contract.Attr{Key: key, Value: p.value()})
	}
	if p.err == nil && p.rest != "" {
		p.fail("the end")
	}
	return attrs, p.err
}

type configParser struct {
	rest string
	err  error
}

// fail sets the first error.
func (p *configParser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("bridge: backend_config: want %s at %.40q", want, p.rest)
	}
	p.rest = ""
}

// take skips a token and the space around it, if it is next.
func (p *configParser) take(token string) bool {
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = strings.TrimSpace(rest)
	}
	return ok
}

func (p *configParser) want(token string) {
	if !p.take(token) {
		p.fail(strconv.Quote(token))
	}
}

// until returns what precedes the first of the characters.
func (p *configParser) until(chars string) string {
	n := strings.IndexAny(p.rest, chars)
	if n < 0 {
		n = len(p.rest)
	}
	token := strings.TrimSpace(p.rest[:n])
	p.rest = p.rest[n:]
	return token
}

func (p *configParser) key() string {
	if strings.HasPrefix(p.rest, `"`) {
		return p.text()
	}
	key := p.until("= ,}")
	if key == "" {
		p.fail("a key")
	}
	p.rest = strings.TrimSpace(p.rest)
	return key
}

// text reads a string literal, in which \ precedes another character that is special or two
// hexadecimal digits.
func (p *configParser) text() string {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '"':
			p.rest = strings.TrimSpace(p.rest[i+1:])
			return b.String()
		case '\\':
			if i+2 < len(p.rest) {
				if code, err := hex.DecodeString(p.rest[i+1 : i+3]); err == nil {
					b.Write(code)
					i += 2
					continue
				}
			}
			i++
			if i < len(p.rest) {
				switch c := p.rest[i]; c {
				case 'n':
					b.WriteByte('\n')
				case 't':
					b.WriteByte('\t')
				default:
					b.WriteByte(c)
				}
			}
		default:
			b.WriteByte(c)
		}
	}
	p.fail("the end of a string")
	return ""
}

// value reads a value: a string, a bool, an i64, a ui64 or a list of i64.
func (p *configParser) value() any {
	switch {
	case strings.HasPrefix(p.rest, `"`):
		return p.text()
	case p.take("true"):
		return true
	case p.take("false"):
		return false
	case p.take("array<i64"):
		p.take(":")
		list := p.numbers(p.until(">"))
		p.want(">")
		return list
	case p.take("dense<"):
		return p.dense()
	}
	digits := p.until(":,}")
	p.want(":")
	switch kind := p.until(",}"); kind {
	case "i64":
		return number(p, digits, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	case "ui64":
		return number(p, digits, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	}
	p.fail("i64 or ui64")
	return nil
}

func number[T int64 | uint64](p *configParser, digits string, parse func(string) (T, error)) T {
	n, err := parse(digits)
	if err != nil {
		p.fail("a number, not " + digits)
	}
	return n
}

// numbers reads numbers with commas between them.
func (p *configParser) numbers(list string) []int64 {
	numbers := []int64{}
	if strings.TrimSpace(list) == "" {
		return numbers
	}
	for digits := range strings.SplitSeq(list, ",") {
		numbers = append(numbers,
			number(p, strings.TrimSpace(digits), func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
	}
	return numbers
}

// dense reads the rest of dense elements: a list, one number for all elements, or the bytes
// in hexadecimal.
func (p *configParser) dense() []int64 {
	var list []int64
	splat := false
	if strings.HasPrefix(p.rest, `"`) {
		bytes, err := hex.DecodeString(strings.TrimPrefix(p.text(), "0x"))
		if err != nil || len(bytes)%8 != 0 {
			p.fail("64-bit words in hexadecimal")
			return nil
		}
		for ; len(bytes) > 0; bytes = bytes[8:] {
			list = append(list, int64(binary.LittleEndian.Uint64(bytes)))
		}
	} else {
		elements := p.until(">")
		splat = !strings.HasPrefix(elements, "[") && elements != ""
		list = p.numbers(strings.Trim(elements, "[]"))
	}
	p.want(">")
	p.want(":")
	p.want("tensor<")
	dims, ok := strings.CutSuffix(p.until(">"), "xi64")
	n := number(p, dims, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	p.want(">")
	if splat && ok && n > 0 && n <= 1<<16 {
		first := list[0]
		list = make([]int64, n)
		for i := range list {
			list[i] = first
		}
	}
	if !ok || int64(len(list)) != n {
		p.fail("as many i64 as the type has")
	}
	return list
}
