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
        /// Some of its images are not kept, for want of room.
        case noRoom
    }

    public let rows: [Row]

    /// How many coming plans there are, also such as have no chart.
    public let plans: Int

    /// Charts that are here, each once however often it is played, their pages, and the images wanted of them that are present.
    public var charts: Int { Set(rows.filter { $0.chart != nil }.map(\.attachment)).count }
    public let pages: Int
    public let images: Int
    public let wanted: Int

    /// Whether every wanted image of every chart is here.
    public var isComplete: Bool { rows.allSatisfy { $0.state == .ready } }
}

extension Agent {
    /// How many charts are here, also of plans that are not coming.
    public var chartsHere: Int { get throws(LibraryError) { try parts.library.charts.count } }

    /// Takes stock of the coming plans.
    public func planTable() async throws -> PlanTable {
        let renderer = try await parts.renderer.identity()
        let now = parts.now
        let set = try wants.set(in: settings.scope, by: renderer, now: now)
        let present = present(of: set)
        let failures = try maker.failures.recalled(
            parts.library.images.faults(), wanted: Set(set.images.map(\.name)).subtracting(present))
        let coming = try plansInScope().sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
        let rows = try parts.library.asOneState { () throws(LibraryError) in
            var rows: [PlanTable.Row] = []
            for contents in coming {
                for item in contents.items {
                    for attachment in item.attachments {
                        rows.append(try row(attachment, of: item, in: contents.plan, present, failures, renderer))
                    }
                }
            }
            return rows
        }
        return PlanTable(
            rows: rows, plans: coming.count,
            pages: Set(set.images.map(\.page)).count,
            images: present.count, wanted: set.images.count)
    }

    private func row(
        _ attachment: Attachment, of item: PlanItem, in plan: Plan, _ present: Set<ImageName>, _ failures: ImageFailures,
        _ renderer: RendererIdentity
    ) throws(LibraryError) -> PlanTable.Row {
        let chart = try parts.library.charts.chart(of: attachment.use)?.hash
        let here = try chart.map { chart throws(LibraryError) in try parts.library.charts.hasBytes(of: chart) } ?? false
        let snapshot = try wants.snapshot(of: attachment)
        // Its own images: another attachment with equal bytes may carry other marks.
        let names = snapshot.map { viewing.images(of: $0, by: renderer, settings.render).wanted.map(\.name) }
        return PlanTable.Row(
            plan: plan, item: item.title, filename: attachment.filename, attachment: attachment.id, chart: here ? chart : nil,
            pages: snapshot?.pageCount ?? 0, wanted: names?.count ?? 0, present: names?.count { present.contains($0) } ?? 0,
            state: try state(of: here ? chart : nil, images: names, present, failures, tag: renderer.tag))
    }

    private func state(
        of chart: ChartHash?, images: [ImageName]?, _ present: Set<ImageName>, _ failures: ImageFailures, tag: RendererTag
    ) throws(LibraryError) -> PlanTable.State {
        guard let chart else { return .notDownloaded }
        if let unreadable = try parts.library.charts.unreadable(chart), unreadable.tag == tag { return .unreadable(unreadable.reason) }
        // Pages that have not been counted yet are images that are not known yet.
        guard let images else {
            let reason = try counter.reasonNotToDescribe(chart, by: tag) ?? counter.uncounted.reason(of: chart)
            return reason.map { .failed($0) } ?? .rendering
        }
        if let failure = images.lazy.compactMap({ (name: ImageName) in failures[name] }).first { return .failed(failure.reason) }
        if images.contains(where: wanted.withheld.contains) { return .noRoom }
        return images.allSatisfy(present.contains) ? .ready : .rendering
    }
}
