import DemoScores
import Foundation
import Glibc
import Model
import PageRaster
import TestSupport
import Testing

/// The embedded charts: engraved, scanned, rotated, landscape and of mixed sizes.
@Suite(.timeLimit(.minutes(5)))
struct DemoScoreTests {
    private static let charts = scores("chart")

    private static func scores(_ kind: String) -> [(name: String, bytes: [UInt8])] {
        (0..<demo_scores_count).compactMap { index in
            let score = woodshed_demo_scores()[index]
            guard String(cString: score.kind) == kind else { return nil }
            return (String(cString: score.name), Array(UnsafeBufferPointer(start: score.bytes, count: score.length)))
        }
    }

    private struct Layer: Decodable {
        var chart: String
        var marks: [Mark]
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
                // The page is not blank.
                #expect(image.pixels.contains { $0 < 100 }, "\(name) \(page)")
                let (width, height) = try document.geometry(of: page).pixels(longSide: 160)
                try thumbnail.shrink(raster, width: width, height: height)
                #expect(max(thumbnail.width, thumbnail.height) == 160, "\(name) \(page)")
            }
        }
    }

    /// Annotations must be readable: no fingering and no word may lie on a note, a letter or a line of the music.
    @Test func whatIsWrittenIntoThemLiesOnNoInk() throws {
        var fingerings = 0
        let (plain, written) = (Raster(), Raster())
        for layer in try Self.scores("marks").map({ try JSONDecoder().decode(Layer.self, from: Data($0.bytes)) }) {
            let chart = try #require(Self.charts.first { $0.name == layer.chart })
            let document = try Drawing.document(chart.bytes)
            for mark in layer.marks where mark.kind == .text {
                let text = mark.text ?? ""
                if text.allSatisfy(\.isNumber) { fingerings += 1 }
                _ = try document.draw(page: mark.page.value, longSide: 1600, into: plain)
                try written.copy(plain)
                #expect(try written.paint([mark]).isEmpty)
                var (xs, ys): ([Int], [Int]) = ([], [])
                for y in 0..<plain.height {
                    for x in 0..<plain.width where plain[x, y] != written[x, y] {
                        xs.append(x)
                        ys.append(y)
                    }
                }
                let across = try #require(xs.min())...(xs.max() ?? 0), down = try #require(ys.min())...(ys.max() ?? 0)
                // All ink in these charts is dark, so lighter pixels are the gray paper of a scan.
                let ink = down.reduce(0) { sum, y in sum + across.count { plain[$0, y] & 0xff < 140 } }
                #expect(ink == 0, "'\(text)' on page \(mark.page) of \(layer.chart)")
            }
        }
        #expect(fingerings == 13)
    }
}
