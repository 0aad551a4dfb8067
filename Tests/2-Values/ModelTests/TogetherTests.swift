import JSON
import Model
import Testing

/// Who leads and where the leader is: which state counts, and what is believed of others.
@Suite(.timeLimit(.minutes(5)))
struct TogetherTests {
    private static func leader(_ window: String, device: String = "") throws -> Together.Leader {
        try #require(Together.Leader(window: window, device: device, name: window))
    }

    private static func place(_ page: Int, plan: String = "p1") -> Together.Place? {
        Together.Place(
            plan: PlanID(plan), item: ItemID("i1"), chart: AttachmentID("a1"), hash: ChartHash(SHA256.digest(of: "chart")),
            page: PageIndex(page), down: 0.25)
    }

    private static func claim(_ window: String, after known: Together? = nil, atLeast epoch: Int = 0) throws -> Together {
        try #require(Together(claimedBy: try leader(window), after: known, atLeast: epoch, place: place(0)))
    }

    @Test func aClaimRaisesTheEpochAndIsFollowed() throws {
        let first = try Self.claim("anna")
        let second = try Self.claim("ben", after: first)
        #expect(first.epoch == 1 && second.epoch == 2 && second.isBelieved(after: first) && !first.isBelieved(after: second))
        // Whatever the former leader still says, it is of the past.
        var late = first
        for page in 1...50 { late.say(Self.place(page), nil) }
        #expect(late.version == 51 && !late.isBelieved(after: second))
    }

    @Test func everybodyFollowsTheSameOneOfTwoWhoClaimAtOnce() throws {
        let known = try Self.claim("carl")
        let claims = [try Self.claim("anna", after: known), try Self.claim("ben", after: known)]
        var ends: [Together] = []
        for order in [claims, claims.reversed()] {
            var state = known
            for claim in order where claim.isBelieved(after: state) { state = claim }
            ends.append(state)
        }
        #expect(ends[0] == ends[1] && ends[0].epoch == 2)
    }

    @Test func theStateOfALeaderWhoIsGoneStaysAndAnyoneClaims() throws {
        var state = try Self.claim("anna")
        state.say(Self.place(7), "Again from B")
        let next = try #require(Together(claimedBy: try Self.leader("ben"), after: state, place: state.place))
        #expect(next.leader.name == "ben" && next.place?.page == PageIndex(7) && next.message == nil && next.isBelieved(after: state))
    }

    @Test func whoGivesUpSaysSoToEverybody() throws {
        let led = try Self.claim("anna")
        var over = led
        over.giveUp()
        #expect(!over.isLed && over.isNewer(than: led))
        let before = over
        over.giveUp()
        #expect(over == before)
    }

    @Test func aSignOfLifeIsNewThoughItSaysTheSame() throws {
        var state = try Self.claim("anna")
        let before = state
        state.say(Self.place(0), "  ")
        #expect(state.isNewer(than: before) && state.place == before.place && state.message == nil)
    }

    @Test func aWindowThatKnowsMoreThanItsAgentClaimsBeyondWhatItKnows() throws {
        #expect(try Self.claim("anna", atLeast: 41).epoch == 42)
        let highest = try Self.claim("anna", atLeast: .max)
        #expect(highest.epoch == Together.greatestStep && highest.isBelieved(after: nil))
    }

    @Test func noEpochGoesBeyondWhatHonestClaimsCanFollow() throws {
        var state: Together? = try Self.claim("anna")
        for epoch in [Together.greatest, Together.greatest + 1, .max, 1 << 21] {
            let hostile = Self.read(state?.json, with: ["epoch": .integer(epoch), "window": "mallory"])
            #expect(hostile?.isBelieved(after: state) != true, "\(epoch)")
        }
        // Whatever is believed leaves room for the next claim.
        for _ in 0..<100 {
            let most = Self.read(state?.json, with: ["epoch": .integer((state?.epoch ?? 0) + Together.greatestStep), "window": "mallory"])
            #expect(most?.isBelieved(after: state) == true)
            state = most
            let claim = try Self.claim("anna", after: state)
            #expect(claim.isBelieved(after: state))
            state = claim
        }
        let last = Self.read(state?.json, with: ["epoch": .integer(Together.greatest)])
        #expect(Together(claimedBy: try Self.leader("anna"), after: last) == nil)
    }

    @Test func whoKnowsNothingBelievesAnyEpochThatLeavesRoomForClaims() throws {
        let claim = try Self.claim("anna")
        let room = Together.greatest - Together.greatestStep
        for (epoch, isBelieved) in [(Together.greatestStep * 9, true), (room, true), (room + 1, false), (Together.greatest, false)] {
            let word = try #require(Self.read(claim.json, with: ["epoch": .integer(epoch)]))
            #expect(word.isBelieved(after: nil) == isBelieved && word.isBelieved(after: claim) == isBelieved, "\(epoch)")
        }
        // Above, claims go on one by one.
        let highest = try #require(Self.read(claim.json, with: ["epoch": .integer(room)]))
        #expect(try Self.claim("ben", after: highest).isBelieved(after: highest))
        let leap = Self.read(claim.json, with: ["epoch": .integer(room + 2), "window": "mallory"])
        #expect(leap?.isBelieved(after: highest) == false)
    }

