// Package lex reads the tokens of MLIR's text, in Go alone. It accepts any text, and takes linear time.
package lex

import (
	"bytes"
	"fmt"
)

// A Kind is the kind of a token. Kinds of one character are that character.
type Kind byte

const (
	End       Kind = 0
	Bad       Kind = 1   // an error: a string without an end
	Word      Kind = 'a' // a word, with or without dots
	Number    Kind = '0'
	String    Kind = '"'
	Symbol    Kind = '@' // @name or @"name"
	Value     Kind = '%'
	Block     Kind = '^'
	Attribute Kind = '#' // with the body, if the attribute has one: #dialect<…>
	Type      Kind = '!' // with the body, if the type has one
	Arrow     Kind = '>' + 0x80
	Metadata  Kind = '{' + 0x80 // {-# … #-}
	Colons    Kind = ':' + 0x80 // :: between the names of nested symbols
	Comment   Kind = '/' + 0x80 // of pieces
	Compare   Kind = '=' + 0x80 // <= or >=, which are no brackets; of pieces
)

// A Token is a piece of the text.
type Token struct {
	Kind       Kind
	Start, End int
}

// Classes of bytes.
const (
	isLetter  = 1 << iota // and _
	isDigit               // 0 to 9
	isIDMark              // $ and ., in every name
	isMinus               // -, in the names after % ^ # !
	isSpecial             // starts something that may contain any byte: " / # ! {
	isHex
	isSpace
)

const (
	inBareID   = isLetter | isDigit | isIDMark
	inSuffixID = inBareID | isMinus
)

var class = func() (c [256]byte) {
	for b := range c {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z' && b < 0x80, b == '_':
			c[b] = isLetter
		case '0' <= b && b <= '9':
			c[b] = isDigit | isHex
		}
	}
	for _, b := range "abcdefABCDEF" {
		c[b] |= isHex
	}
	c['$'], c['.'], c['-'] = isIDMark, isIDMark, isMinus
	for _, b := range []byte(`"/#!{`) {
		c[b] |= isSpecial
	}
	for _, b := range []byte(" \t\n\r\x00") {
		c[b] |= isSpace
	}
	return c
}()

// IsWord reports whether a byte may be in a word.
func IsWord(b byte) bool { return class[b]&inBareID != 0 }

// IsNamePart reports whether a byte may be in the name behind one of %, ^, # and !.
func IsNamePart(b byte) bool { return class[b]&inSuffixID != 0 }

// SkipPlain returns the first position from i on whose byte may begin something that contains any bytes: a string, a
// comment, the body of an attribute or type, or resources.
func SkipPlain(text []byte, i int) int {
	for i < len(text) && class[text[i]]&isSpecial == 0 {
		i++
	}
	return i
}

// skipClass returns the first position from i on whose byte is not in the class.
func skipClass(text []byte, i int, in byte) int {
	for i < len(text) && class[text[i]]&in != 0 {
		i++
	}
	return i
}

// SkipSpace returns the start of the next token. Bytes of value 0 are space in MLIR.
func SkipSpace(text []byte, i int) int {
	for {
		i = skipClass(text, i, isSpace)
		if i+1 >= len(text) || text[i] != '/' || text[i+1] != '/' {
			return i
		}
		i = SkipComment(text, i)
	}
}

// SkipComment returns the end of the line. A carriage return ends it, too.
func SkipComment(text []byte, i int) int {
	end := bytes.IndexAny(text[i:min(len(text), i+128)], "\r\n")
	if end >= 0 {
		return i + end
	}
	for i < len(text) && text[i] != '\n' && text[i] != '\r' {
		i++
	}
	return i
}

