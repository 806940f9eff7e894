package python

// OperatorDoc names an operator and says what it does.
type OperatorDoc struct{ Name, Doc string }

// Operators lists all operators. Those that do in Python what they do in Go have the same names.
func Operators() []OperatorDoc {
	return []OperatorDoc{
		{"boundary", "`<` becomes `<=`, `>` becomes `>=`, and back"},
		{"comparison", "a comparison becomes its negation, `is` and `in` as well"},
		{"arithmetic", "`+` becomes `-`, `*` becomes `/`, `%` and `//` become `*`, shifts and bits, and back; also in assignments"},
		{"logical", "`and` becomes `or`, and back"},
		{"boolean", "`True` becomes `False`, and back"},
		{"unary", "`not x`, `-x` and `~x` become `x`"},
		{"condition", "a condition is always true, or never; a loop is never entered"},
		{"return", "a result becomes None or the empty value of its kind, or another value where it is that already; what is yielded, too"},
		{"statement", "a call, a change of an attribute or item, a deletion or a raise is taken away"},
		{"constant", "a number becomes one more, a string becomes empty, or not"},
	}
}
