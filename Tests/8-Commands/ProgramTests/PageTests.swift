import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed why -o`, as built, in a home that `woodshed demo` made.
@Suite(.onLoop, .serialized)
struct PageTests {
    private let home = TemporaryFolder()
    private let sizes = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]

    /// Fetches the demo's charts, and returns a chart that has several pages.
    @LoopActor
    private func demo() async throws -> (AttachmentID, ChartHash) {
        let result = try await Program.run("woodshed", ["demo", "--once", "--home", home.path], environment: sizes)
        #expect(result.exit == .code(0), "\(result.messages)")
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        for attachment in try library.plans.all().flatMap(\.attachments) {
            if let chart = try library.charts.chart(of: attachment.id), try library.charts.description(of: chart.hash)?.pages.count ?? 0 > 1
            {
                return (attachment.id, chart.hash)
            }
        }
        throw SystemError("find a chart of two pages", code: 2)
    }

    @LoopActor
    private func page(_ arguments: [String], _ environment: [String] = []) async throws {
        let all = ["why"] + arguments + ["--home", home.path, "--force", "-o", home.path("page.png")]
        let result = try await Program.run("woodshed", all, environment: sizes + environment)
        #expect(result.exit == .code(0), "\(result.messages)")
    }

    @Test @LoopActor func aPageThatIsAskedForIsTakenOffTheListOfWhatFailed() async throws {
        let (attachment, chart) = try await demo()
        let library = try Library(folder: home.path("data"))
        defer { library.close() }
        func name(_ page: Int, _ variant: Variant) -> ImageName? {
            let key = SHA256.digest(of: "\(page) \(variant)").shortHex
            return ImageName(folder: chart.digest.shortHex, file: "\(page)-\(variant.rawValue)-\(key).png")
        }
        let images = [nil, name(0, .plain), name(0, .thumbnail), name(0, .annotated), name(1, .plain)]
        for image in images {
            try library.images.setFault(
                RenderFault(
                    chart: chart, image: image, tag: RendererTag("t"), reason: "r", tries: 2, isFinal: true, at: Timestamp(nanoseconds: 1)))
        }
        // An image of another size clears no fault of the usual images; it only proves that the chart opens.
        try await page([attachment.text, "1", "--variant", "plain", "--size", "99"])
        #expect(try Set(library.images.faults().map(\.image)) == Set(images.dropFirst()))

        try Folder.names(in: home.path("cache/pages/\(chart.digest.shortHex)")).forEach {
            try AtomicFile.write("", to: home.path("cache/pages/\(chart.digest.shortHex)/\($0)"))
        }
        try await page([attachment.text, "1", "--variant", "plain"])
        #expect(try Set(library.images.faults().map(\.image)) == [name(0, .annotated), name(1, .plain)])
    }

    @Test @LoopActor func onlyAPictureIsReplacedByOneAndOnlyIfAskedTo() async throws {
        let (attachment, _) = try await demo()
        try await page([attachment.text, "1"])
        try await page([attachment.text, "2"])
        let again = try await Program.run("woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", home.path("page.png")])
        #expect(again.exit == .code(2) && again.messages.contains("--force replaces it"), "\(again.messages)")
        let shown = try await Program.run("woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", "-"], environment: sizes)
        #expect(shown.exit == .code(0) && shown.output.contains("PNG"), "\(shown.messages)")
        let misnamed = try await Program.run("woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", home.path("page")])
        #expect(misnamed.exit == .code(2) && misnamed.messages.contains("does not end in .png"), "\(misnamed.messages)")
        // A script may have created the empty file before.
        let empty = home.path("empty.png")
        try AtomicFile.write("", to: empty)
        let filled = try await Program.run(
            "woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", empty], environment: sizes)
        #expect(filled.exit == .code(0), "\(filled.messages)")
        #expect(try PNGImage(AtomicFile.read(empty, limit: 1 << 26)) != nil)
        for (name, target) in [("away.png", "/nowhere/x.png"), ("other.png", home.path("page.png"))] {
            symlink(target, home.path(name))
            let linked = try await Program.run("woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", home.path(name)])
            #expect(linked.exit == .code(2), "\(linked.messages)")
        }
        let marks = home.path("mine.png")
        try AtomicFile.write("{}", to: marks)
        let run = try await Program.run("woodshed", ["why", attachment.text, "1", "--home", home.path, "-o", marks])
        #expect(run.exit == .code(2) && run.messages.contains("is not a PNG, so it is left alone"), "\(run.messages)")
        #expect(try AtomicFile.read(marks, limit: 100) == Array("{}".utf8))
    }

    @Test @LoopActor func aDamagedImageIsDrawnAnew() async throws {
        let (attachment, chart) = try await demo()
        let words = [attachment.text, "1", "--variant", "plain"]
        try await page(words)
        let whole = try AtomicFile.read(home.path("page.png"), limit: 1 << 26)
        let folder = home.path("cache/pages/\(chart.digest.shortHex)")
        let name = try #require(try Folder.names(in: folder).first { $0.hasPrefix("0-plain-") })
        let image = try #require(ImageName(folder: chart.digest.shortHex, file: name))
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let before = try #require(try library.images.record(besides: image))
        var bytes = whole
        for place in bytes.count / 2 - 20..<bytes.count / 2 + 20 { bytes[place] ^= 0x55 }
        let file = try Descriptor.open(folder + "/" + name, O_WRONLY)
        try bytes.withUnsafeBytes { try file.write($0) }
        try await page(words)
        #expect(try AtomicFile.read(home.path("page.png"), limit: 1 << 26) == whole)
        #expect(try AtomicFile.read(folder + "/" + name, limit: 1 << 26) == whole)
        let after = try #require(try library.images.record(besides: image))
        #expect(after.event == .made && after.name == image && after.at > before.at, "when it was drawn is told of this one")
        #expect(after.renderer == before.renderer && after.format == before.format)
    }

    @Test @LoopActor func paperIsOfTheConfiguredColour() async throws {
        let (attachment, _) = try await demo()
        for (color, corner) in [("#fff8e7", UInt32(0xfff8e7)), ("#ffffff", 0xffffff)] {
            try await page([attachment.text, "1", "--variant", "plain"], ["WOODSHED_RENDER_PAPER=\(color)"])
            let image = try #require(PNGImage(AtomicFile.read(home.path("page.png"), limit: 1 << 26)))
            #expect(image[0, 0] == corner)
        }
    }
}
