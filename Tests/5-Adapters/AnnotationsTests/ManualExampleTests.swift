import Foundation
import LayerJoin
import Model
import Platform
import TestSupport
import Testing

@testable import Annotations

/// The manual's example, when copied, works as the manual describes.
@Suite(.timeLimit(.minutes(5)))
struct ManualExampleTests {
    private func page() throws -> String { try Repository.text("Sources/1-Embedded/Manual/pages/marks.md") }

    @Test func theExampleIsReadWithoutARemark() throws {
        let page = try page()
        let start = try #require(page.firstRange(of: "```json\n")).upperBound
        let end = try #require(page[start...].firstRange(of: "```")).lowerBound
        let file = try NativeLayerReader.read(Array(page[start..<end].utf8))
        #expect(file.notes == [])
        #expect(file.name == "my bowings" && file.reference.attachment == AttachmentID("79073916"))
        #expect(
            Set(file.marks.map(\.kind))
                == [.pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .text, .image, .jump, .landing, .bookmark])
        #expect(file.marks.allSatisfy { $0.page.value == 0 && $0.unknown.isEmpty })
        #expect(file.accountedFor == ["a1", "b1"] && file.marks.map(\.id).contains("a1"))
        let layer = try LayerDocument(Array(page[start..<end].utf8)).layer
        #expect(layer.also.map(\.id.text) == ["a1"] && layer.deleted.map(\.id.text) == ["b1", "b2"])
        #expect(LayerCheck.examine(Array(page[start..<end].utf8)).findings.isEmpty)
        #expect(file.marks.first { $0.kind == .text }?.text == "watch the\nrepeat")
        #expect(file.marks.first { $0.kind == .line }?.dash == [0.01, 0.005] && file.marks[0].points[1].width == 0.004)
    }

    /// The manual has a row for each field that is written, and the limits that it states are the real ones.
    @Test func everyFieldIsExplained() throws {
        let page = try page()
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.joined()
        var mark = Mark(
            id: "a", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0, y: 0)], fill: 1, dash: [1], cap: .butt, text: "a",
            setting: .init(size: 1, font: "sans"), image: "a", createdAt: Timestamp("2026-11-22T09:30:00Z"))
        mark.setting.wrap = 1
        mark.key = "G"
        (mark.leads, mark.pass) = ("b", 2)
        mark.setting.alignment = .right
        mark.setting.isJustified = true
        let members = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(mark)) as? [String: Any])
        #expect(members.count > 12)
        for name in members.keys { #expect(rows.contains("`\(name)`"), "marks.md says nothing of \(name)") }
        let limits = MarkFileLimits()
        #expect(page.contains("50,000 marks") && limits.marks == 50_000)
        #expect(page.contains("400,000 points, 100,000 in one stroke"))
        #expect(limits.points == 400_000 && limits.strokePoints == 100_000)
        #expect(page.contains("200,000 on one page") && limits.pagePoints == 200_000)
        #expect(page.contains("5,000,000\nvalues of any kind") && limits.values == 5_000_000)
        #expect(page.contains("64 MiB") && limits.fileBytes == 64 << 20)
    }
}
