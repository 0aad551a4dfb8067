import Foundation
import Model
import PageRaster
import TestSupport

/// Random marks of all kinds, on the page and outside.
struct RandomMarks {
    private let isGray: Bool
    /// Pictures in base64: a gray one and a coloured one.
    private let pictures: (gray: String, coloured: String)

    init(isGray: Bool) throws {
        self.isGray = isGray
        func picture(_ color: (Int, Int) -> UInt32) throws -> String {
            let raster = try Drawing.blank(37, 23)
            for y in 0..<23 { for x in 0..<37 { raster[x, y] = color(x, y) } }
            return Data(try PNGEncoder().encode(raster, key: Drawing.key)).base64EncodedString()
        }
        pictures = (
            try picture { UInt32(($0 * 31 + $1 * 57) & 255) * 0x01_0101 }, try picture { UInt32($0 * 6 << 16 | $1 * 11 << 8 | 0x40) }
        )
    }

    func marks(_ count: ClosedRange<Int>, using numbers: inout SeededGenerator) -> [Mark] {
        (0..<Int.random(in: count, using: &numbers)).map { _ in mark(using: &numbers) }
    }

    func mark(using numbers: inout SeededGenerator) -> Mark {
        let kinds: [Mark.Kind] = [.pen, .pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .text, .image, .jump, .landing]
        let kind = kinds.randomElement(using: &numbers) ?? .pen
        var mark = Mark(id: String(numbers.next(), radix: 16), page: PageIndex(0), kind: kind, color: color(using: &numbers))
        mark.width = [0, 0.001, 0.004, 0.02, 0.1].randomElement(using: &numbers) ?? 0.002
        // Most marks are small and on the page, some cross the whole page or lie outside.
        let isLarge = Int.random(in: 0..<5, using: &numbers) == 0
        let reach = isLarge ? 1.5 : Double.random(in: 0.005...0.12, using: &numbers)
        let center = (x: Double.random(in: -0.1...1.1, using: &numbers), y: Double.random(in: -0.1...1.1, using: &numbers))
        let hasPressure = Bool.random(using: &numbers)
        let isStroke = [.pen, .highlighter, .eraser].contains(kind)
        mark.points = (0..<Int.random(in: isStroke ? 1...12 : 2...3, using: &numbers)).map { _ in
            Mark.Point(
                x: center.x + Double.random(in: -reach...reach, using: &numbers),
                y: center.y + Double.random(in: -reach...reach, using: &numbers),
                width: isStroke && hasPressure ? Double.random(in: 0...0.02, using: &numbers) : nil)
        }
        if Int.random(in: 0..<4, using: &numbers) == 0 { mark.fill = Double.random(in: 0...1, using: &numbers) }
        if Int.random(in: 0..<4, using: &numbers) == 0 {
            mark.dash = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in Double.random(in: 0...0.02, using: &numbers) }
        }
        mark.cap = [.round, .butt, .square].randomElement(using: &numbers) ?? .round
        switch kind {
        case .text:
            let texts = [
                "rit.", "Strophe 2\nleise", "pp 𝄐", "ÄÖ|gjy", "😀 klatschen",
                "1\u{fe0f}\u{20e3} Strophe", "(2×)", " ", "f\u{0301}\u{0301}\u{0301}\u{0301}\u{0301}",
            ]
            mark.text = (isGray ? texts.filter { !["😀", "1\u{fe0f}\u{20e3}"].contains($0.first) } : texts).randomElement(using: &numbers)
            mark.setting.size = [0.012, 0.03, 0.1].randomElement(using: &numbers)
            mark.setting.font = [nil, "serif", "sans italic bold"].randomElement(using: &numbers) ?? nil
        case .jump: (mark.leads, mark.pass) = ("l", Bool.random(using: &numbers) ? .random(in: 1...9, using: &numbers) : nil)
        case .image: mark.image = isGray || Bool.random(using: &numbers) ? pictures.gray : pictures.coloured
        default: break
        }
        return mark
    }

    private func color(using numbers: inout SeededGenerator) -> Color {
        let alpha: UInt8 = Bool.random(using: &numbers) ? 255 : UInt8.random(in: 0...255, using: &numbers)
        let parts = (0..<3).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        if isGray { return Color(red: parts[0], green: parts[0], blue: parts[0], alpha: alpha) }
        return Color(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
    }

    /// The marks after some edits: some removed, some new, some changed, and sometimes in another order.
    func changed(_ marks: [Mark], using numbers: inout SeededGenerator) -> [Mark] {
        var changed = marks.filter { _ in Int.random(in: 0..<6, using: &numbers) > 0 }
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            changed.insert(mark(using: &numbers), at: Int.random(in: 0...changed.count, using: &numbers))
        }
        if let place = changed.indices.randomElement(using: &numbers), Bool.random(using: &numbers) {
            changed[place].points[0].y += 0.05
        }
        if Int.random(in: 0..<4, using: &numbers) == 0 { changed.shuffle(using: &numbers) }
        // A new id does not change a mark's ink, but a second copy of a mark does.
        if let place = changed.indices.randomElement(using: &numbers) { changed[place].id = "renamed" }
        if let twin = changed.randomElement(using: &numbers), Int.random(in: 0..<4, using: &numbers) == 0 { changed.append(twin) }
        return changed
    }
}
