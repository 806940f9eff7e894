package bincache

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// credentials are the user name and password for a cache: those in its URL, else those that the netrc file has for its host.
func credentials(u *url.URL, netrc []byte) (user, password string, ok bool, err error) {
	if u.User != nil {
		password, _ = u.User.Password()
		return u.User.Username(), password, true, nil
	}
	entries, err := parseNetrc(string(netrc))
	if err != nil {
		return "", "", false, fmt.Errorf("read the netrc file: %w", err)
	}
	for _, e := range entries {
		if e.machine == u.Hostname() || e.machine == "" {
			return e.login, e.password, true, nil
		}
	}
	return "", "", false, nil
}

// netrcEntry is one machine of a netrc file; the machine "" is its default.
type netrcEntry struct{ machine, login, password string }

// parseNetrc reads the words that curl and Nix read: machine, default, login, password, account. Macros are skipped. Errors do not
// repeat what stands in the file.
func parseNetrc(text string) ([]netrcEntry, error) {
	var all []netrcEntry
	words := netrcWords(text)
	next := func() (string, error) {
		if len(words) == 0 {
			return "", errors.New("it ends where a word belongs")
		}
		w := words[0]
		words = words[1:]
		return w, nil
	}
	for len(words) > 0 {
		word, _ := next()
		switch word {
		case "default":
			all = append(all, netrcEntry{})
			continue
		case "machine", "login", "password", "account":
		default:
			return nil, errors.New("a word that is none of machine, default, login, password, account")
		}
		value, err := next()
		if err != nil {
			return nil, err
		}
		if word == "machine" {
			all = append(all, netrcEntry{machine: value})
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s before any machine", word)
		}
		switch last := &all[len(all)-1]; word {
		case "login":
			last.login = value
		case "password":
			last.password = value
		}
	}
	return all, nil
}

// netrcWords splits the text, without comments and macros: a macro goes up to an empty line.
func netrcWords(text string) []string {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			macro = false
			continue
		}
		for _, w := range fields {
			if strings.HasPrefix(w, "#") || macro {
				break
			}
			if macro = w == "macdef"; !macro {
				words = append(words, w)
			}
		}
	}
	return words
}
