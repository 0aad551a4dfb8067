import Model
import Viewer

/// A chart that somebody has open, as it was told last, and what is to be told of it when it changes.
struct WatchedChart {
    private(set) var told: ViewerChart
    let plan: PlanID?
    let item: ItemID?

    init(_ chart: ViewerChart, in plan: PlanID?, item: ItemID?) {
        told = chart
        self.plan = plan
        self.item = item
    }

    /// What is different in `fresh`. A page whose marks changed is told when its image is there, or when nobody is about to make it:
    /// the images that are waited for are `waiting`.
    mutating func news(of fresh: ViewerChart, isDue: (ImageName) -> Bool) -> (news: [ViewerNews], waiting: Set<ImageName>) {
        guard Self.frame(told) == Self.frame(fresh) else {
            told = fresh
            return ([.chart(fresh.id, set: fresh.set)], [])
        }
        var news: [ViewerNews] = []
        var waiting: Set<ImageName> = []
        for (place, page) in fresh.pages.enumerated() where told.pages[place].annotated.name != page.annotated.name {
            if !page.annotated.isHere, isDue(page.annotated.name) {
                waiting.insert(page.annotated.name)
            } else {
                news.append(.page(chart: fresh.id, page: page.index, annotated: page.annotated, isMarked: page.isMarked))
                told.pages[place] = page
            }
        }
        // After its pages: what a browser asks for then is there.
        if waiting.isEmpty, told.layers != fresh.layers {
            told.layers = fresh.layers
            news.append(.chart(fresh.id, set: fresh.set))
        }
        return (news, waiting)
    }

    /// Everything of a chart but its marks.
    private static func frame(_ chart: ViewerChart) -> ViewerChart {
        var frame = chart
        (frame.layers, frame.next, frame.previous) = ([], nil, nil)
        for place in frame.pages.indices {
            frame.pages[place].isMarked = false
            frame.pages[place].annotated = frame.pages[place].plain
            frame.pages[place].plain.isHere = true
            frame.pages[place].annotated.isHere = true
            frame.pages[place].thumbnail.isHere = true
        }
        return frame
    }
}
