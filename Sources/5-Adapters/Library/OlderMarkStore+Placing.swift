public import Catalogue
public import Model

/// Reports marks that followed the music, and carries out what people decide about them.
extension OlderMarkStore {
    /// What became of the marks on this chart of an attachment; `nil` if none followed the music there. Hidden layers do not count.
    public func movedMarks(on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) -> MovedMarks? {
        try database.read { () throws(LibraryError) in
            let layers = try movedLayers(on: attachment, of: chart)
            guard !layers.isEmpty else { return nil }
            let isTakenBack = layers.allSatisfy(\.isTakenBack)
            var moved = 0
            var open: [MovedMarks.Open] = []
            for layer in layers where layer.isTakenBack == isTakenBack {
                moved += isTakenBack ? layer.marks.values.count { $0.fate == .moved } : try drawings.marked(layer.layer).moved
                if !isTakenBack { open += try self.open(layer) }
            }
            let older = try all().first { $0.attachment == attachment && $0.chart == chart }
            let isAccepted = !layers.contains { older?.layers[$0.layer] != nil }
            return MovedMarks(moved: moved, isTakenBack: isTakenBack, isAccepted: isAccepted, open: open)
        }
    }

    private func movedLayers(on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) -> [FollowedLayer] {
        guard try followed.onlyChart(of: attachment) == chart else { return [] }
        let layers = try followed.layers(on: chart, of: attachment).filter { layer in layer.marks.values.contains { $0.fate != .kept } }
        guard !layers.isEmpty else { return [] }
        let hidden = try drawings.hiddenLayers(of: attachment)
        return layers.filter { !hidden.contains($0.layer) }
    }

    private func open(_ layer: FollowedLayer) throws(LibraryError) -> [MovedMarks.Open] {
        guard layer.marks.values.contains(where: { $0.fate == .open }) else { return [] }
        var open: [MovedMarks.Open] = []
        for former in Set(layer.marks.values.map { $0.chart ?? layer.former }).sorted() {
            for (made, drawn) in try drawings.marks(of: layer.layer, on: former) {
                guard let mark = layer.marks[made.placeSum], mark.fate == .open, mark.chart ?? layer.former == former else { continue }
                let proposed = mark.place.map { made.moved(to: $0) }
                open.append(MovedMarks.Open(layer: layer.layer, mark: drawn ?? made, former: former, proposed: proposed))
            }
        }
        return open
    }

    /// Shows the marks that followed the music where they were made if `isTakenBack`, otherwise where their music is now. Must be called
    /// inside a transaction.
    func takeBack(_ isTakenBack: Bool, on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) {
        for layer in try movedLayers(on: attachment, of: chart) {
            try followed.change(layer.layer, on: chart) { $0.isTakenBack = isTakenBack }
        }
    }

    /// Accepts the layers that followed the music; must be called inside a transaction.
    func acceptMoved(on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) {
        for layer in try movedLayers(on: attachment, of: chart) { try acceptMarks(on: attachment, of: layer.layer) }
    }

    /// Puts the middle of a mark at a point of this page, as a person wants it, or leaves the mark out if `place` is `nil`. Returns `nil` if
    /// the attachment now has another chart, and false if no mark with this id followed the music.
    public func place(
        _ id: String, of layer: LayerID, on attachment: AttachmentID, of chart: ChartHash,
        at place: (page: PageIndex, x: Double, y: Double)?
    ) throws(LibraryError) -> Bool? {
        try database.write { () throws(LibraryError) in
            guard try followed.onlyChart(of: attachment) == chart else { return nil }
            guard try movedLayers(on: attachment, of: chart).contains(where: { $0.layer == layer }),
                let mark = try drawings.madeMarks(of: layer).first(where: { $0.id == id })
            else { return false }
            var isKnown = false
            try followed.change(layer, on: chart) { layer in
                guard let former = layer.marks[mark.placeSum] else { return }
                isKnown = true
                var place = place.map { place in
                    (former.place ?? MarkPlace(on: place.page)).moved(to: place.page, middle: (place.x, place.y), of: mark)
                }
                let fate: FollowedMark.Fate = place == nil ? .left : .moved
                // Keep the proposed place, in case a person puts the mark somewhere after all.
                place = place ?? former.place
                layer.marks[mark.placeSum] = FollowedMark(mark.placeSum, fate, at: place, former: former.chart)
            }
            // A person who has placed every open mark has looked at the marks, so they count as accepted.
            if isKnown, try movedLayers(on: attachment, of: chart).allSatisfy({ !$0.marks.values.contains { $0.fate == .open } }) {
                try acceptMoved(on: attachment, of: chart)
            }
            return isKnown
        }
    }
}
