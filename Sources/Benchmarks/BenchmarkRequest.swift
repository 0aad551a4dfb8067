/// What the command line asks for.
struct BenchmarkRequest: Equatable, Sendable {
    var benchmark: String
    /// Folders with more PDFs to measure.
    var folders: [String] = []
    /// How often everything is measured; `nil` for the benchmark's default.
    var runs: Int?
    /// The most images or files that a folder is filled with; `nil` for the benchmark's default.
    var entries: Int?
    /// How long an idle agent is watched; `nil` for the benchmark's default.
    var minutes: Int?
    /// Whether fewer runs and smaller sizes will do.
    var isQuick = false
    var wantsJSON = false

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(BenchmarkFailure) {
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": wantsJSON = true
            case "--quick": isQuick = true
            case "--runs":
                guard let number = rest.popFirst().flatMap({ Int($0) }), (1...1000).contains(number) else {
                    throw BenchmarkFailure("--runs takes a number from 1 to 1000")
                }
                runs = number
            case "--entries":
                guard let number = rest.popFirst().flatMap({ Int($0) }), (1000...1_000_000).contains(number) else {
                    throw BenchmarkFailure("--entries takes a number from 1000 to 1000000")
                }
                entries = number
            case "--minutes":
                guard let number = rest.popFirst().flatMap({ Int($0) }), (1...1440).contains(number) else {
                    throw BenchmarkFailure("--minutes takes a number from 1 to 1440")
                }
                minutes = number
            case _ where word.hasPrefix("-"): throw BenchmarkFailure("there is no option \(word)")
            default: names.append(word)
            }
        }
        guard let name = names.first else { throw BenchmarkFailure("name one benchmark") }
        benchmark = name
        folders = Array(names.dropFirst())
    }
}