    @Test func numbersAndIdsOutOfBoundsAreNoState() throws {
        let whole = try Self.claim("anna").json
        #expect(Self.read(whole, with: [:]) != nil)
        let wrong: [(String, JSONText)] = [
            ("epoch", 0), ("epoch", -1), ("epoch", .number(1e300)), ("epoch", "1"), ("version", 0), ("version", .integer(.max)),
            ("window", ""), ("window", "a b"), ("window", .text(String(repeating: "a", count: 41))), ("device", "../x"), ("led", 1),
            ("place", 7),
        ]
        for (name, value) in wrong { #expect(Self.read(whole, with: [name: value]) == nil, "\(name) \(value.line)") }
        let place = try #require(whole.members?.first { $0.name == "place" }?.value)
        let places: [(String, JSONText)] = [
            ("page", -1), ("page", 1_000_000), ("page", .number(0.5)), ("down", .number(-0.1)), ("down", .number(1.1)), ("hash", "0"),
            ("chart", ""), ("item", "a\u{1b}[2J"), ("plan", .text(String(repeating: "p", count: 2000))),
        ]
        for (name, value) in places {
            #expect(Self.read(whole, with: ["place": place.with([name: value])]) == nil, "\(name) \(value.line)")
        }
    }

    @Test func namesAndMessagesAreOneShortLineWithoutControl() throws {
        let state = try #require(
            Self.read(
                try Self.claim("anna").json,
                with: [
                    "leader": "An\u{1b}[31mna\u{202e}\n\tSmith",
                    "message": .text("Again\r\n\u{7}from \u{200f}B" + String(repeating: "!", count: 200)),
                ]))
        #expect(state.leader.name == "An[31mna Smith")
        #expect(state.message?.hasPrefix("Again from B!") == true && state.message?.unicodeScalars.count == 80)
    }

    @Test func aStateIsReadAsItWasSent() throws {
        var state = try Self.claim("anna")
        state.say(Self.place(3), "Next: Be Thou My Vision")
        #expect(Self.read(state.json, with: [:]) == state)
        state.giveUp()
        #expect(Self.read(state.json, with: [:]) == state)
    }

    @Test func onlyTheLeadersDeviceSignsForIt() throws {
        let (key, other) = (SigningKey.random(), SigningKey.random())
        let leader = try Self.leader("anna", device: key.verifier.name)
        let state = try #require(Together(claimedBy: leader, after: nil, place: Self.place(1)))
        let word = try #require(TogetherWord(state, team: "band", signedBy: key))
        #expect(TogetherWord(reading: word.bytes) == word)
        #expect(TogetherWord(state, team: "band", signedBy: other) == nil)
        // Each byte counts.
        for place in stride(from: 0, to: word.bytes.count, by: 7) {
            var bytes = word.bytes
            bytes[place] ^= 1
            #expect(TogetherWord(reading: bytes) == nil, "byte \(place)")
        }
        #expect(TogetherWord(reading: []) == nil && TogetherWord(reading: Array(word.bytes.dropLast())) == nil)
        #expect(TogetherWord(reading: [UInt8](repeating: UInt8(ascii: "["), count: 5000)) == nil)
        #expect(TogetherWord(reading: word.bytes + [UInt8](repeating: 0x20, count: TogetherWord.limit)) == nil)
    }

    @Test func whatABrowserSendsIsReadWithinBounds() throws {
        let place = try #require(try Self.claim("anna").json.members?.first { $0.name == "place" }?.value)
        func read(_ more: [(String, JSONText)]) -> Together.Wish? {
            Together.Wish(
                JSONText.object([("act", "tell"), ("window", "w"), ("place", place)]).with(Dictionary(more) { $1 }).bytes(forBrowsers: true)
            )
        }
        #expect(read([]) == Together.Wish(.tell, window: "w", place: Self.place(0)))
        #expect(read([("epoch", -5)])?.epoch == 0 && read([("act", "rule")]) == nil && read([("place", place.with(["page": -1]))]) == nil)
        #expect(Together.Wish(Array("[]".utf8)) == nil)
    }

    /// Reads a state as another agent sends it, with these values instead of its own.
    private static func read(_ json: JSONText?, with others: [String: JSONText]) -> Together? {
        guard let json else { return nil }
        return Together(reading: json.with(others).bytes(forBrowsers: false))
    }
}

extension JSONText {
    fileprivate var members: [(name: String, value: JSONText)]? { if case .object(let members) = self { members } else { nil } }

    /// The object with these members instead of its own.
    fileprivate func with(_ others: [String: JSONText]) -> JSONText {
        let mine = (members ?? []).filter { others[$0.name] == nil }
        return .object(mine + others.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }
}
