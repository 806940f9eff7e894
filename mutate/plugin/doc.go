// Package plugin runs operators that users bring: WebAssembly commands that read a source as JSON and write edits. docs/plugins.md is
// their page.
//
// A plugin is nobody's friend. It is what its pin says, byte for byte, or it does not start. It runs in this process as a guest of wazero,
// anew for each file, with its standard input and output and nothing else: no files, no network, no environment, a clock and a source of
// chance that are the same in each run. Time, memory and output are bounded. What it writes is checked before anything is made of it.
//
// A plugin that fails is an error of its own ([*Error]) and never says anything about tests. Its mutants have the origin
// [mutate.Plugin], by which package assurance tells their kills apart.
package plugin
