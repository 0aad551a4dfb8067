import JSON
import LayerJoin
import Model
import TestSupport
import Testing

@testable import Annotations

/// Which edits are accepted from a browser, or from a program that pretends to be a browser.
@Suite(.timeLimit(.minutes(5)))
struct LayerEditsTests {
    private func read(_ text: String, pages: Int = 2) throws(Trouble) -> [LayerValue] {
        try LayerEdits.read(Array(text.utf8), pages: pages)
    }

    /// A mark of another version of the chart may be on a page that this one lacks; any other text in that field makes no difference.
    @Test func onlyMarksOfAnotherVersionMayBeBeyondThePages() throws {
        let chart = ChartHash(SHA256.digest(of: "chart"))
        func count(_ on: String?) throws(Trouble) -> Int {
            var mark = Mark(id: "m", page: PageIndex(2), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)])
            (mark.on, mark.unknown["v"]) = (on, .object(["a": .number(1)]))
            if on == "any" { (mark.on, mark.unknown["on"]) = (nil, .string("any")) }
            let text = (try? JSONWriter.encode(mark)) ?? []
            return try LayerEdits.read(Array(#"{"marks":["#.utf8) + text + Array("]}".utf8), pages: 2, of: chart).count
        }
        #expect(try count("0123456789abcdef") == 1)
        for on in [nil, "any", chart.beginning] { #expect(throws: Trouble.self) { try count(on) } }
    }

    private func refusal(_ text: String) -> Trouble? {
        do throws(Trouble) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    private func mark(_ fields: String) -> String { #"{"marks":[{"id":"m",\#(fields)}]}"# }
    private static let rest = #""page":0,"kind":"pen","points":[[0.1,0.2]]"#

    @Test func marksAndDeletionsAreTakenWithTheirEdits() throws {
        let values = try read(#"{"marks":[{"id":"m","v":{"a":3,"b":1},"own":{"x":1.0},\#(Self.rest)}],"deleted":[{"id":"n","v":{"a":4}}]}"#)
        #expect(values.map(\.id.text) == ["m", "n"] && values.map { $0.mark == nil } == [false, true])
        #expect(values[0].edits.sorted.map(\.number) == [3, 1])
        let text = String(decoding: values[0].mark?.bytes ?? [], as: UTF8.self)
        #expect(text == #"{"id":"m","kind":"pen","own":{"x":1},"page":0,"points":[[0.1,0.2]]}"#)
        #expect(try read("{}") == [] && read(#"{"marks":[],"deleted":[]}"#) == [])
    }

    /// Where a jump leads is not checked: its landing may come in another request, and may be erased at any time.
    @Test func jumpsLandingsAndBookmarksAreTaken() throws {
        let place = #""page":1,"points":[[0.9,0.8]],"v":{"a":1}"#
        let marks = [
            #"{"id":"j","kind":"jump","leads":"l","pass":2,\#(place)}"#, #"{"id":"l","kind":"landing",\#(place)}"#,
            #"{"id":"b","kind":"bookmark","text":"Verse 2",\#(place)}"#,
        ]
        let values = try read(#"{"marks":[\#(marks.joined(separator: ","))]}"#)
        #expect(NativeLayerReader.marks(of: values).map(\.kind) == [.jump, .landing, .bookmark])
        #expect(NativeLayerReader.marks(of: values).first.map { [$0.leads, $0.pass.map { "\($0)" }] } == ["l", "2"])
    }

    @Test(
        arguments: [
            (#""kind":"jump""#, "“leads” is missing; write the “id” of the landing"),
            (#""kind":"jump","leads":3"#, "“leads”"),
            (#""kind":"jump","leads":"l","pass":10"#, "“pass” is no number of a time through; write a whole number from 1 to 9"),
            (#""kind":"bookmark""#, "“text” is missing or empty"), (#""kind":"bookmark","text":" \n""#, "“text” is missing or empty"),
        ] as [(String, String)])
    func jumpsAndBookmarksThatLeadNowhereAreRefused(fields: String, reason: String) {
        let refusal = refusal(mark(#""page":0,"points":[[0.1,0.2]],"v":{"a":1},\#(fields)"#))
        #expect(refusal?.description.contains(reason) == true, "\(refusal?.description ?? "taken")")
    }

    @Test(
        arguments: [
            ("", "is cut off"), ("[]", "must be lists"), (#"{"marks":3}"#, "must be lists"), (#"{"deleted":{}}"#, "must be lists"),
            (#"{"marks":[3]}"#, "not an object"), (#"{"marks":[{"v":{"a":1}}]}"#, "an “id”"),
            (#"{"marks":[{"id":7,"v":{"a":1}}]}"#, "an “id”"),
            (#"{"deleted":["m"]}"#, "The mark m cannot be deleted: “v” is missing"), (#"{"deleted":[{"id":"m"}]}"#, "“v” is missing"),
            (#"{"deleted":[{"id":"m","v":{}}]}"#, "“v” is empty"),
            (#"{"deleted":[{"v":{"a":1}}]}"#, "A mark without an “id” of its own cannot be deleted"),
            (#"{"deleted":[{"id":"m","v":{"a":9007199254740992}}]}"#, "no whole number from 1 to 9007199254740991 for “a”"),
            (#"{"deleted":[{"id":"","v":{"a":1}}]}"#, "“id” is empty; give the mark an “id” in quotes"),
            (#"{"marks":[NaN]}"#, "not valid JSON"),
        ] as [(String, String)])
    func whatMakesNoSenseIsRefused(text: String, reason: String) {
        let refusal = refusal(text)
        #expect(refusal?.description.contains(reason) == true, "\(refusal?.description ?? "taken")")
    }

    @Test(
        arguments: [
            ("", "“v”"), (#""v":{"a":0},"#, "“v”"), (#""v":{"a":1.5},"#, "“v”"), (#""v":{"a":"1"},"#, "“v”"),
            (#""v":[1],"#, "“v”"), (#""v":{"a":9007199254740992},"#, "“v”"),
            (#""v":{"a":1},"page":2,"kind":"pen""#, "“page” is 2"), (#""v":{"a":1},"page":-1,"kind":"pen""#, "“page” is -1"),
            (#""v":{"a":1},"page":1e300,"kind":"pen""#, "“page”"), (#""v":{"a":1},"page":0"#, "“kind” is missing"),
            (#""v":{"a":1},"page":"0","kind":"pen""#, "“page” has the wrong type"),
            (#""v":{"a":1},"page":0,"kind":"pen","points":[[1]]"#, "“points”"),
            (#""v":{"a":1},"page":0,"kind":"pen","points":[[1e9,0]]"#, "“points” has an impossible number"),
            (#""v":{"a":1},"page":0,"kind":"pen","color":"red""#, "“color”"),
            (#""v":{"a":1},"page":0,"kind":"pen","width":null,"points":{}"#, "“points”"),
            (#""v":{"":1},"#, "a device whose name is empty"), (#""v":{"a\u202e":1},"#, "characters that cannot be seen"),
            (#""v":{"a":1},"page":0,"kind":"pen","points":[[0,0]],"width":-5"#, "“width” is not above 0"),
            (#""v":{"a":1},"page":0,"kind":"rectangle","points":[[0,0],[1,1]],"fill":1,"width":-5"#, "“width” has a number that no length"),
            (#""v":{"a":1},"page":0,"kind":"staple","angle":3"#, "“kind” is “staple”, which cannot be drawn; write one of pen"),
        ] as [(String, String)])
    func aMarkThatMakesNoSenseIsNamed(fields: String, reason: String) {
        // Cases about edit numbers alone need the remaining fields.
        let refusal = refusal(mark(fields.isEmpty || fields.hasSuffix(",") ? fields + Self.rest : fields))
        #expect(refusal?.kind == .senseless(because: "m") && refusal?.description.contains(reason) == true, "\(refusal as Any)")
    }

    @Test func tooLongNamesAreRefused() {
        let long = String(repeating: "x", count: 201)
        #expect(refusal(#"{"marks":[{"id":"\#(long)","v":{"a":1},\#(Self.rest)}]}"#) != nil)
        #expect(refusal(mark(#""v":{"\#(long)":1},"# + Self.rest)) != nil)
        let many = (0..<2001).map { "\"d\($0)\":1" }.joined(separator: ",")
        #expect(refusal(mark(#""v":{\#(many)},"# + Self.rest)) != nil)
        #expect(refusal(mark(#""v":{"a":1},"page":0,"kind":"text","text":"\#(String(repeating: "x", count: 300_000))""#)) != nil)
    }

    @Test(arguments: [#"\u0000"#, #"a\nb"#, #"a\u202eb"#, #"\u2067"#, ""])
    func idsThatNobodyCanSeeAreRefused(id: String) {
        let refusals = [
            refusal(#"{"marks":[{"id":"\#(id)","v":{"a":1},\#(Self.rest)}]}"#), refusal(#"{"deleted":[{"id":"\#(id)","v":{"a":1}}]}"#),
        ]
        for refusal in refusals {
            #expect(refusal?.kind != .senseless(because: nil))
            #expect(refusal?.description.contains("; give the mark an “id” in quotes") == true)
            #expect(refusal?.description.unicodeScalars.allSatisfy { $0.value >= 32 && !$0.properties.isBidiControl } == true)
        }
    }

    /// If a body with two lists were accepted, only one list would be kept, although the answer would confirm both.
    @Test func aListThatStandsTwiceIsNotTaken() {
        let twice = refusal(#"{"marks":[{"id":"m","v":{"a":1},\#(Self.rest)}],"marks":[]}"#)
        #expect(twice?.description.contains("has “marks” twice") == true, "\(String(describing: twice))")
    }

    /// A mark may lie outside the page, since its author may have moved it there.
    @Test func aMarkThatWasMovedOffThePageIsTaken() throws {
        #expect(try read(mark(#""v":{"a":1},"page":0,"kind":"pen","points":[[1.5,0]],"cap":"arrow""#)).count == 1)
    }

    @Test func aChartOfOnePageHasNoOthers() {
        let bytes = Array(#"{"marks":[{"id":"m","page":1,"kind":"pen","points":[[0.1,0.2]],"width":0.1}]}"#.utf8)
        let sentences = LayerCheck.examine(bytes, for: .found(pages: 1)).findings.map(\.sentence)
        #expect(sentences.contains { $0.contains("this chart has one page; write 0") }, "\(sentences)")
    }

    /// When a mark is refused, the message contains the sentence that the check of files would report.
    @Test func whatIsRefusedIsWhatTheCheckNames() throws {
        let start = Array(#"{"marks":[{"id":"m","v":{"a":1},"page":0,"kind":"pen","points":[[0.1,0.2]],"width":0.1}]}"#.utf8)
        var mutator = Mutator(
            [start], words: ["\"id\"", "\"page\"", "null", "\"text\"", "[[1,2]]", "-1", "1e9", "{\"a\":0}", "\"\\u0000\""])
        var refused = 0
        for _ in 0..<Mutator.count(3000) {
            let bytes = mutator.next()
            guard (try? NativeLayerReader.read(bytes)) != nil, let refusal = refusal(String(decoding: bytes, as: UTF8.self)) else {
                continue
            }
            refused += 1
            let named = LayerCheck.examine(bytes, for: .found(pages: 2)).findings.map(\.sentence)
            #expect(
                named.contains { refusal.description.contains($0) } || refusal.description.contains("“v” is missing"),
                "\(String(decoding: bytes, as: UTF8.self)): \(refusal)")
        }
        #expect(refused > 50)
    }
}
