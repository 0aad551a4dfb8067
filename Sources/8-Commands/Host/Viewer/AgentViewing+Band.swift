import Agent
import Band
import BandLayout
import Catalogue
import Library
import Model
import Platform
import Viewer

/// What browsers see of the band that the musician plays in. Where there is none, nothing is read for it.
extension AgentViewing {
    /// What the devices in the band last said.
    func bandWords() throws(ViewerRefusal) -> [BandHead] {
        guard agent.playsInBand else { return [] }
        return try reading { () throws(LibraryError) in try library.band.words() }
    }

    /// Whether the band sees the musician's marks on a chart; `nil` if there is no band.
    func isShared(_ chart: AttachmentID) throws(LibraryError) -> Bool? {
        agent.playsInBand ? try library.band.shares().include(chart) : nil
    }

    func share(_ isShared: Bool, _ chart: AttachmentID) async throws(ViewerRefusal) {
        guard agent.playsInBand else { throw ViewerRefusal(.unavailable, "You play in no band: nobody was shown anything.") }
        let isChanged = try reading { () throws(LibraryError) -> Bool? in
            guard try !library.plans.showing(chart).isEmpty else { return nil }
            guard try library.band.shares().include(chart) != isShared else { return false }
            try library.band.share(chart, isShared)
            return true
        }
        guard let isChanged else { throw .unknownChart }
        guard isChanged else { return }
        agent.noteShares()
        news.take(.reconciled(changed: [chart]))
    }

    /// What is known of a layer if somebody in the band shares it.
    func shared(_ layer: LayerID) throws(LibraryError) -> ViewerLayer.Shared? {
        guard BandStore.isOfBand(layer) else { return nil }
        let device = BandStore.device(of: layer)
        return ViewerLayer.Shared(
            device: try device.flatMap { device throws(LibraryError) in try library.band.name(of: device) } ?? "",
            marks: try library.drawings.markCount(of: layer))
    }
}

extension LibraryChange {
    /// As a plan's page says it: of marks that somebody in the band shares, whose they are, and not what their layer is called.
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
