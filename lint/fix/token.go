package fix

import "github.com/calliope-mlir/calliope/internal/ir/lex"

// A token is a token of MLIR's text. Comments and white space are not tokens.
type token struct{ start, end int }

// scan returns the tokens of a text, and the comments. It accepts any text. The tokens are finer
// than MLIR's in some places (a number may be several), because only brackets, strings, names and
// comments matter here.
func scan(text string) (tokens, comments []token) {
	src := []byte(text)
	for t := lex.Piece(src, 0); t.Kind != lex.End; t = lex.Piece(src, t.End) {
		if t.Kind == lex.Comment {
			comments = append(comments, token{t.Start, t.End})
		} else {
			tokens = append(tokens, token{t.Start, t.End})
		}
	}
	return tokens, comments
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
