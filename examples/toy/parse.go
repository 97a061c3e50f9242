package main

import (
	"bytes"
	"fmt"
	"strconv"
	"text/scanner"
)

// A node is a part of the syntax tree: a function, a statement or an expression.
type node struct {
	kind   kind
	name   string    // of a function or variable
	shape  []int64   // of a variable, if it has one, or of a literal
	values []float64 // of a literal
	inner  []*node   // parameters and statements of a function, operands of the others
	at     scanner.Position
}

type kind string

const (
	kindFunction  kind = "function"
	kindParameter kind = "parameter"
	kindVariable  kind = "variable"
	kindReturn    kind = "return"
	kindLiteral   kind = "literal"
	kindName      kind = "use" // of a variable
	kindCall      kind = "call"
	kindBinary    kind = "binary"
)

// A parser reads tokens, and panics with a syntaxError.
type parser struct {
	scanner.Scanner
	token rune
}

type syntaxError struct{ error }

// parse returns the functions of a program.
func parse(file string, source []byte) (functions []*node, err error) {
	p := &parser{}
	p.Init(bytes.NewReader(source))
	p.Filename = file
	p.Error = func(_ *scanner.Scanner, message string) { p.fail(message) }
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case syntaxError:
			err = failed
		default:
			panic(failed)
		}
	}()
	for p.next(); p.token != scanner.EOF; {
		functions = append(functions, p.function())
	}
	return functions, nil
}

func (p *parser) next() { p.token = p.Scan() }

func (p *parser) fail(message string) {
	panic(syntaxError{fmt.Errorf("%v: %s", p.Position, message)})
}

// take reads a token if it is this text.
func (p *parser) take(text string) bool {
	if p.TokenText() != text {
		return false
	}
	p.next()
	return true
}

func (p *parser) want(text string) {
	if !p.take(text) {
		p.fail(fmt.Sprintf("found %q, expected %q", p.TokenText(), text))
	}
}

func (p *parser) ident() string {
	if p.token != scanner.Ident {
		p.fail(fmt.Sprintf("found %q, expected a name", p.TokenText()))
	}
	defer p.next()
	return p.TokenText()
}

func (p *parser) number() float64 {
	x, err := strconv.ParseFloat(p.TokenText(), 64)
	if err != nil {
		p.fail(fmt.Sprintf("found %q, expected a number", p.TokenText()))
	}
	p.next()
	return x
}

// list reads what is between two brackets, separated by commas.
func (p *parser) list(begin, end string, one func()) {
	p.want(begin)
	for !p.take(end) {
		one()
		if p.TokenText() != end {
			p.want(",")
		}
	}
}

// function reads "def name(a, b) { statements }".
func (p *parser) function() *node {
	p.want("def")
	f := &node{kind: kindFunction, at: p.Position, name: p.ident()}
	p.list("(", ")", func() {
		f.inner = append(f.inner, &node{kind: kindParameter, at: p.Position, name: p.ident()})
	})
	for p.want("{"); !p.take("}"); p.want(";") {
		f.inner = append(f.inner, p.statement())
	}
	return f
}

// statement reads "var x<2, 3> = expression", "return expression" or an expression.
func (p *parser) statement() *node {
	n := &node{at: p.Position}
	switch {
	case p.take("var"):
		n.kind, n.at, n.name = kindVariable, p.Position, p.ident()
		if p.TokenText() == "<" {
			p.list("<", ">", func() { n.shape = append(n.shape, int64(p.number())) })
		}
		p.want("=")
	case p.take("return"):
		n.kind = kindReturn
	default:
		return p.sum()
	}
	n.inner = []*node{p.sum()}
	return n
}

func (p *parser) sum() *node     { return p.binary("+", p.product) }
func (p *parser) product() *node { return p.binary("*", p.operand) }

// binary reads operands with an operator between them.
func (p *parser) binary(operator string, operand func() *node) *node {
	left := operand()
	for p.TokenText() == operator {
		at := p.Position
		p.next()
		left = &node{kind: kindBinary, at: at, name: operator, inner: []*node{left, operand()}}
	}
	return left
}

// operand reads a literal, a variable, a call, or an expression in parentheses.
func (p *parser) operand() *node {
	n := &node{kind: kindLiteral, at: p.Position}
	switch p.TokenText() {
	case "(":
		p.next()
		n = p.sum()
		p.want(")")
	case "[":
		n.shape = p.elements(&n.values)
	default:
		n.kind, n.name = kindName, p.ident()
		if p.TokenText() == "(" {
			n.kind = kindCall
			p.list("(", ")", func() { n.inner = append(n.inner, p.sum()) })
		}
	}
	return n
}

// elements reads "[[1, 2], [3, 4]]", appends the numbers, and returns the shape.
func (p *parser) elements(to *[]float64) (shape []int64) {
	n := int64(0)
	var inner []int64
	p.list("[", "]", func() {
		at, of := p.Position, []int64(nil)
		if p.TokenText() == "[" {
			of = p.elements(to)
		} else {
			*to = append(*to, p.number())
		}
		if n++; n > 1 && fmt.Sprint(of) != fmt.Sprint(inner) {
			p.Position = at
			p.fail("the parts of a literal have different shapes")
		}
		inner = of
	})
	return append([]int64{n}, inner...)
}
