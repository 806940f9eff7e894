//go:build amd64 || arm64

package fence

import (
	"bytes"
	"fmt"
	mathbits "math/bits"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processFacts reads what the kernel says of a process, which may be a zombie.
func processFacts(pid int) (Facts, error) {
	return factsOf(fmt.Sprintf("/proc/%d/status", pid), pid)
}

// factsOf reads the status of a process or of a thread of pid 1's own, and the limits of id.
func factsOf(status string, id int) (Facts, error) {
	data, err := os.ReadFile(status)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{UID: -1, GID: -1}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		hex := func() uint64 {
			n, _ := strconv.ParseUint(fields[0], 16, 64)
			return n
		}
		switch key {
		case "Uid":
			f.UID = agreed(fields)
		case "Gid":
			f.GID = agreed(fields)
		case "Groups":
			for _, g := range fields {
				n, _ := strconv.Atoi(g)
				f.Groups = append(f.Groups, n)
			}
		case "CapInh":
			f.CapInh = hex()
		case "CapPrm":
			f.CapPrm = hex()
		case "CapEff":
			f.CapEff = hex()
		case "CapBnd":
			f.CapBnd = hex()
		case "CapAmb":
			f.CapAmb = hex()
		case "NoNewPrivs":
			f.NoNewPrivs = fields[0] == "1"
		case "Cpus_allowed":
			for _, word := range strings.Split(fields[0], ",") {
				n, _ := strconv.ParseUint(word, 16, 64)
				f.CPUs += mathbits.OnesCount64(n)
			}
		case "Seccomp":
			f.Seccomp, _ = strconv.Atoi(fields[0])
		}
	}
	for resource, to := range map[int]*uint64{
		unix.RLIMIT_NOFILE: &f.OpenFiles, unix.RLIMIT_FSIZE: &f.FileSize,
		unix.RLIMIT_NPROC: &f.Processes, unix.RLIMIT_CORE: &f.Core,
	} {
		var limit unix.Rlimit
		if err := unix.Prlimit(id, resource, nil, &limit); err != nil {
			return f, err
		}
		*to = limit.Max
	}
	return f, nil
}

// agreed is the id if real, effective, saved and file system id are one; else -1.
func agreed(ids []string) int {
	for _, id := range ids[1:] {
		if id != ids[0] {
			return -1
		}
	}
	n, err := strconv.Atoi(ids[0])
	if err != nil {
		return -1
	}
	return n
}

// boxFacts are the same for all processes of the box: none of them has a
// capability to change them.
func (b *boxInit) boxFacts() Facts {
	f := Facts{ReplacesFolders: b.root.keepsAttributes()}
	if data, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		f.Mounts = bytes.Count(data, []byte{'\n'})
	}
	f.Interfaces = interfaces()
	return f
}

// interfaces lists the network interfaces of the box.
func interfaces() []Interface {
	data, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return nil
	}
	sock, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(sock)
	var list []Interface
	for line := range strings.Lines(string(data)) {
		name, _, ok := strings.Cut(line, ":")
		if !ok {
			continue // headings
		}
		i := Interface{Name: strings.TrimSpace(name)}
		if req, err := unix.NewIfreq(i.Name); err == nil && unix.IoctlIfreq(sock, unix.SIOCGIFFLAGS, req) == nil {
			i.Up = req.Uint16()&unix.IFF_UP != 0
		}
		list = append(list, i)
	}
	return list
}
