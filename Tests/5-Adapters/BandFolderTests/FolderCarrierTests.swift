import BandLayout
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import BandFolder

/// A folder as a band's place, with changes made by sync programs and by people.
@Suite(.onLoop)
struct FolderCarrierTests {
    private let folder = TemporaryFolder()
    private let one = BandDevice("aaaaaaaaaaaaaaaa")
    private let object = Array("marks".utf8)
    private var sum: Digest { SHA256.digest(of: object) }

    @LoopActor private func carrier() -> FolderCarrier { FolderCarrier(folder.path, side: SideThread(inline: true)) }

    private func put(_ text: String, as path: String) throws {
        try Folder.create(Folder.parent(of: folder.path(path)))
        try AtomicFile.write(text, to: folder.path(path))
    }

    @LoopActor
    private func heads(_ carrier: FolderCarrier) async throws -> [String] { try await carrier.heads(known: []).heads.map(\.path) }

    @Test func whatIsPutIsThereWhole() async throws {
        let carrier = await carrier()
        try await carrier.put(object, as: BandPath.object(sum, of: one))
        #expect(try await carrier.get(BandPath.object(sum, of: one), limit: 100) == object)
        #expect(try await carrier.objects(of: one) == [sum: object.count])
        #expect(try Folder.names(in: folder.path("d/\(one)")) == ["o-\(sum.hex).json"], "nothing is left beside it")
        try await carrier.remove(BandPath.object(sum, of: one))
        try await carrier.remove(BandPath.object(sum, of: one))
        #expect(try await carrier.get(BandPath.object(sum, of: one), limit: 100) == nil)
    }

    /// When a chart is withdrawn, copies of the device's files are removed. The files themselves must stay, because other charts may need
    /// them.
    @Test func copiesAreTakenAwayAndTheObjectItselfStays() async throws {
        let carrier = await carrier()
        try await carrier.put(object, as: BandPath.object(sum, of: one))
        try put("1", as: BandPath.head(of: one))
        try put("1", as: "d/\(one)/head (1).json")
        try put("marks", as: "d/\(one)/o-\(sum.hex) (1).json")
        try put("marks", as: "d/\(one)/o-\(sum.hex.uppercased()).JSON")
        try await carrier.removeCopies(of: one)
        #expect(try Folder.names(in: folder.path("d/\(one)")).sorted() == ["head.json", "o-\(sum.hex).json"])
    }

    @Test func aFolderThatIsNotThereIsAwayAndNotEmpty() async throws {
        let carrier = FolderCarrier(folder.path("gone"))
        await #expect(throws: Trouble.self) { try await carrier.heads(known: []) }
        await #expect(throws: Trouble.self) { try await carrier.objects(of: one) }
        await #expect(throws: Trouble.self) { try await carrier.put(object, as: BandPath.head(of: one)) }
        #expect(access(folder.path("gone"), F_OK) != 0, "and is not made")
    }

    @Test func aDevicesFolderThatCannotBeListedIsNotEmpty() async throws {
        let carrier = await carrier()
        #expect(try await carrier.objects(of: one) == [:], "nothing is there")
        try put("marks", as: "elsewhere/o-\(sum.hex).json")
        try Folder.create(folder.path("d"))
        #expect(symlink(folder.path("elsewhere"), folder.path("d/\(one)")) == 0)
        await #expect(throws: Trouble.self) { try await carrier.objects(of: one) }
    }

    @Test func headsAreReportedOnceUnderWhateverName() async throws {
        let carrier = await carrier()
        try put("1", as: "d/\(one)/head.json")
        try put("2", as: "d/\(one)/head.sync-conflict-20261127-101010-ABCDEFG.json")
        try put("3", as: "D/\(one.text.uppercased())/head (Anna's conflicted copy 2026-11-27).json")
        try put("4", as: "d/\(one)/o-\(sum.hex).json")
        try put("5", as: "d/\(one)/.syncthing.head.json.tmp")
        try put("6", as: "d/desktop.ini/x")
        let listing = try await carrier.heads(known: [])
        #expect(listing.heads.count == 3)
        #expect(listing.devices == [one])
        #expect(try await heads(carrier) == [])
        try put("7", as: "d/\(one)/head.json")
        #expect(try await heads(carrier) == ["d/\(one)/head.json"])
        await carrier.doubt()
        #expect(try await heads(carrier).count == 3)
    }

