package import Freshness
package import Model
package import Platform

/// The contents of a synthetic cache: charts of twenty pages with marks on each, so sixty images per chart, and the library
/// that they belong to.
///
/// A fifth of the charts are in upcoming plans, a fifth in past ones, and the rest in none. The images of a chart were used
/// together, but every third page was looked at again some days later.
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
            let marks = Dictionary(
                uniqueKeysWithValues: (0..<Self.pagesPerChart).map { (PageIndex($0), MarkDigest(SHA256.digest(of: "\(number) \($0)"))) })
            let chart = ChartSnapshot(
                attachment: AttachmentID("\(number)"), hash: ChartHash(SHA256.digest(of: "\(number)")),
                pageCount: Self.pagesPerChart, marks: marks)
            charts.append(chart)
            let made = seconds - Int.random(in: 30 * Self.day..<400 * Self.day, using: &generator)
            for page in (0..<Self.pagesPerChart).map({ PageIndex($0) }) {
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
