import JSON
import Model
import Testing

@Suite struct MarkPlaceTests {
    private func slur(_ points: [(Double, Double)], page: Int = 0, width: Double = 0.002) -> Mark {
        Mark(id: "s", page: PageIndex(page), kind: .pen, width: width, points: points.map { Mark.Point(x: $0.0, y: $0.1) })
    }

    private func isNear(_ mark: Mark, _ other: Mark) -> Bool {
        mark.page == other.page && abs(mark.width - other.width) < 1e-9
            && zip(mark.points, other.points).allSatisfy { abs($0.x - $1.x) < 1e-9 && abs($0.y - $1.y) < 1e-9 }
    }

    @Test func aPlaceBringsAMarkThereInItsShape() throws {
        let made = slur([(0.1, 0.2), (0.2, 0.1), (0.3, 0.2)])
        let there = slur([(0.5, 0.7), (0.55, 0.6), (0.6, 0.7)], page: 2, width: 0.001)
        let place = MarkPlace(of: made, at: there)
        #expect(isNear(made.moved(to: place), there))
        #expect(try JSONReader.decode(MarkPlace.self, from: JSONWriter.encode(place)) == place)
    }

    @Test func aPlaceOfATextHasItsSize() {
        var made = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.1, y: 0.2)], text: "rit.", setting: Mark.Setting(size: 0.02))
        var there = made
        there.points = [Mark.Point(x: 0.4, y: 0.5)]
        (there.setting.size, there.width) = (0.03, made.width * 1.5)
        let place = MarkPlace(of: made, at: there)
        #expect(abs((made.moved(to: place).setting.size ?? 0) - 0.03) < 1e-9)
        made.text = "rall."
        #expect(made.moved(to: place).text == "rall.")
    }

    @Test func aPersonPutsTheMiddleOfAMarkAtAPoint() {
        let made = slur([(0.1, 0.2), (0.3, 0.2)])
        let moved = made.moved(to: MarkPlace(on: PageIndex(0)).moved(to: PageIndex(1), middle: (0.6, 0.7), of: made))
        #expect(isNear(moved, slur([(0.5, 0.7), (0.7, 0.7)], page: 1)))
    }

    @Test func marksAreKnownByWhatTheyShowAndWhere() {
        let made = slur([(0.1, 0.2), (0.3, 0.2)])
        var same = Mark(id: "other", page: made.page, kind: made.kind, width: made.width, points: made.points)
        #expect(made.placeSum == same.placeSum)
        same.page = PageIndex(1)
        #expect(made.placeSum != same.placeSum)
    }

    /// Programs that know nothing of it keep the field, and images are the same.
    @Test func aMarkSaysOnWhichChartItWasMade() throws {
        var made = slur([(0.1, 0.2)])
        made.on = "0123456789abcdef"
        let text = String(decoding: try JSONWriter.encode(made), as: UTF8.self)
        let written = try JSONReader.decode([String: JSONValue].self, from: Array(text.utf8))["on"]
        guard case .string(let value)? = written else {
            Issue.record("\(text)")
            return
        }
        let mark = try JSONReader.decode(Mark.self, from: Array(text.utf8))
        #expect(mark.on == "0123456789abcdef" && mark.unknown.isEmpty)
        #expect(try JSONReader.decode(Mark.self, from: JSONWriter.encode(mark)) == mark)
        var other = mark
        other.on = nil
        #expect(other.placeSum == mark.placeSum && other.placeKey != mark.placeKey)
        #expect(PageMarks(drawing: [other])?.digest == PageMarks(drawing: [mark])?.digest)
        let capitals = value.replacing("abcdef ", with: "ABCDEF ")
        let others = ["0123", "", "0123456789abcdef", value.replacing(" ", with: ""), value + "0", capitals]
        for other in others {
            let strange = try JSONReader.decode(Mark.self, from: Array(text.replacing(value, with: other).utf8))
            #expect(strange.on == nil && strange.unknown["on"] != nil, "another program’s field")
            var known = strange
            known.on = mark.on
            #expect(try JSONReader.decode(Mark.self, from: JSONWriter.encode(known)).on == mark.on)
        }
    }

    /// Programs that do not know the field keep it when they move a mark.
    @Test func aMarkThatWasMovedByAnOlderProgramSaysNothing() throws {
        var made = slur([(0.1, 0.2), (0.3, 0.2)])
        made.on = "0123456789abcdef"
        let text = String(decoding: try JSONWriter.encode(made), as: UTF8.self)
        for (part, other) in [("0.1", "0.2"), (#""page":0"#, #""page":1"#), ("0.2]]", "0.20001]]")] {
            let moved = try JSONReader.decode(Mark.self, from: Array(text.replacing(part, with: other, maxReplacements: 1).utf8))
            #expect(moved.on == nil && moved.unknown["on"] != nil, "\(part)")
        }
        let restyled = try JSONReader.decode(Mark.self, from: Array(text.replacing("0.002", with: "0.003").utf8))
        #expect(restyled.on == made.on)
    }
}
