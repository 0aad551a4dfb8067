import JSON
public import Model

/// A song within a book: a PDF of many songs, which is found by each of them.
public struct ViewerBookSong: Hashable, Sendable {
    public var chart: AttachmentID
    /// The name of the book.
    public var name: String
    public var title: String
    public var page: PageIndex

    public init(chart: AttachmentID, name: String, title: String, page: PageIndex) {
        (self.chart, self.name, self.title, self.page) = (chart, name, title, page)
    }

    /// An outline with fewer entries is that of one piece.
    public static let fewestInOutline = 5
    /// The most songs that browsers are sent: more than all books have that a musician owns.
    public static let most = 20_000

    var json: JSONText {
        ["chart": .text(chart.text), "name": .text(name), "title": .text(title), "page": .integer(page.value)]
    }
}

extension ChartPlaces {
    /// The lists that are not empty, for a chart's JSON.
    var members: [(name: String, value: JSONText)] {
        [("jumps", jumps.map(\.json)), ("bookmarks", bookmarks.map(\.json))].filter { !$0.1.isEmpty }.map { ($0, .list($1)) }
    }
}

extension ChartJump {
    fileprivate var json: JSONText {
        .object(
            [("id", .text(id)), ("page", .integer(from.page.value)), ("x", .number(from.x)), ("y", .number(from.y))]
                + (box.map { [("box", .list($0.map(JSONText.number)))] } ?? [])
                + [("to", ["page": .integer(to.page.value), "x": .number(to.x), "y": .number(to.y)])]
                + (pass.map { [("pass", .integer($0))] } ?? []) + (isOwn ? [("own", .boolean(true))] : []))
    }
}

extension ChartBookmark {
    fileprivate var json: JSONText {
        .object(
            [
                ("id", .text(id)), ("title", .text(title)), ("level", .integer(level)), ("page", .integer(place.page.value)),
                ("y", .number(place.y)),
            ] + (isOwn ? [("own", .boolean(true))] : []))
    }
}
