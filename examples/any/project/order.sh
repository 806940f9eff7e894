#!/bin/sh
# Prices an order of a small shop: lines "article price quantity" on stdin, its total on stdout, all in cents.
#   order.sh subtotal    what the lines come to
#   order.sh total       what the customer pays: below FREE_SHIPPING with the parcel
set -eu

FREE_SHIPPING=5000
PARCEL=490

amount=0
lines=0
while read -r article price quantity; do
	amount=$((amount + price * quantity))
	lines=$((lines + 1))
done

if [ "$1" = total ]; then
	if [ "$lines" -eq 0 ]; then
		echo "order.sh: nothing to buy" >&2
		exit 3
	fi
	if [ "$amount" -lt $FREE_SHIPPING ]; then
		amount=$((amount + PARCEL))
	fi
fi
echo "$amount"
