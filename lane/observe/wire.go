package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// MaxRecord is the longest record that a reporter may send, in bytes. Longer ones are problems.
const MaxRecord = 64 << 10

// The events of the wire format, version 1. Each record is one JSON object in one message of a SOCK_SEQPACKET socket:
//
//	{"v":1,"e":"begin","p":41,"n":1,"u":"example.org/cart","runs":1,"listed":12,"failfast":false}
//	{"v":1,"e":"list","p":41,"n":2,"u":"example.org/cart","tests":["TestTotal",...],"left":["TestSlow",...]}
//	{"v":1,"e":"start","p":41,"n":3,"u":"example.org/cart","t":"TestTotal"}
//	{"v":1,"e":"fail","p":41,"n":4,"u":"example.org/cart","t":"TestTotal","m":"cart_test.go:9: got 3"}
//	{"v":1,"e":"finish","p":41,"n":5,"u":"example.org/cart","t":"TestTotal","s":"failed","ns":120300,"m":""}
//	{"v":1,"e":"timeout","p":41,"n":6,"u":"example.org/cart","m":"test timed out after 1s"}
//	{"v":1,"e":"end","p":41,"n":7,"u":"example.org/cart","c":1,"started":1}
//
// p is the process, n counts its records from 1 without a gap. A process may begin and end more than once; each begin says how many
// times each test may run until the end (runs) and how many tests the lists that follow will name (listed, the left-out ones not counted).
// A runner that learns of its tests as it goes begins with "late":true: then lists may come until the end, which says what they named
// in all (listed).
// A fail record goes out at the first failure of a test, so that a crash afterwards cannot take it back.
const (
	evBegin   = "begin"
	evList    = "list"
	evStart   = "start"
	evFail    = "fail"
	evFinish  = "finish"
	evTimeout = "timeout"
	evEnd     = "end"
)

type record struct {
	Version  int      `json:"v"`
	Event    string   `json:"e"`
	Process  int      `json:"p"`
	Number   int      `json:"n"`
	Unit     string   `json:"u"`
	Test     string   `json:"t"`
	Status   Status   `json:"s"`
	Nanos    int64    `json:"ns"`
	Message  string   `json:"m"`
	Code     int      `json:"c"`
	Runs     int      `json:"runs"`
	Listed   int      `json:"listed"`
	Started  int      `json:"started"`
	FailFast bool     `json:"failfast"`
	Late     bool     `json:"late"`
	Tests    []string `json:"tests"`
	Left     []string `json:"left"`
}

const maxName = 4 << 10

func decode(b []byte) (record, error) {
	var r record
	if len(b) > MaxRecord {
		return r, fmt.Errorf("longer than %d bytes", MaxRecord)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, errors.New("not a record")
	}
	switch {
	case r.Version != 1:
		return r, fmt.Errorf("unknown version %d", r.Version)
	case r.Number < 1 || r.Process < 0:
		return r, errors.New("impossible number or process")
	case len(r.Unit) > maxName || len(r.Test) > maxName:
		return r, errors.New("name too long")
	case r.Nanos < 0 || r.Code < 0 || r.Runs < 0 || r.Listed < 0 || r.Started < 0:
		return r, errors.New("impossible negative value")
	}
	switch r.Event {
	case evBegin, evList, evTimeout, evEnd:
	case evStart, evFail, evFinish:
		if r.Test == "" {
			return r, fmt.Errorf("%s without a test", r.Event)
		}
	default:
		return r, errors.New("unknown event")
	}
	if r.Event == evFinish && r.Status != Passed && r.Status != Failed && r.Status != Skipped {
		return r, errors.New("finish without a known status")
	}
	return r, nil
}

// clip makes hostile text fit for a line of a report.
func clip(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
