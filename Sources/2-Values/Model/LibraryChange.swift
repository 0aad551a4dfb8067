/// One difference that a poll found between the service and the library.
public enum LibraryChange: Hashable, Sendable, Codable {
    case planAdded(PlanReference)
    /// The plan has other times than before.
    case planMoved(PlanReference, from: Timestamp?, to: Timestamp?)
    /// The plan has fewer charts than before, but is not held back.
    case planShrunk(PlanReference, from: Int, to: Int)
    /// The service's version is doubtful. The plan stays as it was until a person accepts the change, or time confirms it.
    case planHeldBack(PlanReference, HoldReason)
    /// In older journals: like `planHeldBack`, for a plan that lost charts.
    case planShrinkHeldBack(PlanReference, from: Int, to: Int)
    /// The service no longer lists the plan, which is kept until it is past.
    case planGone(PlanReference)
    /// The musician declined the plan, which is kept until it is past.
    case planDeclined(PlanReference)
    case itemMoved(PlanReference, item: String, from: Int, to: Int)
    case chartAdded(PlanReference, ChartReference)
    /// The service has another version of the chart.
    case chartReplaced(PlanReference, ChartReference)
    /// The service has the same file with another name.
    case chartRenamed(PlanReference, ChartReference, from: String)
    /// The chart is no longer part of the plan. Its file is kept.
    case chartRemoved(PlanReference, ChartReference)
    case layerAdded(LayerReference)
    case layerChanged(LayerReference)
    /// The owner deleted the layer, or no longer shares it.
    case layerDeleted(LayerReference)
    /// The service no longer lists the layer, but did not report a deletion. The layer is kept.
    case layerGone(LayerReference)
    /// More layers of others in the band were added or changed than can be listed one by one.
    case layersCame(people: [String], layers: Int)
    /// The service's version is doubtful or unreadable. The version here is kept if there is one.
    case layerDoubted(LayerReference, LayerDoubt.Reason)
    /// One of the user's programs overwrote the chart's file. The overwritten file was set aside when the chart was downloaded again.
    case chartSetAside(ChartReference, path: String)
    /// The chart has marks on pages that looked different when the marks were made.
    case marksOutdated(ChartReference, pages: [PageIndex])
    /// One of the user's mark files, which belongs to this chart, was saved without this many of its former marks, or was removed.
    case marksVanished(ChartReference?, path: String, marks: Int)
    /// This many marks that disappeared from the file are no longer in any kept former state, because too many were lost to keep all.
    case formerMarksDropped(ChartReference?, path: String, marks: Int)

    /// A plan's id, and its name for people.
    public struct PlanReference: Hashable, Sendable, Codable {
        public var id: PlanID
        /// The plan's name. It contains the day, as the service words it, only if `time` is missing.
        private var name: String
        /// The time by which people know the plan: the service's rather than a rehearsal's.
        private var time: Timestamp?

        public init(_ plan: Plan) {
            id = plan.id
            time = plan.mainTime
            // The service words the dates in its own time zone, so they are used only for a plan without a time: they may name another
            // day than the music folder does.
            name = time == nil && !plan.dates.isEmpty ? "\(plan.displayName) (\(plan.dates))" : plan.displayName
        }

        /// The plan's name for people, with its day.
        public func name(in times: TimeWords) -> String { time.map { "\(name) (\(times.day($0)))" } ?? name }
    }

    /// The id of a chart's attachment, and the chart's name for people.
    public struct ChartReference: Hashable, Sendable, Codable {
        public var id: AttachmentID
        public var name: String

        public init(_ attachment: Attachment) {
            id = attachment.id
            name = attachment.filename
        }

        public init(id: AttachmentID, name: String) { (self.id, self.name) = (id, name) }
    }

    /// A layer's id, and its names for people.
    public struct LayerReference: Hashable, Sendable, Codable {
        public var id: LayerID
        public var attachment: AttachmentID
        public var name: String
        /// The owner's name, which is empty if it is unknown; `nil` in older journal entries, where `name` includes the owner.
        public var person: String?
        /// The name of the layer's chart; empty if it is unknown.
        public var chart: String

        public init(_ layer: Layer, chart: String = "") {
            id = layer.id
            attachment = layer.attachment
            self.chart = chart
            (name, person) = (layer.name, layer.personName)
        }
    }
}

