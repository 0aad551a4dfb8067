import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

@testable import BenchmarkCorpus

/// Pictures of which real workers make PDFs in their sandbox.
@Suite(.onLoop)
struct PictureTests {
    private let bench: Bench

    @LoopActor init() { bench = Bench() }

    /// The PDF of a picture; `named` has no ending, since the bytes tell what it is.
    @LoopActor
    private func pdf(_ picture: [UInt8], named: String = "picture") async throws -> [UInt8] {
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let path = try bench.chart(picture, name: named)
        let outcome = try await bench.pool.draw(PictureJob(path, output: file.descriptor), in: .live)
        let pdf = try AtomicFile.read(file.path, limit: 1 << 20)
        #expect(outcome.pages == 1 && outcome.bytes == pdf.count && outcome.warnings == [])
        return pdf
    }

    private static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        let pixels = (0..<width * height * 3).map { UInt8($0 % 3 == 0 ? 200 : 40) }
        return JPEGEncoder.image(pixels, width: width, height: height, isGray: false)
    }

    @Test @LoopActor func picturesAreDrawnInTheSandbox() async throws {
        let photograph = try await pdf(Self.jpeg(64, 48))
        let chart = try bench.chart(photograph, name: "photograph.pdf")
        let description = try await bench.pool.describe(chart: chart)
        #expect(description.pages.count == 1 && description.fontsNotEmbedded == [] && description.warnings == [])
        let (images, outcome) = try await bench.render(chart, settings: Bench.small)
        #expect(outcome.warnings == [])
        let png = try #require(images[.plain])
        let image = try #require(PNGImage(png))
        #expect(image.width == 300 && image.height == 225)
        let color = image[150, 100]
        #expect((190...210).contains(color >> 16) && (30...50).contains(color & 255))
        // Our own image is a PNG, and may be a picture itself.
        let again = try await bench.chart(pdf(png), name: "again.pdf")
        #expect(try await bench.pool.describe(chart: again).pages.count == 1)
        #expect(try await pdf(Self.jpeg(64, 48), named: "other") == photograph, "the same picture gives the same bytes")
        await bench.pool.stop()
    }

    @Test @LoopActor func whatIsNoPictureIsRefusedWithAReason() async throws {
        await #expect(throws: RenderFailure.drawing("it is neither a JPEG nor a PNG; save it as one of these")) {
            try await pdf(Array("garbage".utf8))
        }
        await #expect(throws: RenderFailure.drawing("the picture ends too early; copy it again")) {
            try await pdf(Array(Self.jpeg(64, 48).dropLast(20)))
        }
        let large = try bench.chart(Self.jpeg(64, 48), name: "large")
        #expect(truncate(large, 70 << 20) == 0)
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let failure = await #expect(throws: RenderFailure.self) {
            try await bench.pool.draw(PictureJob(large, output: file.descriptor), in: .live)
        }
        #expect(failure?.isLasting == true)
        await #expect(throws: RenderFailure.self) {
            try await bench.pool.draw(PictureJob(bench.folder.path("none"), output: file.descriptor), in: .live)
        }
        // The same process makes the next one.
        #expect(try await !pdf(Self.jpeg(64, 48)).isEmpty && bench.pool.startCount == 1)
        await bench.pool.stop()
    }
}
