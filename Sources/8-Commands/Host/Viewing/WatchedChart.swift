import Model
import Viewer

/// A chart that somebody has open, as they were last told about it, and what to tell them when it changes.
struct WatchedChart {
    private(set) var told: ViewerChart
    let plan: PlanID?
    let item: ItemID?
    /// Images that were announced before they were there.
    private var owed: Set<ImageName> = []

    init(_ chart: ViewerChart, in plan: PlanID?, item: ItemID?) {
        told = chart
        self.plan = plan
        self.item = item
    }

    /// What is different in `fresh`. A page whose marks changed is announced once its image is there, or if nobody is about to make
    /// it; in that case once more if the image comes after all. `waiting` are the images that are waited for.
    mutating func news(of fresh: ViewerChart, isDue: (ImageName) -> Bool) -> (news: [ViewerNews], waiting: Set<ImageName>) {
        guard Self.frame(told) == Self.frame(fresh) else {
            told = fresh
            owed = []
            return ([.chart(fresh.id, set: fresh.set)], [])
        }
        var news: [ViewerNews] = []
        var waiting: Set<ImageName> = []
        var owed: Set<ImageName> = []
        for (place, page) in fresh.pages.enumerated() {
            let image = page.annotated
            let isOwed = self.owed.contains(image.name)
            guard told.pages[place].annotated.name != image.name || isOwed && image.isHere else {
                if isOwed { owed.insert(image.name) }
                continue
            }
            if !image.isHere, isDue(image.name) {
                waiting.insert(image.name)
            } else {
                news.append(.page(chart: fresh.id, page: page.index, annotated: image, isMarked: page.isMarked))
                told.pages[place] = page
                if !image.isHere { owed.insert(image.name) }
            }
        }
        self.owed = owed
        // After the pages, so that their images are there when a browser asks for them.
        if waiting.isEmpty, told.layers != fresh.layers {
            told.layers = fresh.layers
            news.append(.chart(fresh.id, set: fresh.set))
        }
        return (news, waiting.union(owed))
    }

    /// Everything about a chart except its marks.
    private static func frame(_ chart: ViewerChart) -> ViewerChart {
        var frame = chart
        (frame.layers, frame.next, frame.previous) = ([], nil, nil)
        for place in frame.pages.indices {
            frame.pages[place].isMarked = false
            frame.pages[place].plain = frame.pages[place].plain.asNamed
            frame.pages[place].thumbnail = frame.pages[place].thumbnail.asNamed
            frame.pages[place].annotated = frame.pages[place].plain
        }
        return frame
    }
}
