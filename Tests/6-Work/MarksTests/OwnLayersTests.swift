import Annotations
import Catalogue
import Glibc
import JSON
import LayerJoin
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// Where the musician's own layers are kept, and how each chart finds its layers again.
@Suite(.onLoop)
struct OwnLayersTests {
    private let folder = TemporaryFolder()
    private var root: String { folder.path("marks") }
    private let hash = ChartHash(SHA256.digest(of: "chart"))

    @LoopActor
    private func layers(configured: Bool = true, ignoring: [String] = ["*~", ".*"], home: String = "home") -> OwnLayers {
        OwnLayers(
            configured ? [root] : [], ours: root, roots: MarkRoots([root], ignoring: ignoring), home: self.home(home),
            side: SideThread(inline: true))
    }

    private func home(_ name: String = "home") -> HomeID {
        try? Folder.create(folder.path(name))
        return HomeID(in: folder.path(name))
    }

    private func chart(_ id: String = "a1", title: String = "Grace", known: [String] = []) -> OwnLayers.Chart {
        let parts = known.sorted().compactMap { path in
            (try? LayerFile.read(path)).map { KnownPart(path: path, version: 1, $0?.document.part ?? LayerPart()) }
        }
        return OwnLayers.Chart(AttachmentID(id), hash, title: title, pages: 2, parts: parts)
    }

