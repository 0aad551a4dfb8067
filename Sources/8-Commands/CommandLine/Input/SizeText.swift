import Model

/// Sizes as people write them: `4 GB`, `64MB`, `512 MiB`.
enum SizeText {
    private static let decimal = [("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)]
    private static let binary = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]
    private static let units = [("B", 1)] + decimal + binary

    /// Reads a whole number and a unit, with or without a space between them; upper and lower case are the same.
    static func parse(_ text: String) throws(InputProblem) -> ByteCount {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int(digits), !unit.hasPrefix("."), !unit.hasPrefix(",") else {
            throw InputProblem("'\(text.printable)' is not a size; write a whole number and a unit, as in '4 GB' or '500 MB'")
        }
        guard !unit.isEmpty else { throw InputProblem("'\(text.printable)' has no unit; write '\(digits) MB' or '\(digits) GB'") }
        guard let bytes = units.first(where: { $0.0.lowercased() == unit.lowercased() })?.1 else {
            if unit == "%" { throw InputProblem("'\(text.printable)' is a share; a size is expected here, as in '4 GB'") }
            // To some programs "G" means GB, to others GiB, which makes a tenth of a difference.
            let meant = decimal.first { $0.0.dropLast().lowercased() == unit.lowercased() }
            let hint = meant.map { "; write '\($0.0)'" } ?? Suggestion.text(for: String(unit), among: units.map(\.0))
            throw InputProblem("'\(String(unit).printable)' is not a unit of size\(hint)")
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: bytes)
        guard !overflow else { throw InputProblem("'\(text.printable)' is too large") }
        return ByteCount(product)
    }

    /// Writes a size in the largest unit that is exact.
    static func text(of size: ByteCount) -> String {
        let exact = (binary + decimal).last { size.bytes != 0 && size.bytes % $0.1 == 0 }
        return exact.map { "\(size.bytes / $0.1) \($0.0)" } ?? "\(size.bytes) B"
    }
}
