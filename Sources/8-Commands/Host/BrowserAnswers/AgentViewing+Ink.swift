import Agent
package import Catalogue
package import Library
package import Marks
package import Model
package import Platform
import Viewer

extension AgentViewing {
    func ink(of chart: AttachmentID, known tag: String? = nil) async throws(Trouble) -> [UInt8] {
        let chart = try inked(chart)
        return try await drawing { () throws(Trouble) in try await ownLayers.layer(of: chart, known: tag) }
    }

    func keepInk(_ request: [UInt8], of chart: AttachmentID, known tag: String? = nil) async throws(Trouble) -> [UInt8] {
        let chart = try inked(chart)
        return try await drawing { () throws(Trouble) in
            let kept = try await ownLayers.add(request, to: chart, known: tag)
            if let reading = kept.reading { agent.receive(reading) }
            return kept.answer
        }
    }

    /// Makes the place of a mark of the own layer that a person chose an edit of the mark. The result is to be received by the agent.
    func settleInk(
        _ mark: String, at place: FollowedMark, on chart: AttachmentID, of hash: ChartHash
    ) async throws(Trouble) -> MarkReading? {
        let chart = try inked(chart)
        guard chart.hash == hash else { throw .changedMeanwhile }
        return try await ownLayers.settle(mark, at: place, on: chart)?.reading
    }

    /// A chart with everything needed to draw on it.
    private func inked(_ id: AttachmentID) throws(Trouble) -> OwnLayers.Chart {
        let plans = try reading { () throws(LibraryError) in try library.plans.showing(id) }
        guard let place = ChartPlace(of: id, in: nil, item: nil, of: plans, now: now) else { throw .unknownChart }
        let chart = try reading { () throws(LibraryError) in try OwnLayers.Chart(at: place, in: library) }
        guard let chart else { throw Trouble("this chart's pages are not here yet.") }
        return chart
    }

    private func drawing(_ body: () async throws(Trouble) -> [UInt8]) async throws(Trouble) -> [UInt8] {
        do throws(Trouble) {
            return try await body()
        } catch {
            // If the folder does not respond, nothing was stored. Report this like a lack of space.
            throw error.kind == .away ? Trouble(.noRoom, error.description) : error
        }
    }
}

extension OwnLayers.Chart {
    /// A chart to draw on; nil if no plan contains it, it has not been downloaded, or its pages have not been counted.
    @LoopActor
    package init?(_ id: AttachmentID, in library: Library, at now: Timestamp) throws(LibraryError) {
        guard let place = ChartPlace(of: id, in: nil, item: nil, of: try library.plans.showing(id), now: now) else { return nil }
        try self.init(at: place, in: library)
    }

    @LoopActor
    fileprivate init?(at place: ChartPlace, in library: Library) throws(LibraryError) {
        guard let hash = try library.charts.chart(of: place.attachment.use)?.hash,
            let pages = try library.charts.description(of: hash)?.pages.count
        else { return nil }
        let id = place.attachment.id
        let title = place.item.attachments.count > 1 ? place.attachment.displayName : place.item.title
        self.init(
            id, hash, title: title, pages: pages, parts: try library.parts.all(of: id), followed: try library.followed.ownPlaces(on: id))
    }
}
