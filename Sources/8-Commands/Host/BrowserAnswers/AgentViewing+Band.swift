import Agent
import Band
import BandLayout
import Catalogue
import Library
import Model
import Platform
import Viewer

/// What browsers show of the musician's band. Without a band, none of its data is read.
extension AgentViewing {
    /// The latest head of each of the band's devices.
    func bandWords() throws(Trouble) -> [BandHead] {
        try reading { () throws(LibraryError) in try agent.bandWords() }
    }

    /// Whether the band sees the musician's marks on a chart; nil without a band.
    func isShared(_ chart: AttachmentID) throws(LibraryError) -> Bool? {
        agent.playsInBand ? try library.band.shares().include(chart) : nil
    }

    func share(_ isShared: Bool, _ chart: AttachmentID) async throws(Trouble) {
        guard agent.playsInBand else { throw Trouble("You play in no band: nobody was shown anything.") }
        let isChanged = try reading { () throws(LibraryError) -> Bool? in
            guard try !library.plans.showing(chart).isEmpty else { return nil }
            guard try library.band.shares().include(chart) != isShared else { return false }
            try library.band.share(chart, isShared)
            return true
        }
        guard let isChanged else { throw .unknownChart }
        guard isChanged else { return }
        agent.noteShares()
        news.receive(.reconciled(changed: [chart]))
    }

    /// The device that shares a layer, and the layer's number of marks; nil if the layer is not the band's.
    func shared(_ layer: LayerID) throws(LibraryError) -> ViewerLayer.Shared? {
        guard BandStore.isOfBand(layer) else { return nil }
        let device = BandStore.device(of: layer)
        return ViewerLayer.Shared(
            device: try device.flatMap { device throws(LibraryError) in try library.band.name(of: device) } ?? "",
            marks: try library.drawings.markCount(of: layer))
    }
}

extension LibraryChange {
    /// The sentence on a plan's page. Marks shared in the band are named by their owner, not by their layer.
    var viewedSentence: String {
        switch self {
        case .layerAdded(let layer) where BandStore.isOfBand(layer.id): "new marks by \(layer.sharer)"
        case .layerChanged(let layer) where BandStore.isOfBand(layer.id): "other marks by \(layer.sharer)"
        case .layerDeleted(let layer) where BandStore.isOfBand(layer.id): "no marks any more by \(layer.sharer)"
        default: localSentence
        }
    }
}

extension LibraryChange.LayerReference {
    fileprivate var sharer: String {
        let chart = LibraryChange.ChartReference(id: attachment, name: chart).title
        return "\(person.flatMap { $0.isEmpty ? nil : $0 } ?? "somebody") on '\(chart)'"
    }
}

/// Turning pages together: who leads, on this agent's browsers and in the band.
extension AgentViewing {
    var together: ViewerNews? { agent.together.state.map { .together($0, silence: agent.together.silence) } }

    func turn(_ wish: Together.Wish, from browser: String, named name: String) async throws(Trouble) {
        try agent.together.take(wish, from: browser, named: name)
    }

    func receive(_ word: TogetherWord) async throws(Trouble) -> TogetherWord? { try agent.together.receive(word) }
}