extension LibraryChange {
    public func sentence(in times: TimeWords) -> String {
        func name(_ plan: PlanReference) -> String { plan.name(in: times) }
        return switch self {
        case .planAdded(let plan): "\(name(plan)) is new"
        case .planMoved(let plan, let from, let to): Self.moved(name(plan), from, to, Self.words(plan, from, to, times))
        case .planShrunk(let plan, let from, let to): "\(name(plan)) has \(Self.charts(to)) instead of \(from)"
        case .planHeldBack(let plan, let reason):
            "\(name(plan)): \(reason.sentence(in: times, of: plan.id.source)); kept as it was until \(reason.confirmationWords)'\(woodshed("accept \(plan.id)"))'"
        case .planShrinkHeldBack(let plan, let from, let to):
            "\(name(plan)) came with \(Self.charts(to)) instead of \(from): kept as it was until it is confirmed in an hour "
                + "or you run '\(woodshed("accept \(plan.id)"))'"
        case .planGone(let plan):
            switch plan.id.owner {
            case .service: "the service no longer lists \(name(plan)): kept until it is past"
            case .folder: "\(name(plan)) is no longer in its folder: kept until it is past"
            case .band: "\(name(plan)) is no longer shared in the band: kept until it is past"
            }
        case .planDeclined(let plan): "you declined \(name(plan)): kept until it is past"
        case .itemMoved(let plan, let item, let from, let to):
            from == to
                ? "'\(item)' was moved in \(name(plan))" : "'\(item)' moved from position \(from) to \(to) in \(name(plan))"
        case .chartAdded(let plan, let chart): "'\(chart.title)' added to \(name(plan))"
        case .chartReplaced(let plan, let chart): "'\(chart.title)' replaced in \(name(plan))"
        case .chartRenamed(let plan, let chart, let former):
            "'\(ChartReference(id: chart.id, name: former).title)' is now called '\(chart.title)' in \(name(plan))"
        case .chartRemoved(let plan, let chart): "'\(chart.title)' removed from \(name(plan))"
        case .chartSetAside(let chart, let path):
            "the file of '\(chart.title)' was damaged or saved over; what was in it is kept as \(path), and plans show the chart as "
                + (chart.id.bytes == nil ? "the service has it" : "its set has it")
        case .layerAdded(let layer): "marks of \(layer.title) added"
        case .layerChanged(let layer): "marks of \(layer.title) changed"
        case .layerDeleted(let layer): "marks of \(layer.title) taken away by their owner"
        case .layerGone(let layer): "the service no longer lists the marks of \(layer.title): kept"
        case .layersCame(let people, let layers): "\(layers) layers of marks by \(people.joined(separator: ", ")) came or changed"
        case .layerDoubted(let layer, let reason):
            "marks of \(layer.title) not accepted: \(reason.sentence(in: times)); \(reason.advice(on: layer.attachment))"
        case .marksOutdated(let chart, let pages):
            "marks made on an older version of '\(chart.title)' are on \(PageIndex.words(pages)), which "
                + "\(pages.count == 1 ? "looks" : "look") different now: kept there; run '\(woodshed("accept \(chart.id)"))' if they are right"
        case .marksVanished(let chart, let path, let marks):
            "\(marks == 1 ? "1 mark" : "\(marks) marks") vanished from \(FormerMarks.filename(ofFile: path))"
                + (chart.map { ": kept; '\(woodshed("layers \($0.id) --history"))' lists what it had" } ?? "")
        case .formerMarksDropped(let chart, let path, let marks):
            "\(marks == 1 ? "1 mark" : "\(marks) marks") that vanished from \(FormerMarks.filename(ofFile: path)) could not be kept: too much "
                + "vanished from it; end the program that keeps putting older copies of it back"
                + (chart.map { ", and restore what you need from '\(woodshed("layers \($0.id) --history"))'" } ?? "")
        }
    }

    private static func moved(_ plan: String, _ from: Timestamp?, _ to: Timestamp?, _ words: (Timestamp) -> String) -> String {
        switch (from, to) {
        case (let from?, let to?) where from == to: "\(plan) still begins at the same time but ends at another"
        case (let from?, let to?): "\(plan) moved from \(words(from)) to \(words(to))"
        case (nil, let to?): "\(plan) now has a time: \(words(to))"
        case (_, nil): "\(plan) no longer has any times"
        }
    }

    /// How to write a plan's former and new times. A set may have no time of day, so another day is written without one.
    private static func words(_ plan: PlanReference, _ from: Timestamp?, _ to: Timestamp?, _ times: TimeWords) -> (Timestamp) -> String {
        let hasOtherDay = plan.id.source == .sets && from.map { times.day($0) } != to.map { times.day($0) }
        return { hasOtherDay ? times.day($0) : times.minute($0) }
    }

    private static func charts(_ count: Int) -> String { count == 1 ? "1 chart" : "\(count) charts" }
}

extension LibraryChange.ChartReference {
    /// The title for people: the file's name without `.pdf`.
    public var title: String {
        if name.isEmpty { return id.text }
        return name.lowercased().hasSuffix(".pdf") ? String(name.dropLast(4)) : name
    }
}

