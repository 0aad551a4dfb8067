import Band
import BandLayout
import Catalogue
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// The marks that two band members see of each other while one thing goes wrong.
@Suite(.onLoop)
struct BandRoundTests {
    /// Whether the machine has an id, which distinguishes a place from the same path on another machine.
    private static let machineHasName = ((try? AtomicFile.read("/etc/machine-id", limit: 100))?.count ?? 0) > 30

    @Test @LoopActor func whatIsSharedIsSeenAndTakenBack() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        #expect(try duo.seen == ["1a": ["a": 0.5]])
        try await duo.draw("a", at: nil)
        #expect(try duo.seen == [:])
        try await duo.draw("b")
        try duo.anna.shareAll(false)
        try await duo.look()
        #expect(try duo.seen == [:])
        try duo.anna.shareAll(true)
        try await duo.look()
        #expect(try duo.seen == ["1a": ["b": 0.5]])
    }

    @Test @LoopActor func whatIsTooLargeToBeSharedIsTold() async throws {
        let duo = try Duo()
        defer { duo.end() }
        let points = (0..<40_000).map { Mark.Point(x: Double($0 % 997) / 997, y: Double($0 % 991) / 991) }
        let mark = Mark(id: "long", page: PageIndex(0), kind: .pen, width: 0.01, points: points)
        let file = LocalFile(
            path: "/marks/long.xopp", stamp: FileStamp(device: 1, inode: 9, size: 1, modified: 1), firstSeen: Samples.monday,
            attachment: AttachmentID("1a"), content: MarkFile(marks: [mark]))
        try duo.anna.library.markFiles.store([file])
        try duo.anna.shareAll(true)
        try await duo.look()
        #expect(try duo.seen == [:])
        #expect(duo.anna.writer.complaints.count == 1 && duo.anna.writer.complaints[0].contains("/marks/long.xopp"))
        try duo.anna.shareAll(false)
        try await duo.look()
        #expect(duo.anna.writer.complaints.isEmpty)
        try duo.anna.shareAll(true)
        try await duo.look()
        #expect(duo.anna.writer.complaints.count == 1, "what was made when it was shared before is forgotten")
    }

    /// An object that no head names is removed later; the time counts from when the last head that named the object was replaced.
    @Test @LoopActor func whatAHeadNamesIsNotDropped() throws {
        let duo = try Duo()
        defer { duo.end() }
        let (word, hour) = (duo.anna.writer.word, Duration.seconds(3600))
        let objects = (0..<4).map { SHA256.digest(of: "object \($0)") }
        func say(_ named: [Int], in counter: Int, as device: BandDevice, at time: Timestamp) throws {
            let layers = named.map {
                BandHead.Layer(
                    id: "l\($0)", name: "", chart: Samples.hash(Player.pdf("1a")), title: "", object: objects[$0], length: 1, since: 1)
            }
            let head = BandHead(device: device, counter: counter, person: "Anna", name: "laptop", layers: layers)
            try word.note(head, sum: SHA256.digest(of: "\(counter)"), to: BandDevice("bandbandbandband"), at: time)
        }
        func dropped(before time: Timestamp = Samples.monday + .seconds(86_400)) throws -> [Int] {
            try word.dropped(before: time).compactMap { objects.firstIndex(of: $0) }.sorted()
        }
        // Objects are written before the head that names them, and count as dropped until then.
        try word.drop(objects, at: Samples.monday)
        try say([0, 1], in: 1, as: duo.anna.device, at: Samples.monday)
        #expect(try dropped() == [2, 3])
        try say([1, 2], in: 2, as: duo.anna.device, at: Samples.monday + hour)
        try word.drop([objects[3]], at: Samples.monday + hour)
        #expect(try dropped() == [0, 3] && dropped(before: Samples.monday + hour) == [3], "the first drop counts")
        try say([], in: 3, as: duo.anna.device, at: Samples.monday + hour)
        #expect(try dropped() == [0, 1, 2, 3])
        try say([1], in: 4, as: BandDevice("otherotherothero"), at: Samples.monday + hour)
        #expect(try dropped().isEmpty, "the objects of another device are none of this one's")
    }

    /// Every write and every list of plans needs the device's own head several times. Parsing a long head takes time, so it is
    /// parsed only once.
    @Test @LoopActor func whatThisDeviceSaidIsReadOnce() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let said = try duo.anna.writer.word.own()
        _ = try Database.change(libraryAt: duo.anna.data) { database throws(LibraryError) in
            try database.run("UPDATE band_own SET head = 'something that takes long to read'")
        }
        #expect(try duo.anna.writer.word.own() == said && said?.head.layers.count == 1)
        try await duo.draw("b")
        #expect(try duo.anna.writer.word.own()?.head.layers == duo.said.layers && said?.head.layers != duo.said.layers)
    }

    @Test @LoopActor func nothingIsWrittenTwice() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        for _ in 0..<3 { try await duo.look() }
        let count = duo.written.count
        duo.anna.doubt()
        try await duo.look()
        try duo.anna.restart()
        try await duo.look()
        #expect(duo.written.count == count)
    }

    @Test @LoopActor func nobodyWritesBecauseSomebodyElseCame() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let count = duo.written.count
        try await duo.look()
        #expect(duo.written.count == count)
        try await duo.draw("b")
        #expect(try duo.said.roster == [duo.ben.device], "the next word names them")
    }

    @Test @LoopActor func whoLeavesWhileTheDiskIsFullIsGoneOnceItIsNot() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try duo.anna.setLeft(true)
        duo.anna.carrier.isFull = true
        try await duo.look()
        #expect(try duo.seen == ["1a": ["a": 0.5]])
        duo.anna.carrier.isFull = false
        try await duo.look()
        #expect(try duo.seen == [:])
        #expect(try duo.names() == ["head.json"], "and no marks of hers stay in the place")
        #expect(try await duo.anna.round() == false)
    }

    /// The disk fills up right after the head was written.
    @Test @LoopActor func marksThatCouldNotBeRemovedAtLeavingAreRemovedLater() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try duo.anna.setLeft(true)
        duo.anna.wrote = { [anna = duo.anna] path, _ in anna.carrier.isFull = path.hasSuffix("head.json") }
        try await duo.look()
        #expect(try duo.names().count == 2)
        duo.anna.carrier.isFull = false
        try await duo.look()
        #expect(try duo.names() == ["head.json"])
    }

    @Test @LoopActor func aHeadThatSomebodyPutBackIsSaidAgain() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let former = try #require(FileTree.read(duo.path("head.json")))
        try await duo.draw("b")
        for bytes in [former, nil, Array(former.prefix(100))] {
            unlink(duo.path("head.json"))
            // Under another name, a former head of Anna's still exists.
            try FileTree.write(former, to: duo.path("head (1).json"))
            if let bytes { try FileTree.write(bytes, to: duo.path("head.json")) }
            try await duo.look()
            let head = try BandHead.read(#require(FileTree.read(duo.path("head.json")))).head
            #expect(head.counter > 2 && head.device == duo.anna.device)
            #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.5]])
        }
    }

    @Test @LoopActor func anObjectThatSomebodyCutShortIsWrittenAgain() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let object = try #require(duo.names().first { $0.hasPrefix("o-") })
        let whole = FileTree.read(duo.path(object))
        try FileTree.write([], to: duo.path(object))
        duo.anna.doubtOwn()
        try await duo.look()
        #expect(FileTree.read(duo.path(object)) == whole)
    }

    @Test @LoopActor func ownObjectsAreListedOnlyWhenTheyMayBeOthers() async throws {
        let duo = try Duo()
        defer { duo.end() }
        func listings() async throws -> Int {
            let before = duo.anna.carrier.listings
            try await duo.look()
            return duo.anna.carrier.listings - before
        }
        try await duo.draw("a")
        #expect(try await listings() == 0)
        try duo.anna.edit("b", on: "1a", x: 0.5)
        #expect(try await listings() == 1, "others are wanted")
        #expect(try await listings() == 0)
        duo.anna.clock.skip(.seconds(3600))
        #expect(try await listings() == 1, "an hour later")
        duo.anna.doubtOwn()
        #expect(try await listings() == 1, "in doubt")
        unlink(duo.path("head.json"))
        #expect(try await listings() == 1, "who removed the head may have removed them, too")
        try duo.anna.setLeft(true)
        #expect(try await listings() == 1)
        #expect(try await listings() == 0)
        #expect(try duo.names() == ["head.json"])
    }

    /// A mark was not shared for two months, and then shared again unchanged.
    @Test @LoopActor func whatIsSaidAgainIsNotRemovedForHavingBeenDropped() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let object = try #require(duo.names().first { $0.hasPrefix("o-") })
        try duo.anna.shareAll(false)
        try await duo.look()
        duo.anna.clock.skip(.seconds(60 * 86_400))
        try duo.anna.shareAll(true)
        try await duo.look()
        #expect(try duo.names() == ["head.json", object])
        try await duo.look()
        #expect(try duo.names() == ["head.json", object] && duo.seen == ["1a": ["a": 0.5]])
    }

    @Test @LoopActor func whatNobodyNamesIsRemovedAfterTwoDays() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try await duo.draw("b")
        #expect(try duo.names().count == 3)
        duo.anna.clock.skip(.seconds(47 * 3600))
        try await duo.look()
        #expect(try duo.names().count == 3)
        duo.anna.clock.skip(.seconds(2 * 3600))
        try await duo.look()
        #expect(try duo.names().count == 2)
    }

    /// The marks on one chart were written, then the disk was full, and the marks changed before the disk had room again.
    @Test @LoopActor func whatNoHeadEverNamedIsRemovedAfterTwoDays() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        duo.anna.wrote = { [anna = duo.anna] path, _ in anna.carrier.isFull = path.contains("/o-") }
        try duo.anna.edit("z", on: "1b", x: 0.1)
        try await duo.draw("b")
        #expect(try duo.seen == ["1a": ["a": 0.5]])
        (duo.anna.wrote, duo.anna.carrier.isFull) = ({ _, _ in }, false)
        try await duo.draw("c")
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.5, "c": 0.5], "1b": ["z": 0.1]])
        #expect(try duo.names().count == 5)
        duo.anna.clock.skip(.seconds(49 * 3600))
        try await duo.look()
        #expect(try duo.names().count == 3)
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.5, "c": 0.5], "1b": ["z": 0.1]])
    }

    @Test @LoopActor func theNewestWordCountsWhateverItsFileIsCalled() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let former = try #require(FileTree.read(duo.path("head.json")))
        try duo.anna.edit("b", on: "1a", x: 0.2)
        _ = try await duo.anna.round()
        rename(duo.path("head.json"), duo.path("head (Zoe\u{308}'s conflicted copy 2026-11-27).json"))
        try FileTree.write(former, to: duo.path("head.json"))
        _ = try await duo.ben.round()
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.2]])
    }

    @Test @LoopActor func aLayerThatHasNoMarksAnyMoreIsBelievedAfterAnHour() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        // Another program may write such a head, which still names the layer, although the layer has no marks.
        let head = try BandHead.read(#require(FileTree.read(duo.path("head.json")))).head
        let empty = Array(#"{"version":1,"attachment_id":"1a","marks":[]}"#.utf8)
        let layer = head.layers[0]
        try FileTree.write(empty, to: duo.path(BandPath.name(ofObject: SHA256.digest(of: empty))))
        var next = BandHead(
            device: head.device, counter: head.counter + 1, person: head.person, name: head.name,
            layers: [
                BandHead.Layer(
                    id: layer.id, name: layer.name, chart: layer.chart, title: layer.title, object: SHA256.digest(of: empty),
                    length: empty.count, since: head.counter + 1)
            ])
        next.team = head.team
        let key = try #require(HomeID(in: duo.anna.data).key(of: head.device.text))
        try FileTree.write(next.bytes(signedBy: key), to: duo.path("head.json"))
        for minutes in [0, 59] {
            duo.ben.clock.skip(.seconds(minutes * 60))
            _ = try await duo.ben.round()
            #expect(try duo.seen == ["1a": ["a": 0.5]])
        }
        duo.ben.clock.skip(.seconds(60))
        _ = try await duo.ben.round()
        #expect(try duo.seen == [:])
    }

    @Test @LoopActor func marksAreFoundInFoldersWhoseNamesLostTheirCase() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try duo.anna.edit("a", on: "1a", x: 0.5)
        try duo.anna.shareAll(true)
        _ = try await duo.anna.round()
        for name in try duo.names() { rename(duo.path(name), duo.path(name.uppercased())) }
        rename(duo.folder.path("band/d/\(duo.anna.device)"), duo.folder.path("band/d/\(duo.anna.device.text.uppercased())"))
        rename(duo.folder.path("band/d"), duo.folder.path("band/D"))
        _ = try await duo.ben.round()
        #expect(try duo.seen == ["1a": ["a": 0.5]])
    }

    // MARK: - Charts

    @Test @LoopActor func marksOnASongInTwoKeysAreThereForBoth() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try duo.anna.get("2a", in: ["A", "B"])
        try duo.anna.edit("a", on: "2a", x: 0.5)
        try duo.anna.shareAll(true)
        try await duo.look()
        let layers = try duo.said.layers
        #expect(Set(layers.map(\.chart)) == Set(["2aA", "2aB"].map { Samples.hash(Player.pdf($0)) }))
        #expect(try duo.names() == (["head.json"] + layers.map { BandPath.name(ofObject: $0.object) }).sorted())
        let count = duo.written.count
        try await duo.look()
        #expect(duo.written.count == count)
    }

    @Test(arguments: ["a", "f"]) @LoopActor func marksAreSharedOnTheVersionThatTheyWereMadeOn(mark: String) async throws {
        let duo = try Duo()
        defer { duo.end() }
        let (former, new) = (Samples.hash(Player.pdf("1a")), Samples.hash(Player.pdf("new")))
        try await duo.draw(mark)
        let count = duo.written.count
        try duo.anna.replace("1a", by: Player.pdf("new"))
        try await duo.look()
        #expect(try duo.said.layers.map(\.chart) == [former])
        #expect(duo.written.count == count, "for others nothing has changed")
        #expect(try duo.seen == ["1a": [mark: 0.5]])
        try duo.anna.accept("1a")
        try await duo.look()
        #expect(try duo.said.layers.map(\.chart) == [new])
        let object = try #require(FileTree.read(duo.path(BandPath.name(ofObject: duo.said.layers[0].object))))
        #expect(String(decoding: object, as: UTF8.self).contains(new.digest.hex), "the object names it, too")
    }

    /// One layer, drawn on two devices; one of its parts is older than the chart.
    @Test @LoopActor func eachPartOfALayerIsSharedOnItsVersion() async throws {
        let duo = try Duo()
        defer { duo.end() }
        let new = Player.pdf("new")
        try await duo.draw("a")
        try duo.anna.replace("1a", by: new)
        try duo.anna.edit("b", on: "1a", part: "-2", x: 0.2)
        try duo.anna.edit("f", on: "1a", x: 0.9)
        try await duo.look()
        #expect(try duo.said.layers.count == 3)
        #expect(try duo.seen == ["1a": ["a": 0.5]], "Ben has the former version")
        try duo.ben.replace("1a", by: new)
        try await duo.look()
        let added = try duo.ben.shown(of: duo.anna.device)["1a"]
        #expect(added?["b"] == 0.2 && added?["f"] == 0.9)
    }

    // MARK: - Copies and backups

    /// The device recognises the heads that it wrote after the backup as its own, whether or not its id was restored with the rest,
    /// and so stays the same device.
    @Test(arguments: Self.machineHasName ? [true, false] : [false])
    @LoopActor func whoIsRestoredGoesOnAsTheSameDevice(isWhole: Bool) async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        try duo.anna.backUp()
        try await duo.draw("b")
        let former = duo.anna.device
        try duo.anna.restore(isWhole: isWhole)
        try await duo.draw("c", at: 0.7)
        #expect(duo.anna.device == former)
        #expect(try duo.seen == ["1a": ["a": 0.5, "c": 0.7]])
        #expect(try duo.ben.members().count == 1)
    }

    /// The sync program has not yet brought the files that this home wrote before its backup was restored.
    @Test @LoopActor func whoIsPutBackBesideAnOldWordOfItsOwnIsFollowedAtOnce() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let former = try #require(FileTree.read(duo.path("head.json")))
        try duo.anna.backUp()
        for mark in ["b", "c"] { try await duo.draw(mark) }
        try duo.anna.restore(isWhole: false)
        try FileTree.write(former, to: duo.path("head.json"))
        duo.anna.clock.skip(.seconds(60))
        try await duo.draw("d", at: 0.7)
        #expect(try duo.seen["1a"]?["d"] == 0.7)
        #expect(try duo.ben.members().count == 1)
    }

    /// The other home may come from an image of this home's disk, or from a move to another laptop. Only the other
    /// home's head in the place shows that such a home exists.
    @Test @LoopActor func whoFindsItsWordSaidByAnotherHomeBecomesAnotherDeviceAndKnowsWhoItWas() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let former = duo.anna.device
        let key = try #require(HomeID(in: duo.anna.data).key(of: former.text))
        var word = try duo.said
        (word.counter, word.writer) = (word.counter + 5, "somebody's word")
        try FileTree.write(word.bytes(signedBy: key), to: duo.path("head.json"))
        try await duo.draw("b")
        #expect(duo.anna.device != former && HomeID(in: duo.anna.data).all == [duo.anna.device.text, former.text])
        #expect(try duo.ben.shown(of: former) == ["1a": ["a": 0.5]] && duo.seen == ["1a": ["a": 0.5, "b": 0.5]])
        // Anna does not see herself as another member.
        try await duo.look()
        #expect(try duo.anna.shown(of: former) == [:])
        #expect(try duo.anna.writer.word.words().map(\.device).sorted() == [duo.anna.device, duo.ben.device].sorted())
        // `clearFormer()` without a device clears nothing here: the home that writes as the former device may be another laptop of
        // Anna's.
        try duo.anna.library.band.clearFormer()
        try await duo.look()
        #expect(try duo.ben.shown(of: former) == ["1a": ["a": 0.5]] && duo.anna.library.band.toBeCleared().isEmpty)
        try duo.anna.library.band.clearFormer(former)
        try await duo.look()
        #expect(try duo.ben.shown(of: former) == [:] && Folder.names(in: duo.folder.path("band/d/\(former)")) == ["head.json"])
        #expect(try duo.ben.members().filter { !$0.head.hasLeft }.map(\.device) == [duo.anna.device])
    }

    /// The musician left the band on another home that writes as the same device.
    @Test @LoopActor func whoFindsThatTheSameDeviceLeftElsewhereLeavesToo() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let key = try #require(HomeID(in: duo.anna.data).key(of: duo.anna.device.text))
        var word = try duo.said
        (word.counter, word.writer, word.hasLeft, word.layers) = (word.counter + 5, "somebody's word", true, [])
        try FileTree.write(word.bytes(signedBy: key), to: duo.path("head.json"))
        try await duo.look()
        #expect(try duo.seen == [:] && duo.anna.library.band.shares().haveEnded && duo.said.hasLeft)
        try await duo.look()
        #expect(try duo.names() == ["head.json"])
    }

    @Test @LoopActor func aCopyOfAHomeSpeaksForItself() async throws {
        let duo = try Duo()
        defer { duo.end() }
        try await duo.draw("a")
        let copy = try duo.anna.clone("Cleo", data: duo.folder.path("cleo"), place: duo.anna.place)
        defer { copy.close() }
        let device = duo.anna.device
        try copy.edit("c", on: "1a", x: 0.3)
        _ = try await copy.round()
        try await duo.draw("b")
        #expect(duo.anna.device == device && copy.device != device)
        #expect(try duo.seen == ["1a": ["a": 0.5, "b": 0.5]])
        #expect(try duo.ben.shown(of: copy.device) == ["1a": ["a": 0.5, "c": 0.3]])
    }
}
