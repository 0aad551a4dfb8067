public import Catalogue
public import Model

/// A layer's marks that are to be moved to where their music is in the present version of their chart.
public struct MarksToFollow: Sendable {
    public let layer: LayerID
    public let chart: ChartHash
    public let former: ChartHash
    /// The marks whose music is to be found: the chart that each was made on, the mark as made, and the mark as drawn on that chart.
    public fileprivate(set) var marks: [(on: ChartHash, made: Mark, drawn: Mark)] = []
    /// The layer's other marks, whose music need not be found.
    fileprivate var settled: [FollowedMark] = []

    /// The layer with the places that were found, one for each of `marks` in order.
    public func followed(_ found: [(place: MarkPlace?, isSure: Bool)], method: Int) -> FollowedLayer {
        let marks = zip(marks, found).map { mark, found in
            FollowedMark(
                mark.made.placeSum, found.isSure ? .moved : .open, at: found.place, former: mark.on == former ? nil : mark.on)
        }
        return FollowedLayer(layer: layer, chart: chart, former: former, method: method, found: marks + settled)
    }
}

extension OlderMarkStore {
    /// The outdated marks that may follow the music: they are drawn, and both charts are here. Each layer is followed once for each chart,
    /// after all pages were compared. `comparisons` are not stored yet.
    public func layersToFollow(given comparisons: [PagePair: Bool] = [:]) throws(LibraryError) -> [OutdatedMarks] {
        try database.read { () throws(LibraryError) in
            let older = try olderPages()
            var open: Set<PagePair> = []
            for pair in older.flatMap({ older in older.pages.map(older.pair) }) where try differs(pair, given: comparisons) == nil {
                open.insert(pair)
            }
            var found: [OutdatedMarks] = []
            for outdated in try findOutdatedMarks(given: comparisons)
            where try isToFollow(outdated) && !open.contains(where: { ($0.former, $0.chart) == (outdated.former, outdated.chart) }) {
                found.append(outdated)
            }
            return found
        }
    }

    /// Whether only this home draws in the layer, so that all its marks are known to have been made on the layer's own chart. Marks that a
    /// colleague, or the musician on another machine, makes on the new version may arrive here before the new version does.
    public func isOfThisHomeAlone(_ layer: LayerID, on attachment: AttachmentID) throws(LibraryError) -> Bool {
        guard LocalFile.path(ofLayer: layer) != nil else { return false }
        let own = try followed.parts.layers(of: attachment)
        return own == [layer] || !own.contains(layer)
    }

    /// If all pages of a layer were compared, and its marks did not follow the music, notes that its present marks stay where they are.
    /// Marks that are added later then count as made on the present chart.
    func noteUnmoved() throws(LibraryError) {
        for older in try olderPages() {
            guard try isOfThisHomeAlone(older.layer, on: older.attachment), try followed.layer(older.layer, on: older.chart) == nil
            else { continue }
            var isCompared = true
            for page in older.pages where try differs(older.pair(page), given: [:]) == nil { isCompared = false }
            guard isCompared else { continue }
            let unmoved = older.outdated([])
            try store(try marksToFollow(unmoved).followed([], method: 0), of: unmoved)
        }
    }

    private func isToFollow(_ outdated: OutdatedMarks) throws(LibraryError) -> Bool {
        // If the chart was compared before, perhaps by an older program, marks may have been made since then on the present chart, or on a
        // chart in between for which no places of this layer are recorded.
        let isUnclear = try database.has(
            """
            SELECT 1 FROM page_comparisons AS compared WHERE former = ?1 AND (chart = ?2 OR NOT EXISTS (
                SELECT 1 FROM followed_layers WHERE layer_id = ?3 AND followed_layers.chart = compared.chart))
            """, [.hash(outdated.former), .hash(outdated.chart), .id(outdated.layer)])
        guard !isUnclear else { return false }
        guard try followed.layer(outdated.layer, on: outdated.chart) == nil else { return false }
        guard try followed.onlyChart(of: outdated.attachment) == outdated.chart else { return false }
        guard try charts.hasBytes(of: outdated.former), try charts.hasBytes(of: outdated.chart) else { return false }
        return try !drawings.hiddenLayers(of: outdated.attachment).contains(outdated.layer)
    }

    /// The marks on these outdated pages, whose music is to be found, and the layer's other marks: those on pages that look the same stay
    /// there.
    public func marksToFollow(_ outdated: OutdatedMarks) throws(LibraryError) -> MarksToFollow {
        var work = MarksToFollow(layer: outdated.layer, chart: outdated.chart, former: outdated.former)
        // A mark that was missing when other marks followed the music to a chart in between was made on that chart.
        let between = try followed.layers(outdated.layer, from: outdated.former).filter { $0.chart != outdated.chart }
        let made = try drawings.marks(of: outdated.layer, on: outdated.former)
        var marks = made.map { (on: outdated.former, made: $0.made, drawn: $0.drawn) }
        var read: [ChartHash: [(made: Mark, drawn: Mark?)]] = [:]
        for (place, mark) in made.enumerated() where !between.isEmpty {
            let known = between.last { $0.marks[mark.made.placeSum] != nil }
            guard let chart = known.map({ $0.marks[mark.made.placeSum]?.chart }) ?? between.last?.chart else { continue }
            if read[chart] == nil { read[chart] = try drawings.marks(of: outdated.layer, on: chart) }
            if let there = read[chart], there.indices.contains(place) { marks[place] = (chart, there[place].made, there[place].drawn) }
        }
        for (chart, made, drawn) in marks {
            let former = chart == outdated.former ? nil : chart
            if let drawn, former != nil || outdated.pages.contains(drawn.page) {
                if try charts.hasBytes(of: chart) {
                    work.marks.append((chart, made, drawn))
                } else {
                    work.settled.append(FollowedMark(made.placeSum, .open, former: former))
                }
            } else {
                work.settled.append(FollowedMark(made.placeSum, drawn == nil ? .left : .kept, former: former))
            }
        }
        return work
    }

    /// Stores where a layer's marks are on its present chart, unless the chart or the layer has changed since the marks were read.
    func store(_ layer: FollowedLayer, of outdated: OutdatedMarks) throws(LibraryError) {
        guard try followed.onlyChart(of: outdated.attachment) == layer.chart, try followed.layer(layer.layer, on: layer.chart) == nil,
            try drawings.madeMarks(of: layer.layer).allSatisfy({ layer.marks[$0.placeSum] != nil })
        else { return }
        try followed.store(layer)
    }
}