    private func request(_ id: String, by device: String = "d", _ number: Int = 1, page: Int = 0) -> [UInt8] {
        let points = "[[\(id == "m" ? 0.5 : 0.25),0.5]]"
        return Array(#"{"marks":[{"id":"\#(id)","page":\#(page),"kind":"pen","points":\#(points),"v":{"\#(device)":\#(number)}}]}"#.utf8)
    }

    private func ids(_ kept: OwnLayers.Addition) throws -> Set<String> { try ids(kept.answer) }

    private func ids(_ answer: [UInt8]) throws -> Set<String> {
        struct Answer: Decodable {
            struct Mark: Decodable { var id: String }
            var marks: [Mark]
        }
        return Set(try JSONReader.decode(Answer.self, from: answer).marks.map(\.id))
    }

    @LoopActor
    private func fault(_ body: @LoopActor () async throws -> some Sendable) async -> Trouble? {
        await #expect(throws: Trouble.self) { _ = try await body() }
    }

    /// The chart with these fates of marks, each moved to the next page if it is not where it was made.
    private func replaced(_ marks: [Mark], _ fates: [String: FollowedMark.Fate], known: [String] = []) -> OwnLayers.Chart {
        let places = marks.map { FollowedMark($0.placeKey, fates[$0.id] ?? .kept, at: MarkPlace(on: PageIndex(1))) }
        let followed = FollowedPlaces(version: "1", marks: Dictionary(places.map { ($0.sum, $0) }) { first, _ in first })
        return OwnLayers.Chart(AttachmentID("a1"), hash, title: "Grace", pages: 2, parts: chart(known: known).parts, followed: followed)
    }

    /// Where a mark is now is no edit of it, and the file stays as it is.
    @Test func marksAreSentWhereTheyAreDrawnAndKeptWhereTheyWereMade() async throws {
        let layers = await layers(configured: false)
        let kept = try await layers.add(request("m"), to: chart())
        _ = try await layers.add(request("n"), to: chart())
        let path = try #require(kept.reading?.path)
        let made = try await layers.marks(of: chart())
        let before = try AtomicFile.read(path, limit: 1 << 20)
        let moved = replaced(made, ["m": .moved, "n": .open])
        let marks = try await layers.marks(of: moved)
        #expect(marks.map { "\($0.id) \($0.page.value)" } == ["m 1"])
        #expect(marks.map(\.on) == [hash.beginning], "there, it is a mark of the present chart")
        #expect(try await ids(layers.layer(of: moved)) == ["m"])
        let (there, here) = (try await layers.layer(of: moved), try await layers.layer(of: chart()))
        #expect(there.prefix(while: { $0 != UInt8(ascii: ",") }) != here.prefix(while: { $0 != UInt8(ascii: ",") }), "the tags differ")
        #expect(try await layers.marks(of: chart()) == made)
        #expect(try AtomicFile.read(path, limit: 1 << 20) == before)
    }

    /// A browser that edited a mark, which is not placed, hears that the edit is kept, and sends it no more.
    @Test func anEditOfAMarkThatIsNotDrawnIsConfirmed() async throws {
        let layers = await layers(configured: false)
        let edit = try LayerEdits.read(request("n", 2), pages: 2)
        let marks = NativeLayerReader.marks(of: edit)
        let kept = try await layers.add(request("n", 2), to: replaced(marks, ["n": .open]))
        #expect(String(decoding: kept.answer, as: UTF8.self).contains(#""deleted":[{"id":"n","v":{"d":2}}]"#))
        #expect(try await layers.marks(of: chart()) == marks, "nothing is lost")
    }

    /// Of two independent states of a mark, both are where their music is.
    @Test func bothStatesOfAMarkAreSentWhereTheyAreDrawn() async throws {
        let layers = await layers(configured: false)
        _ = try await layers.add(request("m"), to: chart())
        let other = #"{"marks":[{"id":"m","page":0,"kind":"pen","points":[[0.75,0.5]],"v":{"e":1}}]}"#
        let kept = try await layers.add(Array(other.utf8), to: chart())
        let made = NativeLayerReader.marks(of: try LayerEdits.read(request("m"), pages: 2) + LayerEdits.read(Array(other.utf8), pages: 2))
        let path = try #require(kept.reading?.path)
        let answer = try JSONReader.decode(JSONValue.self, from: await layers.layer(of: replaced(made, ["m": .moved], known: [path])))
        guard case .object(let lists) = answer, case .array(let also)? = lists["also"], case .object(let mark)? = also.first else {
            Issue.record("\(answer)")
            return
        }
        #expect(also.count == 1 && mark["page"] == .number(1))
    }

    /// The place that a person chose reaches the musician's other machines.
    @Test func aChosenPlaceIsAnEdit() async throws {
        let layers = await layers(configured: false)
        let path = try #require(try await layers.add(request("m"), to: chart()).reading?.path)
        let made = try await layers.marks(of: chart())
        let place = FollowedMark(made[0].placeKey, .moved, at: MarkPlace(on: PageIndex(1)))
        #expect(try await layers.settle("m", at: FollowedMark("other", .moved, at: place.place), on: chart(known: [path])) == nil)
        let settled = try await layers.settle("m", at: place, on: replaced(made, ["m": .open], known: [path]))
        #expect(settled?.reading?.path == path)
        let now = try await layers.marks(of: chart(known: [path]))
        #expect(now.map(\.page) == [PageIndex(1)] && now.map(\.on) == [hash.beginning])
    }

    @Test func aChosenPlaceLeavesAnIndependentStateOfTheMark() async throws {
        let layers = await layers(configured: false)
        let path = try #require(try await layers.add(request("m"), to: chart()).reading?.path)
        let other = #"{"marks":[{"id":"m","page":0,"kind":"pen","points":[[0.75,0.5]],"v":{"e":1}}]}"#
        _ = try await layers.add(Array(other.utf8), to: chart(known: [path]))
        func states() throws -> [Mark] {
            let layer = try #require(try LayerFile.read(path)?.document.part.layer)
            #expect(layer.marks.count == 1 && layer.also.count == 1)
            return NativeLayerReader.marks(of: layer.marks + layer.also)
        }
        for made in try states() {
            let place = FollowedMark(made.placeKey, .moved, at: MarkPlace(on: PageIndex(1)))
            #expect(try await layers.settle("m", at: place, on: chart(known: [path])) != nil)
        }
        #expect(try states().map(\.page) == [PageIndex(1), PageIndex(1)])
    }

    @Test func aLayerBeginsWithTheFirstMarkUnderTheChartsTitle() async throws {
        try Folder.create(root)
        let layers = await layers()
        let empty = try await layers.layer(of: chart())
        #expect(String(decoding: empty, as: UTF8.self) == #"{"tag":"","ink":{},"marks":[],"also":[],"deleted":[]}"#)
        #expect(try Folder.names(in: root) == [], "looking makes no file")
        let answer = try await layers.add(request("m"), to: chart(title: "A/B: \u{202e}..\n \"Grace\"")).answer
        #expect(try ids(answer) == ["m"])
        let names = try Folder.names(in: root)
        #expect(names.count == 1 && names[0].hasPrefix("A-B: ") && names[0].hasSuffix(".marks.json") && !names[0].contains("\n"))
        #expect(try await ids(layers.layer(of: chart(title: "Another title", known: ["\(root)/\(names[0])"]))) == ["m"])
    }

    @Test func theLongestTitleIsAName() async throws {
        try Folder.create(root)
        _ = try await layers().add(request("m"), to: chart(title: String(repeating: "é", count: 400)))
        #expect(try Folder.names(in: root).allSatisfy { $0.utf8.count <= 255 })
    }

    @Test func aPartUnderAnyNameIsAPartOfTheLayer() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart())
        let name = try #require(try Folder.names(in: root).first)
        #expect(rename("\(root)/\(name)", "\(root)/My own.marks.json") == 0)
        let known = ["\(root)/My own.marks.json"]
        #expect(try await ids(layers.add(request("n", 2), to: chart(known: known))) == ["m", "n"])
        #expect(try Folder.names(in: root).sorted() == [name, "My own.marks.json"])
        #expect(try #require(try LayerFile.read("\(root)/\(name)")).document.part.layer.marks.map(\.id.text) == ["n"])
    }

    @Test func eachHomeWritesItsOwnPartOnly() async throws {
        try Folder.create(root)
        _ = try await layers().add(request("m"), to: chart())
        let first = "\(root)/" + (try #require(try Folder.names(in: root).first))
        let before = FileIdentity(of: first)
        let other = await layers(home: "other")
        #expect(try await ids(other.add(request("n", by: "e"), to: chart(known: [first]))) == ["m", "n"])
        let deleted = Array(#"{"deleted":[{"id":"m","v":{"d":1,"e":2}}]}"#.utf8)
        #expect(try await ids(other.add(deleted, to: chart(known: [first]))) == ["n"])
        #expect(FileIdentity(of: first) == before)
        let all = try Folder.names(in: root).map { "\(root)/\($0)" }
        #expect(all.count == 2)
        #expect(try await ids(layers().layer(of: chart(known: all))) == ["n"])
    }

    /// Restoring a backup of the folder loses no marks.
    @Test func whatIsKnownOfAPartIsWrittenAgain() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart())
        let path = "\(root)/" + (try #require(try Folder.names(in: root).first))
        let older = try AtomicFile.read(path, limit: 10_000)
        _ = try await layers.add(request("n", 2), to: chart())
        let known = chart(known: [path])
        try AtomicFile.write(String(decoding: older, as: UTF8.self), to: path)
        #expect(try await ids(layers.layer(of: known)) == ["m", "n"])
        #expect(try await ids(layers.add(request("o", 3), to: known)) == ["m", "n", "o"])
        #expect(try MarkFileReader.read(path: path).0.marks.count == 3)
    }

    /// Another home writes over the files under the former id, so all marks in them are written again under the new one.
    @Test func underANewIdEverythingOfTheFormerOneIsWrittenAgain() async throws {
        try Folder.create(root)
        _ = try await layers().add(request("m"), to: chart())
        let first = "\(root)/" + (try #require(try Folder.names(in: root).first))
        let known = chart(known: [first])
        home().renew(from: home().current)
        _ = try await layers().add(request("n", 2), to: known)
        let second = try #require(try Folder.names(in: root).map { "\(root)/\($0)" }.first { $0 != first })
        #expect(try MarkFileReader.read(path: second).0.marks.map(\.id).sorted() == ["m", "n"])
    }

    @Test func chartsOfTheSameTitleHaveFilesOfTheirOwn() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart("a1"))
        _ = try await layers.add(request("n"), to: chart("a2"))
        #expect(try Folder.names(in: root).count == 2)
        #expect(try await ids(layers.layer(of: chart("a1"))) == ["m"])
        #expect(try await ids(layers.layer(of: chart("a2"))) == ["n"])
    }

    @Test func aChartThatReplacedAnotherKeepsItsLayer() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart("former"))
        let path = root + "/" + (try #require(try Folder.names(in: root).first))
        #expect(try await ids(layers.add(request("n", 2), to: chart("new", known: [path]))) == ["m", "n"])
    }

    /// Somebody gave this chart's file to another chart by hand. It gets no marks of this chart, because they would be shown on the
    /// other one.
    @Test func aFileThatNamesAnotherChartTakesNoMarksOfThisOne() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart("a1"))
        let path = root + "/" + (try #require(try Folder.names(in: root).first))
        let text = String(decoding: try AtomicFile.read(path, limit: 10_000), as: UTF8.self)
        try AtomicFile.write(text.replacing("\"a1\"", with: "\"a2\""), to: path)
        let other = Trouble(.inTheWay, "\(path) names another chart. Correct its “attachment_id”, or give it another name.")
        #expect(await fault { try await layers.add(request("n", 2), to: chart("a1")) } == other)
        #expect(await fault { try await layers.layer(of: chart("a1")) } == other)
        #expect(try await ids(layers.add(request("n", 2), to: chart("a2", known: [path]))) == ["m", "n"])
    }

    /// The folder's disk is unmounted, and its mount point is an empty folder. No new layer may begin there while the marks of the
    /// former one are still shown.
    @Test func noLayerBeginsInPlaceOfOneWhoseMarksAreStillShown() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart())
        let path = root + "/" + (try #require(try Folder.names(in: root).first))
        #expect(rename(path, folder.path("away")) == 0)
        let gone = await fault { try await layers.add(request("n", 2), to: chart(title: "New title", known: [path])) }
        #expect(gone?.kind == .noRoom && gone?.description.hasPrefix("\(path), with this chart's marks, is gone.") == true)
        #expect(try Folder.names(in: root) == [])
        #expect(rename(folder.path("away"), path) == 0)
        #expect(try await ids(layers.add(request("n", 2), to: chart(known: [path]))) == ["m", "n"])
    }

    @Test func somebodysOwnFileForTheChartIsLeftAlone() async throws {
        try Folder.create(root)
        let text = #"{"attachment_id":"a1","marks":[{"id":"x","page":0,"kind":"pen","points":[[0,0]]}]}"#
        try AtomicFile.write(text, to: root + "/bowings.marks.json")
        #expect(try await ids(layers().add(request("m"), to: chart())) == ["m"])
        #expect(try AtomicFile.read(root + "/bowings.marks.json", limit: 1000) == Array(text.utf8))
        #expect(try Folder.names(in: root).count == 2)
    }

    @Test func whatWasEditedOnTheDiskMeanwhileIsKept() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart())
        let path = root + "/" + (try #require(try Folder.names(in: root).first))
        let text = String(decoding: try AtomicFile.read(path, limit: 10_000), as: UTF8.self)
        try AtomicFile.write(
            text.replacing("\"marks\":[", with: #""mood":"calm","marks":[{"id":"by hand","page":1,"kind":"pen","points":[[0,0]]},"#),
            to: path)
        #expect(try await ids(layers.add(request("n", 2), to: chart())) == ["m", "n", "by hand"])
        #expect(String(decoding: try AtomicFile.read(path, limit: 10_000), as: UTF8.self).contains("\"mood\":\"calm\""))
    }

    @Test func aFileThatCannotBeReadIsNamedAndLeftAlone() async throws {
        try Folder.create(root)
        let layers = await layers()
        _ = try await layers.add(request("m"), to: chart())
        let path = root + "/" + (try #require(try Folder.names(in: root).first))
        try AtomicFile.write("{\"marks\":[", to: path)
        let sentence = await fault { try await layers.add(request("n", 2), to: chart()) }.map { "\($0)" } ?? ""
        #expect(sentence.contains(path) && sentence.contains("cut off") && sentence.contains("not written over"))
        #expect(await fault { try await layers.layer(of: chart()) } != nil, "nor is it taken for an empty one")
        #expect(try AtomicFile.read(path, limit: 1000) == Array("{\"marks\":[".utf8))
        #expect(try Folder.names(in: root).count == 1)
    }

    @Test func aConfiguredFolderIsNotMadeButOursIs() async throws {
        let missing = await fault { try await layers().add(request("m"), to: chart()) }
        #expect(missing?.kind == .noRoom)
        #expect(missing?.description.contains(root) == true && missing?.description.contains("annotations.folders") == true)
        #expect(FileIdentity(of: root) == nil)
        #expect(try await ids(layers(configured: false).add(request("m"), to: chart())) == ["m"])
    }

    @Test func aNameThatWouldNotBeReadIsNotWritten() async throws {
        try Folder.create(root)
        let fault = await fault { try await layers(ignoring: ["Gra*"]).add(request("m"), to: chart()) }
        #expect(fault?.description.contains("annotations.ignore") == true)
        #expect(try Folder.names(in: root) == [])
    }

    @Test func whatMakesNoSenseIsRefusedAndNothingIsWritten() async throws {
        try Folder.create(root)
        let fault = await fault { try await layers().add(request("m", page: 2), to: chart()) }
        #expect(fault?.kind == .senseless(because: "m") && fault?.description.contains("“page” is 2, but pages go from 0 to 1") == true)
        #expect(try Folder.names(in: root) == [])
    }

    /// A layer may have hundreds of strokes, so the answer to a new stroke must not repeat them all.
    @Test func aBrowserIsSentOnlyWhatItDoesNotKnow() async throws {
        struct Answer: Decodable { var tag: String, since: String? }
        try Folder.create(root)
        let layers = await layers()
        func tags(_ answer: [UInt8]) throws -> Answer { try JSONReader.decode(Answer.self, from: answer) }
        let first = try await layers.add(request("m"), to: chart())
        let known = try tags(first.answer).tag
        let same = try await layers.layer(of: chart(), known: known)
        #expect(try ids(same) == [] && tags(same).since == known && tags(same).tag == known)
        let second = try await layers.add(request("n", 2), to: chart(), known: known)
        #expect(try ids(second) == ["n"] && tags(second.answer).since == known)
        // The whole layer is sent to a browser with an older state, and to any browser after somebody else changed the file.
        #expect(try await ids(layers.add(request("o", 3), to: chart(), known: known)) == ["m", "n", "o"])
        let path = try "\(root)/\(#require(try Folder.names(in: root).first))"
        let present = try tags(await layers.layer(of: chart())).tag
        var document = try #require(try LayerFile.read(path)).document
        #expect(document.join(try LayerEdits.read(request("theirs", by: "e"), pages: 2)))
        try AtomicFile.write(String(decoding: document.bytes(), as: UTF8.self), to: path)
        let joined = try await layers.add(request("p", 4), to: chart(), known: present)
        #expect(try ids(joined) == ["m", "n", "o", "p", "theirs"] && tags(joined.answer).since == nil)
    }

    /// A sync program may replace or remove the file before it has come to rest. The marks that were written must not be lost.
    @Test(arguments: [true, false])
    @LoopActor func whatWasWrittenIsNotLostThoughTheFileIsReplacedOrRemovedAtOnce(isRemoved: Bool) async throws {
        try Folder.create(root)
        let roots = MarkRoots([root])
        let home = try await MarkHome(roots, charts: ["a1"], in: folder)
        let layers = layers()
        let first = try await layers.add(request("m"), to: chart())
        home.keeper.receive(try #require(first.reading))
        let path = try "\(root)/\(#require(try Folder.names(in: root).first))"
        let older = try #require(try LayerFile.read(path)).document.bytes()
        await home.settle()
        let second = try await layers.add(request("n", 2), to: chart())
        home.keeper.receive(try #require(second.reading))
        if isRemoved { #expect(unlink(path) == 0) } else { try AtomicFile.write(String(decoding: older, as: UTF8.self), to: path) }
        home.keeper.follow(isRemoved ? .removed(path) : .written(path))
        await home.settle()
        let states = try home.library.markFiles.history(of: AttachmentID("a1"))
        let kept = try states.flatMap { try home.library.markFiles.missingMarks(of: $0.number, on: AttachmentID("a1"))?.marks ?? [] }
        let drawn = try home.library.drawings.visibleLayers(of: AttachmentID("a1")).flatMap(\.marks)
        #expect((isRemoved ? kept : drawn).map(\.id).contains("n"), "\(home.logged)")
        home.end()
    }

    /// A sync program or a person may spoil the file. If it is then removed, as advised, nothing is lost, and no erased mark comes back.
    @Test(arguments: ["", "rubbish", #"{"marks":["#, #"{"version":1,"attachment_id":"a1","marks":[]}"#])
    @LoopActor func aPartThatIsSpoiltIsWrittenAgainUnderANewId(text: String) async throws {
        try Folder.create(root)
        try Folder.create(folder.path("data"))
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1"], in: folder)
        let layers = OwnLayers(
            [root], ours: root, roots: MarkRoots([root]), home: HomeID(in: folder.path("data")), side: SideThread(inline: true))
        func add(_ text: [UInt8]) async throws -> OwnLayers.Addition {
            let parts = try home.library.parts.all(of: AttachmentID("a1"))
            let kept = try await layers.add(text, to: OwnLayers.Chart(AttachmentID("a1"), hash, title: "Grace", pages: 2, parts: parts))
            home.keeper.receive(try #require(kept.reading))
            await home.settle()
            return kept
        }
        func drawn() throws -> Set<String> {
            Set(try home.library.drawings.visibleLayers(of: AttachmentID("a1")).flatMap(\.marks).map(\.id))
        }
        _ = try await add(request("m"))
        _ = try await add(request("n", 2))
        _ = try await add(Array(#"{"deleted":[{"id":"n","v":{"d":3}}]}"#.utf8))
        let path = "\(root)/" + (try #require(try Folder.names(in: root).first))
        try AtomicFile.write(text, to: path)
        home.keeper.follow(.written(path))
        await home.settle()
        #expect(try drawn() == ["m"] && AtomicFile.read(path, limit: 1000) == Array(text.utf8), "\(home.logged)")
        #expect(try await ids(add(request("o", 4))) == ["m", "o"], "drawing goes on")
        #expect(unlink(path) == 0)
        home.keeper.follow(.removed(path))
        await home.settle()
        #expect(try drawn() == ["m", "o"] && Folder.names(in: root).count == 1)
        home.end()
    }

    /// A layer may be impossible to store, for example because it is too large for the catalogue. All other files must still be stored.
    @Test @LoopActor func aLayerThatCannotBeStoredHoldsUpNoOtherFile() async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1", "1b"], in: folder)
        let layers = layers()
        let first = try await layers.add(request("m"), to: chart())
        let path = try "\(root)/\(#require(try Folder.names(in: root).first))"
        try home.library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON local_files WHEN NEW.path = '\(path)' BEGIN SELECT raise(ABORT, 'fault'); END")
        home.keeper.receive(try #require(first.reading))
        home.keeper.receive(try #require(try await layers.add(request("n", 2), to: chart()).reading))
        let others = (0..<3).map { "\(root)/other \($0).marks.json" }
        for (number, other) in others.enumerated() {
            let mark = #"{"id":"o\#(number)","page":0,"kind":"pen","points":[[0.\#(number + 1),0.5]]}"#
            try AtomicFile.write(#"{"version":1,"attachment_id":"1b","marks":[\#(mark)]}"#, to: other)
            home.keeper.follow(.written(other))
        }
        home.keeper.follow(.written(path))
        home.keeper.requestLook()
        await home.settle()
        #expect(try home.library.markFiles.all(of: AttachmentID("1b")).map(\.path) == others, "\(home.logged)")
        #expect(home.logged.count { $0.contains("\(path) was not taken over: ") } == 1)
        try home.library.database.script("DROP TRIGGER fault")
        await home.wait(for: .seconds(60))
        await home.settle()
        #expect(try home.library.markFiles.all(of: AttachmentID("a1")).map { $0.content?.marks.map(\.id) } == [["m", "n"]])
        home.end()
    }

    /// While the catalogue can store nothing, no mark is lost after any number of edits, even if somebody restores an older state
    /// of the file now and then.
    @Test @LoopActor func noMarkIsLostWhileNothingCanBeStored() async throws {
        try Folder.create(root)
        let home = try await MarkHome(MarkRoots([root]), charts: ["a1"], in: folder)
        try home.library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON local_files BEGIN SELECT raise(ABORT, 'fault'); END")
        let layers = layers()
        var older: [UInt8] = []
        for number in 1...30 {
            home.keeper.receive(try #require(try await layers.add(request("\(number)", number), to: chart()).reading))
            let path = try "\(root)/\(#require(try Folder.names(in: root).first))"
            if number == 1 { older = try AtomicFile.read(path, limit: 100_000) }
            if number % 3 == 0 { try AtomicFile.write(String(decoding: older, as: UTF8.self), to: path) }
            if number == 1 { await home.settle() }
        }
        try home.library.database.script("DROP TRIGGER fault")
        await home.wait(for: .seconds(60))
        await home.settle()
        let drawn = try home.library.drawings.visibleLayers(of: AttachmentID("a1")).flatMap(\.marks).map(\.id)
        #expect(Set(drawn) == Set((1...30).map(String.init)), "\(home.logged.suffix(3))")
        home.end()
    }
}
