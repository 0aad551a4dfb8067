import Freshness
import ImageKeeping
import Library
public import Model
import PageCache
import Platform
public import Readiness
import Rendering

/// The state of every chart of the coming plans, for people.
public struct PlanTable: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        public let plan: Plan
        public let chart: ReadinessReport.Chart
        /// Whether the chart's file is here.
        public let isHere: Bool

        /// Whether every wanted image of the chart is here. These images may still lack something that they should show.
        fileprivate var isComplete: Bool { chart.pages != nil && chart.present == chart.wanted }
    }

    public let rows: [Row]

    /// How many coming plans there are, including those without charts.
    public let plans: Int

    /// Charts whose files are here (counted once, however often they are played), their pages, and how many of the wanted images are here.
    public var charts: Int { Set(rows.filter(\.isHere).map(\.chart.attachment)).count }
    public let pages: Int
    public let images: Int
    public let wanted: Int

    /// Whether every chart can be played.
    public var isReady: Bool { rows.allSatisfy(\.chart.isReady) }

    /// Whether every wanted image of every chart is here.
    public var isComplete: Bool { rows.allSatisfy(\.isComplete) }
}

extension Agent {
    /// How many charts are here, including charts of plans that are not coming ones.
    public var chartsHere: Int { get throws(LibraryError) { try core.library.charts.count } }

    /// The current state of the coming plans.
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
                    let facts = try facts(of: attachment, wants.snapshot(of: attachment.use), known, renderer).facts
                    rows.append(PlanTable.Row(plan: contents.plan, chart: facts.report, isHere: facts.file != .gone))
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
