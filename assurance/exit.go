package assurance

import "slices"

// Exit is an exit code of the command line and of the gate.
type Exit int

// Exit codes.
const (
	ExitOK          Exit = 0
	ExitTestsFailed Exit = 1
	ExitUsage       Exit = 2
	ExitDistrust    Exit = 3
	ExitShort       Exit = 4
	ExitLane        Exit = 5
	ExitNoTests     Exit = 6
	ExitBudget      Exit = 7
	ExitInterrupt   Exit = 130
	ExitTerminate   Exit = 143
)

// ExitMeaning is one entry of ExitCodes.
type ExitMeaning struct {
	Code  Exit
	Means string
}

// ExitCodes returns the closed list of exit codes.
func ExitCodes() []ExitMeaning {
	return []ExitMeaning{
		{ExitOK, "passed, at the required level or above"},
		{ExitTestsFailed, "a required test failed"},
		{ExitUsage, "wrong usage, or an error in a spec"},
		{ExitDistrust, "refused, or the evidence is not to be trusted"},
		{ExitShort, "passed below the required level, or unstable"},
		{ExitLane, "our side gave out: command, environment, reporter, or Lane itself"},
		{ExitNoTests, "no test was observed"},
		{ExitBudget, "time ran out, or the process never ended"},
		{ExitInterrupt, "interrupted (SIGINT)"},
		{ExitTerminate, "terminated (SIGTERM)"},
	}
}

// combineOrder is the order in which the exit code of several verdicts is looked for. Codes that are no
// verdict's (interruption, a spec that cannot be read) are in it so that no code is unknown.
var combineOrder = [...]Exit{
	ExitInterrupt, ExitTerminate,
	ExitDistrust, ExitTestsFailed, ExitUsage, ExitLane, ExitBudget, ExitNoTests, ExitShort, ExitOK,
}

// CombineExits returns the exit code of several: the first of 130, 143, 3, 1, 2, 5, 7, 6, 4, 0 that occurs.
// A code outside of the list counts as 5. Of none at all it is 6, for nothing was observed.
func CombineExits(codes ...Exit) Exit {
	if len(codes) == 0 {
		return ExitNoTests
	}
	worst := len(combineOrder) - 1
	for _, c := range codes {
		i := slices.Index(combineOrder[:], c)
		if i < 0 {
			i = slices.Index(combineOrder[:], ExitLane)
		}
		worst = min(worst, i)
	}
	return combineOrder[worst]
}

// Combine returns the exit code of several verdicts, by the order of CombineExits.
func Combine(verdicts []Verdict) int {
	codes := make([]Exit, len(verdicts))
	for i := range verdicts {
		codes[i] = Exit(verdicts[i].ExitCode())
	}
	return int(CombineExits(codes...))
}
