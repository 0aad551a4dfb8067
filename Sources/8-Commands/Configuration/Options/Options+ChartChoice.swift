package import Model

extension Options {
    /// Which of the service's PDFs are charts.
    package var chartChoice: ChartChoice {
        let usual = ChartChoice.Rules(
            include: charts.include.map { FilenamePattern($0) }, exclude: charts.exclude.map { FilenamePattern($0) },
            owners: Self.owners(charts.owners), generated: Self.generated(charts.generated))
        var byServiceType: [ServiceTypeID: ChartChoice.Rules] = [:]
        var patternsBegun: Set<ServiceTypeRule.Kind> = []
        var former: ServiceTypeID?
        // The rules were checked when they were read, so none of them fails here.
        for rule in charts.byServiceType.compactMap({ try? ServiceTypeRule($0) }).sorted(by: { $0.serviceType < $1.serviceType }) {
            if rule.serviceType != former { patternsBegun = [] }
            former = rule.serviceType
            var rules = byServiceType[rule.serviceType] ?? usual
            let isFirst = patternsBegun.insert(rule.kind).inserted
            let patterns = rule.values.map { FilenamePattern($0) }
            switch rule.kind {
            case .include: rules.include = (isFirst ? [] : rules.include) + patterns
            case .exclude: rules.exclude = (isFirst ? [] : rules.exclude) + patterns
            case .owners: rules.owners = Self.owners(rule.values)
            case .generated: rules.generated = Self.generated(rule.values)
            }
            byServiceType[rule.serviceType] = rules
        }
        return ChartChoice(usual: usual, byServiceType: byServiceType)
    }

    private static func owners(_ names: [String]) -> Set<ChartChoice.Owner> {
        Set(names.compactMap { ChartChoice.Owner(rawValue: $0) })
    }

    private static func generated(_ names: [String]) -> Set<ChartChoice.Generated> {
        let kinds: [String: ChartChoice.Generated] = ["chord": .chordChart, "lyric": .lyricChart, "pro": .chordChartPro]
        return Set(names.compactMap { kinds[$0] })
    }
}
