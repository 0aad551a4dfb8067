/// The marks that a file draws, each as a number that is the same for marks that draw the same on the same page.
public struct MarkSums: Hashable, Sendable {
    /// In order.
    public let values: [UInt64]

    /// Takes numbers in any order.
    public init(_ values: some Sequence<UInt64>) { self.values = values.sorted() }

    /// The numbers of the marks that draw anything.
    public init(of marks: [Mark]) { self.init(marks.lazy.compactMap(\.drawingSum)) }

    /// Reads them from their `text`.
    public init(text: String) {
        let digits = Array(text.utf8)
        values = stride(from: 0, to: digits.count, by: Self.digits).map { start in
            digits[start..<min(start + Self.digits, digits.count)].reduce(UInt64(0)) {
                $0 << 4 | UInt64($1 & 0x40 == 0 ? $1 & 15 : ($1 & 15) + 9)
            }
        }
    }

    /// All of them, in hexadecimal digits.
    public var text: String {
        values.map { value in
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: Self.digits - digits.count) + digits
        }.joined()
    }

    private static let digits = 16

    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }

    /// Those that `other` lacks. Of marks that draw the same, each needs one of its own there.
    public func subtracting(_ other: MarkSums) -> MarkSums {
        var rest: [UInt64] = []
        var there = 0
        for value in values {
            while there < other.count, other.values[there] < value { there += 1 }
            if there < other.count, other.values[there] == value { there += 1 } else { rest.append(value) }
        }
        return MarkSums(rest)
    }
}

extension Mark {
    /// The same number for marks that draw the same on the same page; `nil` for a mark that draws nothing.
    public var drawingSum: UInt64? {
        isDrawn ? SHA256.digest(of: "\(page.value)|\(canonical)").words.0 : nil
    }
}
