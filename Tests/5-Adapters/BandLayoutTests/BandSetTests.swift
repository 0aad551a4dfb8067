import BandLayout
import Model
import Sets
import Testing

/// The bytes of a set that a device shares with its band, and the set's entry in the device's head.
struct BandSetTests {
    private let grace = SHA256.digest(of: "grace")

    private func set(_ items: [SharedSet.Item]) throws -> SharedSet {
        SharedSet(name: try #require(SharedSet.name(ofPath: "/home/anna/Sets/2026-11-29 1030 Advent")), items: items)
    }

    private func read(_ text: String) throws -> SharedSet { try SharedSet(reading: Array(text.utf8)) }

    @Test func itIsReadAsItWasWritten() throws {
        let set = try set([
            .init(.remark, SongTitle("Welcome")), .init(.pause, SongTitle("Pause")),
            .init(
                .song, SongTitle("Amazing Grace (G, capo 2)"),
                charts: [.init(name: "Grace.pdf", bytes: grace, size: 12, isSent: true)]),
        ])
        #expect(try SharedSet(reading: set.bytes) == set)
        #expect(set.sent == [grace: 12])
        #expect(!String(decoding: set.bytes, as: UTF8.self).contains("/home/anna"))
        #expect(SharedSet.name(ofPath: "/s/2026-11-29 Mr. Bean.txt")?.title == "Mr. Bean")
        #expect(SharedSet.name(ofPath: "/s/2026-11-29 Mr. Bean")?.title == "Mr. Bean")
    }

    @Test func wordsThatControlATerminalAndPathsAreNotTakenOver() throws {
        let set = try read(
            #"{"format":1,"set":"2026-11-29 Ad\u001b[2Jvent\u202e","items":[{"kind":"song","title":"Gr\u001b[31mace\nx","key":"H\u0007","capo":99,"#
                + #""charts":[{"name":"../../etc/\u001bx.pdf","sha256":"\#(grace.hex)","size":5},{"name":"run.sh","sha256":"\#(grace.hex)","size":5},"#
                + #"{"name":"y.pdf","sha256":"no","size":5},{"name":"z.pdf","sha256":"\#(grace.hex)","size":-5}]}]}"#)
        let words = [set.name.title, set.items[0].title.title] + set.items[0].charts.map(\.name)
        #expect(words.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e } }, "\(words)")
        #expect(set.items[0].title.key == nil && set.items[0].title.capo == nil)
        #expect(set.items[0].charts.map(\.name) == ["-..-etc-x.pdf"])
    }

    @Test func ofTooMuchTheRestIsLeftOut() throws {
        let items = (0..<2000).map { #"{"kind":"song","title":"\#($0)"}"# }.joined(separator: ",")
        #expect(try read(#"{"format":1,"set":"2026-11-29","items":[\#(items)]}"#).items.count == 500)
        let charts = (0..<100).map { #"{"name":"\#($0).pdf","sha256":"\#(grace.hex)","size":1}"# }.joined(separator: ",")
        let many = try read(#"{"format":1,"set":"2026-11-29","items":[{"kind":"song","title":"x","charts":[\#(charts)]}]}"#)
        #expect(many.items[0].charts.count == 16)
        #expect(throws: Trouble.self) { try SharedSet(reading: [UInt8](repeating: 0x20, count: SharedSet.limit + 1)) }
    }

    @Test(arguments: [
        #"{"format":1,"set":"Sunday","items":[]}"#, #"{"format":1,"set":"2026-02-30","items":[]}"#, #"{"format":1,"set":"2026-11-29"}"#,
        #"{"format":2,"set":"2026-11-29","items":[]}"#, "{", "",
    ])
    func nonsenseIsRefused(text: String) {
        #expect(throws: Trouble.self) { try SharedSet(reading: Array(text.utf8)) }
    }

    // MARK: - In the head

    private func head(_ sets: [BandHead.SetEntry]) -> BandHead {
        var head = BandHead(device: BandDevice("abcdefgh01234567"), counter: 7, person: "Anna", name: "laptop")
        head.sets = sets
        return head
    }

    private func entry(_ id: String = "ab12", length: Int = 3, files: [(String, Int)] = []) -> BandHead.SetEntry {
        .init(
            id: id, object: SHA256.digest(of: id), length: length,
            files: files.map { .init(object: SHA256.digest(of: $0.0), length: $0.1) })
    }

    @Test func aHeadNamesItsSetsAndTheirFiles() throws {
        let head = head([entry(files: [("x", 12), ("y", 5)]), entry("cd34", files: [("x", 12)])])
        let read = try BandHead.read(head.bytes).head
        #expect(read == head)
        #expect(read.objects.count == 4 && read.chartBytes == 17)
        #expect(!read.hasTheContents(of: self.head([])))
    }

    @Test func setsThatAreNoneMakeAHeadUnreadable() {
        let most = BandHead.longestChart
        for sets in [
            [entry("../x")], [entry(), entry()], [entry(length: 0)], [entry(files: [("x", most + 1)])], [entry(files: [("x", -1)])],
            [entry(files: (0..<4).map { ("\($0)", most) })], (0..<21).map { entry("a\($0)") },
        ] {
            #expect(throws: Trouble.self) { try BandHead.read(head(sets).bytes) }
        }
    }

    @Test func aPlanOfTheBandShowsWhoseItIs() {
        let own = PlanID.ofSet("2026-11-29 Advent")
        let shared = PlanID.ofBand(BandDevice("abcdefgh01234567"), own.sharedID)
        #expect(shared.bandDevice == BandDevice("abcdefgh01234567") && own.bandDevice == nil)
        #expect(shared.everywhere == own.everywhere && shared.source == .sets)
        #expect(PlanID("set/band/abc/x").bandDevice == nil && PlanID.ofSet("band/2026-11-29").bandDevice == nil)
    }
}
