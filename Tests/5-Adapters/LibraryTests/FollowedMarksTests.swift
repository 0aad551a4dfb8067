import Catalogue
import JSON
import LayerJoin
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
    private var own: LayerID { LayerID("own:" + a.id.text) }
    private let charts = ["1", "2", "3"].map { Samples.pdf($0) }

    private func hash(_ chart: Int) -> ChartHash { Samples.hash(charts[chart]) }

    private func mark(_ id: String, _ x: Double, page: Int = 0, on chart: Int? = nil) -> Mark {
        let points = [Mark.Point(x: x, y: 0.2), Mark.Point(x: x + 0.1, y: 0.2)]
        var mark = Mark(id: id, page: PageIndex(page), kind: .line, width: 0.002, points: points)
        mark.on = chart.map { hash($0).beginning }
        return mark
    }

    /// A library with a replaced chart. The user's file has four marks on its first page and one on the next page, and Ann has one.
    @LoopActor private func library() throws -> Library {
        let library = try empty()
        try tell([mark("s", 0.7)], library)
        try save(five, library)
        try library.download(charts[1], for: a)
        return library
    }

    private var five: [Mark] { [mark("x", 0.1), mark("y", 0.2), mark("z", 0.3), mark("p", 0.4), mark("q", 0.5, page: 1)] }

    @LoopActor private func empty() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(charts[0], for: a)
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

    /// Edits marks of the own layer in the part of one home, each by a device that knows no other edit. The part draws those it has alone.
    @LoopActor private func draw(
        _ marks: [Mark], in part: String = "home", by device: String = "d", begunOn chart: Int? = nil, _ library: Library
    ) throws {
        let path = "/music/\(part).marks.json"
        let known = try library.parts.part(at: path)?.part ?? LayerPart()
        var layer = known.layer
        for mark in marks {
            let edits = try #require(EditCounts([DeviceID(device): 1]))
            layer.insert(LayerValue(MarkID(mark.id), edits, LayerValue.Text(try JSONWriter.encode(mark))))
        }
        var file = Samples.localFile(path, for: a.id, marks: [])
        file.markedOn = chart.map { hash($0) }
        file.content?.marks = try layer.marks.map { try JSONReader.decode(Mark.self, from: $0.mark?.bytes ?? []) }
        var written = try WrittenFile(file)
        written.part = LayerPart(revision: known.revision + 1, layer: layer)
        try library.markFiles.store(written: [written])
    }

    private func pair(_ page: Int, _ former: Int = 0, _ chart: Int = 1) -> PagePair {
        PagePair(former: hash(former), chart: hash(chart), page: PageIndex(page))
    }

    /// Follows all marks that are to be followed, a page on and a tenth lower, surely except for those called `unsure`.
    @LoopActor @discardableResult
    private func follow(
        _ library: Library, given found: [PagePair: Bool], unsure: Set<String> = [], by method: Int = 1
    ) throws -> [LibraryChange] {
        let layers = try library.olderMarks.marksToFollow(given: found, method: method).map { work in
            let places = work.marks.map { mark in
                var moved = mark.drawn
                moved.page = PageIndex(mark.drawn.page.value + 1)
                moved.points = moved.points.map { Mark.Point(x: $0.x, y: $0.y + 0.1 * Double(method)) }
                return (place: MarkPlace(of: mark.made, at: moved) as MarkPlace?, isSure: !unsure.contains(mark.made.id))
            }
            return (marks: work, places: work.found(places))
        }
        return try library.olderMarks.record(found, layers, by: method, at: Samples.monday)
    }

    /// The marks that would be followed now, each with the number of the chart that it was made on.
    @LoopActor private func due(_ library: Library, given found: [PagePair: Bool] = [:], by method: Int = 1) throws -> [String] {
        try library.olderMarks.marksToFollow(given: found, method: method).flatMap { work in
            work.marks.map { "\($0.made.id) \([0, 1, 2].first { hash($0) == work.former } ?? -1)" }
        }.sorted()
    }

    /// Where each mark is drawn, as page and height.
    @LoopActor private func drawn(_ library: Library) throws -> [String: String] {
        let layers = try library.drawings.writtenLayers(of: a.id).read()
        let marks = layers.flatMap(\.marks).map { ($0.id, "\($0.page.value) \(Int(($0.points[0].y * 100).rounded()))") }
        let visible = try library.drawings.visibleLayers(of: a.id).flatMap(\.marks)
        #expect(Set(visible) == Set(layers.flatMap(\.marks)), "whoever reads them, they are in the same places")
        return Dictionary(uniqueKeysWithValues: marks)
    }

    private let where1 = ["s": "0 20", "x": "0 20", "y": "0 20", "z": "0 20", "p": "0 20", "q": "1 20"]
    private let moved = ["s": "0 20", "x": "1 30", "y": "1 30", "z": "1 30", "p": "1 30", "q": "1 20"]

    private func changed(_ places: [String: String], _ changes: [String: String?]) -> [String: String] {
        changes.reduce(into: places) { $0[$1.key] = $1.value }
    }

    /// The pages with outdated marks, of all layers but Ann's.
    @LoopActor private func asked(_ library: Library) throws -> [OutdatedMarks] {
        try library.olderMarks.outdatedMarks().filter { $0.layer != ann }
    }

    @Test @LoopActor func marksThatAreSureAreDrawnWhereTheirMusicIs() throws {
        let library = try library()
        let before = try library.drawings.drawing(of: a.id)
        #expect(try drawn(library) == where1)
        #expect(try due(library) == [], "no page was compared")
        try follow(library, given: [pair(0): true, pair(1): false])
        #expect(try asked(library) == [])
        #expect(try drawn(library) == moved)
        #expect(try library.drawings.drawing(of: a.id) != before, "images show what they are named by")
        #expect(try library.drawings.all()[a.id] == library.drawings.drawing(of: a.id))
        #expect(try library.drawings.layerHeads(of: a.id).map(\.pages) == [[PageIndex(0)], [PageIndex(1)]])
        #expect(try due(library) == [], "once")
        let told = try #require(try library.olderMarks.movedMarks(on: a.id, of: hash(1)))
        #expect((told.moved, told.open, told.isAccepted) == (4, [], false))
    }

    /// A colleague may have drawn on the new version before it arrived here.
    @Test @LoopActor func marksOfOthersStayAndAreAskedAbout() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        #expect(try library.olderMarks.outdatedMarks().map(\.layer) == [ann])
    }

    @Test @LoopActor func allComeBackWhereTheyWereAndMoveAgain() throws {
        let library = try library()
        let before = try library.drawings.drawing(of: a.id)
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        let after = try library.drawings.drawing(of: a.id)
        try library.accept(chart: a.id)
        #expect(try library.olderMarks.settleMarks(on: a.id, of: hash(1), .were))
        #expect(try drawn(library) == where1)
        #expect(try library.drawings.drawing(of: a.id) == before, "their images are still there")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: hash(1)).map { [$0.isTakenBack, $0.isAccepted] } == [true, true])
        #expect(try library.olderMarks.settleMarks(on: a.id, of: hash(1), .moved))
        #expect(try drawn(library)["x"] == "1 30")
        #expect(try library.drawings.drawing(of: a.id) != before && after != before)
        #expect(try !library.olderMarks.settleMarks(on: a.id, of: hash(0), .were), "another chart")
    }

    /// Marks that are taken back are as doubtful as before.
    @Test @LoopActor func marksWhereTheyWereAreAskedAbout() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        _ = try library.olderMarks.settleMarks(on: a.id, of: hash(1), .were)
        #expect(try asked(library).map(\.pages) == [[PageIndex(0)]])
    }

    @Test @LoopActor func aMarkThatIsNotSureIsNotDrawnUntilItIsPlacedOrLeftOut() throws {
        let library = try library()
        let news = try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y", "z"])
        #expect(news == [.marksOutdated(.init(id: a.id, name: "a.pdf"), pages: [PageIndex(0), PageIndex(1)])])
        #expect(try drawn(library) == changed(moved, ["y": nil, "z": nil]))
        let outdated = try asked(library)
        #expect(outdated.map(\.layer) == [mine] && outdated.map(\.pages) == [[PageIndex(1)]] && outdated.allSatisfy { !$0.areDrawn })
        let open = try #require(try library.olderMarks.movedMarks(on: a.id, of: hash(1))).open
        #expect(open.map(\.mark) == [mark("y", 0.2), mark("z", 0.3)] && open.allSatisfy { $0.former == hash(0) })
        #expect(open[0].proposed?.page == PageIndex(1))

        #expect(try library.olderMarks.place("y", of: mine, on: a.id, of: hash(1), at: (PageIndex(0), 0.5, 0.6)) == true)
        #expect(try library.olderMarks.place("z", of: mine, on: a.id, of: hash(1), at: nil) == true)
        #expect(try drawn(library) == changed(moved, ["y": "0 60", "z": nil]))
        #expect(try asked(library) == [])
        #expect(try library.olderMarks.place("none", of: mine, on: a.id, of: hash(1), at: nil) == false)
        #expect(try library.olderMarks.place("x", of: mine, on: a.id, of: hash(0), at: nil) == nil)
    }

    @Test @LoopActor func acceptedMarksAreDrawnWhereTheyWereUnlessTheyMoved() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        #expect(try library.accept(chart: a.id) == .marks)
        #expect(try drawn(library) == changed(moved, ["y": "0 20"]))
        #expect(try library.olderMarks.outdatedMarks() == [])
    }

    /// Nothing tells where the marks of a chart belong on a chart of other music.
    @Test @LoopActor func withoutOneSureMarkAllStayAndAreAskedAbout() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["x", "y", "z", "p"])
        #expect(try drawn(library) == where1)
        #expect(try asked(library).map(\.pages) == [[PageIndex(0)]])
        #expect(try due(library) == [], "once")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: hash(1)) == nil)
    }

    @Test @LoopActor func marksThatCameLaterOrWereChangedAreWhereTheyAre() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false], unsure: ["y"])
        try save([mark("x", 0.15), mark("z", 0.3), mark("new", 0.6)], library)
        #expect(try drawn(library) == ["s": "0 20", "x": "0 20", "z": "1 30", "new": "0 20"])
        #expect(try asked(library) == [], "what was not placed is gone")
        #expect(try library.olderMarks.movedMarks(on: a.id, of: hash(1))?.moved == 1)
    }

    /// What was drawn before the chart was replaced is known. Whatever comes before the pages are compared may be of either version.
    @Test @LoopActor func whatComesBeforeTheComparisonStays() throws {
        let library = try library()
        try save(five + [mark("new", 0.6)], library)
        try draw([mark("of0", 0.8, on: 0), mark("of1", 0.85, on: 1)], library)
        #expect(try due(library, given: [pair(0): true, pair(1): false]) == ["of0 0", "p 0", "x 0", "y 0", "z 0"])
        try follow(library, given: [pair(0): true, pair(1): false])
        #expect(try drawn(library) == changed(moved, ["new": "0 20", "of0": "1 30", "of1": "0 20"]))
        #expect(try asked(library) == [])
    }

    @Test @LoopActor func marksFollowEachReplacementFromTheChartTheyWereMadeOn() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        try library.accept(chart: a.id)
        try save(five + [mark("new", 0.6)], library)
        try library.download(charts[2], for: a)
        #expect(try drawn(library) == changed(where1, ["new": "0 20"]), "no place on this chart is known yet")
        let found = [pair(0, 0, 2): true, pair(1, 0, 2): false, pair(0, 1, 2): true]
        #expect(try due(library, given: found) == ["new 1", "p 0", "x 0", "y 0", "z 0"])
        try follow(library, given: found)
        #expect(try drawn(library) == changed(moved, ["new": "1 30"]))
    }

    /// A home of a program that noted nothing when the chart was replaced.
    @Test @LoopActor func withoutKnowledgeNothingMovesSilently() throws {
        let library = try library()
        try draw([mark("own", 0.8)], library)
        try library.database.run("DELETE FROM followed_layers")
        try library.database.run("UPDATE local_files SET marked_on = ?", [.hash(hash(0))])
        let found = [pair(0): true, pair(1): false]
        #expect(try due(library, given: found) == [])
        try follow(library, given: found)
        let where2 = changed(where1, ["own": "0 20"])
        #expect(try drawn(library) == where2)
        #expect(try asked(library).map(\.pages) == [[PageIndex(0)], [PageIndex(0)]])
        // Nobody knows that of the next chart, either.
        try library.download(charts[2], for: a)
        #expect(try due(library, given: [pair(0, 0, 2): true, pair(1, 0, 2): true]) == [])
        #expect(try drawn(library) == where2)
        try library.accept(chart: a.id)
        #expect(try library.olderMarks.outdatedMarks() == [])
    }

    @Test @LoopActor func placesGoWithTheirChart() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        try library.followed.store(FollowedLayer(layer: ann, chart: hash(2), former: hash(0)))
        _ = try library.pruneWatched(now: Samples.monday + .seconds(86_400))
        #expect(try library.followed.layer(ann, on: hash(2)) == nil)
        #expect(try drawn(library)["x"] == "1 30")
    }

    // MARK: - Marks of the own layer, which say where they were made

    /// As after a home's id changed, or of two laptops.
    @Test @LoopActor func marksInSeveralPartsFollowAndAreListed() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0), mark("y", 0.2, on: 0)], in: "one", library)
        try draw([mark("z", 0.3, on: 0), mark("p", 0.4, on: 0)], in: "two", library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true], unsure: ["y", "p"])
        #expect(try drawn(library) == ["x": "1 30", "z": "1 30"])
        let told = try #require(try library.olderMarks.movedMarks(on: a.id, of: hash(1)))
        #expect(told.moved == 2 && Set(told.open.map(\.mark.id)) == ["y", "p"])
        #expect(try asked(library).map(\.areDrawn) == [false])
        try library.accept(chart: a.id)
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(try library.olderMarks.movedMarks(on: a.id, of: hash(1)).map { $0.isAccepted && $0.open.isEmpty } == true)
    }

    /// A tablet may have been away with any of the versions.
    @Test @LoopActor func whenVersionsAlternateEachMarkIsDecidedByItsOwn() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0)], library)
        let found = [pair(0): true, pair(1): true, pair(0, 1, 0): true, pair(1, 1, 0): true]
        for chart in [1, 0, 1] {
            try library.download(charts[chart], for: a)
            try follow(library, given: found)
            #expect(try drawn(library)["x"] == (chart == 1 ? "1 30" : "0 20"))
        }
        try draw([mark("late", 0.3, on: 0), mark("now", 0.3, on: 1), mark("far", 0.4, on: 2)], library)
        #expect(try due(library) == ["late 0"])
        try follow(library, given: [:])
        #expect(try drawn(library) == ["x": "1 30", "late": "1 30", "now": "0 20", "far": "0 20"])
        try library.download(charts[0], for: a)
        try follow(library, given: [:])
        #expect(try drawn(library) == ["x": "0 20", "late": "0 20", "now": "1 30", "far": "0 20"])
    }

    /// A tablet may have drawn on a version that this machine never had.
    @Test @LoopActor func marksOfAVersionThatWasNeverHereAreAskedAbout() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0)], library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true])
        try draw([mark("far", 0.4, page: 1, on: 2)], library)
        #expect(try due(library) == [])
        #expect(try asked(library).map(\.pages) == [[PageIndex(1)]] && asked(library).allSatisfy { $0.former == nil })
        #expect(try drawn(library) == ["x": "1 30", "far": "1 20"])
        try library.accept(chart: a.id)
        #expect(try asked(library) == [])
    }

    /// Every machine draws words and chords in bytes of its own, with each word in the same place.
    @Test @LoopActor func marksOnASongThatAnotherMachineDrewAreNotAskedAbout() throws {
        let library = try empty()
        try library.songs.note(placing: SHA256.digest(of: "layout"), key: nil, facts: nil, of: hash(0), remarks: [])
        try draw([mark("far", 0.4, on: 2)], begunOn: 2, library)
        #expect(try asked(library) == [])
    }

    /// Files of the own layer always name the chart on which they were begun, also those of programs whose marks do not.
    @Test @LoopActor func ownMarksThatNameNoChartFollowFromTheChartOfTheirFile() throws {
        let library = try empty()
        try draw([mark("x", 0.1)], begunOn: 0, library)
        try library.download(charts[1], for: a)
        #expect(try due(library, given: [pair(0): true]) == ["x 0"])
        try follow(library, given: [pair(0): true])
        #expect(try drawn(library) == ["x": "1 30"])
    }

    @Test @LoopActor func onlyChartsThatWereReplacedAreLookedAt() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0)], begunOn: 0, library)
        #expect(try library.olderMarks.chartsWithOwnLayers().isEmpty)
        try draw([mark("y", 0.2, on: 0)], begunOn: 2, library)
        #expect(try library.olderMarks.chartsWithOwnLayers().map(\.chart) == [hash(0)])
        try draw([mark("z", 0.3, on: 0)], begunOn: 0, library)
        try library.download(charts[1], for: a)
        #expect(try library.olderMarks.chartsWithOwnLayers(of: a.id).map(\.chart) == [hash(1)])
        #expect(try library.olderMarks.chartsWithOwnLayers(of: AttachmentID("b")).isEmpty)
        _ = try library.olderMarks.olderMarks()
        #expect(library.olderMarks.made[own]?.marks.count == 3)
        try library.download(charts[0], for: a)
        _ = try library.olderMarks.olderMarks()
        #expect(library.olderMarks.made[own]?.marks.isEmpty == true, "no mark of the present chart is computed with")
    }

    /// Then all marks are drawn where they were made.
    @Test @LoopActor func movedMarksAreAskedAboutOnceTheirAttachmentHasSeveralCharts() throws {
        let library = try library()
        try follow(library, given: [pair(0): true, pair(1): false])
        var other = a
        other.generatedFrom = "another key"
        try library.plans.update([Samples.contents("1", attachments: [a, other])], at: Samples.monday)
        try library.download(charts[2], for: other)
        try #require(try library.charts.all(of: a.id).count == 2)
        #expect(try drawn(library) == where1)
        #expect(try asked(library).filter { $0.chart == hash(1) }.map(\.pages) == [[PageIndex(0)]])
    }

    @Test @LoopActor func whatAPersonFoundRightFollowsFromThere() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0)], library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true], unsure: ["x"])
        try library.accept(chart: a.id)
        try library.download(charts[2], for: a)
        #expect(try due(library, given: [pair(0, 1, 2): true, pair(0, 0, 2): true]) == ["x 1"])
        try follow(library, given: [pair(0, 1, 2): true])
        #expect(try drawn(library) == ["x": "1 30"])
    }

    @Test @LoopActor func whatIsLeftOutStaysSoWhenVersionsAlternate() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0), mark("y", 0.2, on: 0)], library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true], unsure: ["y"])
        #expect(try library.olderMarks.place("y", of: own, on: a.id, of: hash(1), at: nil) == true)
        for chart in [0, 2] { try library.download(charts[chart], for: a) }
        #expect(try due(library, given: [pair(0, 0, 2): true]) == ["x 0"])
        #expect(try drawn(library) == ["x": "0 20"])
    }

    /// A song in another key has each word in the same place.
    @Test @LoopActor func placesAreTheSameInAnotherKey() throws {
        let library = try library()
        try draw([mark("own", 0.8, on: 0)], library)
        try follow(library, given: [pair(0): true, pair(1): false])
        let before = try drawn(library)
        for chart in [1, 2] {
            try library.songs.note(placing: SHA256.digest(of: "layout"), key: nil, facts: nil, of: hash(chart), remarks: [])
        }
        try library.download(charts[2], for: a)
        #expect(try drawn(library) == before)
    }

    /// The edit that a place becomes is made before the place is stored.
    @Test @LoopActor func theWantedPlaceOfAnOwnMarkIsKnownBeforeItIsStored() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0), mark("y", 0.2, on: 0)], library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true], unsure: ["y"])
        let place = (page: PageIndex(0), x: 0.5, y: 0.6)
        let wanted = try #require(try library.olderMarks.wantedPlace("y", of: own, on: a.id, of: hash(1), at: place))
        #expect(try drawn(library) == ["x": "1 30"])
        #expect(try library.olderMarks.place("y", of: own, on: a.id, of: hash(1), at: place) == true)
        #expect(try library.followed.layer(own, on: hash(1))?[wanted.sum] == wanted)
        #expect(try library.olderMarks.wantedPlace("y", of: mine, on: a.id, of: hash(1), at: place) == nil)
    }

    @Test @LoopActor func marksOfAVersionThatIsGoneAreAskedAbout() throws {
        let library = try empty()
        try library.charts.setDescription(
            StoredDescription(pages: [PageGeometry(width: 600, height: 800)]), of: hash(0), by: RendererTag("one"))
        try draw([mark("x", 0.1, on: 0)], library)
        try library.download(charts[1], for: a)
        _ = try library.charts.setAside(hash(0), title: "a")
        #expect(try due(library, given: [pair(0): true]) == [])
        #expect(try asked(library).map(\.pages) == [[PageIndex(0)]])
        try library.accept(chart: a.id)
        #expect(try asked(library) == [])
    }

    @Test @LoopActor func bothStatesOfAMarkFollow() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0)], in: "one", by: "d", library)
        try draw([mark("x", 0.5, on: 0)], in: "two", by: "e", library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true])
        let places = try #require(try library.followed.ownPlaces(on: a.id))
        for x in [0.1, 0.5] { #expect(places.drawn(mark("x", x, on: 0)).mark?.page == PageIndex(1)) }
        #expect(try library.olderMarks.movedMarks(on: a.id, of: hash(1))?.moved == 1)
    }

    @Test @LoopActor func anotherMethodFindsThePlacesAgainUnlessAPersonDecided() throws {
        let library = try empty()
        try draw(["x", "y", "z"].enumerated().map { mark($1, 0.1 * Double($0 + 1), on: 0) }, library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true], unsure: ["y", "z"])
        #expect(try library.olderMarks.place("y", of: own, on: a.id, of: hash(1), at: (PageIndex(0), 0.5, 0.6)) == true)
        #expect(try due(library) == [])
        #expect(try due(library, by: 2) == ["x 0", "z 0"])
        try follow(library, given: [:], by: 2)
        #expect(try drawn(library) == ["x": "1 40", "y": "0 60", "z": "1 40"])
        #expect(try due(library, by: 2) == [])
        try library.accept(chart: a.id)
        #expect(try due(library, by: 3) == [])
    }

    /// A program of before noted only the fate.
    @Test @LoopActor func whatWasLeftOutWithoutAWordIsNotLookedForAgain() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0), mark("y", 0.2, on: 0)], library)
        try library.download(charts[1], for: a)
        try follow(library, given: [pair(0): true])
        var known = try #require(try library.followed.layer(own, on: hash(1)))
        known[mark("y", 0.2, on: 0).placeKey] = FollowedMark(mark("y", 0.2, on: 0).placeKey, .left, former: hash(0))
        try library.followed.store(known)
        #expect(try due(library, by: 2) == ["x 0"])
    }

    /// What is left out on one version is left out on the next one.
    @Test @LoopActor func whatIsLeftOutStaysLeftOut() throws {
        let library = try empty()
        try draw([mark("x", 0.1, on: 0), mark("y", 0.2, on: 0)], library)
        try save([mark("p", 0.4), mark("q", 0.5)], library)
        for chart in [1, 2] {
            try library.download(charts[chart], for: a)
            try follow(library, given: [pair(0, 0, chart): true], unsure: chart == 1 ? ["y", "q"] : [])
            if chart == 1 {
                for (id, layer) in [("y", own), ("q", mine)] {
                    #expect(try library.olderMarks.place(id, of: layer, on: a.id, of: hash(1), at: nil) == true)
                }
            }
            #expect(try drawn(library) == ["x": "1 30", "p": "1 30"])
        }
    }
}
