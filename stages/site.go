package stages

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/hostcall/reader"
	"github.com/calliope-mlir/calliope/mlir"
)

// sites returns the calls of a module that functions of the host serve, in the order of its text.
func (o Options) sites(m *mlir.Module) (list []reader.Site, err error) {
	var r callop.Reader
	targets := reader.Targets{Foreign: o.Compile.Foreign, JAX: o.Compile.JAXCallbacks}
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		s, ok, err := targets.Read(&r, op)
		if err != nil {
			return nil, cutError(op, "%w", err)
		}
		if ok {
			list = append(list, s)
		} else if contract.IsLAPACKTarget(s.Call.Target) {
			if callsBack, why := o.callsBack(); !callsBack {
				return nil, cutError(op, "%s, and nothing serves the target %q: put lapack.Foreign of bridge/lapack into Options.Compile.Foreign", why, s.Call.Target)
			}
		}
	}
	return list, nil
}

// callbackOf returns the description of a callback, without what becomes of it.
func callbackOf(s *reader.Site) (*Callback, error) {
	cb := &Callback{
		Name: s.Config.Name(), Config: s.Config, Loc: s.Config.Loc,
		pure: s.Pure(), attributes: s.Attributes, foreign: s.Foreign,
	}
	if p := s.Op.Location().Position(); cb.Loc == "" && !p.IsZero() {
		cb.Loc = p.String()
	}
	data, err := s.Data()
	if err != nil {
		return nil, cutError(s.Op, "%w", err)
	}
	cb.Args, cb.Results, cb.before, cb.returned, cb.inPlace = data.Args, data.Results, data.Before, data.Returned,
		data.InPlace
	return cb, nil
}
