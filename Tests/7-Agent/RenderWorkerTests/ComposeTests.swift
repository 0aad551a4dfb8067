import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Annotated images that a real worker makes from plain ones.
@Suite(.onLoop)
struct ComposeTests {
    private static let marks = PageMarks(drawing: [
        Mark(
            id: "1", page: PageIndex(0), kind: .line, color: Color(red: 0x1a, green: 0x5f, blue: 0xb4), width: 3,
            points: [Mark.Point(x: 40, y: 40), Mark.Point(x: 120, y: 60)])
    ])!

    private static func key(_ variant: Variant) -> String { Bench.key(variant).digest.hex }

    /// Draws marks onto the image in a file, and returns the annotated one.
    @LoopActor
    private static func compose(
        _ bench: Bench, plain: [UInt8], plainKey: String, previous: (image: [UInt8], key: String)? = nil, fonts: FontSet? = nil
    ) async throws -> [UInt8] {
        let path = try bench.chart(plain, name: "plain.png")
        let file = try Descriptor.open(path, O_RDONLY)
        let former = try previous.map { try Descriptor.open(bench.chart($0.image, name: "former.png"), O_RDONLY).release() }
        let owned = OwnedDescriptors([former].compactMap { $0 })
        let (output, target) = try bench.output(.annotated)
        let job = ComposeJob(
            plain: file.number, plainKey: plainKey,
            previous: previous.map { ComposeJob.Previous(descriptor: owned.numbers[0], key: $0.key, marks: marks) }, marks: marks,
            output: output, fonts: fonts)
        _ = try await bench.pool.compose(job)
        withExtendedLifetime(owned) {}
        return try AtomicFile.read(target.path, limit: 64 << 20)
    }

    @Test @LoopActor func composedImageIsTheOneThatWouldBeDrawn() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let drawn = try await bench.render(chart, [.plain, .annotated], settings: Bench.small, marks: Self.marks).images
        let plain = try #require(drawn[.plain])
        #expect(try await Self.compose(bench, plain: plain, plainKey: String(Self.key(.plain).prefix(32))) == drawn[.annotated])
        await bench.pool.stop()
    }

    @Test @LoopActor func plainImageOfAnotherNameIsNotTakenOver() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let plain = try #require(try await bench.render(chart, settings: Bench.small).images[.plain])
        await #expect(throws: RenderFailure.damagedImage) {
            _ = try await Self.compose(bench, plain: plain, plainKey: Self.key(.thumbnail))
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func predecessorOfAnotherNameOnlySavesNothing() async throws {
        let bench = Bench()
        let chart = try bench.chart(.halfBlack)
        let drawn = try await bench.render(chart, [.plain, .annotated], settings: Bench.small, marks: Self.marks).images
        let plain = try #require(drawn[.plain])
        // By its key, the former image shows these very marks, but it has none. If the image were reused, the marks would be missing.
        let composed = try await Self.compose(
            bench, plain: plain, plainKey: Self.key(.plain), previous: (plain, Self.key(.annotated)))
        #expect(composed == drawn[.annotated])
        await bench.pool.stop()
    }

    @Test @LoopActor func nothingIsDrawnUnderKeysOfOtherFonts() async throws {
        let bench = Bench { $0.width = 1 }
        let chart = try bench.chart(.halfBlack)
        let fonts = try await bench.pool.identity().fonts
        let plain = try #require(try await bench.render(chart, settings: Bench.small).images[.plain])
        let before = bench.pool.processes
        _ = try await Self.compose(bench, plain: plain, plainKey: Self.key(.plain), fonts: fonts)
        #expect(bench.pool.processes == before)
        await #expect(throws: RenderFailure.fontsChanged) {
            _ = try await Self.compose(bench, plain: plain, plainKey: Self.key(.plain), fonts: FontSet(SHA256.digest(of: "other")))
        }
        // The next answer comes from a process that has checked the fonts again.
        #expect(try await bench.pool.identity().fonts == fonts)
        #expect(!bench.pool.processes.isEmpty && Set(bench.pool.processes).isDisjoint(with: before))
        await bench.pool.stop()
    }
}
