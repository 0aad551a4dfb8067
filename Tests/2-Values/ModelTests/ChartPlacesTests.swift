import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChartPlacesTests {
    private func layer(_ id: String, _ marks: [Mark]) -> Layer { Layer(id: LayerID(id), attachment: AttachmentID("a"), marks: marks) }

    private func mark(_ kind: Mark.Kind, _ id: String, page: Int = 0, y: Double = 0.5, _ change: (inout Mark) -> Void = { _ in }) -> Mark {
        var mark = Mark(id: id, page: PageIndex(page), kind: kind, points: [.init(x: 0.25, y: y)])
        change(&mark)
        return mark
    }

    private func jump(_ id: String, to landing: String?, page: Int = 0, pass: Int? = nil) -> Mark {
        mark(.jump, id, page: page) { ($0.leads, $0.pass) = (landing, pass) }
    }

    @Test func aJumpLeadsToItsLandingInTheSameLayer() {
        let places = ChartPlaces(
            of: [
                layer("own", [jump("j", to: "l", page: 1, pass: 2), mark(.landing, "l", y: 0.125)]),
                layer("Ann", [jump("k", to: "m"), mark(.landing, "m", page: 1)]), layer("Bob", [jump("i", to: "l")]),
            ], own: [LayerID("own")])
        #expect(places.jumps.map(\.id) == ["k", "j"], "in the order of their pages, without the jump to another layer's landing")
        #expect(places.jumps.map(\.isOwn) == [false, true] && places.jumps.map(\.pass) == [nil, 2])
        #expect(places.jumps[1].from == PagePlace(page: PageIndex(1), x: 0.25, y: 0.5))
        #expect(places.jumps[1].to == PagePlace(page: PageIndex(0), x: 0.25, y: 0.125) && places.jumps[1].box == nil)
    }

    /// Each machine of a musician has its own file. A jump in one file may lead to a landing in another.
    @Test func theFilesOfOnesOwnLayerAreOne() {
        let layers = [layer("tablet", [jump("j", to: "l")]), layer("laptop", [mark(.landing, "l")])]
        #expect(ChartPlaces(of: layers, own: [LayerID("tablet"), LayerID("laptop")]).jumps.count == 1)
        #expect(ChartPlaces(of: layers, own: []).jumps.isEmpty)
    }

    @Test func whatLeadsNowhereIsLeftOut() {
        let all = [
            jump("a", to: nil), jump("b", to: "gone"), jump("c", to: "far"), jump("d", to: "l", page: 9), mark(.landing, "far", page: 9),
            mark(.landing, "l"), jump("e", to: "j"), jump("j", to: "l"), mark(.bookmark, "f", page: 9) { $0.text = "gone" },
            mark(.bookmark, "g") { $0.text = " \n" }, mark(.bookmark, "h"), mark(.bookmark, "i", y: .nan) { $0.text = "nowhere" },
        ]
        let places = ChartPlaces(of: [layer("own", all)], own: [LayerID("own")]).before(nil, pages: 2)
        #expect(places.jumps.map(\.id) == ["j"] && places.bookmarks.isEmpty)
        var gone = layer("gone", all)
        gone.deletedAt = Timestamp(nanoseconds: 1)
        #expect(ChartPlaces(of: [gone], own: []).isEmpty)
    }

    @Test func placesAreOnThePageAndTitlesOnOneLine() {
        let mark = mark(.bookmark, "b", y: 7) { $0.text = "  Verse\n 2\u{202e}\u{7} " }
        let places = ChartPlaces(of: [layer("x", [mark])], own: [])
        #expect(places.bookmarks == [ChartBookmark(id: "b", title: "Verse 2", place: PagePlace(page: PageIndex(0), x: 0.25, y: 1))])
        #expect(ChartPlaces.title(String(repeating: "ä", count: 5000)).count == ChartPlaces.longestTitle)
    }

    @Test func onesOwnComesFirstAndNoMoreThanAreShown() {
        let here = PagePlace(page: PageIndex(0))
        let pdf = ChartPlaces(
            jumps: (0..<300).map { ChartJump(id: "pdf\($0)", from: here, box: [0, 0, 1, 1], to: here) },
            bookmarks: (0..<600).map { ChartBookmark(id: "pdf\($0)", title: "\($0)", place: here) })
        let own = ChartPlaces(
            jumps: [ChartJump(id: "j", from: here, to: here, isOwn: true)], bookmarks: [ChartBookmark(id: "b", title: "b", place: here)])
        let shown = own.before(pdf, pages: 1)
        #expect(shown.jumps.count == ChartPlaces.mostJumps && shown.bookmarks.count == ChartPlaces.mostBookmarks)
        #expect(shown.jumps[0].id == "j" && shown.bookmarks[0].id == "b")
        #expect(own.before(pdf, pages: 0).isEmpty && own.before(nil, pages: 1) == own)
    }

    @Test func whatNoReaderCanHaveFoundIsLeftOut() {
        let (here, far) = (PagePlace(page: PageIndex(0)), PagePlace(page: PageIndex(1)))
        let wild = [
            PagePlace(page: PageIndex(-1)), far, PagePlace(page: PageIndex(0), y: 1.5), PagePlace(page: PageIndex(0), x: -0.1),
            PagePlace(page: PageIndex(0), x: .nan),
        ]
        let places = ChartPlaces(
            jumps: wild.flatMap { [ChartJump(id: "", from: $0, to: here), ChartJump(id: "", from: here, to: $0)] }
                + [ChartJump(id: "box", from: here, box: [0], to: here), ChartJump(id: "good", from: here, to: here)],
            bookmarks: wild.map { ChartBookmark(id: "", title: "x", place: $0) }
                + [ChartBookmark(id: "", title: "\u{0}", place: here), ChartBookmark(id: "", title: "x", level: 99, place: here)]
                + [ChartBookmark(id: "good", title: "x\u{1b}[2J", level: 1, place: here)])
        let possible = places.possible(pages: 1)
        #expect(possible.jumps.map(\.id) == ["good"] && possible.bookmarks.map(\.id) == ["good"])
        #expect(possible.bookmarks[0].title == "x[2J", "no character that controls a terminal")
    }
}
