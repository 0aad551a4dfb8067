import Freshness
import Library
public import Model
import PageCache
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
        /// Images that the chart should have, and those that are here.
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
    }

    public let rows: [Row]

    /// How many coming plans there are, also such as have no chart.
    public let plans: Int

    /// Distinct charts that are here, their pages, and the images wanted of them that are present.
    public var charts: Int { Set(rows.compactMap(\.chart)).count }
    public let pages: Int
    public let images: Int
    public let wanted: Int

    /// Whether every wanted image of every chart is here.
    public var isComplete: Bool { rows.allSatisfy { $0.state == .ready } }
}

extension Agent {
    /// Takes stock of the coming plans.
    public func planTable() async throws -> PlanTable {
        let tag = try await parts.renderer.tag()
        let (set, _) = try wantedSet(tag: tag)
        let present = parts.cache.present()
        var rows: [PlanTable.Row] = []
        let coming = try plansInScope().sorted { $0.plan.comesBefore($1.plan) }
        for contents in coming {
            for item in contents.items {
                for attachment in item.attachments {
                    rows.append(try row(attachment, of: item, in: contents.plan, wanted: set, present: present, tag: tag))
                }
            }
        }
        return PlanTable(
            rows: rows, plans: coming.count,
            pages: Set(set.images.map(\.page)).count,
            images: set.images.count { present.contains($0.name) }, wanted: set.images.count)
    }

    private func row(
        _ attachment: Attachment, of item: PlanItem, in plan: Plan, wanted: WantedSet, present: Set<ImageName>, tag: RendererTag
    ) throws -> PlanTable.Row {
        let chart = try parts.library.chart(of: attachment.id).map(\.hash)
        let here = try chart.map { try parts.library.hasBytes(of: $0) } ?? false
        let images = chart.map { hash in wanted.images.filter { $0.inputs.chart == hash } } ?? []
        let count = images.count { present.contains($0.name) }
        let state: PlanTable.State
        if let chart, here {
            if let unreadable = try parts.library.unreadable(chart), unreadable.tag == tag {
                state = .unreadable(unreadable.reason)
            } else if let reason = images.lazy.compactMap({ [failed] in failed[$0.name] }).first {
                state = .failed(reason)
            } else {
                // Pages that have not been counted yet are images that are not known yet.
                let isCounted = try parts.library.description(of: chart) != nil
                state = isCounted && count == images.count ? .ready : .rendering
            }
        } else {
            state = .notDownloaded
        }
        return PlanTable.Row(
            plan: plan, item: item.title, filename: attachment.filename, attachment: attachment.id, chart: here ? chart : nil,
            pages: try chart.flatMap { try parts.library.description(of: $0)?.count } ?? 0, wanted: images.count, present: count,
            state: state)
    }
}
