package spec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"
)

const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
	sizePattern     = `^[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|TiB)$`

	// maxDuration is the longest time a spec may ask for.
	maxDuration = 30 * 24 * time.Hour
	// maxSize is the largest size that can be asked for, in bytes.
	maxSize = 1 << 50
	// minMemory is what a process needs to start at all, in bytes.
	minMemory = 1 << 20
)

var (
	durationForm = regexp.MustCompile(durationPattern)
	sizeForm     = regexp.MustCompile(sizePattern)
	wordyTime    = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *(s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days)$`)
	wordySize    = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([kmgt]?)i?b?$`)
)

// readDuration takes Go's form of a duration, above zero.
func readDuration(s string) (time.Duration, *complaint) {
	if strings.HasPrefix(s, "-") {
		return 0, complain("", "cannot be %s: a time is not negative", quote(s))
	}
	if !durationForm.MatchString(s) {
		hint := `write numbers with units (ms, s, m, h), as in "90s" or "1h30m"`
		if m := wordyTime.FindStringSubmatch(strings.ToLower(s)); m != nil {
			unit := m[2][:1]
			if unit == "d" {
				hint = `days are written in hours, as in "24h"`
			} else {
				hint = "write " + quote(m[1]+unit)
			}
		}
		return 0, complain(hint, "cannot be %s: no duration", quote(s))
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil, d > maxDuration:
		return 0, complain("", "cannot be %s: more than %d hours", quote(s), int(maxDuration.Hours()))
	case d <= 0:
		return 0, complain("", "cannot be %s: the time has to be above 0", quote(s))
	}
	return d, nil
}

// ParseSize reads a number of bytes as specs write it, such as "2GiB".
func ParseSize(s string) (int64, error) {
	n, bad := readSize(s)
	if bad != nil {
		return 0, errors.New(strings.TrimSuffix("size "+bad.msg+"; "+bad.hint, "; "))
	}
	return n, nil
}

// readMemory takes a size in which a process can live.
func readMemory(s string) (int64, *complaint) {
	n, bad := readSize(s)
	if bad == nil && n < minMemory {
		return 0, complain("", "cannot be %s: no process starts in less than 1MiB", quote(s))
	}
	return n, bad
}

// readSize takes a number of bytes with a binary unit.
func readSize(s string) (int64, *complaint) {
	if strings.HasPrefix(s, "-") {
		return 0, complain("", "cannot be %s: a size is not negative", quote(s))
	}
	if !sizeForm.MatchString(s) {
		hint := `write a number and a unit (B, KiB, MiB, GiB, TiB), as in "512MiB" or "2GiB"`
		if m := wordySize.FindStringSubmatch(strings.ToLower(s)); m != nil && m[2] != "" {
			hint = "write " + quote(m[1]+strings.ToUpper(m[2])+"iB")
		}
		return 0, complain(hint, "cannot be %s: no size", quote(s))
	}
	unit := strings.TrimLeft(s, "0123456789.")
	number, ok := new(big.Rat).SetString(strings.TrimSuffix(s, unit))
	shift := map[string]uint{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[unit]
	if !ok || len(s) > 40 {
		return 0, complain("", "cannot be %s: no size", quote(s))
	}
	number.Mul(number, new(big.Rat).SetInt64(1<<shift))
	bytes, _ := number.Float64()
	if bytes > maxSize {
		return 0, complain("", "cannot be %s: more than 1024TiB", quote(s))
	}
	return int64(math.Floor(bytes)), nil
}

// formatDuration writes a duration as a spec would: 5m, not 5m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// formatSize writes bytes in the largest unit that leaves no fraction.
func formatSize(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; i < len(units)-1 && bytes != 0 && bytes%1024 == 0; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%d%s", bytes, units[i])
}
