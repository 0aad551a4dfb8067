import BenchmarkCorpus
import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// A renderer that uses only poppler's GLib interface, as for a version of poppler whose own classes Woodshed cannot use.
/// `.ci/glib-alone` builds such a renderer and runs these tests.
@Suite(.onLoop)
struct GlibAloneTests {
    nonisolated private static let variable = "WOODSHED_TEST_GLIB_ALONE"
    nonisolated private static var program: String? { getenv(variable).map { String(cString: $0) } }

    /// The mean difference in brightness of two pictures' pixels, from 0 to 255.
    private static func difference(_ one: PNGImage, _ other: PNGImage) -> Double {
        guard (one.width, one.height) == (other.width, other.height) else { return 255 }
        var sum = 0
        for y in 0..<one.height {
            for x in 0..<one.width {
                let (left, right) = (one[x, y], other[x, y])
                sum += [0, 8, 16].map { abs(Int(left >> $0 & 255) - Int(right >> $0 & 255)) }.reduce(0, +)
            }
        }
        return Double(sum) / Double(3 * one.width * one.height)
    }

    @Test(.enabled(if: program != nil, "only .ci/glib-alone builds such a renderer"))
    @LoopActor func itDrawsTheSamePictures() async throws {
        let alone = try #require(Self.program)
        let (usual, other) = (Bench(), Bench { $0.program = alone })
        #expect(try await other.pool.identity().tag.isOfGlibAlone)
        let demo = try CorpusChart.demo(in: usual.folder.path)
        let charts = demo + (try CorpusChart.photographs(of: demo, in: usual.folder.path))
        let settings = RenderSettings(fullSize: 600, thumbnailSize: 60)
        var differences: [Double] = []
        for chart in charts {
            for page in try await usual.pool.describe(chart: chart.path).pages.indices {
                var pictures: [PNGImage] = []
                for bench in [usual, other] {
                    let images = try await bench.render(chart.path, page: page, settings: settings).images
                    pictures.append(try #require(images[.plain].flatMap(PNGImage.init)))
                }
                differences.append(Self.difference(pictures[0], pictures[1]))
            }
        }
        let mean = differences.reduce(0, +) / Double(differences.count)
        let worst = differences.max() ?? 255
        print("\(differences.count) pages, drawn with and without poppler's own classes: mean \(mean) of 255, worst page \(worst)")
        #expect(mean < 0.1 && worst < 1)
        await usual.pool.stop()
        await other.pool.stop()
    }
}
