package egress

import (
	"bufio"
	"strings"

	"github.com/vallane/lane/lane/egress/address"
)

// headLimit bounds the head of a request in bytes; it is the size of the reader too.
const headLimit = 8 << 10

// target is what a request asks for.
type target struct {
	text string // as it was asked for
	host string // in its one form
	port uint16
}

// readRequest reads the head of a CONNECT request. It is written by hand because two readings of one head are the
// danger here: what is not exactly the form below is refused.
//
//	CONNECT HOST:PORT HTTP/1.x CRLF
//	Name: value CRLF ...
//	CRLF
func readRequest(r *bufio.Reader) (target, error) {
	left := headLimit
	line, err := readLine(r, &left)
	if err != nil {
		return target{}, err
	}
	words := strings.Split(line, " ")
	if len(words) != 3 || words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0" {
		return target{text: line}, refuse(BadRequest, "it is no request of HTTP/1")
	}
	t := target{text: words[1]}
	var other error
	if words[0] != "CONNECT" {
		other = refuse(PlainHTTP, "only CONNECT is served, and TLS through it")
	} else if t.host, t.port, err = address.HostPort(words[1]); err != nil {
		other = refuse(BadHost, "%v", err)
	}
	hosts := 0
	for {
		if line, err = readLine(r, &left); err != nil {
			return t, err
		}
		if line == "" {
			return t, other
		}
		if err := checkField(t, line, &hosts); err != nil && other == nil {
			other = err
		}
	}
}

// checkField looks at one field of the head.
func checkField(t target, line string, hosts *int) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return refuse(BadRequest, "a field of its head is malformed")
	}
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding":
		return refuse(BadRequest, "it has a body")
	case "host":
		value = strings.Trim(value, " \t")
		if *hosts++; *hosts > 1 {
			return refuse(BadRequest, "it names its host twice")
		}
		host, port, err := address.HostPort(value)
		if err != nil { // some clients leave the port out
			host, err = address.Host(value)
			port = t.port
		}
		if err != nil || host != t.host || port != t.port {
			return refuse(BadRequest, "its head names the host %q and asks for another", bounded(value))
		}
	}
	return nil
}

// readLine reads one line that ends in CRLF.
func readLine(r *bufio.Reader, left *int) (string, error) {
	line, err := r.ReadSlice('\n')
	if *left -= len(line); err == bufio.ErrBufferFull || *left < 0 {
		return "", refuse(BadRequest, "its head is longer than %d bytes", headLimit)
	}
	if err != nil {
		return "", refuse(BadRequest, "it ended within its head")
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok || strings.ContainsAny(text, "\x00\r") {
		return "", refuse(BadRequest, "a line of its head does not end in CRLF")
	}
	return text, nil
}

// bounded keeps what a client wrote from filling logs.
func bounded(s string) string {
	const most = 255
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
