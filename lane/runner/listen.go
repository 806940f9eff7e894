package runner

import (
	"net"
)

// listen opens a listener on every address of this machine and returns them as "host:port". They are
// there to be dialled from inside a box, in vain, and answer nobody anything.
func listen() (addresses []string, stop func(), err error) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	addresses = []string{net.JoinHostPort("127.0.0.1", port)}
	nets, _ := net.InterfaceAddrs()
	for _, a := range nets {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() && len(addresses) < 8 {
			addresses = append(addresses, net.JoinHostPort(n.IP.String(), port))
		}
	}
	return addresses, func() { l.Close() }, nil
}
