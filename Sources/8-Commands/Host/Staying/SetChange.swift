import Model

/// What several changes of a plan come to: what was added and taken out again is no difference.
struct SetChange {
    private(set) var added: [LibraryChange.ChartReference] = []
    private(set) var removed: [LibraryChange.ChartReference] = []
    /// Charts whose bytes are others, or that were uploaded again under the same name.
    private(set) var replaced: [LibraryChange.ChartReference] = []
    /// The titles of the items that have another place.
    private(set) var moved: [String] = []

    /// Sums up the changes, in the order in which they were found, that led to these contents.
    init(_ changes: [LibraryChange], of contents: PlanContents) {
        let present = Set(contents.attachments.map(\.id))
        var former: [AttachmentID: Bool] = [:]
        var renewed: Set<AttachmentID> = []
        var charts: [LibraryChange.ChartReference] = []
        var places: [(title: String, from: Int, to: Int, count: Int)] = []
        func note(_ chart: LibraryChange.ChartReference, wasThere: Bool) {
            guard former.updateValue(former[chart.id] ?? wasThere, forKey: chart.id) == nil else { return }
            charts.append(chart)
        }
        for change in changes {
            switch change {
            case .chartAdded(_, let chart): note(chart, wasThere: false)
            case .chartRemoved(_, let chart): note(chart, wasThere: true)
            case .chartReplaced(_, let chart):
                note(chart, wasThere: true)
                renewed.insert(chart.id)
            case .itemMoved(_, let title, let from, let to):
                if let place = places.firstIndex(where: { $0.title == title }) {
                    places[place].to = to
                    places[place].count += 1
                } else {
                    places.append((title, from, to, 1))
                }
            default: break
            }
        }
        for chart in charts {
            switch (former[chart.id] ?? false, present.contains(chart.id)) {
            case (false, true): added.append(chart)
            case (true, false): removed.append(chart)
            case (true, true): if renewed.contains(chart.id) { replaced.append(chart) }
            case (false, false): break
            }
        }
        // What was uploaded again is another attachment; to a musician it is the same chart.
        for chart in added {
            guard let place = removed.firstIndex(where: { $0.name == chart.name }) else { continue }
            removed.remove(at: place)
            replaced.append(chart)
        }
        added.removeAll { replaced.contains($0) }
        // An item that others were added before may be said to have moved from a place to the same.
        moved = places.filter { $0.from != $0.to || $0.count == 1 }.map(\.title)
    }
}
