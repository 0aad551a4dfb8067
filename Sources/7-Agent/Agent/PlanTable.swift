import Freshness
import Keeping
import Library
public import Model
import PageCache
import Platform
import Readiness
import Rendering

/// What is here of every chart of the coming plans, for people.
public struct PlanTable: Hashable, Sendable {
    /// One chart of one plan.
    public struct Row: Hashable, Sendable {
        public let plan: Plan
        public let item: String
        public let filename: String
        public let attachment: AttachmentID
        public let chart: ChartHash?
        public let pages: Int
        /// Images that the chart should have, and how many of them are here.
        public let wanted: Int
        public let present: Int
        public let state: State
    }

    /// Whether a chart can be played from.
    public enum State: Hashable, Sendable {
        case ready
        case rendering
        case notDownloaded
        case unreadable(String)
        case failed(String)
        /// Some of its images are not kept, because there is no room.
        case noRoom
        /// All of its images are here, but they do not show what they should: a newer version or somebody's marks, for instance.
        case lacking(String)
    }

    public let rows: [Row]

    /// How many coming plans there are, including those without charts.
    public let plans: Int

    /// Charts that are here, each counted once however often it is played, their pages, and how many of the wanted images are here.
    public var charts: Int { Set(rows.filter { $0.chart != nil }.map(\.attachment)).count }
    public let pages: Int
    public let images: Int
    public let wanted: Int

    /// Whether every chart can be played from.
    public var isReady: Bool { rows.allSatisfy { $0.state == .ready } }

    /// Whether every wanted image of every chart is here.
    public var isComplete: Bool { rows.allSatisfy { if case .lacking = $0.state { true } else { $0.state == .ready } } }
}

extension Agent {
    /// How many charts are here, including those of plans that are not coming.
    public var chartsHere: Int { get throws(LibraryError) { try parts.library.charts.count } }

    /// Takes stock of the coming plans.
    public func planTable() async throws -> PlanTable {
        let renderer = try await parts.renderer.identity()
        let now = parts.now
        let set = try wants.set(in: settings.scope, by: renderer, now: now)
        let coming = try plansInScope().sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
        let known = try known(by: renderer)
        let rows = try parts.library.asOneState { () throws(LibraryError) in
            var rows: [PlanTable.Row] = []
            for contents in coming {
                for item in contents.items {
                    for attachment in item.attachments {
                        let facts = try facts(of: attachment, wants.snapshot(of: attachment), known, renderer).facts
                        rows.append(PlanTable.Row(plan: contents.plan, item: item.title, attachment, facts))
                    }
                }
            }
            return rows
        }
        parts.log.debug("took stock of \(coming.count) plans with \(rows.count) charts")
        return PlanTable(
            rows: rows, plans: coming.count, pages: Set(set.images.map(\.page)).count, images: present(of: set).count,
            wanted: set.images.count)
    }
}

extension PlanTable.Row {
    fileprivate init(plan: Plan, item: String, _ attachment: Attachment, _ facts: ChartFacts) {
        let here = facts.file == .gone ? nil : facts.stored?.hash
        self.init(
            plan: plan, item: item, filename: attachment.filename, attachment: attachment.id, chart: here, pages: facts.pages ?? 0,
            wanted: facts.images?.count ?? 0, present: facts.images?.count { $0.condition == .intact } ?? 0,
            state: here == nil ? .notDownloaded : PlanTable.State(facts))
    }
}

extension PlanTable.State {
    /// Of a chart that is here.
    fileprivate init(_ facts: ChartFacts) {
        if let reason = facts.reasonNotToOpen {
            self = .unreadable(reason)
        } else if let images = facts.images {
            let missing = images.filter { $0.condition != .intact }
            if let failure = missing.lazy.compactMap(\.failure).first {
                self = .failed(failure)
            } else if missing.contains(where: \.isWithheld) {
                self = .noRoom
            } else {
                self = missing.isEmpty ? facts.lacks.first.map { Self.lacking($0.sentence) } ?? .ready : .rendering
            }
        } else {
            // While pages are not counted, their images are not known.
            self = facts.reasonNotToCount.map { .failed($0) } ?? .rendering
        }
    }
}
