import Annotations
import Foundation
import Model
import Testing

/// The limits at their real size: the largest file that is read and the smallest that is refused both take little time and memory.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RealLimitsTests {
    private static let limits = MarkFileLimits()

    /// Reads a file, and returns the result and the processor time in seconds.
    private static func read(_ bytes: [UInt8], isNative: Bool) -> (result: Result<MarkFile, MarkFileFault>, seconds: Double) {
        let start = seconds()
        let result = Result { () throws(MarkFileFault) in
            isNative ? try NativeLayerReader.read(bytes) : try XournalReader.read(bytes, name: "a.xopp")
        }
        return (result, seconds() - start)
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The most memory that the process has used so far, in bytes.
    private static func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }

    /// The longest time in seconds, for a build without optimization on a busy machine. Without limits, a file would take minutes.
    private static let longest = 45.0
    /// The highest growth of memory. It includes the memory of other tests that run at the same time.
    private static let mostBytes = 1200 << 20

    private func expectRefused(_ bytes: [UInt8], isNative: Bool, _ words: String) {
        let before = Self.peak()
        let (result, seconds) = Self.read(bytes, isNative: isNative)
        guard case .failure(let fault) = result else {
            Issue.record("\(words) were not refused")
            return
        }
        #expect(fault.reason == .tooLarge)
        #expect(fault.description.contains(words), "\(fault)")
        #expect(seconds < Self.longest, "\(words): \(seconds) s")
        #expect(Self.peak() - before < Self.mostBytes, "\(words): \((Self.peak() - before) >> 20) MiB")
    }

    private func expectRead(_ bytes: [UInt8], isNative: Bool) throws {
        let before = Self.peak()
        let (result, seconds) = Self.read(bytes, isNative: isNative)
        let file = try result.get()
        #expect(seconds < Self.longest, "\(seconds) s")
        #expect(Self.peak() - before < Self.mostBytes, "\((Self.peak() - before) >> 20) MiB")
        #expect(try JSONEncoder().encode(file.marks).count <= Self.limits.writtenBytes)
    }

    private static func journal(_ strokes: [String], pages: Int = 1) -> [UInt8] {
        let each = (strokes.count + pages - 1) / pages
        let text = stride(from: 0, to: strokes.count, by: each).map { start in
            "<page width=\"600\" height=\"800\"><background type=\"pdf\" filename=\"a.pdf\" pageno=\"\(start / each + 1)\"/><layer>"
                + strokes[start..<min(start + each, strokes.count)].joined() + "</layer></page>"
        }
        return Array(("<xournal>" + text.joined() + "</xournal>").utf8)
    }

    private static func stroke(points: Int, width: String = "1", style: String = "plain") -> String {
        "<stroke tool=\"pen\" color=\"black\" width=\"\(width)\" style=\"\(style)\">"
            + String(repeating: "123.4567 234.5678 ", count: points) + "</stroke>"
    }

    @Test func aStrokeThatFallsToPiecesCountsAsItsPieces() {
        // Compressed, this file has only a few kilobytes.
        let widths = "1" + String(repeating: " 1 n", count: 49_500)
        let stroke = Self.stroke(points: 99_000, width: widths, style: "cust: " + (1...16).map { "\($0).5" }.joined(separator: " "))
        expectRefused(Self.journal([String](repeating: stroke, count: 20)), isNative: false, "marks")
    }

    @Test func dashesAndNamesCount() {
        let dashes = "cust: " + [String](repeating: "123.456", count: 16).joined(separator: " ")
        let font = String(repeating: "f", count: 1990)
        let texts = (0..<49_000).map { _ in "<text font=\"\(font)\" size=\"9\" x=\"1\" y=\"2\" color=\"black\">a</text>" }
        expectRefused(Self.journal(texts), isNative: false, "MiB")
        let lines = [String](repeating: Self.stroke(points: 8, style: dashes), count: 50_001)
        expectRefused(Self.journal(lines, pages: 10), isNative: false, "marks")
    }

    @Test func pointsOfOneStrokeOnePageAndOneFile() {
        expectRefused(Self.journal([Self.stroke(points: 100_001)]), isNative: false, "points in one stroke")
        let stroke = Self.stroke(points: 50_000)
        expectRefused(Self.journal([String](repeating: stroke, count: 5)), isNative: false, "points on one page")
        expectRefused(Self.journal([String](repeating: stroke, count: 9), pages: 9), isNative: false, "400000 points")
    }

    @Test func aLargeJournalIsRead() throws {
        let strokes = [String](repeating: Self.stroke(points: 8), count: 50_000)
        try expectRead(Self.journal(strokes, pages: 10), isNative: false)
    }

    private static func layer(_ marks: [String]) -> [UInt8] {
        Array(("{\"version\":1,\"marks\":[" + marks.joined(separator: ",") + "]}").utf8)
    }

    private static func mark(_ number: Int, page: Int, points: Int) -> String {
        let point = "[0.1234567890123,0.2345678901234,0.0012345678]"
        return "{\"id\":\"\(number)\",\"page\":\(page),\"kind\":\"pen\",\"points\":["
            + [String](repeating: point, count: points).joined(separator: ",") + "]}"
    }

    @Test func marksOfALayerAreCountedBeforeTheyAreDecoded() {
        let bytes = Self.layer([String](repeating: "{}", count: 2_400_000))
        let start = Self.seconds()
        expectRefused(bytes, isNative: true, "50000 marks")
        #expect(Self.seconds() - start < 3)
        // The limit also holds when the field's name is spelled with escapes.
        let spelled = String(decoding: bytes, as: UTF8.self).replacing("marks", with: "m\\u0061rks")
        expectRefused(Array(spelled.utf8), isNative: true, "50000 marks")
    }

    @Test func pointsOfALayerAreCountedBeforeTheyAreDecoded() {
        let bytes = Self.layer((0..<11).map { Self.mark($0, page: $0, points: 90_000) })
        let start = Self.seconds()
        expectRefused(bytes, isNative: true, "400000 points")
        #expect(Self.seconds() - start < 40, "and not hours")
    }

    @Test func valuesThatNobodyNeedsAreCounted() {
        let bytes = Array(
            ("{\"version\":1,\"marks\":[],\"x\":{\"y\":[" + [String](repeating: "0", count: Self.limits.values).joined(separator: ",")
                + "]}}").utf8)
        expectRefused(bytes, isNative: true, "values")
    }

    /// The layer has its marks on only two pages, and each mark was changed on a dozen devices.
    @Test func aLayerAsLargeAsTheManualAllowsIsReadAndCheckedAlike() throws {
        let edits = (0..<12).map { "\"0000000\($0)-0000-0000-0000-00000000000\($0)\":\($0 + 1)" }.joined(separator: ",")
        let point = "[0.12345678901234567,0.23456789012345678,0.0012345678901234567]"
        let points = [String](repeating: point, count: 8).joined(separator: ",")
        let marks = (0..<50_000).map {
            "{\"id\":\"mark \($0)\",\"page\":\($0 % 2),\"kind\":\"pen\",\"color\":\"#C02020FF\",\"width\":0.0012345678,"
                + "\"created_at\":\"2026-11-22T09:30:00Z\",\"points\":[\(points)],\"v\":{\(edits)}}"
        }
        let bytes = Array(("{\"version\":1,\"attachment_id\":\"1\",\"marks\":[" + marks.joined(separator: ",") + "]}").utf8)
        #expect((53 << 20...64 << 20).contains(bytes.count), "\(bytes.count)")
        try expectRead(bytes, isNative: true)
        let (drawn, findings) = LayerCheck.examine(bytes, for: .found(pages: 2))
        #expect(drawn == 50_000 && findings == [])
    }

    @Test func aLargeLayerIsRead() throws {
        try expectRead(Self.layer((0..<8).map { Self.mark($0, page: $0, points: 50_000) }), isNative: true)
    }
}
