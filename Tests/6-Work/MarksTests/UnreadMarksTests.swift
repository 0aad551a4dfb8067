import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks
@testable import Readiness

/// Files of marks that were saved while no agent ran, and the reports on them before the next agent has read them.
@Suite(.onLoop)
struct UnreadMarksTests {
    private typealias Dot = MarkText.Dot
    private static let dots = [Dot(page: 0, x: 0.5)]
    private let a = AttachmentID("a")
    private let b = AttachmentID("b")

    @LoopActor
    private func look(_ stage: MarkDesk, _ roots: MarkRoots? = nil, atMost most: Int = 100) async throws -> UnreadMarks {
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        return try await UnreadMarks(
            in: roots ?? MarkRoots([stage.music.path]), library, knowing: library.markFiles.states(),
            at: stage.home.clock.timestamp, side: SideThread(inline: true),
            atMost: most)
    }

    /// A home without an agent; the last agent has read `files`.
    @LoopActor
    private func ended(_ files: [String: String] = [:], _ more: (MarkDesk) throws -> Void = { _ in }) async throws -> MarkDesk {
        let stage = try await MarkDesk(["a", "b"])
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { try stage.music.save(text, as: name) }
        try more(stage)
        await stage.quiet()
        await stage.end()
        let unread = try await look(stage)
        #expect(unread.files.isEmpty && unread.strays.isEmpty && unread.folders.entries.isEmpty, "all was read")
        return stage
    }

