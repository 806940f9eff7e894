//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// makeDevices makes a minimal /dev. Device nodes are the host's, bound one by
// one, since a user namespace may not make any.
func makeDevices(base string, devices map[string]int) error {
	dev := filepath.Join(base, "dev")
	if err := mountTmpfs(dev, "mode=0755,size=64k", unix.MS_NOEXEC); err != nil {
		return err
	}
	for _, name := range deviceNames {
		target := filepath.Join(dev, name)
		if err := makeFile(target); err != nil {
			return err
		}
		if err := bind(devices[name], target, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return fail("bind device "+name, err)
		}
	}
	for _, dir := range []string{"pts", "shm"} {
		if err := os.Mkdir(filepath.Join(dev, dir), 0o755); err != nil {
			return err
		}
	}
	err := unix.Mount("devpts", filepath.Join(dev, "pts"), "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,max=64")
	if err != nil {
		return fail("mount /dev/pts", err)
	}
	links := map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd",
		"stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	// nobody but the layers needs to write here: /dev/shm is mounted per run
	return setAttributes(dev, unix.MOUNT_ATTR_RDONLY, false)
}

func mountProc(base string) error {
	return unix.Mount("proc", filepath.Join(base, "proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// Parts of /proc that are about the machine and not about the box.
var (
	procReadOnly = []string{"sys", "bus", "fs", "irq", "sysrq-trigger"}
	procEmpty    = []string{"acpi", "scsi", "asound"}
	procNothing  = []string{"kcore", "keys", "key-users", "timer_list", "sched_debug", "kallsyms", "kmsg", "latency_stats", "config.gz"}
)

// restrictProc sets what only pid 1 may set, and then masks. Writing there is
// refused by ownership already; this is the second lock.
func (r *root) restrictProc(base string) error {
	proc := filepath.Join(base, "proc")
	// this user namespace only: none inside it
	if err := os.WriteFile(filepath.Join(proc, "sys/user/max_user_namespaces"), []byte("0"), 0); err != nil {
		return err
	}
	// no socket waits for stragglers of a connection that is closed: a run must
	// find the ports free that the run before it used
	if err := os.WriteFile(filepath.Join(proc, "sys/net/ipv4/tcp_max_tw_buckets"), []byte("0"), 0); err != nil && !os.IsNotExist(err) {
		return err
	}
	var err error
	if r.lastPID, err = os.OpenFile(filepath.Join(proc, "sys/kernel/ns_last_pid"), os.O_RDWR, 0); err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, name := range procReadOnly {
		target := filepath.Join(proc, name)
		fd, err := unix.Open(target, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == unix.ENOENT {
			continue
		}
		if err != nil {
			return err
		}
		err = bind(fd, target, attrReadOnly|unix.MOUNT_ATTR_NOEXEC)
		unix.Close(fd)
		if err != nil {
			return fail("make /proc/"+name+" read-only", err)
		}
	}
	null, err := unix.Open(filepath.Join(base, "dev/null"), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(null)
	for _, name := range procNothing {
		target := filepath.Join(proc, name)
		if _, err := os.Lstat(target); err != nil {
			continue
		}
		if err := bind(null, target, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return fail("mask /proc/"+name, err)
		}
	}
	for _, name := range procEmpty {
		target := filepath.Join(proc, name)
		if _, err := os.Lstat(target); err != nil {
			continue
		}
		if err := mountTmpfs(target, "size=4k,mode=0555", unix.MS_RDONLY|unix.MS_NOEXEC); err != nil {
			return fail("mask /proc/"+name, err)
		}
	}
	return nil
}

// etcFiles are the files that C libraries and language runtimes look for. There
// is no name server: names resolve from hosts alone.
var etcFiles = map[string]string{
	"passwd": "root:x:0:0:root:/root:/bin/sh\n" +
		fmt.Sprintf("lane:x:%d:%d:lane:%s:/bin/sh\n", BoxUID, BoxUID, HomeDir) +
		"nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
	"group": "root:x:0:\n" +
		fmt.Sprintf("lane:x:%d:\n", BoxUID) +
		"nogroup:x:65534:\n",
	"hosts":         "127.0.0.1 localhost lane\n::1 localhost ip6-localhost ip6-loopback\n",
	"hostname":      "lane\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n",
	"resolv.conf":   "",
	"host.conf":     "multi on\n",
	"services":      "http 80/tcp\nhttps 443/tcp\ndomain 53/tcp\ndomain 53/udp\nssh 22/tcp\nsmtp 25/tcp\nftp 21/tcp\n",
	"protocols":     "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\nipv6 41 IPv6\nipv6-icmp 58 IPv6-ICMP\n",
	"shells":        "/bin/sh\n",
}

func writeEtc(base string, at time.Time) error {
	for name, data := range etcFiles {
		file := filepath.Join(base, "etc", name)
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(file, at, at); err != nil {
			return err
		}
	}
	return os.Symlink("/usr/share/zoneinfo/UTC", filepath.Join(base, "etc/localtime"))
}

// setUpNetwork brings lo up, the only interface that there is.
func setUpNetwork() error {
	sock, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail("open socket", err)
	}
	defer unix.Close(sock)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fail("name lo", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(sock, unix.SIOCSIFFLAGS, request); err != nil {
		return fail("bring lo up", err)
	}
	return nil
}
