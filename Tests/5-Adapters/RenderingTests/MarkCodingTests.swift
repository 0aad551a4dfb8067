import JSON
import Model
import Rendering
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MarkCodingTests {
    private static let kinds: [Mark.Kind] = [
        .pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .text, .image, .jump, .unknown("stamp"), .unknown(""),
    ]

    private static func mark(using numbers: inout SeededGenerator) -> Mark {
        func number() -> Double {
            let wild = [0, -0.0, 1, 1e-300, -1e300, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
            return Bool.random(using: &numbers) ? wild.randomElement(using: &numbers) ?? 0 : .random(in: -1...2, using: &numbers)
        }
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { Bool.random(using: &numbers) ? value() : nil }
        func text() -> String {
            ["", "rit.", "😀\n\u{0}x", "ä|,\"", String(repeating: "é", count: 300)].randomElement(using: &numbers) ?? ""
        }
        func byte() -> UInt8 { .random(in: 0...255, using: &numbers) }
        var setting = Mark.Setting(size: maybe(number()), font: maybe(text()))
        setting.point = maybe(number())
        setting.wrap = maybe(number())
        setting.alignment = [.left, .center, .right].randomElement(using: &numbers) ?? .left
        setting.isJustified = Bool.random(using: &numbers)
        var mark = Mark(
            id: text(), page: PageIndex(Int.random(in: 0...5000, using: &numbers)), kind: kinds.randomElement(using: &numbers) ?? .pen,
            color: Color(red: byte(), green: byte(), blue: byte(), alpha: byte()), width: number(),
            points: (0..<Int.random(in: 0...20, using: &numbers)).map { _ in Mark.Point(x: number(), y: number(), width: maybe(number())) },
            fill: maybe(number()), dash: (0..<Int.random(in: 0...5, using: &numbers)).map { _ in number() },
            cap: [.round, .butt, .square].randomElement(using: &numbers) ?? .round, text: maybe(text()),
            setting: setting, image: maybe(text()))
        (mark.leads, mark.pass) = (maybe(text()), maybe(.random(in: 1...9, using: &numbers)))
        return mark
    }

    private static func marks(using numbers: inout SeededGenerator) -> [Mark] {
        (0..<Int.random(in: 0...6, using: &numbers)).map { _ in mark(using: &numbers) }
    }

    @Test func marksArriveAsTheyLeft() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            let marks = Self.marks(using: &numbers)
            #expect(MarkCoding.decode(MarkCoding.encode(marks)) == marks, "seed \(seed)")
        }
    }

    @Test func onlyWhatIsDrawnTravels() {
        var numbers = SeededGenerator(seed: 1)
        let plain = Self.mark(using: &numbers)
        var mark = plain
        mark.createdAt = Timestamp(nanoseconds: 5)
        mark.unknown = ["tool": .string("stylus")]
        #expect(MarkCoding.decode(MarkCoding.encode([mark])) == [plain])
    }

    @Test func noBeginningAndNoMoreIsRead() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            let bytes = MarkCoding.encode(Self.marks(using: &numbers))
            for count in bytes.indices {
                #expect(MarkCoding.decode(Array(bytes[..<count])) == nil, "seed \(seed), \(count) of \(bytes.count) bytes")
            }
            #expect(MarkCoding.decode(bytes + [0]) == nil, "seed \(seed)")
        }
    }

    /// Damaged bytes may be decoded to other marks or to none, but any decoded marks can be encoded again.
    @Test func damagedBytesNeverTrap() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            var bytes = MarkCoding.encode(Self.marks(using: &numbers))
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = [0, 0x7f, 0x80, 0xff].randomElement(using: &numbers) ?? 0
            }
            guard let marks = MarkCoding.decode(bytes) else { continue }
            #expect(MarkCoding.decode(MarkCoding.encode(marks))?.count == marks.count, "seed \(seed)")
        }
    }
}
