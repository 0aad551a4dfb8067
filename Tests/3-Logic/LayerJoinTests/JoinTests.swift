import JSON
import LayerJoin
import Model
import TestSupport
import Testing

/// Which marks a layer has after it is joined with others.
@Suite(.timeLimit(.minutes(5)))
struct JoinTests {
    private func counts(_ counts: [String: Int]) throws -> EditCounts {
        try #require(EditCounts(Dictionary(uniqueKeysWithValues: counts.map { (DeviceID($0.key), $0.value) })))
    }

    private func value(_ id: String, _ edits: [String: Int], _ text: String?, at time: String? = nil) throws -> LayerValue {
        LayerValue(
            MarkID(id), try counts(edits), text.map { LayerValue.Text(Array($0.utf8), createdAt: time.flatMap { Timestamp($0) }) })
    }

    private func texts(_ values: [LayerValue]) -> [String] {
        values.map { String(decoding: $0.mark?.bytes ?? Array("-\($0.id)".utf8), as: UTF8.self) }
    }

    /// The browser's script must pass the same cases.
    @Test(arguments: try JSONReader.decode([JoinCase].self, from: Array(JoinCase.json.utf8))) func valuesOfOneMarkAreJoined(
        _ each: JoinCase
    ) throws {
        for turn in 0..<max(each.values.count, 1) {
            let values = each.values[turn...] + each.values[..<turn]
            let layer = JoinedLayer(try values.map { try value("m", $0.v, $0.mark) })
            #expect(texts(layer.marks) == [each.shown].compactMap(\.self))
            #expect(Set(texts(layer.also)) == Set(each.also) && layer.also.count == each.also.count)
            let deleted = layer.deleted.map { Dictionary(uniqueKeysWithValues: $0.edits.sorted.map { ($0.device.text, $0.number) }) }
            #expect(Set(deleted) == Set(each.deleted) && deleted.count == each.deleted.count)
        }
    }

    @Test func anEditReplacesWhatItKnew() throws {
        let layer = JoinedLayer([try value("m", ["a": 1], "old"), try value("m", ["a": 1, "b": 1], "new")])
        #expect(texts(layer.marks) == ["new"] && layer.also == [] && layer.deleted == [])
        #expect(layer.joined(with: JoinedLayer([try value("m", ["a": 1], "old")])) == layer, "an older copy changes nothing")
    }

    @Test func editsThatDidNotKnowOfEachOtherBothStay() throws {
        let layer = JoinedLayer([try value("m", ["a": 1, "b": 1], "b's"), try value("m", ["a": 2], "a's")])
        #expect(texts(layer.marks) == ["a's"] && texts(layer.also) == ["b's"], "the higher number is shown")
        let both = layer.edits(of: MarkID("m")).including(1, of: DeviceID("c"))
        #expect(both == (try counts(["a": 2, "b": 1, "c": 1])))
        let ended = layer.joined(with: JoinedLayer([LayerValue(MarkID("m"), both, nil)]))
        #expect(ended.marks == [] && ended.also == [] && texts(ended.deleted) == ["-m"], "who knew both replaces both")
    }

    @Test func amongEqualNumbersTheLaterDeviceIsShown() throws {
        let layer = JoinedLayer([try value("m", ["b": 2], "b's"), try value("m", ["a": 2], "a's"), try value("m", ["c": 1], "c's")])
        #expect(texts(layer.marks) == ["b's"] && Set(texts(layer.also)) == ["a's", "c's"])
    }

    @Test func aMarkBeatsADeletionThatDidNotKnowIt() throws {
        let layer = JoinedLayer([try value("m", ["a": 9], nil), try value("m", ["b": 1], "b's")])
        #expect(texts(layer.marks) == ["b's"] && texts(layer.deleted) == ["-m"])
    }

    @Test func twoTextsOfOneEditBothStayAndAnEditOfBothReplacesBoth() throws {
        let layer = JoinedLayer([try value("m", ["a": 1], "as drawn"), try value("m", ["a": 1], "as typed")])
        #expect(layer.marks.count == 1 && layer.also.count == 1)
        let next = layer.joined(with: JoinedLayer([try value("m", ["a": 2], "next")]))
        #expect(texts(next.marks) == ["next"] && next.also == [])
    }

    @Test func whatCameWithoutEditsIsDerivedFromItsText() throws {
        let (one, other) = (EditCounts.byHand(Array("one".utf8)), EditCounts.byHand(Array("other".utf8)))
        #expect(one == .byHand(Array("one".utf8)) && one != other && !one.isEmpty)
        #expect(one.including(1, of: DeviceID("a")).dominates(one))
    }

    @Test func marksAreInTheOrderOfTheirCreationWhateverTheirNumbers() throws {
        let layer = JoinedLayer([
            try value("c", ["a": 1], "third", at: "2036-11-22T09:30:00Z"), try value("b", ["a": 3], "second", at: "2016-11-22T09:30:00Z"),
            try value("z", ["a": 2], "first"), try value("a", ["a": 4], "also second", at: "2016-11-22T09:30:00Z"),
        ])
        #expect(texts(layer.marks) == ["first", "also second", "second", "third"])
    }

    @Test func idsAreComparedByteForByte() throws {
        let layer = JoinedLayer([try value("\u{e9}", ["a": 1], "one"), try value("e\u{301}", ["a": 1], "other")])
        #expect(layer.marks.count == 2 && layer.also == [])
    }

    @Test(arguments: [0, -1, EditCounts.greatest + 1, Int.min])
    func numbersThatNoEditCanHaveAreRefused(number: Int) { #expect(EditCounts([DeviceID("a"): number]) == nil) }

    /// Random values, including combinations that no device would make.
    @Test func joiningIsTheSameInAnyOrderAndAnyNumberOfTimes() throws {
        var random = SeededGenerator(seed: 7)
        func layer() throws -> JoinedLayer {
            JoinedLayer(
                try (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    var edits: [String: Int] = [:]
                    for _ in 0...Int.random(in: 0...2, using: &random) {
                        edits[String("abc".randomElement(using: &random)!)] = Int.random(in: 1...3, using: &random)
                    }
                    let text = Int.random(in: 0...3, using: &random)
                    return try value(String("xyz".randomElement(using: &random)!), edits, text == 0 ? nil : "\(text)")
                })
        }
        for _ in 0..<3000 {
            let (a, b, c) = (try layer(), try layer(), try layer())
            #expect(a.joined(with: b) == b.joined(with: a))
            #expect(a.joined(with: b).joined(with: c) == a.joined(with: b.joined(with: c)))
            #expect(a.joined(with: a) == a && a.joined(with: b).joined(with: b) == a.joined(with: b))
            let whole = a.joined(with: b)
            let all = whole.marks + whole.also + whole.deleted
            #expect(JoinedLayer(all) == whole && JoinedLayer(all.shuffled(using: &random)) == whole)
            #expect(Set(whole.marks.map(\.id)).count == whole.marks.count, "each mark once")
        }
    }
}
