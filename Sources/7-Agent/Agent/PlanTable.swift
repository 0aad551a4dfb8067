import Freshness
import ImageKeeping
import Library
public import Model
import PageCache
import Platform
import Readiness
import Rendering

/// How every chart of the coming plans stands, for people.
public struct PlanTable: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        public let plan: Plan
        public let filename: String
        public let attachment: AttachmentID
        public let chart: ChartHash?
        public let pages: Int
        /// Images that the chart should have, and how many of them are here.
        public let wanted: Int
        public let present: Int
        public let state: State
    }

    /// How far a chart is from being playable.
    public enum State: Hashable, Sendable {
        case ready
        case rendering
        case notDownloaded
        case unreadable(String)
        case failed(String)
        /// Some of its images are not kept, because there is no room.
        case noRoom
        /// All of its images are here, but they do not show what they should: a newer version or someone's marks, for instance.
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

    /// True if every chart can be played from.
    public var isReady: Bool { rows.allSatisfy { $0.state == .ready } }

    /// True if every wanted image of every chart is here.
    public var isComplete: Bool { rows.allSatisfy { if case .lacking = $0.state { true } else { $0.state == .ready } } }
}

extension Agent {
    /// How many charts are here, including those of plans that are not coming.
    public var chartsHere: Int { get throws(LibraryError) { try core.library.charts.count } }

    /// Takes stock of the coming plans.
    public func planTable() async throws -> PlanTable {
        let renderer = try await core.renderer.identity()
        let now = core.now
        let set = try wants.set(in: core.settings.scope, by: renderer, now: now)
        let coming = try plansInScope().sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
        let known = try known(by: renderer)
        let rows = try core.library.asOneState { () throws(LibraryError) in
            var rows: [PlanTable.Row] = []
            for contents in coming {
                for attachment in contents.items.flatMap(\.attachments) {
                    let facts = try facts(of: attachment, wants.snapshot(of: attachment), known, renderer).facts
                    rows.append(PlanTable.Row(plan: contents.plan, attachment, facts))
                }
            }
            return rows
        }
        core.log.debug("took stock of \(coming.count) plans with \(rows.count) charts")
        return PlanTable(
            rows: rows, plans: coming.count, pages: Set(set.images.map(\.page)).count, images: present(of: set).count,
            wanted: set.images.count)
    }
}

extension PlanTable.Row {
    fileprivate init(plan: Plan, _ attachment: Attachment, _ facts: ChartFacts) {
        let report = facts.report
        self.init(
            plan: plan, filename: attachment.filename, attachment: attachment.id, chart: facts.file == .gone ? nil : report.hash,
            pages: report.pages ?? 0, wanted: report.wanted, present: report.present, state: PlanTable.State(report.lacks))
    }
}

extension PlanTable.State {
    /// Missing images come before faults of those that are here.
    fileprivate init(_ lacks: [ReadinessLack]) {
        let states = lacks.map { lack -> (rank: Int, state: Self) in
            switch lack {
            case .notDownloaded, .fileGone: (0, .notDownloaded)
            case .cannotBeOpened(let reason): (1, .unreadable(reason))
            case .notCounted(let reason?), .cannotBeDrawn(_, let reason), .marksCannotBeDrawn(_, _, let reason, _): (2, .failed(reason))
            case .noRoom: (3, .noRoom)
            case .notCounted, .notRendered: (4, .rendering)
            default: (5, .lacking(lack.sentence))
            }
        }
        self = states.min { $0.rank < $1.rank }?.state ?? .ready
    }
}
