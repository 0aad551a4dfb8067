import LayerJoin
import Model
import TestSupport
import Testing

/// How states of a layer's parts are joined, and which part draws which mark.
@Suite(.timeLimit(.minutes(5)))
struct LayerPartTests {
    private func value(_ id: String, _ counts: [String: Int], _ text: String? = "a") throws -> LayerValue {
        let edits = try #require(EditCounts(Dictionary(uniqueKeysWithValues: counts.map { (DeviceID($0.key), $0.value) })))
        return LayerValue(MarkID(id), edits, text.map { LayerValue.Text(Array("{\"id\":\"\(id)\",\"t\":\"\($0)\"}".utf8)) })
    }

    private func part(_ revision: Int, _ values: [LayerValue], without sums: [LayerValue] = []) -> LayerPart {
        LayerPart(revision: revision, layer: JoinedLayer(values), takenOut: Set(sums.map { LayerValue.sum(of: $0.written) }))
    }

    private func shown(_ parts: LayerPart...) -> [String] { LayerPart.joined(parts).marks.map(\.id.text) }

    @Test func anOlderStateTakesNothingAway() throws {
        let (m, n) = (try value("m", ["a": 1]), try value("n", ["a": 2]))
        var known = part(2, [m, n])
        known.join(part(1, [m]))
        #expect(known == part(2, [m, n]))
        // Nor does an older state bring back marks that were deleted later.
        var erased = part(3, [m, try value("n", ["a": 3], nil)])
        erased.join(part(2, [m, n]))
        #expect(shown(erased) == ["m"])
    }

    @Test func whatAHandTookOutIsGoneUnlessAnotherPartHasIt() throws {
        let (m, n) = (try value("m", ["a": 1]), try value("n", ["a": 2]))
        var known = part(2, [m, n])
        known.join(part(2, [n], without: [m]))
        #expect(shown(known) == ["n"] && shown(known, part(2, [m, n])) == ["m", "n"])
        let (_, shares) = LayerPart.shares(of: [known, part(1, [m])])
        #expect(shares == [[n], [m]])
        // A removal is only for one value of a mark. Another value of the same mark is shown.
        let moved = try value("m", ["a": 1, "b": 1], "moved")
        #expect(shown(known, part(1, [moved])) == ["m", "n"])
        // A person can put the mark back.
        known.join(part(2, [m, n]))
        #expect(shown(known) == ["m", "n"])
        // A removal in an older state removes nothing from a newer one.
        known.join(part(1, [], without: [m]))
        #expect(shown(known) == ["m", "n"])
    }

    @Test func eachMarkIsDrawnOnceAndByAPartThatHasIt() throws {
        let (m, n) = (try value("m", ["a": 1]), try value("n", ["a": 2]))
        let erased = try value("n", ["a": 2, "b": 1], nil)
        let moved = try value("m", ["a": 1, "b": 2], "moved")
        let all = [part(2, [m, n]), part(2, [erased, moved]), part(1, [m])]
        let (joined, shares) = LayerPart.shares(of: all)
        #expect(shares == [[], [moved], []] && joined.marks == [moved] && joined.deleted == [erased])
        let reversed = LayerPart.shares(of: all.reversed())
        #expect(reversed.joined == joined && reversed.shares == shares.reversed())
    }

    /// A home that was restored from a backup may write another state under the same revision. The imported mark stands for marks without
    /// numbered edits.
    @Test func anotherStateOfTheSameRevisionTakesNothingAwayEither() throws {
        let m = try value("m", ["a": 1])
        let imported = LayerValue(MarkID("h"), .byHand([1]), LayerValue.Text([1]))
        var known = part(2, [m, imported])
        known.join(part(2, [m]))
        #expect(known == part(2, [m, imported]) && known.missing(from: JoinedLayer([m])) == [imported])
    }
}
