import Glibc

// The first word names the attempt, the rest is libFuzzer's: folders of samples and its options.
var arguments = CommandLine.arguments
guard arguments.count > 1, let attempt = attempts[arguments.remove(at: 1)] else {
    let names = attempts.keys.sorted().joined(separator: "|")
    print("usage: woodshed-fuzz \(names) [libFuzzer's options] [folders of samples]")
    exit(2)
}
exit(drive(attempt, arguments))
