package import Freshness
package import Model
import PagePNG
package import Platform

/// The contents of a synthetic cache and its library: charts of twenty pages with marks on each, so sixty images per chart.
///
/// A fifth of the charts are in coming plans, a fifth in past ones, and the rest in none. The images of a chart were used at the same
/// time, but every third page was viewed again some days later.
package struct CacheContents: Sendable {
    package struct Image: Sendable {
        package let name: ImageName
        package let key: ImageKey
        /// Seconds since 1970.
        package let usedAt: Int
    }

    private static let pagesPerChart = 20
    private static let chartsPerPlan = 10
    private static let day = 86_400

    package let images: [Image]
    package let library: LibrarySnapshot
    package let rules: WantedSet.Rules
    package let now: Timestamp

    @LoopActor
    package init(entries: Int) {
        let renderer = RendererIdentity(tag: RendererTag("benchmark"), fonts: FontSet(SHA256.digest(of: "")))
        let seconds = Int(SystemClock().wallTime.components.seconds)
        rules = WantedSet.Rules(settings: RenderSettings(), renderer: renderer, ahead: .seconds(28 * Self.day))
        now = Timestamp(sinceEpoch: .seconds(seconds))
        var generator = SampleGenerator(seed: 2)
        var images: [Image] = []
        var charts: [ChartSnapshot] = []
        let imagesPerChart = Self.pagesPerChart * Variant.allCases.count
        for number in 0..<(entries + imagesPerChart - 1) / imagesPerChart {
            let pages = (0..<Self.pagesPerChart).map { PageIndex($0) }
            let marks = Dictionary(uniqueKeysWithValues: pages.map { ($0, MarkDigest(SHA256.digest(of: "\(number) \($0.value)"))) })
            let chart = ChartSnapshot(
                attachment: AttachmentID("\(number)"), hash: ChartHash(SHA256.digest(of: "\(number)")),
                pageCount: Self.pagesPerChart, marks: marks)
            charts.append(chart)
            let made = seconds - Int.random(in: 30 * Self.day..<400 * Self.day, using: &generator)
            for page in pages {
                let again = page.value % 3 == 0 ? Int.random(in: Self.day..<20 * Self.day, using: &generator) : page.value
                for variant in Variant.allCases where images.count < entries {
                    let inputs = ImageInputs(
                        renderer: renderer, chart: chart.hash, chartNeedsFonts: false, page: page, variant: variant,
                        settings: rules.settings, marks: marks[page])
                    images.append(Image(name: ImageName(inputs), key: inputs.key, usedAt: made + again))
                }
            }
        }
        self.images = images
        library = Self.library(charts, now: now)
    }

    private static func library(_ charts: [ChartSnapshot], now: Timestamp) -> LibrarySnapshot {
        let fifth = charts.count / 5
        func plans(_ charts: ArraySlice<ChartSnapshot>, _ name: String, _ time: (Int) -> Timestamp) -> [PlanSnapshot] {
            stride(from: charts.startIndex, to: charts.endIndex, by: chartsPerPlan).enumerated().map { number, start in
                let time = time(number)
                return PlanSnapshot(
                    plan: Plan(id: PlanID("\(name) \(number)"), serviceType: ServiceTypeID("1"), firstTime: time, lastTime: time),
                    charts: Array(charts[start..<min(start + chartsPerPlan, charts.endIndex)]))
            }
        }
        return LibrarySnapshot(
            plans: plans(charts[..<fifth], "coming") { now + .seconds(day * (1 + $0 % 27)) }
                + plans(charts[fifth..<2 * fifth], "past") { now + .seconds(-day * (2 + $0)) })
    }
}

