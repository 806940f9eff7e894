// Package order prices the orders of a small shop. All amounts are in cents.
package order

import "errors"

// Line is one position of an order.
type Line struct {
	Article  string
	Price    int // cents for one piece
	Quantity int
}

// Order is what a customer is about to buy.
type Order struct {
	Lines []Line
}

// ErrEmpty says that there is nothing to buy.
var ErrEmpty = errors.New("order has no lines")

// FreeShipping is the subtotal in cents from which the shop pays the parcel.
const FreeShipping = 5000

// parcel is the price of shipping in cents.
const parcel = 490

// Subtotal is the sum of all lines.
func (o Order) Subtotal() int {
	sum := 0
	for _, l := range o.Lines {
		sum += l.Price * l.Quantity
	}
	return sum
}

// Total is what the customer pays: the subtotal and, below FreeShipping, the parcel.
func (o Order) Total() (int, error) {
	if len(o.Lines) == 0 {
		return 0, ErrEmpty
	}
	sum := o.Subtotal()
	if sum < FreeShipping {
		sum += parcel
	}
	return sum, nil
}
