package stripes

import (
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
)

// saver saves checkpoints in the background, of copies of the variables. A nil saver saves nothing.
type saver struct {
	copies  *model.Store
	handler *checkpoint.Handler
	saved   chan error // has an element except while a checkpoint is written
}

// newSaver returns a saver for a folder, or nil for none.
func newSaver(dir string) (*saver, error) {
	if dir == "" {
		return nil, nil
	}
	s := &saver{copies: model.NewStore(), saved: make(chan error, 1)}
	s.saved <- nil
	var err error
	s.handler, err = checkpoint.Build(s.copies).Dir(dir).Keep(2).Immediate().Done()
	return s, err
}

// save copies the variables of a store, and begins to save them.
func (s *saver) save(store *model.Store) error {
	if err := s.wait(); s == nil || err != nil {
		return err
	}
	for v := range store.IterVariables() {
		value, err := v.MustValue().LocalClone()
		if err != nil {
			return err
		}
		to, err := s.copies.CreateVariable(v.Path(), value)
		if err != nil {
			return err
		}
		if err := to.SetValuePreservingOld(value); err != nil {
			return err
		}
	}
	<-s.saved
	go func() { s.saved <- s.handler.Save() }()
	return nil
}

// wait waits for the checkpoint that is being saved, and returns its error.
func (s *saver) wait() error {
	if s == nil {
		return nil
	}
	err := <-s.saved
	s.saved <- err
	return err
}
