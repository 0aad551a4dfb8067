import Model

extension JSONText {
    static func pages(_ pages: [PageIndex]) -> JSONText { .list(pages.map { .integer($0.value) }) }
}

extension ViewerState {
    var json: JSONText {
        .object([("version", .integer(1)), ("now", .time(now))] + status.members + [("plans", .list(plans.map(\.json)))])
    }
}

extension ViewerStatus {
    fileprivate var members: [(name: String, value: JSONText)] {
        [
            ("lastPoll", .time(lastPoll)), ("offlineSince", .time(offlineSince)),
            ("failingPolls", failingPolls.map { ["since": .time($0.since), "message": .text($0.reason)] } ?? .null),
            ("paused", .boolean(isPaused)),
        ]
    }
}

extension ViewerPlan {
    var json: JSONText {
        [
            "id": .text(plan.id.text), "title": .text(plan.displayName), "serviceType": .text(plan.serviceTypeName),
            "dates": .text(plan.dates), "firstTime": .time(plan.mainTime), "ready": .text(readiness.rawValue),
            "pages": .integer(pages), "pagesReady": .integer(pagesReady), "charts": .integer(charts),
            "chartsReady": .integer(chartsReady),
            "changes": .texts(changes), "flags": .texts(flags), "pinned": .boolean(isPinned),
        ]
    }
}

extension ViewerPlanContents {
    var json: JSONText { ["plan": plan.json, "items": .list(items.map(\.json))] }
}

extension ViewerItem {
    var json: JSONText {
        [
            "id": .text(id.text), "title": .text(title), "kind": .text(kind), "key": .maybe(key), "arrangement": .maybe(arrangement),
            "notes": .texts(notes), "length": length.map(JSONText.integer) ?? .null, "charts": .list(charts.map(\.json)),
        ]
    }
}

extension ViewerItemChart {
    var json: JSONText {
        [
            "id": .text(id.text), "name": .text(name), "pages": pages.map(JSONText.integer) ?? .null,
            "state": .text(readiness.rawValue), "reason": .maybe(reason), "flags": .texts(flags), "order": .pages(order),
            "thumbnails": .list(thumbnails.map(\.json)),
        ]
    }
}

extension ViewerImage {
    /// Where its bytes are; since the address contains the key, it stays valid for ever.
    var address: String { Self.address(of: name) }

    private static func address(of name: ImageName) -> String { "/pages/\(name)" }

    var json: JSONText {
        [
            "src": .text(address), "width": .integer(width), "height": .integer(height), "here": .boolean(isHere),
            "ink": ink?.all.json ?? .null, "marks": ink?.marks.json ?? .null,
            "older": .maybe(older.map(Self.address)),
        ]
    }
}

extension InkBox {
    var json: JSONText { .list([left, top, right, bottom].map { .integer(Int($0)) }) }
}

extension ViewerChart {
    /// Changes with anything that is shown of the chart, but not with what happens to be rendered; what comes before and
    /// after belongs to the plan.
    public var set: String {
        var still = self
        still.pages = pages.map { page in
            var page = page
            for image in [\ViewerPage.plain, \.annotated, \.thumbnail] { page[keyPath: image] = page[keyPath: image].asNamed }
            return page
        }
        return SHA256.digest(of: JSONText.object(still.described).bytes(forBrowsers: true)).shortHex
    }

    var json: JSONText {
        .object(
            [("set", .text(set))] + described + [("next", next?.json ?? .null), ("previous", previous?.json ?? .null)])
    }

    private var described: [(name: String, value: JSONText)] {
        [
            ("id", .text(id.text)), ("name", .text(name)), ("title", .text(title)), ("key", .maybe(key)), ("hash", .text(hash.description)),
            ("layers", .list(layers.map(\.json))), ("pages", .list(pages.map(\.json))), ("order", .pages(order)),
            ("flags", .texts(flags)),
        ]
    }
}

extension ViewerChart.Neighbour {
    var json: JSONText { ["chart": .text(chart.text), "item": .text(item.text), "title": .text(title)] }
}

extension ViewerLayer {
    var json: JSONText {
        [
            "id": .text(id.text), "name": .text(name), "person": .maybe(person), "visible": .boolean(isVisible),
            "pages": .pages(pages),
        ]
    }
}

extension ViewerPage {
    var json: JSONText {
        [
            "index": .integer(index.value), "width": .number(width), "height": .number(height), "marked": .boolean(isMarked),
            "plain": plain.json, "annotated": annotated.json, "thumbnail": thumbnail.json,
        ]
    }
}

extension ViewerNews {
    /// The event as it is sent.
    var event: [UInt8] {
        let (name, data): (String, JSONText) =
            switch self {
            case .page(let chart, let page, let annotated, let isMarked):
                (
                    "page",
                    [
                        "chart": .text(chart.text), "page": .integer(page.value), "annotated": annotated.json,
                        "marked": .boolean(isMarked),
                    ]
                )
            case .chart(let chart, let set): ("chart", ["chart": .text(chart.text), "set": .text(set)])
            case .plans: ("plans", .object([]))
            case .status(let status): ("status", .object(status.members))
            }
        return Array("event: \(name)\ndata: ".utf8) + data.bytes(forBrowsers: true) + Array("\n\n".utf8)
    }
}
