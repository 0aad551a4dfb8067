public import Catalogue
public import Model

/// What people see and decide of the marks that followed the music.
extension OlderMarkStore {
    /// What became of the marks on this chart of an attachment; `nil` if none followed the music there. Hidden layers do not count.
    public func movedMarks(on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) -> MovedMarks? {
        try database.read { () throws(LibraryError) in
            let layers = try movedLayers(on: attachment, of: chart)
            guard !layers.isEmpty else { return nil }
            let isTakenBack = layers.allSatisfy(\.isTakenBack)
            var moved: Set<[String]> = []
            var open: [MovedMarks.Open] = []
            for layer in layers where layer.isTakenBack == isTakenBack {
                let fates = layer.marks
                for made in try made(of: layer.layer, on: attachment) where fates[made.key]?.fate == .moved {
                    moved.insert([layer.layer.text, made.mark.id])
                }
                if !isTakenBack { open += try self.open(layer, on: attachment) }
            }
            let isAccepted = try !olderMarks(of: attachment).contains { older in
                guard older.chart == chart, let fates = older.known?.marks else { return false }
                return older.marks.contains { (fates[$0.key]?.fate ?? .kept) != .kept }
            }
            return MovedMarks(moved: moved.count, isTakenBack: isTakenBack, isAccepted: isAccepted, open: open)
        }
    }

    private func movedLayers(on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) -> [FollowedLayer] {
        guard try followed.onlyChart(of: attachment) == chart else { return [] }
        var found: [FollowedLayer] = []
        for layer in try followed.layers(on: chart, of: attachment) where layer.marks.values.contains(where: { $0.fate != .kept }) {
            guard let seen = try followed.seen(layer.layer, on: attachment),
                try !drawings.hiddenLayers(of: attachment).contains(seen)
            else { continue }
            found.append(layer)
        }
        return found
    }

    /// The marks of the layer that are not drawn because it is not certain where they belong.
    private func open(_ layer: FollowedLayer, on attachment: AttachmentID) throws(LibraryError) -> [MovedMarks.Open] {
        let fates = layer.marks
        var open: [MovedMarks.Open] = []
        for made in try made(of: layer.layer, on: attachment) {
            guard let entry = fates[made.key], entry.fate == .open, let seen = try followed.seen(layer.layer, on: attachment)
            else { continue }
            let former = layer.chart(of: entry)
            let drawn = try drawings.drawn([made.mark], of: seen, on: former)
            let proposed = entry.place.map { made.mark.moved(to: $0) }
            open.append(MovedMarks.Open(layer: layer.layer, mark: drawn.first ?? made.mark, former: former, proposed: proposed))
        }
        return open
    }

    /// Shows the marks that followed the music where they were made, or where their music is; must be called inside a transaction.
    func takeBack(_ isTakenBack: Bool, on attachment: AttachmentID, of chart: ChartHash) throws(LibraryError) {
        for layer in try movedLayers(on: attachment, of: chart) {
            try change(layer.layer, on: chart, madeOn: layer.former) { $0.isTakenBack = isTakenBack }
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
            guard let wanted = try wanted(id, of: layer, on: attachment, of: chart, at: place) else { return false }
            try change(layer, on: chart, madeOn: chart) { $0[wanted.sum] = wanted }
            // Whoever has placed all of them has looked at them.
            for layer in try movedLayers(on: attachment, of: chart) {
                if try !open(layer, on: attachment).isEmpty { return true }
            }
            try acceptMoved(on: attachment, of: chart)
            return true
        }
    }

    /// What a person wants of a mark, which `place` stores; `nil` if no mark with this id followed the music.
    private func wanted(
        _ id: String, of layer: LayerID, on attachment: AttachmentID, of chart: ChartHash,
        at place: (page: PageIndex, x: Double, y: Double)?
    ) throws(LibraryError) -> FollowedMark? {
        guard let known = try movedLayers(on: attachment, of: chart).first(where: { $0.layer == layer }) else { return nil }
        let fates = known.marks
        let marks = try made(of: layer, on: attachment).filter { $0.mark.id == id && fates[$0.key] != nil }
        guard let made = marks.first(where: { fates[$0.key]?.fate == .open }) ?? marks.first, let entry = fates[made.key]
        else { return nil }
        let wanted = place.map { place in
            (entry.place ?? MarkPlace(on: place.page)).moved(to: place.page, middle: (place.x, place.y), of: made.mark)
        }
        // The proposed place stays known, should the mark be put somewhere after all.
        return FollowedMark(
            made.key, wanted == nil ? .left : .moved, at: wanted ?? entry.place, former: known.chart(of: entry), word: .decided)
    }

    /// The place of a mark of the musician's own layer that a person wants, to be made an edit of it; `nil` for marks of other layers.
    public func wantedPlace(
        _ id: String, of layer: LayerID, on attachment: AttachmentID, of chart: ChartHash, at place: (page: PageIndex, x: Double, y: Double)
    ) throws(LibraryError) -> FollowedMark? {
        guard layer == FollowedMarkStore.own(attachment), try followed.onlyChart(of: attachment) == chart else { return nil }
        return try database.read { () throws(LibraryError) in try wanted(id, of: layer, on: attachment, of: chart, at: place) }
    }
}
