package syntax

import (
	"math"
	"strconv"
	"strings"
)

func constant(w *walker, name string, n *node) {
	if !w.numbers[n.Kind] {
		return
	}
	if whole, _ := w.wholeCondition(n); whole {
		return // `while (2)` is `while (1)`; the operator of conditions does the rest
	}
	for at := n; at.Parent != nil; at = at.Parent {
		if w.constants[at.Parent.Kind] || w.constants[at.Parent.Kind+"."+at.Field] {
			return
		}
		if w.bodies[at.Kind] {
			break
		}
	}
	if to, ok := oneMore(w.text(n)); ok {
		w.replace(name, n, to)
	}
}

// oneMore is a number literal that is one more, with its suffix and, where it is no decimal one, its base.
func oneMore(text string) (string, bool) {
	digits, sign := text, ""
	if strings.HasPrefix(text, "-") {
		digits, sign = text[1:], "-"
	}
	lower := strings.ToLower(digits)
	base, prefix := 10, ""
	for p, b := range map[string]int{"0x": 16, "0b": 2, "0o": 8} {
		if strings.HasPrefix(lower, p) {
			base, prefix = b, digits[:2]
		}
	}
	digits = digits[len(prefix):]
	end := 0
	for end < len(digits) && (isDigit(digits[end], base) || (digits[end] == '_' || digits[end] == '\'') && end+1 < len(digits) && isDigit(digits[end+1], base)) {
		end++
	}
	number, suffix := strings.NewReplacer("_", "", "'", "").Replace(digits[:end]), digits[end:]
	if base == 10 && strings.ContainsAny(suffix, ".eE") && !strings.HasPrefix(suffix, "_") {
		return floatOneMore(text)
	}
	if prefix == "" && len(number) > 1 && number[0] == '0' {
		base, prefix, number = 8, "0", number[1:]
	}
	v, err := strconv.ParseInt(sign+number, base, 64)
	if err != nil || v == math.MaxInt64 || strings.ContainsAny(suffix, ".+- ") {
		return "", false
	}
	v++
	if v < 0 {
		return "-" + prefix + strconv.FormatInt(-v, base) + suffix, true
	}
	return prefix + strconv.FormatInt(v, base) + suffix, true
}

func isDigit(c byte, base int) bool {
	switch {
	case '0' <= c && c <= '9':
		return int(c-'0') < base
	case base == 16:
		return 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	}
	return false
}

func floatOneMore(text string) (string, bool) {
	end := len(strings.TrimRight(text, "fFdDlL"))
	if i := strings.IndexAny(text, "f_"); i > 0 && (strings.HasSuffix(text, "f32") || strings.HasSuffix(text, "f64")) {
		end = i
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text[:end], "_", ""), 64)
	if err != nil || math.IsInf(v, 0) || v+1 == v {
		return "", false
	}
	out := strconv.FormatFloat(v+1, 'f', -1, 64)
	if !strings.Contains(out, ".") {
		out += ".0"
	}
	return out + text[end:], true
}
