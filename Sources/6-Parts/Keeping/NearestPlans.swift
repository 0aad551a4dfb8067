package import Freshness
package import Model

/// Which plan needs a chart first. Worked out only when somebody asks: most looks at the library do not make an image.
struct NearestPlans {
    private let set: WantedSet
    private lazy var ranks: [ChartHash: Int] = set.images.reduce(into: [:]) { ranks, image in
        ranks[image.inputs.chart] = min(ranks[image.inputs.chart] ?? .max, image.priority.planRank)
    }

    init(_ set: WantedSet) {
        self.set = set
    }

    mutating func plan(showing chart: ChartHash) -> PlanID? {
        guard let rank = ranks[chart], set.plans.indices.contains(rank) else { return nil }
        return set.plans[rank]
    }
}

/// The images of a set by their names; gathered only when the first one is asked for.
package struct WantedByName {
    private let set: WantedSet
    private lazy var places: [ImageName: Int] = Dictionary(zip(set.images.lazy.map(\.name), 0...)) { first, _ in first }

    package init(_ set: WantedSet) {
        self.set = set
    }

    package subscript(name: ImageName) -> WantedImage? {
        mutating get { places[name].map { set.images[$0] } }
    }
}
