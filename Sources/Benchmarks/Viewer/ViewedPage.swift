import Platform

/// A page of a plan that is ready, with what a browser asks for.
struct ViewedPage: Sendable {
    let chart: String
    let page: Int
    /// The address of its annotated image.
    let address: String
    let longSide: Int
    /// Whether it is the first page of its chart.
    let isFirst: Bool

    /// The body that tells the agent that this page goes on screen.
    var selection: String { #"{"chart":"\#(chart)","page":\#(page),"marked":true}"# }

    /// The address where it is drawn on demand, as large as its image in the cache.
    var liveAddress: String { "/live/\(chart)/\(page)?of=\(folder)&marked=1&long=\(longSide)" }

    /// The name of the chart's bytes in an image's address: `/pages/<folder>/<file>`.
    private var folder: Substring { address.split(separator: "/").dropFirst().first ?? "" }

    /// All pages of all plans in playing order, with each chart only once.
    @LoopActor
    static func all(of agent: ViewedAgent, on connection: WebConnection) throws -> [ViewedPage] {
        var pages: [ViewedPage] = []
        var seen: Set<String> = []
        for plan in try agent.json("/api/state", on: connection, as: State.self).plans {
            let items = try agent.json("/api/plan/\(plan.id)", on: connection, as: Contents.self).items
            for (item, chart) in items.flatMap({ item in item.charts.map { (item.id, $0.id) } }) where seen.insert(chart).inserted {
                let shown = try agent.json("/api/chart/\(chart)?plan=\(plan.id)&item=\(item)", on: connection, as: Chart.self)
                pages += shown.order.enumerated().map { place, index in
                    let image = shown.pages[index].annotated
                    return ViewedPage(
                        chart: chart, page: index, address: image.src, longSide: max(image.width, image.height), isFirst: place == 0)
                }
            }
        }
        guard pages.count > 3 else { throw BenchmarkFailure("the agent shows \(pages.count) pages") }
        return pages
    }

    private struct State: Decodable {
        struct Plan: Decodable { var id: String }
        var plans: [Plan]
    }

    private struct Contents: Decodable {
        struct Item: Decodable {
            struct Chart: Decodable { var id: String }
            var id: String
            var charts: [Chart]
        }
        var items: [Item]
    }

    private struct Chart: Decodable {
        struct Image: Decodable {
            var src: String
            var width: Int
            var height: Int
        }
        struct Page: Decodable { var annotated: Image }
        var pages: [Page]
        var order: [Int]
    }
}
