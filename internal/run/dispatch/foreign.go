package dispatch

import (
	"cmp"
	"errors"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// ForeignConfig returns the configuration of a call of a foreign target.
func ForeignConfig(t callbacks.ForeignTarget) contract.Config {
	return contract.Config{Form: contract.Call, Callback: cmp.Or(t.Callback, t.Target), Registry: t.Registry}
}

// ResolveForeign is Resolve for a call of another host without results, or whose results are not known yet, which a
// function that does not wait can serve, too. It also returns the configuration, with the form of the function.
func ResolveForeign(config contract.Config) (*Slot, contract.Config, error) {
	slot, err := Resolve(config)
	if unknown := new(callbacks.UnknownError); err != nil && !errors.As(err, &unknown) {
		observing := config
		observing.Form = contract.Observe
		if slot, failed := Resolve(observing); failed == nil {
			return slot, observing, nil
		}
	}
	return slot, config, err
}

// Attributes returns the attributes of a call as functions get them.
func Attributes(attrs []contract.Attr) callbacks.Attributes {
	list := make(callbacks.Attributes, len(attrs))
	for i, a := range attrs {
		list[i] = callbacks.Attribute{Name: a.Key, Value: a.Value}
		if inner, ok := a.Value.([]contract.Attr); ok {
			list[i].Value = Attributes(inner)
		}
	}
	return list
}