/// Real images to fill caches with: a few pictures that differ only in their keys, so none is compressed twice.
package final class SampleImages {
    package enum Kind: Hashable, Sendable {
        /// One to four blocks of 4 KiB. A hundred thousand of these fit on a disk, and take as long to list and remove as large images.
        case small
        /// Pages of 2,200 pixels with 150 to 400 kB, and thumbnails of about 12 kB.
        case fullSize
    }

    private let writer = PNGWriter()
    private let pages: [[UInt8]]
    private let thumbnails: [[UInt8]]

    package init(_ kind: Kind) {
        var generator = SampleGenerator(seed: 1)
        switch kind {
        case .small:
            pages = [48, 112, 176, 230].map { Self.image(width: 64, height: $0, ink: 1, &generator) }
            thumbnails = [Self.image(width: 48, height: 60, ink: 1, &generator)]
        case .fullSize:
            pages = [0.015, 0.025, 0.035, 0.045].map { Self.image(width: 1700, height: 2200, ink: $0, &generator) }
            thumbnails = [Self.image(width: 232, height: 300, ink: 0.07, &generator)]
        }
    }

    package func image(of page: PageIndex, _ variant: Variant, key: ImageKey) -> [UInt8] {
        let samples = variant == .thumbnail ? thumbnails : pages
        return samples[page.value % samples.count].withUnsafeBytes { bytes in
            guard let image = BandedPNG(bytes) else { preconditionFailure("a sample is whole") }
            writer.begin(image.layout)
            for band in 0..<image.layout.bandCount { writer.append(band, from: image) }
            return writer.finish(key: key)
        }
    }

    /// A white image in which the share `ink` of the pixels, at random positions, have random shades of gray.
    private static func image(width: Int, height: Int, ink: Double, _ generator: inout SampleGenerator) -> [UInt8] {
        let pixels = (0..<width * height).map { _ -> UInt32 in
            Double.random(in: 0..<1, using: &generator) < ink ? UInt32.random(in: 0...255, using: &generator) * 0x01_0101 : 0xff_ffff
        }
        let rows = PackedRows()
        pixels.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: width, height: height) }
        return PNGWriter().image(of: rows, key: ImageKey(SHA256.digest(of: "")))
    }
}

/// Typical marks of musicians, the same in every run.
package enum SampleMarks {
    /// The strokes on a page after many rehearsals, 40 points each, all over the page.
    package static func worn(count: Int = 30, color: Color) -> [Mark] {
        (0..<count).map { number in
            // Steps of the golden ratio spread the strokes evenly, but not on a grid.
            let left = 0.08 + 0.7 * (Double(number) * 0.618).truncatingRemainder(dividingBy: 1)
            let top = 0.05 + 0.88 * Double(number) / Double(count)
            return stroke("old \(number)", color: color) { share in (left + 0.14 * share, top + 0.012 * wave(3 * share)) }
        }
    }

    /// A circle `diameter` pixels wide on an A4 image with a long side of 2732 pixels: 60 for a notehead, 500 for a few bars.
    package static func circle(_ diameter: Double, color: Color) -> Mark {
        // `wave` draws a quarter turn as a straight line, so this is about as round as a circle drawn by hand.
        stroke("circle", color: color) { share in
            (0.45 + diameter / 2 / 1932 * wave(share), 0.4 + diameter / 2 / 2732 * wave(share + 0.25))
        }
    }

    /// A line that crosses the page many times and touches every band of the image.
    package static func full(color: Color) -> Mark {
        stroke("full", color: color, points: 200) { share in (0.5 + 0.48 * wave(20 * share), 0.01 + 0.98 * share) }
    }

    private static func stroke(_ id: String, color: Color, points: Int = 40, _ place: (Double) -> (Double, Double)) -> Mark {
        Mark(
            id: id, page: PageIndex(0), kind: .pen, color: color, width: 0.002,
            points: (0..<points).map { place(Double($0) / Double(points - 1)) }.map { Mark.Point(x: $0.0, y: $0.1) })
    }

    /// A triangle wave between -1 and 1, with one period per turn.
    private static func wave(_ turns: Double) -> Double {
        let phase = (turns - turns.rounded(.down)) * 4
        return phase < 1 ? phase : phase < 3 ? 2 - phase : phase - 4
    }
}

/// Random numbers that repeat for the same seed (SplitMix64), so every run has the same work to do.
package struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