    /// Any member may set a file's modification time, even to a time beyond the year 2262.
    @Test func aHeadFromTheFarFutureIsReadLikeAnother() async throws {
        let carrier = await carrier()
        try put("1", as: BandPath.head(of: one))
        let times = [timespec(tv_sec: 12_000_000_000, tv_nsec: 0), timespec(tv_sec: 12_000_000_000, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, folder.path(BandPath.head(of: one)), times, 0) == 0)
        #expect(try await heads(carrier) == [BandPath.head(of: one)])
        #expect(try await heads(carrier) == [], "it has not changed")
    }

    @Test func anObjectIsFoundUnderTheNameOfACopyAndOnlyIfItIsRight() async throws {
        let carrier = await carrier()
        try put("mar", as: "d/\(one)/o-\(sum.hex).json")
        #expect(try await carrier.get(BandPath.object(sum, of: one), limit: 100) == nil)
        try put("marks", as: "d/\(one)/o-\(sum.hex).sync-conflict-20261127-101010-ABCDEFG.json")
        _ = try await heads(carrier)
        #expect(try await carrier.get(BandPath.object(sum, of: one), limit: 100) == object)
    }

    @Test func aFileThatDoesNotMatchItsNameIsReadOnceUntilItIsReplaced() throws {
        let (files, path) = (FolderFiles(place: folder.path), BandPath.object(sum, of: one))
        try put("skram", as: path)
        let wrong = files.first([path], sum, 100, but: [:]).wrong
        #expect(wrong.keys.sorted() == [path])
        #expect(files.first([path], sum, 100, but: wrong).wrong == [:], "it was not read")
        try put("marks", as: path)
        #expect(files.first([path], sum, 100, but: wrong).bytes == object)
    }

    /// The device's folder is replaced by a link for a while, so the file cannot be read although it stays the same.
    @Test func aFileThatCouldNotBeReadIsReadAgainThoughItIsTheSame() async throws {
        let carrier = await carrier()
        let path = BandPath.object(sum, of: one)
        try put("marks", as: "elsewhere/o-\(sum.hex).json")
        try Folder.create(folder.path("d"))
        #expect(symlink(folder.path("elsewhere"), folder.path("d/\(one)")) == 0)
        #expect(try await carrier.get(path, limit: 100) == nil)
        unlink(folder.path("d/\(one)"))
        rename(folder.path("elsewhere"), folder.path("d/\(one)"))
        #expect(try await carrier.get(path, limit: 100) == object)
    }

    @Test func inDoubtEverythingIsReadAgain() async throws {
        let carrier = await carrier()
        let path = BandPath.object(sum, of: one)
        try put("skram", as: path)
        #expect(try await carrier.get(path, limit: 100) == nil)
        #expect(await carrier.wrong.count == 1)
        await carrier.doubt()
        #expect(await carrier.wrong.isEmpty)
    }

    @Test func linksAreNotFollowedAndNothingIsWrittenThroughThem() async throws {
        let carrier = await carrier()
        try put("secret", as: "elsewhere/head.json")
        try Folder.create(folder.path("d"))
        #expect(symlink(folder.path("elsewhere"), folder.path("d/\(one)")) == 0)
        #expect(try await heads(carrier) == [])
        #expect(try await carrier.get(BandPath.head(of: one), limit: 100) == nil)
        await #expect(throws: Trouble.self) { try await carrier.put(object, as: BandPath.head(of: one)) }
        #expect(try Folder.names(in: folder.path("elsewhere")) == ["head.json"])
    }

    @Test func whatIsTooLongOrNoFileIsNotThere() async throws {
        let carrier = await carrier()
        try put(String(repeating: "x", count: 200), as: "d/\(one)/head.json")
        #expect(try await carrier.get(BandPath.head(of: one), limit: 100) == nil)
        let two = BandDevice("bbbbbbbbbbbbbbbb")
        try Folder.create(folder.path("d/\(two)"))
        #expect(mkfifo(folder.path("d/\(two)/head.json"), 0o600) == 0)
        #expect(try await carrier.get(BandPath.head(of: two), limit: 100) == nil)
        #expect(try await carrier.heads(known: []).devices == [one])
    }
}
