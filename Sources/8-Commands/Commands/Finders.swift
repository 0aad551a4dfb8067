import CommandLine
import Freshness
import Library
import Model
import Platform

/// Finds a plan by any of its names: its id, "next", its date as people write it, its title, or a part of the title or of the kind of
/// service. Every command finds plans with this.
struct PlanFinder {
    /// Sorted, with the next plan first if there is an upcoming one.
    let plans: [Plan]
    let now: Timestamp
    /// The plans that the service lists but that are not fetched yet, with the reason if it is known.
    private let unread: [PlanID: String?]

    init(_ plans: [Plan], unread: [PlanID: String?] = [:], gone: Set<PlanID> = [], now: Timestamp) {
        self.plans = plans.sorted { NextPlans.isEarlier($0, than: $1, gone: gone, at: now) }
        (self.unread, self.now) = (unread, now)
    }

    /// Searches all plans that are here or that the service lists, so that "next" means the same plan in every command.
    @LoopActor
    init(_ library: Library, now: Timestamp) throws(LibraryError) {
        let unread = try library.plans.onlyListed().map { ($0.plan.id, $0.reason) }
        self.init(
            try library.plans.allListed().map(\.plan), unread: Dictionary(unread) { first, _ in first },
            gone: try library.plans.goneInOrder(at: now), now: now)
    }

    /// The plan that is played next, whether it is fetched or not.
    private var next: Plan? { plans.first { !$0.isPast(at: now) } }

    /// The plan with the id `name`, or the next plan for "next". Otherwise, the only plan that matches by the strictest rule with
    /// any match; if several plans match, the only likely one of them. Throws if no single plan is left.
    func find(_ name: String, isLikely: (Plan) -> Bool = { _ in true }) throws(Trouble) -> Plan {
        let wanted = name.searched
        if let plan = plans.first(where: { $0.id.text == name }) { return plan }
        if wanted == "next" {
            if let next { return next }
            throw Trouble(.gone, "there are no upcoming plans; '\(woodshed("plans --all"))' lists those that are here")
        }
        let days = WrittenDay.readings(name)
        func isOnDay(_ plan: Plan) -> Bool {
            plan.mainTime.map { time in days.contains { $0.fits(TimeText.date(time)) } } ?? false
        }
        func isTitled(_ plan: Plan) -> Bool { !wanted.isEmpty && Self.words(plan).searched.contains(wanted) }
        func isOfKind(_ plan: Plan) -> Bool { !wanted.isEmpty && plan.serviceTypeName.searched.contains(wanted) }
        // A weekday is in titles as well, and nobody knows whether the word or the day is meant: all of them count.
        let found =
            days.contains(where: \.isWeekdayAlone)
            ? plans.filter { isOnDay($0) || isTitled($0) || isOfKind($0) }
            : plans.strictest([{ $0.displayName.searched == wanted }, isOnDay, isTitled, isOfKind])
        guard !found.isEmpty else {
            let none = "there are no plans here yet; run '\(woodshed("sync"))' first"
            throw .unknown(name, "no plan here", among: plans.map(Self.description), none: none)
        }
        let likely = found.count == 1 ? found : found.filter(isLikely)
        guard likely.count == 1 else { throw .ambiguous(name, "plans", among: found.map(Self.description)) }
        return likely[0]
    }

    /// Like `find`, but throws if the plan's running order is not here.
    func findHere(_ name: String, isLikely: (Plan) -> Bool = { _ in true }) throws -> Plan {
        let plan = try find(name, isLikely: isLikely)
        try refuseUnread(plan)
        return plan
    }

    /// Throws if the plan is not fetched yet, so that nobody plays from a later plan by mistake.
    func refuseUnread(_ plan: Plan) throws(CommandFailure) {
        guard let reason = unread[plan.id] else { return }
        var words =
            "\(Self.words(plan)) is not fetched yet\(reason.map { ": \($0)" } ?? ""). "
            + "'\(woodshed("sync --plan \(plan.id)"))' asks for it alone"
        if plan == next, let after = plans.first(where: { !$0.isPast(at: now) && unread[$0.id] == nil && $0 != plan }) {
            words += ". The plan after it is here: \(Self.words(after)), '\(after.id)'"
        }
        throw CommandFailure(.notReady, words)
    }

    static func description(_ plan: Plan) -> String { "\(plan.id)  \(words(plan))" }

    /// For example `2026-11-22 Harvest`.
    static func words(_ plan: Plan) -> String { (plan.mainTime.map { TimeText.date($0) + " " } ?? "") + plan.displayName }
}

/// Why a name that the user typed matches nothing, or several things; the message lists the candidates.
extension Trouble {
    static func unknown(_ name: String, _ nothing: String, among candidates: [String], none: String) -> Trouble {
        guard !candidates.isEmpty else { return Trouble(.unknown, none) }
        let isShort = candidates.count <= mostNamed
        let named = isShort ? candidates : nearest(to: name, among: candidates)
        return Trouble(
            .unknown,
            "\(nothing) is called '\(name)'; \(isShort ? "these" : "the nearest of \(candidates.count)") are:\n  "
                + named.joined(separator: "\n  "))
    }

    /// More names than these are not read by anybody who mistyped one.
    private static var mostNamed: Int { 5 }

