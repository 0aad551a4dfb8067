import Barcode
import Platform
import TestSupport
import Testing

/// A code reader reads the codes as a terminal and as a browser show them.
@Suite(.onLoop, .needs(.otherPrograms), .enabled(if: CodeReader.isInstalled, "\(CodeReader.isMissing)"))
struct QRCodeTests {
    /// Texts as long as our addresses, longer ones and shorter ones.
    private static let texts = [
        "http://192.168.1.5:8737/open?secret=" + String(repeating: "0123456789abcdef", count: 2),
        "http://[2001:db8::7]:8737/open?secret=" + String(repeating: "f", count: 64), "a", "http://laptop.fritz.box:8746/",
    ]

    /// A terminal in pixels: each character is 8 wide and 16 high, on a background of one shade.
    private struct Screen {
        let width: Int
        var shades: [UInt8]

        init(_ lines: [String], columns: Int, background: UInt8) throws {
            let cell = 8
            let margin = 4 * cell
            width = columns * cell + 2 * margin
            shades = [UInt8](repeating: background, count: width * (lines.count * 2 * cell + 2 * margin))
            for (row, line) in lines.enumerated() {
                var (front, back) = (background, background)
                var column = 0
                var rest = Substring(line)
                while let character = rest.popFirst() {
                    if character == "\u{1B}" {
                        let end = try #require(rest.firstIndex(of: "m"))
                        switch rest[..<end] {
                        case "[38;5;16;48;5;231m".dropLast(): (front, back) = (0, 255)
                        case "[0": (front, back) = (background, background)
                        case let other: Issue.record("no terminal is asked for \(other)")
                        }
                        rest = rest[rest.index(after: end)...]
                        continue
                    }
                    let halves: [UInt8]
                    switch character {
                    case "█": halves = [front, front]
                    case "▀": halves = [front, back]
                    case "▄": halves = [back, front]
                    default: halves = [back, back]
                    }
                    for y in 0..<2 * cell {
                        for x in 0..<cell { shades[(margin + row * 2 * cell + y) * width + margin + column * cell + x] = halves[y / cell] }
                    }
                    column += 1
                }
                #expect(column == columns, "a line is as long as the others")
            }
        }
    }

    @Test(arguments: texts, [0, 255] as [UInt8]) @LoopActor func aTerminalShowsIt(text: String, background: UInt8) async throws {
        let code = try #require(QRCode(text))
        let screen = try Screen(code.terminalLines, columns: code.side, background: background)
        #expect(try await CodeReader.read(shades: screen.shades, width: screen.width) == [text])
    }

    /// Fills the rectangles of the path, as a browser does.
    @Test(arguments: texts) @LoopActor func aBrowserShowsIt(text: String) async throws {
        let code = try #require(QRCode(text))
        let (dot, width) = (6, code.side * 6)
        var shades = [UInt8](repeating: 255, count: width * width)
        var drawn = ""
        for part in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let numbers = [part.1, part.2, part.3, part.4].compactMap { Int($0) }
            #expect(numbers[2] == numbers[3])
            for y in 0..<dot { for x in 0..<numbers[2] * dot { shades[(numbers[1] * dot + y) * width + numbers[0] * dot + x] = 0 } }
            drawn += part.0
        }
        #expect(drawn == code.path, "nothing else is in it")
        #expect(try await CodeReader.read(shades: shades, width: width) == [text])
    }

    /// In a terminal of the usual 80 by 24, the next typed line must be visible below the code.
    @Test func ourAddressesFitOnATerminal() throws {
        let code = try #require(QRCode(Self.texts[0]))
        #expect(code.side <= 80 && code.terminalLines.count <= 22, "\(code.side) by \(code.terminalLines.count)")
    }

    @Test func whatNoCodeCanHoldIsNone() { #expect(QRCode(String(repeating: "x", count: 3000)) == nil) }
}
