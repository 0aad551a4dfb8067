import CommandLine
import Library
import Model
import Platform

/// The names of plans, charts and layers, for a shell that completes a word. Only names that identify a single thing are offered,
/// except that a layer's name may stand for the layers of that name on several charts.
@LoopActor
struct NamesHere {
    /// A plan, a chart or a layer.
    struct Named {
        /// Names that identify this thing alone; the first one that matches is suggested.
        let names: [String]
        /// A name by which this thing is also found, although other things may share it.
        let other: String
        let note: String
    }

    let library: Library
    let now: Timestamp

    /// The words and names that may complete `typed`, the beginning of a word.
    func choices(_ offer: Offer, for typed: String, after invocation: Invocation) throws -> [CompletionPoint.Choice] {
        let (words, named): ([String], [Named]) =
            switch offer {
            case .plans(let words): (words, try plans())
            case .charts: ([], try charts())
            case .places(let words): (words, try plans() + charts())
            case .layers, .layersOrFiles: ([], try layers(after: invocation))
            case .songsOrFiles: ([], try songs())
            case .nothing, .files, .folders, .words, .topics: ([], [])
            }
        return words.filter { $0.hasPrefix(typed) }.map { CompletionPoint.Choice($0) } + Self.fitting(named, typed)
    }

    /// The things with a name that begins with `typed`. If there are none, the thing whose names contain `typed` anywhere, provided
    /// that there is only one: a shell cannot replace the typed word by several words.
    nonisolated static func fitting(_ named: [Named], _ typed: String) -> [CompletionPoint.Choice] {
        // Leave out names with line breaks, tabs and the like, which can neither be passed to a shell nor typed.
        let named = named.map { thing in
            Named(names: thing.names.filter { $0 == $0.printable }, other: thing.other, note: thing.note.printable)
        }
        let wanted = typed.searched
        let beginning = named.compactMap { thing in
            thing.names.first { wanted.isEmpty || $0.searched.hasPrefix(wanted) }.map { CompletionPoint.Choice($0, thing.note) }
        }
        guard beginning.isEmpty else { return beginning }
        let within = named.filter { thing in (thing.names + [thing.other]).contains { $0.searched.contains(wanted) } }
        guard within.count == 1, let name = within[0].names.first else { return [] }
        return [CompletionPoint.Choice(name, within[0].note)]
    }

    private func plans() throws -> [Named] {
        let plans = PlanFinder(try library.plans.everyPlan(), now: now).plans
        let dates = plans.map { $0.mainTime.map(TimeText.date) }
        let dateCounts = Self.counts(dates.compactMap(\.self))
        let titleCounts = Self.counts(plans.map(\.displayName.searched))
        return zip(plans, dates).map { plan, date in
            let title = plan.displayName
            let isAlone = !title.isEmpty && titleCounts[title.searched] == 1 && title.searched != "next"
            let names = [date.flatMap { dateCounts[$0] == 1 ? $0 : nil }, isAlone ? title : nil, plan.id.text]
            return Named(
                names: names.compactMap(\.self), other: "\(title) \(plan.serviceTypeName)",
                note: date == nil || names[0] != date ? PlanFinder.words(plan) : title)
        }
    }

    private func charts() throws -> [Named] {
        let charts = try library.plans.chartNames().map { (chart: $0, searched: $0.filename.searched) }
        let counts = Self.counts(charts.map(\.searched))
        return charts.map { chart, searched in
            let isAlone = counts[searched] == 1
            return Named(
                names: (isAlone ? [chart.filename] : []) + [chart.attachment.text], other: chart.title,
                note: isAlone ? chart.title : "\(chart.filename), \(chart.title)")
        }
    }

    private func songs() throws -> [Named] {
        let songs = try library.plans.songNames()
        let counts = Self.counts(songs.map(\.title.searched))
        return songs.map { song, title in
            let isAlone = !title.isEmpty && counts[title.searched] == 1
            return Named(names: (isAlone ? [title] : []) + [song.text], other: title, note: isAlone ? "" : title)
        }
    }

    /// The layers of the chart or plan that the command line names.
    private func layers(after invocation: Invocation) throws -> [Named] {
        let place: String? = invocation.argument("chart") ?? invocation.argument("what")
        guard let place else { return [] }
        let attachments: [AttachmentID] =
            switch try NamedPlace(place, in: library, now: now) {
            case .plan(let plan): try library.plans.plan(plan.id)?.attachments.map(\.id) ?? []
            case .chart(let chart): [chart.attachment]
            }
        let entries = try attachments.flatMap { try LayerList(library, of: $0, hash: nil).entries }
        let counts = Self.counts(entries.map(\.name.searched))
        var seen: Set<String> = []
        return entries.compactMap { entry in
            // If the command is about several charts, a name stands for the layers of that name on all of them.
            let isName = !entry.name.isEmpty && (attachments.count > 1 || counts[entry.name.searched] == 1)
            let name = isName ? entry.name : entry.id.text
            return seen.insert(name.searched).inserted ? Named(names: [name], other: entry.name, note: entry.description) : nil
        }
    }

    private nonisolated static func counts(_ words: [String]) -> [String: Int] {
        words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
