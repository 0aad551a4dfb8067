import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Marks whose chart was replaced, at the places where their music is now.
@Suite(.onLoop)
struct FollowedMarksTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let ann = LayerID("ann")
    private let path = "/music/a.xopp"
    private var mine: LayerID { LocalFile.layerID(ofFile: path) }
    private let charts = ["1", "2", "3"].map { Samples.pdf($0) }

    private func mark(_ id: String, _ x: Double, page: Int = 0) -> Mark {
        Mark(id: id, page: PageIndex(page), kind: .line, width: 0.002, points: [Mark.Point(x: x, y: 0.2), Mark.Point(x: x + 0.1, y: 0.2)])
    }

    /// A library with a replaced chart. Ann has three marks on its first page, and the user's file has one there and one on the next page.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(charts[0], for: a)
        try tell([mark("x", 0.1), mark("y", 0.2), mark("z", 0.3)], library)
        try save([mark("p", 0.4), mark("q", 0.5, page: 1)], library)
        try library.download(charts[1], for: a)
        return library
    }

    @LoopActor private func tell(_ marks: [Mark], revision: Int = 1, _ library: Library) throws {
        var layer = Layer(id: ann, attachment: a.id, marks: marks)
        layer.revision = revision
        try library.layers.update(layers: [layer], of: PlanID("1"), at: Samples.monday)
    }

    @LoopActor private func save(_ marks: [Mark], _ library: Library) throws {
        var file = Samples.localFile(path, for: a.id, marks: [])
        file.content?.marks = marks
        try library.markFiles.store([file])
    }

    private func pair(_ page: Int, _ former: Int = 0, _ chart: Int = 1) -> PagePair {
        PagePair(former: Samples.hash(charts[former]), chart: Samples.hash(charts[chart]), page: PageIndex(page))
    }

    /// Follows all outdated marks, a page on and a tenth lower, surely except for those called `unsure`.
    @LoopActor @discardableResult
    private func follow(_ library: Library, given found: [PagePair: Bool], unsure: Set<String> = []) throws -> [LibraryChange] {
        let layers = try library.olderMarks.layersToFollow(given: found).map { outdated in
            let work = try library.olderMarks.marksToFollow(outdated)
            let places = work.marks.map { mark in
                var moved = mark.drawn
                moved.page = PageIndex(mark.drawn.page.value + 1)
                moved.points = moved.points.map { Mark.Point(x: $0.x, y: $0.y + 0.1) }
                return (place: MarkPlace(of: mark.made, at: moved) as MarkPlace?, isSure: !unsure.contains(mark.made.id))
            }
            return (marks: outdated, followed: work.followed(places, method: 1))
        }
        return try library.olderMarks.record(found, layers, at: Samples.monday)
    }

    /// Where each mark is drawn, as page and height.
    @LoopActor private func drawn(_ library: Library) throws -> [String: String] {
        let layers = try library.drawings.writtenLayers(of: a.id).read()
        let marks = layers.flatMap(\.marks).map { ($0.id, "\($0.page.value) \(Int(($0.points[0].y * 100).rounded()))") }
        let visible = try library.drawings.visibleLayers(of: a.id).flatMap(\.marks)
        #expect(Set(visible) == Set(layers.flatMap(\.marks)), "whoever reads them, they are in the same places")
        return Dictionary(uniqueKeysWithValues: marks)
    }

    private let where1 = ["x": "0 20", "y": "0 20", "z": "0 20", "p": "0 20", "q": "1 20"]

    @Test @LoopActor func marksThatAreSureAreDrawnWhereTheirMusicIs() throws {
        let library = try library()
        let before = try library.drawings.drawing(of: a.id)
        #expect(try drawn(library) == where1)
        #expect(try library.olderMarks.layersToFollow(given: [pair(0): true]) == [], "not all pages were compared")
        let news = try follow(library, given: [pair(0): true, pair(1): false])
        #expect(news == [])
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try drawn(library) == ["x": "1 30", "y": "1 30", "z": "1 30", "p": "1 30", "q": "1 20"])
        #expect(try library.drawings.drawing(of: a.id) != before, "images show what they are named by")
        #expect(try library.drawings.all()[a.id] == library.drawings.drawing(of: a.id))
        #expect(try library.drawings.layerHeads(of: a.id).map(\.pages) == [[PageIndex(1)], [PageIndex(1)]])
        #expect(try library.olderMarks.layersToFollow() == [], "once")
        let moved = try #require(try library.olderMarks.movedMarks(on: a.id, of: Samples.hash(charts[1])))
        #expect((moved.moved, moved.open, moved.isAccepted) == (4, [], false))
    }

    @Test @LoopActor func allComeBackWhereTheyWereAndMoveAgain() throws {
        let library = try library()
        let (before, chart) = (try library.drawings.drawing(of: a.id), Samples.hash(charts[1]))
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        let after = try library.drawings.drawing(of: a.id)
        try library.accept(chart: a.id)
        #expect(try library.olderMarks.settleMarks(on: a.id, of: chart, .were))
        #expect(try drawn(library) == where1)
        #expect(try library.drawings.drawing(of: a.id) == before, "their images are still there")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: chart).map { [$0.isTakenBack, $0.isAccepted] } == [true, true])
        #expect(try library.olderMarks.settleMarks(on: a.id, of: chart, .moved))
        #expect(try drawn(library)["x"] == "1 30")
        #expect(try library.drawings.drawing(of: a.id) != before && after != before)
        #expect(try !library.olderMarks.settleMarks(on: a.id, of: Samples.hash(charts[0]), .were), "another chart")
    }

    /// Marks that are taken back are as doubtful as before.
    @Test @LoopActor func marksWhereTheyWereAreAskedAbout() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        _ = try library.olderMarks.settleMarks(on: a.id, of: Samples.hash(charts[1]), .were)
        #expect(try library.olderMarks.outdatedMarks().map(\.pages) == [[PageIndex(0)], [PageIndex(0)]])
    }

    @Test @LoopActor func aMarkThatIsNotSureIsNotDrawnUntilItIsPlacedOrLeftOut() throws {
        let library = try library()
        let chart = Samples.hash(charts[1])
        let news = try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y", "z"])
        #expect(news == [.marksOutdated(.init(id: a.id, name: "a.pdf"), pages: [PageIndex(1)])])
        #expect(try drawn(library) == ["x": "1 30", "p": "1 30", "q": "1 20"])
        let outdated = try library.olderMarks.outdatedMarks()
        #expect(outdated.map(\.layer) == [ann] && outdated.map(\.pages) == [[PageIndex(1)]] && outdated.allSatisfy { !$0.areDrawn })
        let open = try #require(try library.olderMarks.movedMarks(on: a.id, of: chart)).open
        #expect(open.map(\.mark) == [mark("y", 0.2), mark("z", 0.3)] && open.allSatisfy { $0.former == Samples.hash(charts[0]) })
        #expect(open[0].proposed?.page == PageIndex(1))

        #expect(try library.olderMarks.place("y", of: ann, on: a.id, of: chart, at: (PageIndex(0), 0.5, 0.6)) == true)
        #expect(try library.olderMarks.place("z", of: ann, on: a.id, of: chart, at: nil) == true)
        #expect(try drawn(library) == ["x": "1 30", "y": "0 60", "p": "1 30", "q": "1 20"])
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try library.olderMarks.place("q", of: ann, on: a.id, of: chart, at: nil) == false)
        #expect(try library.olderMarks.place("x", of: ann, on: a.id, of: Samples.hash(charts[0]), at: nil) == nil)
    }

    @Test @LoopActor func acceptedMarksAreDrawnWhereTheyWereUnlessTheyMoved() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        #expect(try library.accept(chart: a.id) == .marks)
        #expect(try drawn(library) == ["x": "1 30", "y": "0 20", "z": "1 30", "p": "1 30", "q": "1 20"])
        #expect(try library.olderMarks.outdatedMarks() == [])
    }

    /// Nothing tells where the marks of a chart belong on a chart of other music.
    @Test @LoopActor func withoutOneSureMarkAllStayAndAreAskedAbout() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["x", "y", "z", "p"])
        #expect(try drawn(library) == where1)
        #expect(try library.olderMarks.outdatedMarks().map(\.pages) == [[PageIndex(0)], [PageIndex(0)]])
        #expect(try library.olderMarks.layersToFollow() == [], "once")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: Samples.hash(charts[1])) == nil)
    }

    @Test @LoopActor func marksThatCameLaterOrWereChangedAreWhereTheyAre() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        try tell([mark("x", 0.15), mark("z", 0.3), mark("new", 0.6)], revision: 2, library)
        #expect(try drawn(library) == ["x": "0 20", "z": "1 30", "new": "0 20", "p": "1 30", "q": "1 20"])
        #expect(try library.olderMarks.outdatedMarks() == [], "what was not placed is gone")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: Samples.hash(charts[1]))?.moved == 2)
    }

    @Test @LoopActor func marksFollowASecondReplacementFromWhereTheyWereAccepted() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        try library.accept(chart: a.id)
        try library.download(charts[2], for: a)
        #expect(try drawn(library) == where1, "no place on this chart is known yet")
        #expect(try Set(library.olderMarks.pagesToCompare()) == [pair(1, 1, 2)])
        try follow(library, given: [pair(1, 1, 2): true])
        #expect(try drawn(library) == ["x": "2 40", "y": "2 40", "z": "2 40", "p": "2 40", "q": "2 30"])
    }

    /// What was drawn on the chart in between follows from there, and all else from where it was made.
    @Test @LoopActor func withoutAcceptingEachMarkFollowsFromTheChartItWasMadeOn() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        try tell([mark("x", 0.1), mark("new", 0.6)], revision: 2, library)
        try library.download(charts[2], for: a)
        let found = [pair(0, 0, 2): true, pair(1, 0, 2): false]
        let older = try library.olderMarks.layersToFollow(given: found)
        let outdated = try #require(older.first { $0.layer == ann })
        let work = try library.olderMarks.marksToFollow(outdated)
        #expect(work.marks.map(\.made.id) == ["x", "new"])
        #expect(work.marks.map(\.on) == [Samples.hash(charts[0]), Samples.hash(charts[1])])
    }

    @Test @LoopActor func whatChangedMeanwhileIsNotStored() throws {
        let library = try library()
        let found = [pair(0): true, pair(1): false]
        let older = try library.olderMarks.layersToFollow(given: found)
        let outdated = try #require(older.first { $0.layer == ann })
        let work = try library.olderMarks.marksToFollow(outdated)
        let layer = work.followed(work.marks.map { _ in (MarkPlace(on: PageIndex(1)), true) }, method: 1)
        try tell([mark("x", 0.1), mark("new", 0.6)], revision: 2, library)
        try library.olderMarks.record(found, [(outdated, layer)], at: Samples.monday)
        #expect(try drawn(library)["x"] == "0 20")
        #expect(try library.olderMarks.layersToFollow().isEmpty, "the new mark may have been made on the present chart")
        #expect(try library.olderMarks.outdatedMarks().contains { $0.layer == ann })
    }

    @Test @LoopActor func placesGoWithTheirChart() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        let gone = Samples.hash(charts[2])
        try library.followed.store(FollowedLayer(layer: ann, chart: gone, former: Samples.hash(charts[0]), method: 1, found: []))
        _ = try library.pruneWatched(now: Samples.monday + .seconds(86_400))
        #expect(try library.followed.layer(ann, on: gone) == nil)
        #expect(try drawn(library)["x"] == "1 30")
    }
}
