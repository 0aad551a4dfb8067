/// A place on a page. Coordinates are fractions of the displayed page's width and height, from the top left.
public struct PagePlace: Hashable, Sendable, Codable {
    public var page: PageIndex
    public var x: Double
    public var y: Double

    public init(page: PageIndex, x: Double = 0, y: Double = 0) { (self.page, self.x, self.y) = (page, x, y) }
}

/// A way from one place of a chart to another: a link of the PDF, or a musician's `jump` with its `landing`.
public struct ChartJump: Hashable, Sendable, Codable {
    public var id: String
    public var from: PagePlace
    /// The area of a link: left, top, right and bottom; `nil` for a musician's jump.
    public var box: [Double]?
    public var to: PagePlace
    /// The only time through at which the jump is taken, from 1 to 9; `nil` if it is always taken.
    public var pass: Int?
    /// Whether the jump is in the musician's own layer.
    public var isOwn: Bool

    public init(id: String, from: PagePlace, box: [Double]? = nil, to: PagePlace, pass: Int? = nil, isOwn: Bool = false) {
        (self.id, self.from, self.box, self.to, self.pass, self.isOwn) = (id, from, box, to, pass, isOwn)
    }
}

/// A place with a title: an entry of the PDF's outline, or a musician's bookmark.
public struct ChartBookmark: Hashable, Sendable, Codable {
    public var id: String
    public var title: String
    /// The depth in the outline; 0 is the outermost level.
    public var level: Int
    public var place: PagePlace
    /// Whether the bookmark is in the musician's own layer.
    public var isOwn: Bool

    public init(id: String, title: String, level: Int = 0, place: PagePlace, isOwn: Bool = false) {
        (self.id, self.title, self.level, self.place, self.isOwn) = (id, title, level, place, isOwn)
    }
}

/// The jumps and bookmarks of a chart.
public struct ChartPlaces: Hashable, Sendable, Codable {
    public var jumps: [ChartJump]
    public var bookmarks: [ChartBookmark]

    public init(jumps: [ChartJump] = [], bookmarks: [ChartBookmark] = []) { (self.jumps, self.bookmarks) = (jumps, bookmarks) }

    /// The most jumps and bookmarks that are shown of one chart.
    public static let mostJumps = 200
    public static let mostBookmarks = 500
    /// The most entries that are read of a PDF's outline: enough for all songs of a book, by which the book is found.
    public static let mostEntries = 2000
    /// The depth below which entries of an outline are left out, and the most characters that are kept of a title.
    public static let deepest = 8
    public static let longestTitle = 200

    public var isEmpty: Bool { jumps.isEmpty && bookmarks.isEmpty }

    /// The jumps and bookmarks that are possible in a chart with this many pages. A process that a PDF has hijacked might report anything.
    public func possible(pages: Int) -> ChartPlaces {
        func isPossible(_ place: PagePlace) -> Bool {
            (0..<pages).contains(place.page.value) && (0...1).contains(place.x) && (0...1).contains(place.y)
        }
        var bookmarks = bookmarks.filter { isPossible($0.place) && (0...Self.deepest).contains($0.level) }
        for index in bookmarks.indices { bookmarks[index].title = Self.title(bookmarks[index].title) }
        bookmarks = bookmarks.filter { !$0.title.isEmpty }
        let jumps = jumps.filter { jump in
            isPossible(jump.from) && isPossible(jump.to)
                && (jump.box.map { $0.count == 4 && $0.allSatisfy((0...1).contains) } ?? true)
        }
        return ChartPlaces(jumps: Array(jumps.prefix(Self.mostJumps)), bookmarks: Array(bookmarks.prefix(Self.mostEntries)))
    }

    /// A title as it is shown; empty if nothing is left of it.
    public static func title(_ text: String) -> String { text.asShownLine(atMost: longestTitle) }
}

extension ChartPlaces {
    /// The jumps and bookmarks in `layers`, in the order of their pages. Layers in `own` count as one layer. A jump without its landing
    /// is left out.
    public init(of layers: [Layer], own: Set<LayerID>) {
        self.init()
        var landings: [LayerID?: [String: PagePlace]] = [:]
        func each(_ kind: Mark.Kind, _ body: (Mark, PagePlace, LayerID?) -> Void) {
            for layer in layers where layer.deletedAt == nil {
                for mark in layer.marks where mark.kind == kind {
                    guard let point = mark.points.first, point.x.isFinite, point.y.isFinite else { continue }
                    let place = PagePlace(page: mark.page, x: min(max(point.x, 0), 1), y: min(max(point.y, 0), 1))
                    body(mark, place, own.contains(layer.id) ? nil : layer.id)
                }
            }
        }
        each(.landing) { landings[$2, default: [:]][$0.id] = $1 }
        each(.jump) { mark, place, layer in
            guard let to = mark.leads.flatMap({ landings[layer]?[$0] }) else { return }
            jumps.append(ChartJump(id: mark.id, from: place, to: to, pass: mark.pass, isOwn: layer == nil))
        }
        each(.bookmark) { mark, place, layer in
            let title = Self.title(mark.text ?? "")
            if !title.isEmpty { bookmarks.append(ChartBookmark(id: mark.id, title: title, place: place, isOwn: layer == nil)) }
        }
        jumps.sort { ($0.from.page, $0.from.y, $0.from.x, $0.id) < ($1.from.page, $1.from.y, $1.from.x, $1.id) }
        bookmarks.sort { ($0.place.page, $0.place.y, $0.id) < ($1.place.page, $1.place.y, $1.id) }
    }

    /// These jumps and bookmarks, then those of the PDF, as many as are shown. Places beyond the chart's `pages` are left out.
    public func before(_ pdf: ChartPlaces?, pages: Int) -> ChartPlaces {
        let (own, pdf) = (possible(pages: pages), pdf?.possible(pages: pages) ?? ChartPlaces())
        return ChartPlaces(
            jumps: Array((own.jumps + pdf.jumps).prefix(Self.mostJumps)),
            bookmarks: Array((own.bookmarks + pdf.bookmarks).prefix(Self.mostBookmarks)))
    }
}

extension Mark {
    /// The possible values of `pass`.
    public static let passes = 1...9
    /// Half the length of the arrow that is drawn for a jump or a landing, and how far its ink reaches, as fractions of the page's width.
    public static let arrow = 0.014
    public static let arrowReach = 0.05

    /// Whether the mark is drawn as an arrow of a fixed size at its first point.
    public var isArrow: Bool { kind == .jump || kind == .landing }
}
