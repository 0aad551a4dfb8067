import Model

extension Options {
    /// Which of the service's PDFs are charts.
    var chartChoice: ChartChoice {
        ChartChoice(
            usual: ChartChoice.Rules(
                include: charts.include.map { FilenamePattern($0) }, exclude: charts.exclude.map { FilenamePattern($0) },
                owners: Set(charts.owners.compactMap { ChartChoice.Owner(rawValue: $0) }),
                generated: Set(charts.generated.compactMap { Self.generated[$0] })))
    }

    private static let generated: [String: ChartChoice.Generated] = [
        "chord": .chordChart, "lyric": .lyricChart, "pro": .chordChartPro,
    ]
}
