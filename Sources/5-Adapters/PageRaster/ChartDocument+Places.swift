import CPoppler
import CScans
public import Model

extension ChartDocument {
    /// The links within the chart, in the order of their places, and its outline. Links that lead elsewhere are left out: a page of some
    /// programs has a link for every note, to the source of the music.
    public func places() -> ChartPlaces {
        // Only count poppler's messages: a link to a page that does not exist is no fault of the page that it is on.
        PopplerMessages.count {
            var reader = PlaceReader(self)
            return ChartPlaces(jumps: reader.jumps(), bookmarks: reader.bookmarks())
        }.result
    }
}

private struct PlaceReader {
    private let chart: ChartDocument
    private var sheets: [Int: Sheet?] = [:]

    init(_ chart: ChartDocument) { self.chart = chart }

    /// A page with places: its displayed size, and how far it is turned clockwise, if known.
    private struct Sheet {
        let size: PageGeometry
        let turn: Int32
    }

    /// The most pages and links that are examined, since poppler keeps every link in memory.
    private static let mostPages = 1000
    private static let mostLinks = 20_000

    // MARK: - Links

    mutating func jumps() -> [ChartJump] {
        var jumps: [ChartJump] = []
        var met = 0
        for page in 0..<min(chart.pageCount, Self.mostPages) where met < Self.mostLinks && jumps.count < ChartPlaces.mostJumps {
            let found = links(on: page)
            met += found.count
            jumps += found.compactMap(\.self).sorted { ($0.from.y, $0.from.x) < ($1.from.y, $1.from.x) }
        }
        jumps = Array(jumps.prefix(ChartPlaces.mostJumps))
        for index in jumps.indices { jumps[index].id = "link-\(index + 1)" }
        return jumps
    }

    /// The links of a page in any order; `nil` for those that do not lead to a place in the chart.
    private mutating func links(on page: Int) -> [ChartJump?] {
        guard let sheet = sheet(page) else { return [] }
        let list = (try? chart.reading(page) { poppler_page_get_link_mapping($0) }) ?? nil
        defer { poppler_page_free_link_mapping(list) }
        var links: [ChartJump?] = []
        var next = list
        while let item = next {
            next = item.pointee.next
            guard let link = item.pointee.data?.assumingMemoryBound(to: PopplerLinkMapping.self).pointee else { continue }
            links.append(links.count < Self.mostLinks ? jump(link, on: page, sheet) : nil)
        }
        return links
    }

    private mutating func jump(_ link: PopplerLinkMapping, on page: Int, _ sheet: Sheet) -> ChartJump? {
        // Areas are already turned, but their origin is at the bottom left.
        let across = [link.area.x1 / sheet.size.width, link.area.x2 / sheet.size.width]
        let down = [1 - link.area.y1 / sheet.size.height, 1 - link.area.y2 / sheet.size.height]
        guard (across + down).allSatisfy(\.isFinite) else { return nil }
        func within(_ side: Double) -> Double { min(max(side, 0), 1) }
        let box = [min(across[0], across[1]), min(down[0], down[1]), max(across[0], across[1]), max(down[0], down[1])].map(within)
        guard box[0] < box[2], box[1] < box[3], let to = link.action.flatMap({ target(of: $0) }) else { return nil }
        let middle = PagePlace(page: PageIndex(page), x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2)
        return ChartJump(id: "", from: middle, box: box, to: to)
    }

    // MARK: - The outline

    mutating func bookmarks() -> [ChartBookmark] {
        guard let start = poppler_index_iter_new(chart.document) else { return [] }
        defer { poppler_index_iter_free(start) }
        var bookmarks: [ChartBookmark] = []
        var met = 0
        add(start, level: 0, to: &bookmarks, &met)
        return bookmarks
    }

