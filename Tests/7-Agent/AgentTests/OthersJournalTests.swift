import Library
import Model
import Platform
import Readiness
import TestSupport
import Testing

@testable import Agent
@testable import Marks

/// Journals that give their PDFs' paths on another person's machine.
@Suite(.onLoop)
struct OthersJournalTests {
    private func journal(_ pdf: String) -> String { MarkText.journal(pdf, [MarkText.Dot(page: 0, x: 0.5)]) }

    @LoopActor private func chart(of name: String, _ stage: MarkStage) throws -> AttachmentID? {
        try stage.stage.library.markFiles.file(at: stage.music.path(name))?.attachment
    }

    @Test @LoopActor func theyFindTheChartOfTheSameNameInTheFolderOfTheSameName() async throws {
        let stage = try await MarkStage(["a", "b"])
        let link = try stage.link("a")
        try stage.music.save(journal("/home/anna/Music/Woodshed/\(link)"), as: "of anna.xopp")
        try stage.music.save(journal("/home/anna/Music/Woodshed/2019 \(link)"), as: "of another year.xopp")
        await stage.quiet()
        #expect(try chart(of: "of anna.xopp", stage) == AttachmentID("a"))
        #expect(try chart(of: "of another year.xopp", stage) == nil)
        #expect(stage.rendered() == ["annotated"])
        let report = try await stage.report()
        #expect(report.unmatchedMarks.map(\.path) == [stage.music.path("of another year.xopp")])
        await stage.end()
    }

    /// The chart that a file belonged to counts for more than the name in the file.
    @Test @LoopActor func aFileThatIsMovedStaysWithItsChartWhateverTheNameSays() async throws {
        let stage = try await MarkStage(["a", "b"])
        let (link, other) = (try stage.link("a"), try stage.link("b"))
        let beside = link.dropLast(4) + ".xopp"
        try stage.music.save(journal("/home/anna/Music/Woodshed/\(other)"), as: String(beside))
        await stage.quiet()
        #expect(try chart(of: String(beside), stage) == AttachmentID("a"))
        try stage.music.rename(String(beside), to: "moved.xopp")
        await stage.quiet()
        #expect(try chart(of: "moved.xopp", stage) == AttachmentID("a"))
        await stage.end()
    }
}