// SkipString returns the position after the string that starts at i, and whether it contains an
// escape. It returns -1 if the string does not end on its line.
func SkipString(text []byte, i int) (end int, escapes bool) {
	i++
	if j := bytes.IndexByte(text[i:], '"'); j >= 0 {
		s := text[i : i+j]
		if len(s) < 64 {
			plain := true
			for _, b := range s {
				if b == '\\' || b == '\n' || b == '\v' || b == '\f' {
					plain = false
					break
				}
			}
			if plain {
				return i + j + 1, false
			}
		} else if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '\n') < 0 && bytes.IndexByte(s, '\v') < 0 &&
			bytes.IndexByte(s, '\f') < 0 {
			return i + j + 1, false
		}
	}
	for i < len(text) {
		switch text[i] {
		case '"':
			return i + 1, escapes
		case '\n', '\v', '\f':
			return -1, escapes
		case '\\':
			escapes = true
			i++
			switch {
			case i >= len(text):
				return -1, escapes
			case text[i] == '"' || text[i] == '\\' || text[i] == 'n' || text[i] == 't':
			case i+1 < len(text) && class[text[i]]&isHex != 0 && class[text[i+1]]&isHex != 0:
				i++
			default:
				return -1, escapes
			}
		}
		i++
	}
	return -1, escapes
}

// Quote returns a string in MLIR's text.
func Quote(s string) string {
	out := []byte{'"'}
	for _, b := range []byte(s) {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			out = fmt.Appendf(out, `\%02X`, b)
		} else {
			out = append(out, b)
		}
	}
	return string(append(out, '"'))
}

// Unescape returns the value of the content of a string.
func Unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch {
		case s[i] == 'n':
			out = append(out, '\n')
		case s[i] == 't':
			out = append(out, '\t')
		case i+1 < len(s) && class[s[i]]&isHex != 0 && class[s[i+1]]&isHex != 0:
			out = append(out, hexDigit(s[i])<<4|hexDigit(s[i+1]))
			i++
		default:
			out = append(out, s[i])
		}
	}
	return out
}

func hexDigit(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return b&0xf + 9
}

// skipBody returns the position after the body <…> of a dialect's attribute or type. As in
// MLIR, a body contains strings but no comments. It returns -1 if the body does not end.
func skipBody(text []byte, i int) int {
	var open []byte
	for i < len(text) {
		switch b := text[i]; b {
		case '<', '(', '[', '{':
			open = append(open, b)
		case '-':
			if i+1 < len(text) && text[i+1] == '>' {
				i++
			}
		case '>', ')', ']', '}':
			from := b - 2
			if b == ')' {
				from = '('
			}
			if open[len(open)-1] != from {
				return -1
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1
			}
		case '"':
			end, _ := SkipString(text, i)
			if end < 0 {
				return -1
			}
			i = end
			continue
		case 0:
			return -1
		}
		i++
	}
	return -1
}

// SkipPrefixed returns the position after the name after # or ! at i, and after its body. It
// returns -1 if the body does not end. A number is that of a result: %r#1.
func SkipPrefixed(text []byte, i int) (end int, body bool) {
	name := i + 1
	end = name
	if end < len(text) && class[text[end]]&isDigit != 0 {
		return skipClass(text, end, isDigit), false
	}
	end = skipClass(text, end, inSuffixID)
	if end > name && end < len(text) && text[end] == '<' {
		return skipBody(text, end), true
	}
	return end, false
}

// SkipMetadata returns the position after the section {-# … #-} at i, and whether there is one
// there. The position is -1 if it does not end.
func SkipMetadata(text []byte, i int) (end int, is bool) {
	if !bytes.HasPrefix(text[i:], []byte("{-#")) {
		return i, false
	}
	for i += 3; i < len(text); {
		switch text[i] {
		case '"':
			if i, _ = SkipString(text, i); i < 0 {
				return -1, true
			}
		case '#':
			if bytes.HasPrefix(text[i:], []byte("#-}")) {
				return i + 3, true
			}
			i++
		case '/':
			if bytes.HasPrefix(text[i:], []byte("//")) {
				i = SkipComment(text, i)
			} else {
				i++
			}
		default:
			i++
		}
	}
	return -1, true
}