    /// Adds a list of entries with all below them. Damaged outlines may lead in circles, so entries are counted even if they lead nowhere.
    private mutating func add(_ entries: OpaquePointer, level: Int, to bookmarks: inout [ChartBookmark], _ met: inout Int) {
        repeat {
            met += 1
            if let action = poppler_index_iter_get_action(entries) {
                defer { poppler_action_free(action) }
                let title = action.pointee.any.title.map { ChartPlaces.title(String(cString: $0)) } ?? ""
                if !title.isEmpty, let place = target(of: action) {
                    bookmarks.append(ChartBookmark(id: "entry-\(bookmarks.count + 1)", title: title, level: level, place: place))
                }
            }
            if level < ChartPlaces.deepest, let below = poppler_index_iter_get_child(entries) {
                defer { poppler_index_iter_free(below) }
                if met < ChartPlaces.mostEntries { add(below, level: level + 1, to: &bookmarks, &met) }
            }
        } while met < ChartPlaces.mostEntries && poppler_index_iter_next(entries) != 0
    }

    // MARK: - Targets

    /// The place that an action leads to; `nil` unless it is on a page of the chart.
    private mutating func target(of action: UnsafeMutablePointer<PopplerAction>) -> PagePlace? {
        guard action.pointee.type == POPPLER_ACTION_GOTO_DEST, let destination = action.pointee.goto_dest.dest else { return nil }
        guard destination.pointee.type == POPPLER_DEST_NAMED else { return place(destination.pointee) }
        guard let name = destination.pointee.named_dest, let named = poppler_document_find_dest(chart.document, name) else { return nil }
        defer { poppler_dest_free(named) }
        return place(named.pointee)
    }

    private mutating func place(_ destination: PopplerDest) -> PagePlace? {
        let page = Int(destination.page_num) - 1
        guard let sheet = sheet(page) else { return nil }
        // A coordinate that the file does not give has an arbitrary value. Of the others, poppler-glib computes only the left and the
        // top correctly.
        let (left, top): (Double?, Double?) =
            switch destination.type {
            case POPPLER_DEST_XYZ:
                (destination.change_left != 0 ? destination.left : nil, destination.change_top != 0 ? destination.top : nil)
            case POPPLER_DEST_FITH, POPPLER_DEST_FITBH: (nil, destination.change_top != 0 ? destination.top : nil)
            case POPPLER_DEST_FITV, POPPLER_DEST_FITBV: (destination.change_left != 0 ? destination.left : nil, nil)
            case POPPLER_DEST_FITR: (destination.left, destination.top)
            default: (nil, nil)
            }
        // The coordinates are those of the page before it is turned.
        let (width, height) = (sheet.size.width, sheet.size.height)
        let (x, y): (Double?, Double?) =
            switch sheet.turn {
            case 0: (left.map { $0 / width }, top.map { 1 - $0 / height })
            case 90: (top.map { $0 / width }, left.map { $0 / height })
            case 180: (left.map { 1 - $0 / width }, top.map { $0 / height })
            case 270: (top.map { 1 - $0 / width }, left.map { 1 - $0 / height })
            default: (nil, nil)
            }
        // A place off the page, as some programs write it for all of their links, is no better than the page's corner.
        func within(_ side: Double?) -> Double { side.flatMap { (0...1).contains($0) ? $0 : nil } ?? 0 }
        return PagePlace(page: PageIndex(page), x: within(x), y: within(y))
    }

    private mutating func sheet(_ page: Int) -> Sheet? {
        if let known = sheets[page] { return known }
        let size = try? chart.geometry(of: page)
        let turn = try? chart.reading(page) { page in
            // The index of a PopplerPage is compared before anything else is read of the page.
            woodshed_page_turn(UnsafeMutableRawPointer(page), UnsafeMutableRawPointer(chart.document), poppler_page_get_index(page))
        }
        let sheet = size.map { Sheet(size: $0, turn: turn ?? -1) }
        sheets[page] = sheet
        return sheet
    }
}
