import PageRaster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShrinkTests {
    @Test func constantImageStaysConstant() throws {
        var numbers = SeededGenerator(seed: 2)
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...90, using: &numbers), Int.random(in: 1...90, using: &numbers))
            let color = UInt32.random(in: 0...0xffffff, using: &numbers)
            let small = Raster()
            let (w, h) = (Int.random(in: 1...width, using: &numbers), Int.random(in: 1...height, using: &numbers))
            try small.shrink(Drawing.blank(width, height, color), width: w, height: h)
            #expect(small.width == w && small.height == h)
            #expect((0..<h).allSatisfy { y in (0..<w).allSatisfy { small[$0, y] == color } }, "\(width)x\(height) to \(w)x\(h)")
        }
    }

    /// Compares each pixel with the plain definition: the mean over the area that the pixel covers.
    @Test func everyPixelIsTheMeanOfItsArea() throws {
        var numbers = SeededGenerator(seed: 3)
        for _ in 0..<40 {
            let (width, height) = (Int.random(in: 1...40, using: &numbers), Int.random(in: 1...40, using: &numbers))
            let source = try Drawing.blank(width, height)
            for y in 0..<height { for x in 0..<width { source[x, y] = UInt32.random(in: 0...0xffffff, using: &numbers) } }
            let small = Raster()
            let (w, h) = (Int.random(in: 1...width, using: &numbers), Int.random(in: 1...height, using: &numbers))
            try small.shrink(source, width: w, height: h)
            for y in 0..<h {
                for x in 0..<w {
                    for shift in [0, 8, 16] as [UInt32] {
                        let mean = Self.mean(source, x, y, w, h, shift)
                        let pixel = Double(small[x, y] >> shift & 255)
                        #expect(abs(pixel - mean) <= 0.5 + 1e-9, "\(width)x\(height) to \(w)x\(h) at \(x), \(y)")
                    }
                }
            }
        }
    }

    @Test func sameSizeIsTheSameImage() throws {
        var numbers = SeededGenerator(seed: 4)
        let source = try Drawing.blank(31, 17)
        for y in 0..<17 { for x in 0..<31 { source[x, y] = UInt32.random(in: 0...0xffffff, using: &numbers) } }
        let copy = Raster()
        try copy.shrink(source, width: 31, height: 17)
        #expect((0..<17).allSatisfy { y in (0..<31).allSatisfy { copy[$0, y] == source[$0, y] } })
    }

    private static func mean(_ source: Raster, _ x: Int, _ y: Int, _ w: Int, _ h: Int, _ shift: UInt32) -> Double {
        func weights(_ index: Int, _ size: Int, _ target: Int) -> [(Int, Double)] {
            let (low, high) = (Double(index * size) / Double(target), Double((index + 1) * size) / Double(target))
            return (0..<size).map { ($0, min(high, Double($0 + 1)) - max(low, Double($0))) }.filter { $0.1 > 0 }
        }
        var sum = 0.0
        var area = 0.0
        for (row, down) in weights(y, source.height, h) {
            for (column, across) in weights(x, source.width, w) {
                sum += Double(source[column, row] >> shift & 255) * down * across
                area += down * across
            }
        }
        return sum / area
    }
}
