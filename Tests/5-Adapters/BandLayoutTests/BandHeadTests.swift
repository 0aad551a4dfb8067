import BandLayout
import Model
import Testing

/// The bytes of a device's head for its band.
struct BandHeadTests {
    private let device = BandDevice("abcdefgh01234567")

    private var head: BandHead {
        BandHead(
            device: device, counter: 7, person: "Anna", name: "Anna's laptop", roster: [BandDevice("0123456789abcdef")],
            readiness: [
                .init(
                    plan: PlanID("p1"), title: "Harvest", time: Timestamp("2026-11-29T10:00:00Z"), isReady: false,
                    lacks: ["Amazing Grace: not downloaded"], asOf: Timestamp(nanoseconds: 1_700_000_000_000_000_000))
            ],
            layers: [
                .init(
                    id: "ab12", name: "bowings", chart: ChartHash(SHA256.digest(of: "chart")), title: "Grace",
                    object: SHA256.digest(of: "object"), length: 12, since: 3)
            ])
    }

    @Test func itIsReadAsItWasWritten() throws {
        let (read, sum) = try BandHead.read(head.bytes)
        #expect(read == head)
        #expect(sum == (try BandHead.read(Array(head.bytes.dropLast())).sum), "the last line break may be lost")
    }

    @Test func anyByteThatIsMissingOrAnotherMakesItTorn() {
        let bytes = head.bytes
        for count in 0..<(bytes.count - 1) {
            #expect(throws: Trouble("has not arrived whole")) { try BandHead.read(Array(bytes[..<count])) }
        }
        for place in bytes.indices.dropLast() where place % 7 == 0 {
            var other = bytes
            other[place] ^= 1
            #expect(throws: Trouble.self) { try BandHead.read(other) }
        }
    }

    @Test func whatANewerProgramWroteIsNotGuessedAt() {
        let line = Array(#"{"format":2,"device":"abcdefgh01234567","counter":1,"person":"Anna"}"#.utf8) + [0x0a]
        let newer = Trouble("was written by a newer woodshed (format 2); update yours")
        #expect(throws: newer) { try BandHead.read(line + Array(SHA256.digest(of: line).hex.utf8)) }
    }

    /// Heads that are well-formed and have the right checksum, but make no sense.
    @Test(arguments: [
        #""device":"../../etc/passwd","counter":1"#, #""device":"abcdefgh01234567","counter":0"#,
        #""device":"abcdefgh01234567","counter":9007199254740993"#,
        #""device":"abcdefgh01234567","counter":1,"layers":[{"id":"../x","chart":"","object":"","length":1,"since":1}]"#,
        #""device":"abcdefgh01234567","counter":1,"layers":"many""#,
    ])
    func nonsenseIsRefused(members: String) {
        let line = Array("{\"format\":1,\"person\":\"Eve\",\(members)}\n".utf8)
        #expect(throws: Trouble.self) { try BandHead.read(line + Array(SHA256.digest(of: line).hex.utf8)) }
    }

    @Test func addressesLeadToNothingButAnIPAddressAndAPort() throws {
        var reachable = head
        reachable.addresses = ["192.168.1.5:8737", "[fd00::1]:8737"]
        #expect(try BandHead.read(reachable.bytes).head == reachable && !reachable.hasTheContents(of: head))
        reachable.addresses = ["10.0.0.1:80/admin", "user@10.0.0.1:80", "printer.local:80", "10.0.0.1:8737"]
        #expect(try BandHead.read(reachable.bytes).head.addresses == ["10.0.0.1:8737"])
    }

    @Test func offersAreReadAsTheyWereWritten() throws {
        var offering = head
        offering.offers = [
            try #require(
                TonightOffer(
                    of: "p1",
                    [
                        .init(ItemID("i2"), isMoved: true, key: "F#m"), .init(ItemID("i1"), isLeftOut: true, remark: "“next” time"),
                        .init(ItemID("tonight-1"), title: "Encore", isAdded: true, chart: AttachmentID("a7"), page: PageIndex(11)),
                    ]))
        ]
        let read = try BandHead.read(offering.bytes).head
        #expect(read == offering && !read.hasTheContents(of: head))
        #expect(read.offers[0].tag == offering.offers[0].tag)
    }

    /// What cannot be read of offers says nothing about the rest of the head.
    @Test(arguments: [
        #"[{"form":2,"plan":"p1","rows":[]},{"form":1,"plan":"p2","items":[{"id":"i1","moved":true}]}]"#,
        #"[7,{"form":1,"plan":"p2","items":[{"id":"i1","moved":true,"later":{}}]}]"#,
        #"[{"form":1,"plan":"p1","items":[]},{"form":1,"plan":"p2","items":[{"id":"i1","moved":true}]}]"#, #"{"later":1}"#,
    ])
    func offersOfAnotherFormArePassedOver(offers: String) throws {
        let said = Array(#"{"format":1,"device":"abcdefgh01234567","counter":1,"person":"Anna","offers":\#(offers)}"#.utf8) + [0x0a]
        let read = try BandHead.read(said + Array(SHA256.digest(of: said).hex.utf8)).head
        #expect(read.person == "Anna" && read.hasUnreadOffers)
        #expect(read.offers.map(\.plan) == (offers.first == "[" ? ["p2"] : []))
    }

    @Test func whoElseIsThereIsNoNews() {
        var later = head
        (later.counter, later.roster) = (8, [device])
        #expect(head.hasTheContents(of: later))
        later.person = "Anne"
        #expect(!head.hasTheContents(of: later))
    }

    @Test func namesThatOthersChooseStayOnOneShortLine() throws {
        let marker = BandMarker(id: device, name: "St\nMary\u{202e}\u{1b}[31m" + String(repeating: "x", count: 500))
        #expect(marker.name.hasPrefix("St Mary"))
        #expect(!marker.name.contains("\u{1b}") && marker.name.count <= 80)
        #expect(try BandMarker(reading: marker.bytes) == marker)
    }

    @Test func anIDFromAFileSystemWithoutSmallLettersIsTheSame() {
        #expect(BandDevice(checking: "ABCDEFGH01234567") == device)
        #expect(BandDevice(checking: "abcdefgh0123456") == nil && BandDevice(checking: "abcdefgh0123456é") == nil)
    }
}
