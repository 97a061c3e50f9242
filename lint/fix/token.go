package fix

import "strings"

// A token is a token of MLIR's text. Comments and white space are not tokens.
type token struct{ start, end int }

// scan returns the tokens of a text, and the comments. It accepts any text. The tokens are finer
// than MLIR's in some places (a number may be several), because only brackets, strings, names and
// comments matter here.
func scan(text string) (tokens, comments []token) {
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case strings.HasPrefix(text[i:], "//"):
			i = len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				i = start + n
			}
			comments = append(comments, token{start, i})
			continue
		case c == '"':
			i = stringEnd(text, i)
		case c == '@' && i+1 < len(text) && text[i+1] == '"':
			i = stringEnd(text, i+1)
		case strings.IndexByte("%@^#!", c) >= 0:
			for i++; i < len(text) && (isWord(text[i]) || text[i] == '-' && i+1 < len(text) && isWord(text[i+1])); i++ {
			}
		case isWord(c):
			for i < len(text) && isWord(text[i]) {
				i++
			}
		case strings.HasPrefix(text[i:], "->"), strings.HasPrefix(text[i:], ">="), strings.HasPrefix(text[i:], "<="):
			i += 2 // not brackets
		default:
			i++
		}
		tokens = append(tokens, token{start, i})
	}
	return tokens, comments
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c == '.'
}

// stringEnd returns the end of the string literal at i. An unterminated one ends with its line.
func stringEnd(text string, i int) int {
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

// depthOf returns the change of depth by a token: 1 for an opening bracket, -1 for a closing one.
func depthOf(token string) int {
	switch token {
	case "(", "[", "{", "<":
		return 1
	case ")", "]", "}", ">":
		return -1
	}
	return 0
}

// matching returns the index of the token that closes the bracket at i, or -1.
func matching(text string, tokens []token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		depth += depthOf(word(text, tokens[i]))
		if depth == 0 {
			return i
		}
	}
	return -1
}

func word(text string, t token) string { return text[t.start:t.end] }
