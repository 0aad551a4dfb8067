import TestSupport

/// Pages of invented music on A4 and Letter, with the margins that notation programs leave, 10 to 18 mm.
enum MusicPages {
    private static let millimetre = 72 / 25.4

    /// A chart of this many pages, the same in every run.
    static func pdf(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 31)
        var pdf = TestPDF()
        for number in 0..<count {
            let isLetter = number % 4 == 3
            let (width, height) = isLetter ? (612.0, 792.0) : (595.0, 842.0)
            pdf.addPage(width: width, height: height, content(number, width, height, &random))
        }
        return pdf.bytes
    }

    /// The page's content, in points from the bottom left.
    private static func content(_ number: Int, _ width: Double, _ height: Double, _ random: inout SeededGenerator) -> String {
        func margin() -> Double { Double.random(in: 10...18, using: &random) * millimetre }
        let (left, right, top, bottom) = (margin(), width - margin(), height - margin(), margin())
        var lines = ["0 g"]
        func bar(_ x: Double, _ y: Double, _ width: Double, _ height: Double) { lines.append("\(x) \(y) \(width) \(height) re f") }
        var y = top
        if number % 5 == 0 {
            // A title and its author.
            bar(width / 2 - 80, y - 18, 160, 18)
            bar(right - 60, y - 30, 60, 7)
            y -= 60
        }
        while y - 34 > bottom + 14 {
            // A staff of five thin lines, with notes and a clef that extends beyond the staff.
            bar(left + 4, y - 34, 6, 34)
            for line in 0..<5 { bar(left, y - 8 - Double(line) * 5, right - left, 0.5) }
            for _ in 0..<24 {
                bar(Double.random(in: left + 20...right - 7, using: &random), y - Double.random(in: 4...30, using: &random), 6, 4)
            }
            y -= 34 + Double.random(in: 10...26, using: &random)
        }
        // The page number; the owner's name, small and grey; a coloured chord; and a fold drawn in pencil, just dark enough to be seen.
        bar(number % 2 == 0 ? right - 12 : left, bottom, 12, 8)
        if number % 3 == 0 { lines.append("0.6 g \(width / 2 - 50) \(bottom) 100 3 re f") }
        if number % 7 == 0 { lines.append("0.8 0.1 0.1 rg \(left - 6) \(height / 2) 5 9 re f") }
        if number % 11 == 0 { lines.append("0.93 g \(right + 8) \(bottom + 100) 0.6 300 re f") }
        return lines.joined(separator: "\n")
    }
}
