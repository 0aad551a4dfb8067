package import CommandLine
import Library
package import Model

extension Options {
    /// The settings that decide which plans, charts and marks are requested. The token is left out, since a renewed token changes nothing.
    package var asked: AskedSettings {
        let names: Set = ["account.api_url", "account.annotations_url", "account.person", "account.service_types", "plans.ahead"]
        let deciding = Self.settings.filter { names.contains($0.key) || $0.section == "charts" }
        func values(_ options: Options) -> [String: String] {
            Dictionary(uniqueKeysWithValues: deciding.map { ($0.key, "\($0.read(options))") })
        }
        return AskedSettings(values(self), defaults: values(Options()))
    }
}

extension Configuration {
    /// The settings that a poll goes by.
    package var asked: AskedSettings {
        var asked = options.asked
        asked.isChoiceGiven = isChoiceGiven
        return asked
    }

    /// Whether only the machine's file says which files are charts.
    private var isChoiceGiven: Bool {
        let names: Set = ["charts.include", "charts.exclude", "charts.owners", "charts.generated", "charts.by_service_type"]
        let places = Options.settings.filter { names.contains($0.key) }.map { origin(of: $0) }.filter { $0 != .standard }
        return !places.isEmpty && places.allSatisfy { if case .file(let path, _, _) = $0 { path == paths.machine } else { false } }
    }
}

extension Options {
    /// How much space the page cache may take up.
    package var cacheSettings: CacheSettings {
        CacheSettings(limit: cache.limit, leastFree: cache.leastFree, greatestAge: cache.greatestAge)
    }
}

extension Options {
    /// Which of the service's PDFs count as charts.
    package var chartChoice: ChartChoice {
        let usual = ChartChoice.Rules(
            include: charts.include.map { FilenamePattern($0) }, exclude: charts.exclude.map { FilenamePattern($0) },
            owners: Self.owners(charts.owners), generated: Self.generated(charts.generated),
            writing: SongView.Writing(rawValue: charts.writing) ?? .letters, players: charts.parts.map { $0.lowercased() },
            diagrams: SongText.Diagrams(rawValue: charts.diagrams))
        var byServiceType: [ServiceTypeID: ChartChoice.Rules] = [:]
        var patternsBegun: Set<ServiceTypeRule.Kind> = []
        var former: ServiceTypeID?
        // The rules were checked when the configuration was read, so `try?` drops none of them here.
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
        let kinds: [String: ChartChoice.Generated] = ["chord": .chordChart, "lyric": .lyricChart, "pro": .chordChartPro, "own": .own]
        return Set(names.compactMap { kinds[$0] })
    }
}

extension Options {
    /// The flags that override the settings, one per setting.
    package static let flags = settings.map(Flag.init(setting:))
}

extension Flag {
    fileprivate init(setting: Setting) {
        self.init(setting.flag, setting.type.placeholder, type: setting.type, setting.summary)
    }
}