// Next returns the token at or after i. Comments are not tokens.
func Next(text []byte, i int) Token {
	i = SkipSpace(text, i)
	if i >= len(text) {
		return Token{End, len(text), len(text)}
	}
	t := Token{Kind(text[i]), i, i + 1}
	switch b := text[i]; {
	case class[b]&isLetter != 0:
		t.Kind, t.End = Word, skipClass(text, i, inBareID)
	case class[b]&isDigit != 0:
		t.Kind, t.End = Number, skipNumber(text, i)
	case b == '"':
		t.End, _ = SkipString(text, i)
	case b == '@':
		if i+1 < len(text) && text[i+1] == '"' {
			t.End, _ = SkipString(text, i+1)
		} else {
			t.End = skipClass(text, i+1, inBareID)
		}
	case b == '%', b == '^':
		t.End = skipSuffixID(text, i+1)
	case b == '#', b == '!':
		t.End, _ = SkipPrefixed(text, i)
	case b == '-' && i+1 < len(text) && text[i+1] == '>':
		t.Kind, t.End = Arrow, i+2
	case b == '{':
		if end, is := SkipMetadata(text, i); is {
			t.Kind, t.End = Metadata, end
		}
	case b == ':' && i+1 < len(text) && text[i+1] == ':':
		t.Kind, t.End = Colons, i+2
	case b <= 1 || b >= 0x80:
		t.Kind = Bad
	}
	if t.End < 0 {
		return Token{Bad, i, len(text)}
	}
	return t
}

// Piece returns the piece of a token at or after i, or a comment. It divides the bodies of attributes and types, and
// numbers, and no text is bad: a string without an end ends with its line.
func Piece(text []byte, i int) Token {
	if i = skipClass(text, i, isSpace); i >= len(text) {
		return Token{End, len(text), len(text)}
	}
	t := Token{Kind(text[i]), i, i + 1}
	second := byte(0)
	if t.End < len(text) {
		second = text[t.End]
	}
	switch b := text[i]; {
	case b == '/' && second == '/':
		t.Kind, t.End = Comment, SkipComment(text, i)
	case b == '"':
		t.End = skipLine(text, i)
	case b == '@' && second == '"':
		t.End = skipLine(text, i+1)
	case b == '%', b == '@', b == '^', b == '#', b == '!':
		for t.End < len(text) && (IsWord(text[t.End]) ||
			text[t.End] == '-' && t.End+1 < len(text) && IsWord(text[t.End+1])) {
			t.End++
		}
	case class[b]&inBareID != 0:
		t.Kind, t.End = Word, skipClass(text, i, inBareID)
		if class[b]&isDigit != 0 {
			t.Kind = Number
		}
	case b == '-' && second == '>':
		t.Kind, t.End = Arrow, i+2
	case (b == '<' || b == '>') && second == '=':
		t.Kind, t.End = Compare, i+2
	}
	return t
}

// skipLine returns the end of the string at i, or of its line.
func skipLine(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

// skipSuffixID returns the position after the name or number after % or ^.
func skipSuffixID(text []byte, i int) int {
	if i < len(text) && class[text[i]]&isDigit != 0 {
		return skipClass(text, i, isDigit)
	}
	return skipClass(text, i, inSuffixID)
}

func skipNumber(text []byte, i int) int {
	if text[i] == '0' && i+2 < len(text) && text[i+1] == 'x' && class[text[i+2]]&isHex != 0 {
		return skipClass(text, i+2, isHex)
	}
	i = skipClass(text, i, isDigit)
	if i >= len(text) || text[i] != '.' {
		return i
	}
	i = skipClass(text, i+1, isDigit)
	if i+1 < len(text) && text[i]|0x20 == 'e' {
		switch {
		case class[text[i+1]]&isDigit != 0:
			return skipClass(text, i+1, isDigit)
		case (text[i+1] == '+' || text[i+1] == '-') && i+2 < len(text) && class[text[i+2]]&isDigit != 0:
			return skipClass(text, i+2, isDigit)
		}
	}
	return i
}

// SkipBalanced returns the position after the bracket that closes the token at t, or -1.
func SkipBalanced(text []byte, t Token) int {
	closing := Kind(')')
	switch t.Kind {
	case '<':
		closing = '>'
	case '[':
		closing = ']'
	case '{':
		closing = '}'
	}
	for open, depth := t.Kind, 0; ; t = Next(text, t.End) {
		switch t.Kind {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return t.End
			}
		case End, Bad:
			return -1
		}
	}
}