    /// The candidates with words most like those of `name`.
    private static func nearest(to name: String, among candidates: [String]) -> [String] {
        let wanted = name.searched
        let count = max(1, wanted.split(separator: " ").count)
        let ranked = candidates.enumerated().map { place, candidate in
            let words = candidate.searched.split { !$0.isLetter && !$0.isNumber }
            let distances = words.indices.map { start in
                Suggestion.distance(wanted, words[start..<min(start + count, words.count)].joined(separator: " "))
            }
            return (candidate: candidate, distance: distances.min() ?? .max, place: place)
        }
        return ranked.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(mostNamed).map(\.candidate)
    }

    static func ambiguous(_ name: String, _ things: String, among candidates: [String]) -> Trouble {
        Trouble(.ambiguous, "'\(name)' matches several \(things); name one by its id:\n  " + candidates.joined(separator: "\n  "))
    }
}

extension Array {
    /// The elements that match the first rule with any match.
    func strictest(_ rules: [(Element) -> Bool]) -> [Element] {
        for rule in rules {
            let found = filter(rule)
            if !found.isEmpty { return found }
        }
        return []
    }
}

extension Parameter {
    static let chart = Parameter("chart", "the attachment's id, the start of the chart's hash, or part of its name").offering(.charts)
    static let chartIfAny = Parameter(chart.name, chart.help, isOptional: true).offering(.charts)
}

/// Finds a chart by any of its names: the attachment's id, at least six digits from the start of its hash, the name of its file,
/// the title of its item, or a part of that name or title.
struct ChartFinder {
    /// A chart that the user may mean.
    struct Candidate: Hashable {
        let attachment: AttachmentID
        let hash: ChartHash
        let filename: String
        let title: String

        var description: String { "\(attachment)  \(filename)" + (title.isEmpty ? "" : " (\(title))") }
    }

    /// A chart that is here, or still to be fetched.
    private struct Named {
        let attachment: Attachment
        let title: String
        let hash: ChartHash?
        var description: String { "\(attachment.id)  \(attachment.filename)" + (title.isEmpty ? "" : " (\(title))") }
    }

    private static let leastHashDigits = 6
    private let charts: [Named]

    /// The only chart that matches `name` by the strictest rule with any match. Throws if it is not fetched yet, or, with what `nothing`
    /// says, if there is none.
    func find(_ name: String, nothing: String = "no chart here") throws(Trouble) -> Candidate {
        let chart = try named(name, nothing)
        guard let hash = chart.hash else {
            let sync = woodshed("sync --chart \(chart.attachment.id)")
            throw Trouble(.gone, "\(chart.attachment.filename) is not fetched yet; '\(sync)' fetches it")
        }
        return Candidate(attachment: chart.attachment.id, hash: hash, filename: chart.attachment.filename, title: chart.title)
    }

    /// Like `find`, but also finds a chart that is still to be fetched.
    func attachment(_ name: String) throws(Trouble) -> AttachmentID { try named(name, "no chart here").attachment.id }

    private func named(_ name: String, _ nothing: String) throws(Trouble) -> Named {
        let wanted = name.searched
        let found = charts.strictest([
            { $0.attachment.id.text == name },
            { wanted.count >= Self.leastHashDigits && $0.hash?.digest.hex.hasPrefix(wanted) == true },
            { $0.attachment.filename.searched == wanted || $0.attachment.filename.searched == wanted + ".pdf" },
            { $0.title.searched == wanted },
            { !wanted.isEmpty && ($0.attachment.filename.searched.contains(wanted) || $0.title.searched.contains(wanted)) },
        ])
        guard let first = found.first else {
            throw .unknown(name, nothing, among: Self.list(charts), none: "no chart is here yet")
        }
        // Two attachments with the same bytes are different charts, since their marks may differ.
        guard Set(found.map(\.attachment.id)).count == 1 else { throw .ambiguous(name, "charts", among: Self.list(found)) }
        // One attachment may stand for several charts, such as a song in two keys, so prefer one that is here.
        return found.first { $0.hash != nil } ?? first
    }

    private static func list(_ charts: [Named]) -> [String] {
        var seen: Set<AttachmentID> = []
        return charts.filter { seen.insert($0.attachment.id).inserted }.map(\.description)
    }
}

extension ChartFinder {
    /// Searches the charts of all plans that are here.
    @LoopActor
    init(_ library: Library) throws(LibraryError) {
        var charts: [Named] = []
        for item in try library.plans.all().flatMap(\.items) {
            for attachment in item.attachments {
                // Include a chart whose file somebody deleted, since its marks and images are still here.
                let hash = try library.charts.chart(of: attachment.use)?.hash
                charts.append(Named(attachment: attachment, title: item.title, hash: hash))
            }
        }
        self.charts = charts
    }
}

/// A plan or a chart, whichever the user means.
enum NamedPlace {
    case plan(Plan)
    case chart(ChartFinder.Candidate)

    /// The plan that `name` identifies in any way, otherwise the chart. With `needsOrder`, throws if the plan's running order is not here.
    @LoopActor
    init(_ name: String, in library: Library, now: Timestamp, needsOrder: Bool = true) throws {
        let plans = try PlanFinder(library, now: now)
        let plan: Plan
        do throws(Trouble) {
            plan = try plans.find(name)
        } catch {
            // If several plans match, the user has to choose one; for "next", there may be no upcoming plan. Any other name that
            // matches no plan may be a chart's.
            if error.kind == .ambiguous || error.kind == .gone { throw error }
            self = .chart(try ChartFinder(library).find(name, nothing: "no plan and no chart here"))
            return
        }
        if needsOrder { try plans.refuseUnread(plan) }
        self = .plan(plan)
    }
}
