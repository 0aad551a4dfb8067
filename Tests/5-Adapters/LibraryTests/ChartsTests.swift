import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct ChartsTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")

    @LoopActor private func library(_ attachments: [Attachment]) throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: attachments)], at: Samples.monday)
        return library
    }

    @Test @LoopActor func aKeptChartIsThereUnderItsHashPrivateAndProtected() throws {
        let library = try library([a])
        #expect(try library.charts.chart(of: a.id) == nil)
        let bytes = Samples.pdf("one")
        let hash = try library.download(bytes, for: a)

        #expect(try library.charts.chart(of: a.id) == StoredChart(hash: hash, size: bytes.count, version: a.version))
        #expect(try library.charts.hasBytes(of: hash))
        #expect(library.charts.path(of: hash) == home.path("charts/\(hash.digest.hex).pdf"))
        #expect(try AtomicFile.read(library.charts.path(of: hash), limit: 1000) == bytes)
        var status = stat()
        #expect(stat(library.charts.path(of: hash), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o400)
        #expect(try library.chartFiles() == ["\(hash.digest.hex).pdf"])
    }

    /// Reading a long chart takes a while, so the chart is read beside the loop, and other work does not wait.
    @Test @LoopActor func aChartCanBeReadBesideTheLoop() async throws {
        @LoopActor final class Outcome { var isKnown = false }
        let library = try library([a])
        let hash = try library.download(Samples.pdf("one"), for: a)
        let (side, outcome) = (SideThread(), Outcome())
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (exit, entry) = (ends[0], ends[1])
        side.begin {
            var byte: UInt8 = 0
            _ = read(exit, &byte, 1)
        }
        let task = spawn { outcome.isKnown = (try? await library.charts.check(hash, on: side)) != nil }
        for _ in 0..<10 { await spawn {}.value }
        #expect(!outcome.isKnown, "it waits for the other thread, and the loop goes on")
        close(entry)
        await task.value
        close(exit)
        #expect(outcome.isKnown)
        let path = library.charts.path(of: hash)
        unlink(path)
        await #expect(throws: LibraryError.missingChart(path: path)) {
            try await library.charts.check(hash, on: side)
        }
    }

    @Test @LoopActor func equalBytesAreSharedAndNotWrittenAgain() throws {
        let library = try library([a, b])
        let hash = try library.download(Samples.pdf("same"), for: a)
        var before = stat()
        stat(library.charts.path(of: hash), &before)
        #expect(try library.download(Samples.pdf("same"), for: b) == hash)

        var after = stat()
        stat(library.charts.path(of: hash), &after)
        #expect(after.st_ino == before.st_ino)
        #expect(try library.chartFiles().count == 1)
        #expect(try library.charts.chart(of: a.id)?.hash == hash)
        #expect(try library.charts.chart(of: b.id)?.hash == hash)
    }

    @Test @LoopActor func aFileOfTheWrongLengthUnderTheNameIsReplaced() throws {
        let library = try library([a])
        let bytes = Samples.pdf("whole")
        try AtomicFile.write("%PDF-", to: library.charts.path(of: Samples.hash(bytes)))
        let hash = try library.download(bytes, for: a)
        #expect(try AtomicFile.read(library.charts.path(of: hash), limit: 1000) == bytes)
    }

    /// A process that is killed after the rename and before the commit leaves a file that is missing from the catalogue.
    @Test @LoopActor func bytesThatTheCatalogueDoesNotNameYetAreTakenOver() throws {
        let library = try library([a])
        let bytes = Samples.pdf("orphan")
        let path = library.charts.path(of: Samples.hash(bytes))
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) }
        #expect(try library.charts.hasBytes(of: Samples.hash(bytes)) == false)
        var before = stat()
        stat(path, &before)

        let hash = try library.download(bytes, for: a)
        var after = stat()
        stat(path, &after)
        #expect(after.st_ino == before.st_ino)
        #expect(try library.charts.hasBytes(of: hash))
        #expect(try library.chartFiles().count == 1)
    }

    @Test @LoopActor func whatIsMissingIsDownloadedInPlanOrderOnce() throws {
        let library = try library([b, a])
        let second = Samples.contents("2", day: 1, attachments: [a, Samples.attachment("c"), b])
        try library.plans.update([second], at: Samples.monday)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()).map(\.id.text) == ["b", "a", "c"])
        try library.download(Samples.pdf("a"), for: a)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()).map(\.id.text) == ["b", "c"])
        #expect(try library.charts.attachmentsToDownload(for: [second]).map(\.id.text) == ["c", "b"])
    }

    @Test @LoopActor func aNewVersionIsToBeDownloadedWhileTheOldChartServes() throws {
        let library = try library([a])
        let old = try library.download(Samples.pdf("old"), for: a)
        let newer = Samples.attachment("a", updated: 2)
        try library.plans.update([Samples.contents("1", attachments: [newer])], at: Samples.monday)

        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [newer])
        #expect(try library.charts.chart(of: a.id)?.hash == old)
        #expect(try library.charts.hasBytes(of: old))

        let new = try library.download(Samples.pdf("new"), for: newer)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
        #expect(try library.charts.chart(of: a.id)?.hash == new)
        // The replaced chart is not deleted here.
        #expect(try library.charts.hasBytes(of: old))
    }

    @Test @LoopActor func aNewVersionWithEqualBytesChangesTheVersionAlone() throws {
        let library = try library([a])
        let hash = try library.download(Samples.pdf("same"), for: a)
        let renamed = Samples.attachment("a", updated: 9, filename: "renamed.pdf")
        try library.plans.update([Samples.contents("1", attachments: [renamed])], at: Samples.monday)
        try library.download(Samples.pdf("same"), for: renamed)
        #expect(try library.charts.chart(of: a.id)?.hash == hash)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [])
    }

    @Test @LoopActor func aChartWhoseBytesWereRemovedIsDownloadedAgain() throws {
        let library = try library([a, b])
        let hash = try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        unlink(library.charts.path(of: hash))
        #expect(try library.charts.hasBytes(of: hash) == false)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [a])

        let file = library.charts.path(of: try #require(try library.charts.chart(of: b.id)).hash)
        // Only root could write to a chart without changing its mode first.
        #expect(chmod(file, 0o600) == 0 && truncate(file, 3) == 0)
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [a, b])
        #expect(try library.download(Samples.pdf("a"), for: a) == hash)
        #expect(try library.charts.hasBytes(of: hash))
    }

    @Test @LoopActor func aChartsFolderThatWasRemovedIsMadeAgain() throws {
        let library = try library([a])
        #expect(rmdir(home.path("charts")) == 0)
        let hash = try library.download(Samples.pdf("a"), for: a)
        #expect(try library.charts.hasBytes(of: hash))
    }

    @Test(arguments: [
        ("<!DOCTYPE html><html><body>Log in</body></html>", FileKind.webPage), ("\n  <HTML>please log in", .webPage),
        ("{\"errors\":[]}", .json), ("", .empty), ("GIF89a", .image), ("PK\u{3}\u{4}zip", .archive), ("plain text", .other),
        (String(repeating: " ", count: 1020) + "%PDF-1.7", .other),
    ])
    @LoopActor func whatIsNoPDFIsRefusedAndReplacesNothing(content: String, kind: FileKind) throws {
        let library = try library([a])
        let old = try library.download(Samples.pdf("old"), for: a)
        let newer = Samples.attachment("a", updated: 2)
        try library.plans.update([Samples.contents("1", attachments: [newer])], at: Samples.monday)

        #expect(throws: LibraryError.notAPDF(a.id, found: kind)) { try library.download(Array(content.utf8), for: newer) }
        #expect(try library.charts.chart(of: a.id)?.hash == old)
        #expect(try library.chartFiles() == ["\(old.digest.hex).pdf"])
        #expect(try library.charts.attachmentsToDownload(for: library.plans.all()) == [newer])
    }

    @Test @LoopActor func aPDFMayBeginWithinTheFirst1024Bytes() throws {
        let library = try library([a])
        let bytes = Array(String(repeating: " ", count: 1019).utf8) + Samples.pdf("late")
        #expect(try library.charts.hasBytes(of: library.download(bytes, for: a)))
    }

    @Test @LoopActor func aCutOffDownloadIsRefused() throws {
        let library = try library([a])
        let bytes = Samples.pdf("cut off")
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        #expect(throws: LibraryError.wrongSize(a.id, expected: bytes.count + 1, found: bytes.count)) {
            try library.charts.keep(file, hash: Samples.hash(bytes), size: bytes.count + 1, for: a.id, version: a.version)
        }
        #expect(try library.charts.chart(of: a.id) == nil)
    }

    @Test @LoopActor func aChartForAnUnknownAttachmentIsRefusedBeforeItIsStored() throws {
        let library = try library([a])
        #expect(throws: LibraryError.unknownAttachment(b.id)) { try library.download(Samples.pdf("b"), for: b) }
        #expect(try library.chartFiles() == [])
    }

    @Test @LoopActor func aDownloadThatIsDroppedLeavesNothing() throws {
        let library = try library([a])
        do {
            let file = try library.charts.beginChart()
            #expect(try library.chartFiles().count == 1)
            _ = file
        }
        #expect(try library.chartFiles() == [])
    }

    // MARK: Descriptions

    @Test @LoopActor func descriptionsComeBackExactly() throws {
        let library = try library([a])
        let hash = try library.download(Samples.pdf("a"), for: a)
        #expect(try library.charts.description(of: hash) == nil)
        let pages = [PageGeometry(width: 595.276, height: 841.89), PageGeometry(width: 1.0 / 3, height: 1e-9)]
        let descriptions = [
            StoredDescription(pages: pages),
            StoredDescription(pages: [pages[1]], fontsNotEmbedded: ["Times \"é\" | Roman", ""], hasImages: true),
            StoredDescription(pages: pages, fontsNotEmbedded: nil), StoredDescription(pages: []),
            StoredDescription(pages: pages, places: ChartPlaces()),
            StoredDescription(
                pages: pages,
                places: ChartPlaces(
                    jumps: [
                        ChartJump(
                            id: "link-1", from: PagePlace(page: PageIndex(0)), box: [0, 0.25, 1, 0.5], to: PagePlace(page: PageIndex(1)))
                    ],
                    bookmarks: [ChartBookmark(id: "entry-1", title: "Öd \"|", level: 1, place: PagePlace(page: PageIndex(1), y: 1.0 / 3))])),
        ]
        for (number, description) in descriptions.enumerated() {
            try library.charts.setDescription(description, of: hash, by: RendererTag("\(number)"))
            #expect(try library.charts.description(of: hash) == description)
        }
        #expect(descriptions.map(\.needsFonts) == [false, true, true, false, false, false])
    }

    @Test @LoopActor func whatCouldNotBeOpenedIsRememberedWithItsRenderer() throws {
        let library = try library([a])
        let hash = try library.download(Samples.pdf("a"), for: a)
        #expect(try library.charts.unreadable(hash) == nil)
        try library.charts.setUnreadable("encrypted", of: hash, by: RendererTag("one"))
        #expect(try library.charts.unreadable(hash) == UnreadableChart(reason: "encrypted", tag: RendererTag("one")))
        #expect(try library.charts.description(of: hash) == nil)

        try library.charts.setDescription(StoredDescription(pages: [PageGeometry(width: 1, height: 2)]), of: hash, by: RendererTag("two"))
        #expect(try library.charts.unreadable(hash) == nil)
        try library.charts.setUnreadable("crashed", of: hash, by: RendererTag("three"))
        #expect(try library.charts.description(of: hash)?.pages.count == 1)
    }

    @Test @LoopActor func anUnknownChartCannotBeDescribed() throws {
        let library = try library([a])
        let hash = Samples.hash([1])
        #expect(throws: LibraryError.unknownChart(hash)) {
            try library.charts.setDescription(StoredDescription(pages: []), of: hash, by: RendererTag("t"))
        }
        #expect(throws: LibraryError.unknownChart(hash)) { try library.charts.setUnreadable("no", of: hash, by: RendererTag("t")) }
        #expect(try library.charts.hasBytes(of: hash) == false)
    }
}
