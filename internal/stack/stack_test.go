package stack

import "testing"

func TestOnLarge(t *testing.T) {
	ran := false
	if err := OnLarge(func() { ran = true }); err != nil || !ran {
		t.Errorf("ran %v, error %v", ran, err)
	}
}

func TestOnLargePanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "oh" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = OnLarge(func() { panic("oh") })
	t.Error("the panic was lost")
}
