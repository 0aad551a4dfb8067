import Glibc
import Model
import PageRaster

/// A page as a scanner or phone sees it: skewed, unevenly lit, on paper that is not white, with noise; always the same for the
/// same seed.
struct PhotographedPage {
    let width: Int
    let height: Int
    private let paper: Raster
    private let points: PageGeometry
    private let seed: UInt64

    // As in a photograph of good quality: the levels of white and black, the angle by which the page is turned, and the levels by
    // which noise changes it.
    private static let white = 228.0
    private static let black = 34.0
    private static let skew = 0.6 * Double.pi / 180
    private static let noise = 3.5
    /// The structure of the paper: how wide its spots are at 300 dpi, and how strong.
    private static let grain = (side: 8.0, strength: 2.5)

    /// Draws page `index` (from 0) of a chart with `dpi` pixels per inch.
    init(_ chart: ChartDocument, page index: Int, dpi: Int, seed: UInt64) throws {
        points = try chart.geometry(of: index)
        paper = Raster()
        let longSide = (max(points.width, points.height) * Double(dpi) / 72).rounded()
        _ = try chart.draw(page: index, longSide: Int(longSide), into: paper)
        (width, height) = (paper.width, paper.height)
        self.seed = seed
    }

    /// Its size in points.
    var size: (width: Double, height: Double) { (points.width, points.height) }

    /// Gray levels, row by row.
    func gray() -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height)
        forEachPixel { place, light, noise in pixels[place] = Self.level(light + noise()) }
        return pixels
    }

    /// Red, green and blue, row by row: lamplight on yellowed paper.
    func colors() -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        forEachPixel { place, light, noise in
            pixels[place * 3] = Self.level(light * 1.02 + noise())
            pixels[place * 3 + 1] = Self.level(light * 0.97 + noise())
            pixels[place * 3 + 2] = Self.level(light * 0.87 + noise())
        }
        return pixels
    }

    /// Calls `body` with the light of each pixel, and a source of noise.
    private func forEachPixel(_ body: (_ place: Int, _ light: Double, _ noise: () -> Double) -> Void) {
        let (width, height) = (width, height)
        // The shadow in the fold, and the light from above.
        let across = (0..<width).map { 1 - 0.25 * exp(-pow(Double($0) / (Double(width) * 0.12), 2)) }
        let down = (0..<height).map { 1 - 0.12 * pow(Double($0) / Double(height), 2) }
        let side = Self.grain.side * Double(max(width, height)) / 3508
        let spotsAcross = Int(Double(width) / side) + 2
        var generator = SampleGenerator(seed: seed)
        func noise() -> Double { Self.bell(&generator) * Self.noise }
        let spots = (0..<spotsAcross * (Int(Double(height) / side) + 2)).map { _ in Self.bell(&generator) * Self.grain.strength }
        let (sine, cosine) = (sin(Self.skew), cos(Self.skew))
        for y in 0..<height {
            let (fromMiddle, spotsDown) = (Double(y - height / 2), Double(y) / side)
            for x in 0..<width {
                let aside = Double(x - width / 2)
                let ink =
                    1
                    - whiteness(
                        aside * cosine + fromMiddle * sine + Double(width / 2), fromMiddle * cosine - aside * sine + Double(height / 2))
                let spot = spots[Int(spotsDown) * spotsAcross + Int(Double(x) / side)]
                let light = (Self.white - (Self.white - Self.black) * ink + spot) * across[x] * down[y]
                body(y * width + x, light, noise)
            }
        }
    }

    /// How white the page is at a place between pixels; beyond its edges there is more paper.
    private func whiteness(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        guard left >= 0, top >= 0, left + 1 < width, top + 1 < height else { return 1 }
        let (right, below) = (x - Double(left), y - Double(top))
        func pixel(_ x: Int, _ y: Int) -> Double { Double(paper[x, y] & 255) }
        let upper = pixel(left, top) * (1 - right) + pixel(left + 1, top) * right
        let lower = pixel(left, top + 1) * (1 - right) + pixel(left + 1, top + 1) * right
        return (upper * (1 - below) + lower * below) / 255
    }

    /// Close enough to a normal distribution with a deviation of 1: the sum of eight random bytes.
    private static func bell(_ generator: inout SampleGenerator) -> Double {
        let bytes = generator.next()
        // The sum of the bytes: two halves of four bytes each, added at once.
        let pairs = (bytes & 0x00ff_00ff_00ff_00ff) &+ ((bytes >> 8) & 0x00ff_00ff_00ff_00ff)
        let sum = (pairs &* 0x0001_0001_0001_0001) >> 48
        return (Double(sum) - 1020) / 209
    }

    private static func level(_ light: Double) -> UInt8 { UInt8(max(0, min(255, light))) }
}
