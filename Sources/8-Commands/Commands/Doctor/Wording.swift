package import Model

/// A sentence that knows which of its parts are our own words: in a report for helpers the others may give the musician away.
package struct Wording: Hashable, Sendable, ExpressibleByStringInterpolation {
    package struct Part: Hashable, Sendable {
        let text: String
        let isOurs: Bool
    }

    package private(set) var parts: [Part]
    package var text: String { parts.map(\.text).joined() }

    package init(stringLiteral text: String) { parts = [Part(text: text, isOurs: true)] }
    package init(stringInterpolation all: StringInterpolation) { parts = all.parts }

    /// What came from outside.
    init(of text: String) { parts = [Part(text: text, isOurs: false)] }

    package static func + (first: Wording, second: Wording) -> Wording {
        var sum = first
        sum.parts += second.parts
        return sum
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { parts.append(Part(text: text, isOurs: true)) }
        package mutating func appendInterpolation(_ wording: Wording) { parts += wording.parts }
        package mutating func appendInterpolation(_ number: some BinaryInteger) { appendLiteral("\(number)") }
        package mutating func appendInterpolation(_ size: ByteCount) { appendLiteral("\(size)") }
        /// A date, a span, a count or a word of ours.
        package mutating func appendInterpolation(ours text: String) { appendLiteral(text) }
        package mutating func appendInterpolation(_ other: some CustomStringConvertible) {
            parts.append(Part(text: "\(other)", isOurs: false))
        }
    }
}
