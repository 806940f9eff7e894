package stability

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Kinds of variation, as a spec names them.
const (
	Order    = "order"
	Timezone = "timezone"
	HashSeed = "hash-seed"
)

// Variation is how one run differs from a plain one. The zero value is the plain run.
type Variation struct {
	Seed     uint64 // shuffles the tests; 0 leaves the order of the source
	Timezone string // a zone of the IANA database; "" is UTC
	HashSeed uint32 // seeds the hashes of languages that have seeded ones; 0 leaves them alone
}

// zones are chosen to be far apart, on both sides of midnight and off the full hour: Lord Howe moves
// its clocks by half an hour, Kathmandu is 45 minutes off, Kiritimati is a day ahead of Niue.
var zones = [...]string{
	"Australia/Lord_Howe", "Pacific/Niue", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "Europe/Berlin",
}

// Plan returns n variations: the plain run, then n-1 that vary all of kinds, each differently. The
// same seed gives the same plan. Unknown kinds are ignored: the spec has named them already.
func Plan(n int, kinds []string, seed string) []Variation {
	out := make([]Variation, max(n, 1))
	for i := 1; i < len(out); i++ {
		for _, kind := range kinds {
			switch kind {
			case Order:
				out[i].Seed = draw(seed, kind, i)
			case Timezone:
				out[i].Timezone = zones[(i-1)%len(zones)]
			case HashSeed:
				out[i].HashSeed = uint32(draw(seed, kind, i))
			}
		}
	}
	return out
}

// draw gives a positive number that fits the seeds of the test runners that Lane knows (31 bits).
func draw(seed, kind string, i int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", seed, kind, i))
	return uint64(binary.BigEndian.Uint32(sum[:])>>1) | 1
}

// Env is what the variation sets in the environment of the run. Python reads PYTHONHASHSEED; the
// order is the reporter's business, since each runner has its own flag for it.
func (v Variation) Env() []string {
	var env []string
	if v.Timezone != "" {
		env = append(env, "TZ="+v.Timezone)
	}
	if v.HashSeed != 0 {
		env = append(env, "PYTHONHASHSEED="+strconv.FormatUint(uint64(v.HashSeed), 10))
	}
	return env
}

// Facts names what differs, by kind. It is empty for the plain run.
func (v Variation) Facts() map[string]string {
	facts := map[string]string{}
	if v.Seed != 0 {
		facts[Order] = strconv.FormatUint(v.Seed, 10)
	}
	if v.Timezone != "" {
		facts[Timezone] = v.Timezone
	}
	if v.HashSeed != 0 {
		facts[HashSeed] = strconv.FormatUint(uint64(v.HashSeed), 10)
	}
	return facts
}
