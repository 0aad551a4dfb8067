import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue

/// The identity of a home that is copied, moved or mounted again.
struct HomeIDTests {
    /// Whether this machine has an id, which distinguishes a path here from the same path on another machine.
    private static let machineHasName = ((try? AtomicFile.read("/etc/machine-id", limit: 100))?.count ?? 0) > 30

    private let folder = TemporaryFolder()

    private func home(_ name: String = "home") -> HomeID {
        try? Folder.create(folder.path(name))
        return HomeID(in: folder.path(name))
    }

    /// A copy is another file at another path, so it gets an id of its own even on a machine without a machine id.
    @Test func aCopyOfAHomeHasAnIdOfItsOwn() throws {
        let id = home().current
        #expect(id.count == 16 && home().all == [id])
        try Folder.create(folder.path("copy"))
        let text = try AtomicFile.read(folder.path("home/home-id"), limit: 1000)
        try AtomicFile.write(String(decoding: text, as: UTF8.self), to: folder.path("copy/home-id"))
        let copy = home("copy").all
        #expect(copy.count == 2 && copy[0] != id && copy[1] == id)
        #expect(home("copy").all == copy && home().all == [id])
        home().renew(from: "another")
        #expect(home().all == [id])
        home().renew(from: id)
        #expect(home().all.dropFirst() == [id])
    }

    /// Some file systems give their files new numbers at each mount. A home at the same path must keep its id nevertheless.
    @Test(.enabled(if: Self.machineHasName, "this machine has no /etc/machine-id, which distinguishes it from others"))
    func aHomeThatIsPutInItsPlaceAgainKeepsItsId() throws {
        let (id, word) = (home().current, try #require(home().writer()))
        #expect(rename(folder.path("home"), folder.path("elsewhere")) == 0)
        #expect(home("elsewhere").all == [id], "nor does it become another one by being moved")
        #expect(rename(folder.path("elsewhere"), folder.path("home")) == 0)
        let text = try AtomicFile.read(folder.path("home/home-id"), limit: 1000)
        try AtomicFile.write(String(decoding: text, as: UTF8.self), to: folder.path("home/home-id"))
        #expect(home().all == [id] && !home().isStrange(word))
    }

    @Test func itsWordsAreKeptAndEndWithItsId() throws {
        let word = try #require(home().writer())
        #expect(home().writer() == word && !home().isStrange(word) && home().isStrange("another"))
        home().renew(from: home().current)
        #expect(home().isStrange(word), "what was written under the former id is nothing to be known again")
        #expect(home().writer().map { home().isStrange($0) } == false)
    }

    /// Both the moved home and the copy keep the former id, but only the moved one still uses it.
    @Test func whatWasMovedIsTheSameAndACopyKnowsWhatItWas() throws {
        let (id, word) = (home().current, try #require(home().writer()))
        let key = try #require(home().key(of: id))
        try home("new").become(home().archived, isMoved: true)
        try home("copy").become(home().archived, isMoved: false)
        #expect(home("new").all == [id] && home("new").key(of: id) == key && !home("new").isStrange(word))
        #expect(home("copy").all.dropFirst() == [id] && home("copy").key(of: id) == key)
        let asked = home("asked").current
        try home("asked").become(home().archived, isMoved: true)
        #expect(home("asked").all == [id, asked] && home("asked").key(of: asked) != nil, "a command may have asked for an id before")
        // If both homes remain in use, the former home detects the other.
        let later = try #require(home("new").writer())
        #expect(home().isStrange(later))
        home().renew(from: id)
        try Folder.create(folder.path("again"))
        #expect(!home("new").isStrange("aaaaaaaaaaaaaaaa-0"), "it still writes what it did not know better")
        #expect(home("new").isStrange("aaaaaaaaaaaaaaaa-1"))
    }

    @Test func aNameIsThatOfItsKeyAndAHomeOfBeforeGetsOne() throws {
        let id = home().current
        #expect(home().key(of: id)?.verifier.name == id && home().key(of: "nobody") == nil)
        try HomeID.write(["abcdefghijklmnop"], to: folder.path("home/home-id"))
        #expect(home().all == ["abcdefghijklmnop"])
        let key = try #require(home().key(of: "abcdefghijklmnop"))
        #expect(home().key(of: "abcdefghijklmnop") == key && home().all == ["abcdefghijklmnop"])
    }

    /// If a disk fails for a moment, the id must not change, and the id's file must not be overwritten.
    @Test func aFileThatCannotBeReadMakesNobodySomebodyElse() throws {
        let (id, word) = (home().current, try #require(home().writer()))
        let (path, away) = (folder.path("home/home-id"), folder.path("away"))
        #expect(rename(path, away) == 0 && mkdir(path, 0o700) == 0)
        #expect(home().all == [id] && home().writer() == word && !home().isStrange(word))
        home().renew(from: "another")
        #expect(rmdir(path) == 0 && rename(away, path) == 0)
        #expect(home().all == [id] && !home().isStrange(word))
    }
}
