import DemoScores
import Glibc
import Model
import PageRaster
import TestSupport
import Testing

/// The embedded charts: engraved, scanned, rotated, landscape and of mixed sizes.
@Suite(.timeLimit(.minutes(60)))
struct DemoScoreTests {
    private static let charts: [(name: String, bytes: [UInt8])] = (0..<demo_scores_count).compactMap { index in
        let score = woodshed_demo_scores()[index]
        guard String(cString: score.kind) == "chart" else { return nil }
        return (String(cString: score.name), Array(UnsafeBufferPointer(start: score.bytes, count: score.length)))
    }

    @Test func everyPageComesOutAsWhatLibpngReads() throws {
        #expect(Self.charts.count >= 8)
        let encoder = PNGEncoder()
        let (raster, thumbnail) = (Raster(), Raster())
        for (name, bytes) in Self.charts {
            let document = try Drawing.document(bytes)
            for page in 0..<document.pageCount {
                #expect(try document.draw(page: page, longSide: 700, into: raster).isEmpty, "\(name) \(page)")
                let image = try #require(PNGImage(encoder.encode(raster, key: Drawing.key)), "\(name) \(page)")
                #expect(max(image.width, image.height) == 700, "\(name) \(page)")
                #expect(image[image.width / 2, image.height / 3] == raster[image.width / 2, image.height / 3], "\(name) \(page)")
                // There is something on the page.
                #expect(image.pixels.contains { $0 < 100 }, "\(name) \(page)")
                let (width, height) = try document.geometry(of: page).pixels(longSide: 160)
                try thumbnail.shrink(raster, width: width, height: height)
                #expect(max(thumbnail.width, thumbnail.height) == 160, "\(name) \(page)")
            }
        }
    }
}
