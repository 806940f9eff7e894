package spec

import (
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// checkRepo takes a path, a URL or the scp form of ssh. What git or go-git
// would read as an option or as a command of its own is refused.
func checkRepo(repo string) *complaint {
	switch {
	case repo == "":
		return complain(`"." is the repository that holds the spec`, "cannot be empty")
	case strings.HasPrefix(repo, "-"):
		return complain(`write "./`+repo+`" for a folder of that name`, "cannot be %s: it looks like an option", quote(repo))
	case strings.Contains(repo, "::"):
		return complain("use https, ssh, git or file", "cannot be %s: a transport that runs a command", quote(repo))
	}
	if scheme, _, ok := strings.Cut(repo, "://"); ok {
		u, err := url.Parse(repo)
		if err != nil {
			return complain("", "cannot be %s: not a URL", quote(repo))
		}
		if _, secret := u.User.Password(); secret {
			return complain("let git's credential helper give it", "cannot hold a password: it would be written into reports")
		}
		switch strings.ToLower(scheme) {
		case "https", "http", "ssh", "git", "file":
		default:
			return complain("use https, ssh, git or file", "cannot be %s: unknown scheme %s", quote(repo), quote(scheme))
		}
	}
	return checkLine(repo)
}

// checkRevision takes what git takes as a branch, tag or commit, with ~ and ^
// behind it, and nothing that names a range or a file.
func checkRevision(rev string) *complaint {
	switch {
	case rev == "":
		return complain("name a branch, tag or commit", "cannot be empty")
	case strings.HasPrefix(rev, "-"):
		return complain("name a branch, tag or commit", "cannot be %s: it looks like an option", quote(rev))
	case strings.Contains(rev, ".."):
		return complain("name one commit; Lane finds the merge-base itself", "cannot be %s: a range", quote(rev))
	case strings.ContainsAny(rev, " :?*[\\"):
		return complain("name a branch, tag or commit", "cannot be %s: no name of a commit has any of space : ? * [ \\", quote(rev))
	case len(rev) > 250:
		return complain("name a branch, tag or commit", "cannot be %s: more than 250 bytes", quote(rev))
	}
	return checkLine(rev)
}

const flakePattern = `^[^#]+#[A-Za-z0-9_][A-Za-z0-9_.'+-]*$`

var flakeForm = regexp.MustCompile(flakePattern)

// checkFlake takes FOLDER#ATTRIBUTE. The flake is part of the tree: only then
// are its bytes known before Nix sees them.
func checkFlake(flake string) *complaint {
	folder, attribute, ok := strings.Cut(flake, "#")
	switch {
	case !ok:
		return complain("write "+quote(strings.TrimSuffix(flake, "/")+"#lane-env"), "cannot be %s: it names no attribute", quote(flake))
	case strings.Contains(folder, ":"):
		return complain(`put a flake.nix into the repository and name it, as in ".#lane-env"`,
			"cannot be %s: the flake has to be part of the tree", quote(flake))
	case !flakeForm.MatchString(flake):
		return complain(`write FOLDER#ATTRIBUTE, as in ".#lane-env"`, "cannot be %s: %s is no attribute of a flake", quote(flake), quote(attribute))
	}
	return checkInside(folder, inside{flake, "the folder of a flake", treeRoot})
}

func checkFolder(dir string) *complaint {
	return checkInside(dir, inside{dir, "a folder", treeRoot})
}

func checkPatch(patch string) *complaint {
	return checkFile(patch, inside{patch, "a patch", "the folder of the spec"})
}

func checkFile(file string, in inside) *complaint {
	if c := checkInside(file, in); c != nil {
		return c
	}
	if strings.HasSuffix(file, "/") || path.Clean(file) == "." {
		return complain("", "cannot be %s: it names a folder, not a file", quote(in.whole))
	}
	return nil
}

// hostPattern is one or more labels of a DNS name, the last of which is not a
// number, so that no address hides in it: 127.1 and 0x7f000001 are none.
const hostPattern = `^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`

var hostForm = regexp.MustCompile(hostPattern)

// checkHost takes a client's name, HOST:PORT, and .HOST:PORT for every name below a host. Whether an address may be dialled is decided when
// it is; here every host gets the one form in which it is compared.
func checkHost(pair string) *complaint {
	const form = `write HOST:PORT, as in "registry.example.org:443"`
	if strings.HasPrefix(pair, "@") {
		if pair == "@go" || pair == "@npm" || pair == "@pip" {
			return nil
		}
		return complain(`write "@go", "@npm" or "@pip", or HOST:PORT`, "cannot be %s: no client of that name has a registry", quote(pair))
	}
	if scheme, rest, ok := strings.Cut(pair, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		port := map[string]string{"http": "80"}[scheme]
		if port == "" {
			port = "443"
		}
		if !strings.Contains(host, ":") {
			host += ":" + port
		}
		return complain("write "+quote(host), "cannot be %s: a URL", quote(pair))
	}
	colon := strings.LastIndexByte(pair, ':')
	if colon < 0 {
		return complain("write "+quote(pair+":443"), "cannot be %s: it has no port", quote(pair))
	}
	host, port := pair[:colon], pair[colon+1:]
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return complain(form, "cannot be %s: %s is no port from 1 to 65535", quote(pair), quote(port))
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !closed || err != nil || !addr.Is6() || addr.String() != inner || addr.Zone() != "" {
			return complain(form, "cannot be %s: %s is no IPv6 address in its short form", quote(pair), quote(inner))
		}
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is4() {
		return nil
	}
	host = strings.TrimPrefix(host, ".")
	switch {
	case strings.Contains(host, "*"):
		return complain("name each host, or write "+quote("."+strings.TrimLeft(host, "*.")+":"+port)+" for every name below one", "cannot be %s: no wildcards", quote(pair))
	case host != strings.ToLower(host) && hostForm.MatchString(strings.ToLower(host)):
		return complain("write "+quote(strings.ToLower(host)+":"+port), "cannot be %s: hosts are written in lower case", quote(pair))
	case len(host) > 253, !hostForm.MatchString(host):
		return complain(form, "cannot be %s: %s is no name of a host", quote(pair), quote(host))
	}
	return nil
}
