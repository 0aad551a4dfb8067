import Model

/// Amounts of disk space as people write them: a size, or a share as in `5%`.
enum DiskAmountText {
    /// Reads either; a share of more than nine tenths is treated as a mistake.
    static func parse(_ text: String) throws(InputProblem) -> DiskAmount {
        guard text.hasSuffix("%") else { return .bytes(try SizeText.parse(text)) }
        var digits = text.dropLast()
        while digits.hasSuffix(" ") { digits.removeLast() }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let percent = Int(digits) else {
            throw InputProblem("'\(text.printable)' is not a share; write a whole number, as in '5%'")
        }
        guard (0...90).contains(percent) else { throw InputProblem("'\(text.printable)' is out of range: 0% to 90%") }
        return .percent(percent)
    }

    static func text(of amount: DiskAmount) -> String {
        switch amount {
        case .bytes(let size): SizeText.text(of: size)
        case .percent(let percent): "\(percent)%"
        }
    }
}
