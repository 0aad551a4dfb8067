/// Why there are no figures, in a sentence.
struct BenchmarkFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
