import Model

/// A sentence that records which of its parts are our own words. The other parts may identify the musician, so a report for helpers
/// hides private words in them.
struct Wording: Hashable, Sendable, ExpressibleByStringInterpolation {
    struct Part: Hashable, Sendable {
        let text: String
        let isOurs: Bool
    }

    private(set) var parts: [Part]
    var text: String { parts.map(\.text).joined() }

    init(stringLiteral text: String) { parts = [Part(text: text, isOurs: true)] }
    init(stringInterpolation all: StringInterpolation) { parts = all.parts }

    /// A text from outside, which is not our own wording.
    init(of text: String) { parts = [Part(text: text, isOurs: false)] }

    static func + (first: Wording, second: Wording) -> Wording {
        var sum = first
        sum.parts += second.parts
        return sum
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ text: String) { parts.append(Part(text: text, isOurs: true)) }
        mutating func appendInterpolation(_ wording: Wording) { parts += wording.parts }
        mutating func appendInterpolation(_ number: some BinaryInteger) { appendLiteral("\(number)") }
        mutating func appendInterpolation(_ size: ByteCount) { appendLiteral("\(size)") }
        /// Appends a date, a span, a count or a word of our own.
        mutating func appendInterpolation(ours text: String) { appendLiteral(text) }
        mutating func appendInterpolation(_ other: some CustomStringConvertible) {
            parts.append(Part(text: "\(other)", isOurs: false))
        }
    }
}