    @Test @LoopActor func newChangedAndRemovedFilesCountAgainstTheirCharts() async throws {
        let stage = try await ended(["a.marks.json": MarkText.native("a", Self.dots), "b.marks.json": MarkText.native("b", Self.dots)])
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.5)]), as: "a.marks.json")
        try stage.music.delete("b.marks.json")
        let journal = try stage.link("b").replacing(".pdf", with: ".xopp")
        try stage.music.save(MarkText.journal(stage.music.path(stage.link("b")), Self.dots), as: journal)
        let unread = try await look(stage)
        #expect(unread.files[a] == [stage.music.path("a.marks.json"): .unread(.saved)])
        #expect(
            unread.files[b] == [stage.music.path("b.marks.json"): .unread(.removed), stage.music.path(journal): .unread(.new)])
    }

    @Test @LoopActor func aFileThatNowIsForAnotherChartCountsAgainstBoth() async throws {
        let stage = try await ended(["x.marks.json": MarkText.native("a", Self.dots)])
        try stage.music.save(MarkText.native("b", Self.dots), as: "x.marks.json")
        let path = stage.music.path("x.marks.json")
        #expect(try await look(stage).files == [a: [path: .unread(.saved)], b: [path: .unread(.saved)]])
    }

    @Test @LoopActor func whatDrawsTheSameIsNoNews() async throws {
        let text = MarkText.native("a", Self.dots)
        let stage = try await ended(["a.marks.json": text])
        let stamp = FileStamp(ofFile: stage.music.path("a.marks.json"))
        try stage.music.save(text, as: "a.marks.json")
        #expect(FileStamp(ofFile: stage.music.path("a.marks.json")) != stamp)
        try stage.music.save(MarkText.native("a", []), as: "none.marks.json")
        try stage.music.save(MarkText.native("of no chart", Self.dots), as: "other.marks.json")
        try stage.music.save(text, as: ".hidden.marks.json")
        try stage.music.save(text, as: "a.marks.json.txt")
        let unread = try await look(stage)
        #expect(unread.files.isEmpty && unread.strays.isEmpty && unread.unsorted.isEmpty)
        #expect(unread.unmatched == [.init(path: stage.music.path("other.marks.json"), names: "the chart of no chart")])
    }

    @Test @LoopActor func aFileThatCannotBeUnderstoodIsReported() async throws {
        let stage = try await ended(["a.marks.json": MarkText.native("a", Self.dots)])
        try stage.music.save("{", as: "a.marks.json")
        try stage.music.save("{", as: "new.marks.json")
        // The file is half written, and lies next to the chart that it will be for.
        let journal = try stage.link("b").replacing(".pdf", with: ".xopp")
        try stage.music.save(String(MarkText.journal(stage.music.path(stage.link("b")), Self.dots).dropLast(20)), as: journal)
        let unread = try await look(stage)
        guard case .fault = unread.files[a]?[stage.music.path("a.marks.json")],
            case .fault = unread.files[b]?[stage.music.path(journal)]
        else {
            Issue.record("\(unread.files)")
            return
        }
        #expect(unread.strays.map(\.path) == [stage.music.path("new.marks.json")])
    }

    /// The content before the break names the chart; a running agent and a command without an agent agree on that.
    @Test @LoopActor func aFileThatEndsTooEarlyIsOfTheChartThatItNames() async throws {
        let stage = try await ended()
        let path = stage.music.path("new.marks.json")
        try stage.music.save(String(MarkText.native("b", Self.dots).dropLast(3)), as: "new.marks.json")
        let unread = try await look(stage)
        guard case .fault = unread.files[b]?[path] else {
            Issue.record("\(unread.files) \(unread.strays)")
            return
        }
        #expect(unread.strays.isEmpty)
        let running = try await MarkDesk(["a", "b"])
        try running.music.save(String(MarkText.native("b", Self.dots).dropLast(3)), as: "new.marks.json")
        await running.quiet()
        let known = try running.library.markFiles.states()
        #expect(known.map(\.attachment) == [b] && known[0].fault != nil && !known[0].hasContent)
        await running.end()
    }

    @Test @LoopActor func aFileThatEndsTooEarlyCountsAgainstTheChartItHadAndTheOneItNames() async throws {
        let stage = try await ended(["x.marks.json": MarkText.native("a", Self.dots)])
        let path = stage.music.path("x.marks.json")
        try stage.music.save(String(MarkText.native("b", Self.dots).dropLast(3)), as: "x.marks.json")
        let unread = try await look(stage)
        #expect(unread.files.keys.sorted() == [a, b] && unread.files.values.allSatisfy { $0.keys.sorted() == [path] })
        // An agent has read the file since, and keeps the former marks on the first chart.
        try await stage.beginAgain()
        await stage.quiet()
        await stage.end()
        #expect(try await look(stage).files.keys.sorted() == [b])
    }

    @Test @LoopActor func whatXournalPutAsideIsNotGone() async throws {
        let stage = try await ended { stage in
            try stage.music.save(MarkText.journal(stage.music.path(stage.link("a")), Self.dots), as: "a.xopp")
        }
        try stage.music.rename("a.xopp", to: "a.xopp~")
        #expect(try await look(stage).files.isEmpty)
        try stage.music.delete("a.xopp~")
        // The folder gets another file, because a folder without any files would look unmounted.
        try stage.music.save(MarkText.native("b", []), as: "b.marks.json")
        #expect(try await look(stage).files == [a: [stage.music.path("a.xopp"): .unread(.removed)]])
    }

    @Test @LoopActor func aFolderThatIsAwayIsAStateOfItsFilesAndNoLoss() async throws {
        let stage = try await ended(["a.marks.json": MarkText.native("a", Self.dots)])
        #expect(rename(stage.music.path, stage.folder.path("away")) == 0)
        let away = try await look(stage)
        #expect(away.files == [a: [stage.music.path("a.marks.json"): .unread(.away)]])
        #expect(away.folders.entries.map(\.path) == [stage.music.path])
        #expect(away.folders.entries[0].setback.message.contains("its marks are kept"))
        #expect(rename(stage.folder.path("away"), stage.music.path) == 0)
        // A folder that never had files is also reported as missing, unless it is optional.
        let (other, optional) = (stage.folder.path("other"), stage.folder.path("optional"))
        let missing = try await look(stage, MarkRoots([stage.music.path, other, optional], optional: [optional]))
        #expect(missing.files.isEmpty && missing.folders.entries.map(\.path) == [other])
        // The files of a folder that is no longer configured are kept as they were, and only the folder is reported.
        let moved = try await look(stage, MarkRoots([optional], optional: [optional]))
        #expect(moved.files.isEmpty && moved.folders.entries.map(\.path) == [stage.music.path])
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.5)]), as: "a.marks.json")
        let saved = try await look(stage, MarkRoots([optional], optional: [optional]))
        #expect(saved.files == [a: [stage.music.path("a.marks.json"): .unread(.savedOutside)]])
        try stage.music.delete("a.marks.json")
        let gone = try await look(stage, MarkRoots([optional], optional: [optional]))
        #expect(gone.files == [a: [stage.music.path("a.marks.json"): .unread(.leftOut)]] && gone.folders.entries.isEmpty)
    }

    @Test @LoopActor func aFileThatIsIgnoredByNowKeepsItsMarksAndIsReported() async throws {
        let stage = try await ended(["a.marks.json": MarkText.native("a", Self.dots)])
        let roots = MarkRoots([stage.music.path], ignoring: ["*.json"])
        let ignored = try await look(stage, roots)
        #expect(ignored.files.isEmpty && ignored.folders.entries.map(\.path) == [stage.music.path])
        #expect(ignored.folders.entries[0].setback.message.contains("Change annotations.ignore"))
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.5)]), as: "a.marks.json")
        #expect(try await look(stage, roots).files == [a: [stage.music.path("a.marks.json"): .unread(.savedOutside)]])
    }

    @Test @LoopActor func moreThanAreLookedIntoMayBeForAnyChart() async throws {
        let stage = try await ended(["a.marks.json": MarkText.native("a", Self.dots)])
        for number in 0..<4 { try stage.music.save(MarkText.native("b", Self.dots), as: "\(number).marks.json") }
        try stage.music.save(MarkText.native("a", [Dot(page: 1, x: 0.5)]), as: "a.marks.json")
        let unread = try await look(stage, atMost: 2)
        #expect(unread.files[b]?.keys.sorted() == ["0", "1"].map { stage.music.path("\($0).marks.json") })
        #expect(unread.unsorted == ["2", "3"].map { stage.music.path("\($0).marks.json") })
        #expect(unread.files[a] == [stage.music.path("a.marks.json"): .unread(.saved)], "its chart is known without a look")
    }

    @Test @LoopActor func aFileWhoseChartCameAfterItWasReadIsNotShown() async throws {
        let stage = try await ended(["c.marks.json": MarkText.native("c", Self.dots), "d.marks.json": MarkText.native("d", Self.dots)])
        // The process that fetched the chart may have ended before it checked the files again.
        let library = try Library(folder: stage.folder.path("data"))
        var contents = try #require(try library.plans.all().first)
        contents.items[0].attachments.append(Attachment(id: AttachmentID("c"), filename: "c.pdf"))
        try library.plans.update([contents], at: stage.home.clock.timestamp)
        library.close()
        #expect(try await look(stage).files == [AttachmentID("c"): [stage.music.path("c.marks.json"): .unread(.unmatched)]])
    }

    // MARK: While the next agent runs

    @LoopActor
    private func drawn(_ stage: MarkDesk) throws -> [AttachmentID: [PageIndex: MarkDigest]] {
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        var drawn: [AttachmentID: [PageIndex: MarkDigest]] = [:]
        for chart in [a, b] { drawn[chart] = PageMarks.join(try library.drawings.visibleLayers(of: chart)).mapValues(\.digest) }
        return drawn
    }

    /// Changes the files as a musician, a program or a disk may change them.
    @LoopActor
    private func disturb(_ stage: MarkDesk, _ random: inout SeededGenerator) throws {
        let music = stage.music
        let names = ["1.marks.json", "2.marks.json", "3.xopp", try stage.link("b").replacing(".pdf", with: ".xopp")]
        guard let name = names.randomElement(using: &random) else { return }
        let chart = Bool.random(using: &random) ? "a" : "b"
        let dots = (0..<Int.random(in: 0...2, using: &random)).map { Dot(page: $0, x: Double(Int.random(in: 1...3, using: &random)) / 4) }
        let text =
            name.hasSuffix(".json") ? MarkText.native(chart, dots) : MarkText.journal(music.path(try stage.link(chart)), dots)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where music.files[name] != nil: try music.delete(name)
        case 1 where music.files[name] != nil && name.hasSuffix(".xopp"): try music.rename(name, to: name + "~")
        case 2: try music.overwrite(Array(Array(text.utf8).dropLast(9)), as: name)
        case 3: if let bytes = music.files[name] { try music.save(bytes, as: name) }
        case 4 where music.files[name] != nil && name.hasSuffix(".json"): try music.rename(name, to: "moved.marks.json")
        default: try music.save(text, as: name)
        }
    }

    @Test(arguments: 0..<12) @LoopActor func everythingDrawnOtherwiseWasReported(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let stage = try await MarkDesk(["a", "b"])
        for _ in 0..<4 {
            for _ in 0..<4 { try disturb(stage, &random) }
            await stage.quiet()
            await stage.end()
            let states = try await look(stage).files.values.flatMap(\.values)
            #expect(states.allSatisfy { if case .fault = $0 { true } else { false } }, "seed \(seed): all was read")
            for _ in 0..<Int.random(in: 1...4, using: &random) { try disturb(stage, &random) }
            let (unread, before) = (try await look(stage), try drawn(stage))
            try await stage.beginAgain()
            let after = try drawn(stage)
            for chart in [a, b] where before[chart] != after[chart] {
                #expect(unread.files[chart] != nil, "seed \(seed): \(chart)")
            }
        }
        await stage.end()
    }
}
