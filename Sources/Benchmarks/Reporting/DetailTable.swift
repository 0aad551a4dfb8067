/// Figures of one kind for many pages: columns of text, the same when printed as in the JSON.
struct DetailTable: Hashable, Sendable, Codable {
    var title: String
    var columns: [String]
    var rows: [[String]]

    /// The columns side by side, with the title above them.
    var text: String { ([title] + Self.aligned([columns] + rows)).joined(separator: "\n") }

    /// Pads every cell to the width of its column.
    static func aligned(_ rows: [[String]]) -> [String] {
        guard let first = rows.first else { return [] }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// A number for people: whole numbers as they are, others with this many digits.
    static func text(_ value: Double, digits: Int = 3) -> String {
        guard value.isFinite else { return "-" }
        if let whole = Int(exactly: value) { return String(whole) }
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let count = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(count % scale)
        let whole = (value < 0 && count > 0 ? "-" : "") + String(count / scale)
        return digits == 0 ? whole : whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
