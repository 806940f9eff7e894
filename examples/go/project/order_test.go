package order

import (
	"errors"
	"testing"
)

func TestSubtotalAddsLines(t *testing.T) {
	o := Order{Lines: []Line{{"tea", 450, 2}, {"cup", 1200, 1}}}
	if got := o.Subtotal(); got != 2100 {
		t.Errorf("Subtotal() = %d, want 2100", got)
	}
}

func TestSmallOrderPaysTheParcel(t *testing.T) {
	o := Order{Lines: []Line{{"tea", 450, 2}}}
	if got, err := o.Total(); err != nil || got != 1390 {
		t.Errorf("Total() = %d, %v, want 1390", got, err)
	}
}

func TestShippingIsFreeFromFiftyEuros(t *testing.T) {
	for _, c := range []struct{ price, want int }{{4999, 5489}, {5000, 5000}, {5001, 5001}} {
		o := Order{Lines: []Line{{"pot", c.price, 1}}}
		if got, err := o.Total(); err != nil || got != c.want {
			t.Errorf("Total() of %d = %d, %v, want %d", c.price, got, err, c.want)
		}
	}
}

func TestEmptyOrderIsRefused(t *testing.T) {
	if _, err := (Order{}).Total(); !errors.Is(err, ErrEmpty) {
		t.Errorf("Total() of an empty order: %v, want ErrEmpty", err)
	}
}