extension LibraryChange.LayerReference {
    fileprivate var title: String {
        let layer = Layer.displayName(name, by: person ?? "")
        guard !chart.isEmpty else { return layer }
        let chart = chart.lowercased().hasSuffix(".pdf") ? String(chart.dropLast(4)) : chart
        return "\(layer) on '\(chart)'"
    }
}

extension HoldReason {
    /// The doubt about a plan from this source in words for people, without a full stop.
    public func sentence(in times: TimeWords, of source: PlanSource = .service) -> String {
        if source == .sets, let doubt = doubtOfSet(times) { return "what is in this set now looks wrong: " + doubt }
        return switch self {
        case .chartsLost(let lost, let shown):
            "the service shows \(lost == shown ? "none" : "only \(shown - lost)") of the "
                + "\(shown == 1 ? "1 chart" : "\(shown) charts") shown lately"
        case .chartsHidden(let lost, let shown, let plans):
            "\(lost) of the \(shown) charts in \(plans) plans vanished at once, though their items are still there; you may see less than before"
        case .listsDisagree(let lost, let shown):
            "the service still lists \(lost < shown ? "\(lost) of the \(shown)" : shown == 1 ? "the one" : "all \(shown)") \(shown == 1 ? "chart" : "charts") shown lately, but no item "
                + "of the plan uses \(lost == 1 ? "it" : "them")"
        case .nothingChosen(let rule): "your chart settings leave out every PDF in it (\(rule)), and in all plans of its type"
        case .dateDoubtful(let from, nil):
            "the service now gives it no time" + (from.map { "; it was \(times.minute($0))" } ?? "")
        // If a plan of several days has lost its last days, it still begins at the same time but is over.
        case .dateDoubtful(let from?, let to?) where times.minute(from) == times.minute(to):
            "the service says that it is over already"
        case .dateDoubtful(let from, let to?):
            "the service says it is on \(times.minute(to))" + (from.map { " instead of \(times.minute($0))" } ?? "")
        case .putBack(let older):
            "the service sent \(older == 1 ? "a chart" : "\(older) charts") older than here, as if put back to an older state"
        }
    }

    /// The doubt about a set in words; `nil` for a doubt that arises only at the service.
    private func doubtOfSet(_ times: TimeWords) -> String? {
        switch self {
        case .chartsLost(let lost, let shown):
            "\(lost == shown ? "none" : "only \(shown - lost)") of the \(shown == 1 ? "1 song or chart" : "\(shown) songs or charts") shown lately "
                + "\(shown - lost > 1 ? "are" : "is") left"
        case .chartsHidden(let lost, let shown, let plans):
            "\(lost) of the \(shown) charts in \(plans) plans vanished at once, though their songs are still there"
        case .dateDoubtful(let from?, let to?) where times.minute(from) == times.minute(to): "it is over already"
        case .dateDoubtful(let from, let to?): "it is on \(times.day(to))" + (from.map { " instead of \(times.day($0))" } ?? "")
        case .dateDoubtful(_, nil), .listsDisagree, .nothingChosen, .putBack: nil
        }
    }

    fileprivate var confirmationWords: String {
        switch self {
        case .chartsLost, .chartsHidden: "it is confirmed in an hour or you run "
        case .listsDisagree, .nothingChosen, .putBack: ""
        case .dateDoubtful: "it is confirmed in a day or you run "
        }
    }
}

public struct JournalEntry: Hashable, Sendable, Codable {
    public let time: Timestamp
    public let change: LibraryChange

    public init(time: Timestamp, change: LibraryChange) { (self.time, self.change) = (time, change) }
}

extension LibraryChange {
    /// Returns whether the change concerns this plan or one of these charts.
    public func concerns(_ plan: PlanID, _ charts: Set<AttachmentID>) -> Bool {
        switch self {
        case .planAdded(let reference), .planMoved(let reference, _, _), .planShrunk(let reference, _, _),
            .planShrinkHeldBack(let reference, _, _), .planHeldBack(let reference, _), .planGone(let reference),
            .planDeclined(let reference), .itemMoved(let reference, _, _, _), .chartRenamed(let reference, _, _),
            .chartAdded(let reference, _), .chartReplaced(let reference, _), .chartRemoved(let reference, _):
            reference.id == plan
        case .layerAdded(let layer), .layerChanged(let layer), .layerDeleted(let layer), .layerGone(let layer), .layerDoubted(let layer, _):
            charts.contains(layer.attachment)
        case .layersCame: false
        case .chartSetAside(let chart, _), .marksOutdated(let chart, _): charts.contains(chart.id)
        case .marksVanished(let chart, _, _), .formerMarksDropped(let chart, _, _): chart.map { charts.contains($0.id) } ?? false
        }
    }
}
