/// A number that somebody else wrote, such as one in an answer or a header. It can be read only within bounds, so that no
/// calculation with it overflows; `.ci/lint` forbids other ways of reading numbers in the code that communicates with the service.
public struct OutsideNumber: Hashable, Sendable {
    /// Whole numbers are kept apart from other numbers, since a `Double` cannot hold every whole number.
    private enum Form: Hashable, Sendable {
        case whole(Int)
        case other(Double)
    }

    private let form: Form

    public init(_ number: Double) {
        form = .other(number)
    }

    /// Reads a whole number in ASCII digits at the beginning of a text, which may continue with a unit. A number beyond the range of `Int`
    /// is clamped. `nil` if the text does not begin with a number.
    public init?(leading text: some StringProtocol) {
        let isNegative = text.first == "-"
        let digits = text.dropFirst(isNegative ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        let sign = isNegative ? "-" : ""
        form = .whole(Int(sign + digits) ?? (isNegative ? .min : .max))
    }

    /// Reads a text that consists of a whole number.
    public init?(_ text: some StringProtocol) {
        guard text.dropFirst(text.first == "-" ? 1 : 0).allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        self.init(leading: text)
    }

    /// The nearest whole number in `range`; its lower bound if this is not a number.
    public func whole(in range: ClosedRange<Int>) -> Int {
        switch form {
        case .whole(let number): return min(max(number, range.lowerBound), range.upperBound)
        case .other(let number):
            guard !number.isNaN else { return range.lowerBound }
            if number >= Double(range.upperBound) { return range.upperBound }
            if number <= Double(range.lowerBound) { return range.lowerBound }
            return Int(number.rounded())
        }
    }

    /// The number as text; whole numbers have no decimal point.
    public var text: String {
        switch form {
        case .whole(let number): "\(number)"
        case .other(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        }
    }
}
