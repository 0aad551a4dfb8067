import Glibc

// The first argument names the attempt. The others are for libFuzzer: its options and folders of samples.
var arguments = CommandLine.arguments
guard arguments.count > 1, let attempt = attempts[arguments.remove(at: 1)] else {
    let names = attempts.keys.sorted().joined(separator: "|")
    print("usage: woodshed-fuzz \(names) [libFuzzer's options] [folders of samples]")
    exit(2)
}
exit(drive(attempt, arguments))
