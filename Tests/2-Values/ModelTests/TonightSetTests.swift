import JSON
import Model
import TestSupport
import Testing

/// What a musician changes in a plan for one evening, and how it stays true while the service changes the plan.
@Suite struct TonightSetTests {
    private static func item(_ id: String) -> PlanItem {
        PlanItem(id: ItemID(id), sequence: 0, title: "Song \(id)", attachments: [Samples.attachment(id)])
    }

    private static func plan(_ ids: String) -> PlanContents {
        PlanContents(plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("7")), items: ids.map { item(String($0)) })
    }

    /// A set, the items that are stored for it, and the plan that it is for.
    private struct Evening {
        var set = TonightSet()
        var stored: [PlanItem] = []
        var plan: PlanContents

        init(_ ids: String) { plan = TonightSetTests.plan(ids) }

        mutating func make(_ edit: TonightEdit) -> Bool { set.make(edit, in: plan, storing: stored) }

        mutating func change(_ edit: TonightEdit) {
            let isMade = make(edit)
            #expect(isMade)
        }

        mutating func move(_ item: String, after anchor: String?) {
            change(.move(ItemID(item), after: anchor.map { ItemID($0) }))
        }

        mutating func add(_ id: String, after anchor: String?) {
            let item = TonightSetTests.item(id)
            change(.add(item, after: anchor.map { ItemID($0) }))
            stored.append(item)
        }

        var contents: PlanContents { self.set.applied(to: plan, storing: stored) }
        /// The items in order, as one text.
        var order: String { contents.items.map(\.id.text).joined() }
    }

    @Test func itemsAreLeftOutMovedAndAdded() {
        var evening = Evening("abcd")
        evening.change(.leaveOut(ItemID("b"), true))
        evening.move("d", after: nil)
        evening.add("x", after: "c")
        #expect(evening.order == "dacx")
        #expect(evening.contents.tonight?.words == "1 left out, 1 added, 1 moved")
        evening.change(.leaveOut(ItemID("b"), false))
        #expect(evening.order == "dabcx")
        #expect(evening.contents.asPlanned == evening.plan)
    }

    @Test func anItemThatIsBackInItsPlaceIsNotMoved() {
        var evening = Evening("abc")
        evening.move("a", after: "c")
        #expect(evening.order == "bca" && evening.set.moves.map(\.item) == [ItemID("a")])
        evening.move("a", after: nil)
        #expect(evening.set.isEmpty && evening.contents.tonight?.differs == false)
    }

    @Test func whatTheServiceChangesArrives() {
        var evening = Evening("abcd")
        evening.move("d", after: "a")
        evening.change(.leaveOut(ItemID("c"), true))
        evening.plan = Self.plan("abncd")
        #expect(evening.order == "adbn")
        #expect(evening.contents.tonight?.rows.filter(\.isNew).map(\.id) == [ItemID("n")])
        // Whoever makes the next change has seen it.
        evening.change(.remark(ItemID("a"), "slowly"))
        #expect(evening.contents.tonight?.rows.contains(where: \.isNew) == false)
    }

    @Test func aMoveWhoseAnchorIsGoneKeepsTheNearestNeighbour() {
        var evening = Evening("abcde")
        evening.move("e", after: "c")
        evening.plan = Self.plan("abde")
        #expect(evening.order == "abed")
        evening.plan = Self.plan("de")
        #expect(evening.order == "ed")
    }

    @Test func itemsThatAreGoneDropOutWithAWordAndComeBack() {
        var evening = Evening("abc")
        evening.change(.remark(ItemID("b"), "twice"))
        evening.move("b", after: "c")
        evening.plan = Self.plan("ac")
        #expect(evening.order == "ac" && evening.contents.tonight?.gone == ["Song b"])
        // A change meanwhile forgets nothing of it.
        evening.move("c", after: nil)
        evening.plan = Self.plan("abc")
        #expect(evening.order == "cba" && evening.contents.tonight?.gone == [])
        #expect(evening.contents.tonight?.rows.first { $0.id == ItemID("b") }?.remark == "twice")
    }

    @Test func anotherChartIsShownInPlaceOfAnItemsOwn() {
        var evening = Evening("ab")
        let other = Self.item("x")
        evening.change(.show(other, at: ItemID("a")))
        evening.stored.append(other)
        #expect(evening.contents.attachments.map(\.id.text) == ["x", "b"] && evening.contents.items[0].title == "Song a")
        evening.change(.show(nil, at: ItemID("a")))
        #expect(evening.contents.attachments.map(\.id.text) == ["a", "b"] && evening.set.stored == [])
    }

    @Test func aRemarkIsOneLineThatCanBeShown() {
        var evening = Evening("ab")
        evening.change(.remark(ItemID("a"), "slowly\n\u{1b}[2J and\u{202e} \tsoft" + String(repeating: "!", count: 300)))
        let remark = evening.contents.tonight?.rows[0].remark
        #expect(remark?.hasPrefix("slowly [2J and soft!") == true && remark?.count == TonightSet.longestRemark)
        evening.change(.remark(ItemID("a"), " \u{7}\n"))
        #expect(evening.contents.tonight?.rows[0].remark == nil)
    }

    @Test func aSongWithinABookBeginsAtItsPage() throws {
        var evening = Evening("ab")
        var song = Self.item("x")
        song.start = PageIndex(11)
        // It is not stored with the item.
        evening.stored.append(Self.item("x"))
        evening.change(.show(song, at: ItemID("a")))
        #expect(evening.contents.items.map(\.start) == [PageIndex(11), nil])
        let stored = try JSONWriter.encode(evening.set)
        #expect(try JSONReader.decode(TonightSet.self, from: stored) == evening.set)
        evening.change(.show(nil, at: ItemID("a")))
        #expect(evening.contents.items.map(\.start) == [nil, nil] && evening.set.starts == [])
    }

    @Test func aSetOfAnOlderProgramIsRead() throws {
        let text = #"{"added":[],"known":[],"leftOut":["b"],"moves":[],"number":1,"parts":[],"readings":[],"remarks":[]}"#
        let set = try JSONReader.decode(TonightSet.self, from: Array(text.utf8))
        #expect(set.applied(to: Self.plan("abc"), storing: []).items.map(\.id.text) == ["a", "c"])
    }

    @Test func whatReplacesAnUnreadableSetHasANumberThatNoPageKnows() {
        var evening = Evening("ab")
        evening.set = .unreadable
        #expect(evening.contents.tonight?.isUnreadable == true && evening.order == "ab")
        evening.change(.leaveOut(ItemID("a"), true))
        #expect(evening.set.number > 1000 && !evening.set.isUnreadable && evening.order == "b")
    }

    @Test func everythingIsTakenBackAndTheNumberGoesOn() {
        var evening = Evening("abc")
        evening.move("a", after: "b")
        evening.add("x", after: nil)
        evening.change(.asPlanned)
        #expect(evening.order == "abc" && evening.set.isEmpty && evening.set.number == 3)
    }

    @Test func whatIsNotHereCannotBeChanged() {
        var evening = Evening("ab")
        let former = evening.set
        for edit: TonightEdit in [
            .move(ItemID("z"), after: nil), .move(ItemID("a"), after: ItemID("z")), .move(ItemID("a"), after: ItemID("a")),
            .leaveOut(ItemID("z"), true), .remark(ItemID("z"), "x"), .read(ItemID("a"), former: nil), .add(Self.item("a"), after: nil),
        ] {
            let isMade = evening.make(edit)
            #expect(!isMade)
        }
        #expect(evening.set == former)
    }

    @Test func anItemThatTheServiceListsTwiceIsTwoItems() {
        var evening = Evening("aba")
        evening.change(.leaveOut(ItemID("a (2)"), true))
        #expect(evening.order == "ab")
    }

    /// Whatever order somebody makes is the order that is played, as long as the plan stays.
    @Test func anyOrderCanBeMade() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var evening = Evening("abcdefg")
            var expected = Array("abcdefg").map(String.init)
            for _ in 0..<6 {
                let item = expected.remove(at: Int.random(in: 0..<7, using: &random))
                let place = Int.random(in: 0...6, using: &random)
                evening.move(item, after: place == 0 ? nil : expected[place - 1])
                expected.insert(item, at: place)
                #expect(evening.order == expected.joined())
            }
        }
    }
}
