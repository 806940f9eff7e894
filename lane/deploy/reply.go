package deploy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vallane/lane/assurance"
)

// Bounds of what is kept of a reply.
const (
	maxMessage = 2000 // bytes
	maxCauses  = 20
	maxReason  = 600 // bytes of the sentence about an answer
)

// replyOf keeps what the server said.
func replyOf(err error) *assurance.Reply {
	if err == nil {
		return &assurance.Reply{Code: http.StatusOK}
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return &assurance.Reply{Message: clip(err.Error(), maxMessage)}
	}
	s := status.Status()
	r := &assurance.Reply{Code: int(s.Code), Reason: clip(string(s.Reason), 100), Message: clip(s.Message, maxMessage)}
	if s.Details == nil {
		return r
	}
	for _, c := range s.Details.Causes {
		if len(r.Causes) == maxCauses {
			break
		}
		text := c.Message
		if c.Field != "" {
			text = c.Field + ": " + text
		}
		r.Causes = append(r.Causes, clip(text, 300))
	}
	return r
}

// How the server's own words begin where it says no to the credential, or a webhook of it knows no dry run. What comes after may repeat what an object says,
// and so may any other message: nothing is looked for in the middle of one.
var (
	unauthorised = regexp.MustCompile(`^[a-z0-9.-]+( "([^"\\]|\\.)*")? is forbidden: User "`)
	noDryRun     = regexp.MustCompile(`^admission webhook "[^"]+" does not support dry run`)
)

// about reports whether an error says something about the object, and not about the way there, the credential or the server's own state.
func about(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	s := status.Status()
	switch {
	case s.Code == http.StatusUnauthorized, s.Code == http.StatusRequestTimeout, s.Code == http.StatusTooManyRequests, s.Code == http.StatusUnsupportedMediaType:
		return false
	case s.Code == http.StatusForbidden:
		return !unauthorised.MatchString(s.Message)
	case s.Code == http.StatusBadRequest && noDryRun.MatchString(s.Message):
		return false
	case s.Code >= 500:
		// An unknown field in a server-side apply is a 500 without a reason, and no fault of the server's.
		return s.Code == http.StatusInternalServerError && (strings.Contains(s.Message, "failed to create typed patch object") || strings.Contains(s.Message, "field not declared in schema"))
	}
	return s.Code >= 400
}

// missingNamespace reports whether an object was refused because the namespace that it goes to is not there.
func missingNamespace(err error, namespace string) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) {
		return false
	}
	d := status.Status().Details
	return d != nil && d.Kind == "namespaces" && d.Name == namespace
}

// undecoded reports whether a create was refused because of how the object is written: a field that is unknown or comes twice. Whatever else a create
// is refused for, the apply was asked about.
func undecoded(err error) bool {
	return apierrors.IsBadRequest(err) && about(err)
}

// sentence says in one line what a reply says.
func sentence(r *assurance.Reply) string {
	s := strings.Join(strings.Fields(r.Message), " ")
	if r.Code == 0 {
		return clip("no reply: "+s, maxReason)
	}
	if r.Reason != "" && r.Reason != string(metav1.StatusReasonUnknown) {
		s = r.Reason + ": " + s
	}
	return clip(fmt.Sprintf("%d %s", r.Code, s), maxReason)
}
