/// A page of a chart, counted from 0.
public struct PageIndex: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Counted from 0.
    public let value: Int

    /// No page beyond this one is ever asked for, which leaves room to calculate with the pages after it.
    public static let greatest = 999_999

    /// Takes an index counted from 0.
    public init(_ value: Int) {
        self.value = value
    }

    /// The number that people use, counted from 1. A mark may claim to be on any page that can be written as a number.
    public var number: Int { value == .max ? value : value + 1 }

    public var description: String { "page \(number)" }

    /// Several pages in their order, as in `pages 1, 2 and 5`.
    public static func words(_ pages: [PageIndex]) -> String {
        let numbers = pages.map { "\($0.number)" }
        guard let last = numbers.last else { return "no page" }
        return numbers.count == 1 ? "page \(last)" : "pages \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }

    public static func < (left: PageIndex, right: PageIndex) -> Bool { left.value < right.value }

    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
