// Package nodetest makes "node --test" report to Lane.
//
// The runner starts one process per test file. What its own reporters see is what these processes wrote to their standard
// output, which a test file can forge with one line, and which is gone where a file exits early. Lane therefore observes
// where the tests run: a script of its own (observe.cjs) is preloaded by NODE_OPTIONS into every Node.js process of the
// run, before any code of the tree. In a runner, and in whatever lies between the command and the runner (npm, a script),
// it does one thing: it passes the event descriptor on to child processes, which Node.js would close. In a test file it
// takes the events of node:test as they are emitted, in the process and synchronously, so that a failure is told before a
// crash or an exit can hide it. A process that ends before its tests did sends no end.
//
// A test file is a unit, named by its path in the tree. A test is named by the names of the suites and tests that it lies
// in, joined by " > ": the id is "test/cart.test.js > cart > applies once". Suites and tests are told apart by nothing in
// it, since old releases do not tell them apart in time: what lies in another is a part of it. A suite without tests, or
// whose tests were all skipped, is skipped; so is a test marked todo, whatever came of it. A file that holds no tests of
// node:test and ends well by itself is one test, as it is for the runner: its id is the path alone. A file that fails as a
// whole is a failed test of that id.
//
// Canaries are put into the process of each test file, by node:test and node:assert themselves, once the first test of the
// file is registered: code that bends those two for its own tests bends them for the canaries too.
//
// What a test file reaches is counted by V8 itself, in all processes of the file (Cover): so mutants are asked only of files that run
// their lines. Of a file of code that no process was seen to load nothing is known: one that was killed does not tell.
//
// Releases from 18.19 on are known. What a command will run is found by reading the tree, never by running anything. The
// tree is hostile: it is read through os.Root, links are not followed, and sizes are bounded.
package nodetest
