package programs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	proof "github.com/calliope-mlir/calliope/passes/order"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An older writes the calls of a program as those of older programs: outfeeds, infeeds, and custom calls, ordered by
// XLA's tokens or by nothing.
type older struct {
	*rand.Rand
	tokenType mlir.Type
	token     builder.Value    // which the next call takes, and what is under construction returns
	called    map[string]*call // by the name that Migrate gives the callback

	plain         bool // there are no flags, so Migrate numbers outfeeds and infeeds
	sends, infeed int  // how many there are
}

// Package builder has no operations with tokens. They are custom calls, of which oldText makes what their names say.
var withToken = regexp.MustCompile(`stablehlo\.custom_call @(create_token|outfeed|infeed)(\([^)]*\)) \{[^}]*\}`)

// oldText returns the text of a program.
func (p *program) oldText(c *mlir.Context, r *rand.Rand) (string, map[string]*call, error) {
	token, err := c.ParseType("!stablehlo.token")
	if err != nil {
		return "", nil, err
	}
	old := &older{Rand: r, tokenType: token, called: map[string]*call{}, plain: r.IntN(3) == 0}
	m, err := p.build(c, "", old)
	if err != nil {
		return "", nil, err
	}
	defer m.Close()
	return withToken.ReplaceAllString(m.String(), `"stablehlo.$1"$2`), old.called, nil
}

// oldBody makes the body of a function. Main makes its token, and other functions take one and return it.
func (c *construction) oldBody(f *function) []builder.Value {
	if f != c.p.main() {
		c.old.token = c.f.Param(len(f.params))
		return append(c.block(f.body), c.token()...)
	}
	c.feed("create_token", nil)
	results := c.block(f.body)
	if !c.old.plain {
		c.outfeed(builder.Scalar(c.f, uint16(0)))
	}
	return results
}

// token returns the token if the program is an older one, or nothing.
func (c *construction) token() []builder.Value {
	if c.old == nil {
		return nil
	}
	return []builder.Value{c.old.token}
}

// branch makes a branch, which takes the token before it. The branch returns that one, too, as EXLA's cond does, or the
// one after its calls.
func (c *construction) branch(b *block, before []builder.Value) []builder.Value {
	if c.old == nil {
		return c.block(b)
	}
	c.old.token = before[0]
	results := c.block(b)
	if c.old.IntN(3) == 0 {
		return append(results, before...)
	}
	return append(results, c.old.token)
}

// feed makes an operation that takes operands and returns results and a token.
func (c *construction) feed(name string, results []mlir.Type, operands ...builder.Value) []builder.Value {
	out := c.custom(name, append(results, c.old.tokenType), operands)
	c.old.token = out[len(out)-1]
	return out[:len(out)-1]
}

func (c *construction) custom(target string, results []mlir.Type, operands []builder.Value) []builder.Value {
	return builder.CustomCall(builder.CustomCallOptions{Target: target, Types: results, HasSideEffect: true, In: c.f,
		APIVersion: 1}, operands...)
}

func (c *construction) outfeed(values ...builder.Value) {
	c.feed("outfeed", nil, append(values, c.old.token)...)
}

// oldCall makes a call in one of the forms that it may have, in a branch if it has a condition.
func (c *construction) oldCall(s *call) {
	if s.cond == nil {
		c.set(s.out, c.oldForm(s))
		return
	}
	before := c.old.token
	c.old.token = builder.If(c.values[s.cond], func() builder.Value { c.oldForm(s); return c.old.token },
		func() builder.Value { return before })
}

func (c *construction) oldForm(s *call) []builder.Value {
	args, old := c.of(s.args), c.old
	name, how := fmt.Sprint("site_", s.site), old.IntN(4)
	var results []mlir.Type
	for _, v := range s.out {
		if t, err := stablehlo.TensorType(old.tokenType.Context(), v.kind.tensor()); err == nil {
			results = append(results, t)
		}
	}
	switch {
	case s.form == answers && len(args) == 0 && len(s.out) > 0 && how < 3:
		if name = fmt.Sprint("infeed_", old.infeed); old.plain {
			old.infeed++
		} else {
			name = fmt.Sprint("infeed_", s.site)
			c.outfeed(builder.Scalar(c.f, uint16(s.site)))
		}
		old.called[name] = s
		return c.feed("infeed", results, old.token)
	case s.form != tap || len(args) == 0 || how > 1:
		old.called[name] = s
		return c.custom(name, results, args)
	case old.plain:
		name = fmt.Sprint("outfeed_", old.sends)
		old.sends++
		c.outfeed(args...)
	case how == 0: // a flag of EXLA
		name = fmt.Sprint("hook_", s.site)
		c.outfeed(builder.Scalar(c.f, uint16(s.site)))
		for _, x := range args {
			c.outfeed(x)
		}
	default: // a header of JAX's host_callback
		name = fmt.Sprint("hook_", s.site)
		c.outfeed(builder.Const(c.f, []uint32{271828, uint32(s.site)}, 2))
		c.outfeed(args...)
	}
	old.called[name] = s
	return nil
}

// migrated makes a module of a program that is written in the form of older ones.
func migrated(c *mlir.Context, p *program, r *rand.Rand) (*mlir.Module, func() error, error) {
	text, called, err := p.oldText(c, r)
	if err != nil {
		return nil, nil, err
	}
	name := fmt.Sprint("old program ", p.seed)
	m, err := c.Parse(name, []byte(text))
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, text)
	}
	result, err := passes.Migrate(m, passes.MigrateOptions{Registry: name})
	if err == nil && len(result.Skipped) > 0 {
		err = fmt.Errorf("left by Migrate: %v", result.Skipped)
	}
	if err == nil {
		var unordered proof.Result
		unordered, err = proof.Unordered(m, proof.Options{})
		err = errors.Join(err, unordered.Err())
	}
	if err == nil {
		err = passes.Prepare(m, passes.PrepareOptions{})
	}
	functions, taken := callbacks.NewRegistry(name, callbacks.RegistryOptions{})
	if err := errors.Join(err, taken); err != nil {
		return m, nil, fmt.Errorf("%w\n%s", err, text)
	}
	for _, c := range result.Callbacks {
		if called[c.Name] == nil {
			err = errors.Join(err, fmt.Errorf("made by Migrate of no call: %s", c.Name))
		}
	}
	for name, c := range called {
		err = errors.Join(err, functions.Register(name, recorded(c.form, c.name, c.site), optionsOf(c.form, c.name)))
	}
	return m, functions.Close, err
}
