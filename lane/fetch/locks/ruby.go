package locks

import "strings"

// bundler reads a Gemfile.lock: the gems of its sections GEM need a line under CHECKSUMS, which Bundler writes from 2.5 on where it
// is told to, and then holds gems to.
func bundler(data []byte) (unhashed []string, err error) {
	section, sums := "", map[string]bool{}
	var gems []string
	for _, line := range lines(data) {
		text := strings.TrimSpace(line)
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
		case text == "":
		case indent == 0:
			section = text
		case section == "GEM" && indent == 4:
			gems = append(gems, text)
		case section == "CHECKSUMS" && strings.Contains(text, " sha256="):
			gem, _, _ := strings.Cut(text, " sha256=")
			sums[gem] = true
		}
	}
	for _, gem := range gems {
		if !sums[gem] {
			name, _, _ := strings.Cut(gem, " ")
			unhashed = append(unhashed, name)
		}
	}
	return unhashed, nil
}
