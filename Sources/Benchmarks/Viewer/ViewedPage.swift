import Platform

/// A page of a plan that is ready, by what a browser asks for.
struct ViewedPage: Sendable {
    let chart: String
    let page: Int
    /// The address of its annotated image.
    let address: String
    let longSide: Int
    /// Whether its chart begins with it.
    let isFirst: Bool

    /// What tells the agent that it goes on the screen.
    var selection: String { #"{"chart":"\#(chart)","page":\#(page),"marked":true}"# }

    /// Where it is drawn for whoever asks, as large as it is kept.
    var liveAddress: String { "/live/\(chart)/\(page)?of=\(folder)&marked=1&long=\(longSide)" }

    /// What names the chart's bytes in the address of an image: `/pages/<folder>/<file>`.
    private var folder: Substring { address.split(separator: "/").dropFirst().first ?? "" }

    /// Every page of every plan in the order in which it is played; each chart once.
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
