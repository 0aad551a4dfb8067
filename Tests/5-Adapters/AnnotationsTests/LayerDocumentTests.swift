import JSON
import LayerJoin
import Model
import TestSupport
import Testing

@testable import Annotations

/// Which parts of a layer's file are kept when the file is written again.
@Suite(.timeLimit(.minutes(5)))
struct LayerDocumentTests {
    private func document(_ text: String) throws -> LayerDocument { try LayerDocument(Array(text.utf8)) }
    private func text(_ document: LayerDocument) -> String { String(decoding: document.bytes(), as: UTF8.self) }

    private func mark(_ id: String, x: Double = 0.5, _ more: String = "") -> String {
        #"{"id":"\#(id)","page":0,"kind":"pen","points":[[\#(x),0.5]]\#(more)}"#
    }

    private func edits(_ counts: [String: Int]) throws -> EditCounts {
        try #require(EditCounts(Dictionary(uniqueKeysWithValues: counts.map { (DeviceID($0.key), $0.value) })))
    }

    /// The value of a mark that a browser drew, with the numbers of its edits in `counts`.
    private func value(_ id: String, x: Double = 0.5, _ counts: [String: Int]) throws -> LayerValue {
        let layer = try document(#"{"marks":[\#(mark(id, x: x))]}"#).layer.marks[0]
        return LayerValue(layer.id, try edits(counts), layer.mark)
    }

    @Test func whatIsNotKnownStaysWithEveryDigit() throws {
        let file = #"""
            {"name":"mine","palette":{"b":[1,2.50,1e400,-0.0],"a":"\u00e9\/<"},"big":123456789012345678901234567890,
             "marks":[{"page":0,"id":"m","kind":"pen","points":[[0.1,0.2]],"pressure":0.12345678901234567890123,"huge":1E+400}]}
            """#
        var read = try document(file)
        #expect(read.join([try value("n", ["a": 1])]))
        let written = text(read)
        for part in [
            #""palette":{"b":[1,2.50,1e400,-0.0],"a":"\u00e9\/<"}"#, #""big":123456789012345678901234567890"#,
            #""pressure":0.12345678901234567890123"#, #""huge":1e+400"#, #""name":"mine""#,
        ] { #expect(written.contains(part), "\(part) is not in \(written)") }
        let again = try document(written)
        #expect(again.layer == read.layer && again.part.revision == 1)
        #expect(text(again) == written, "a second time nothing is different")
    }

    @Test(arguments: [
        ("1.0", "1"), ("10", "10"), ("1e1", "10"), ("1.50e-3", "0.0015"), ("-0", "0"), ("-0.0e9", "0"), ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"), ("1E21", "1e+21"), ("100000000000000000000", "100000000000000000000"), ("12.5", "12.5"),
        ("-12345678901234567890.1", "-12345678901234567890.1"), ("1.234567890123456789012e21", "1234567890123456789012"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ])
    func equalNumbersHaveOneSpelling(written: String, plain: String) {
        #expect(String(decoding: PlainNumber.spelling(of: Array(written.utf8)[...]), as: UTF8.self) == plain)
    }

    @Test func aMarkIsTheSameHoweverItIsSpelt() throws {
        let one = try document(#"{"marks":[{"id":"m","page":0,"kind":"text","text":"\u00e9 <b>","size":0.10,"points":[[1e-1,0.2]]}]}"#)
        let other = try document(
            "{\"marks\": [ {\"points\":[ [0.1, 0.20] ],\"kind\":\"text\",\n\"size\":0.1,"
                + "\"text\":\"é \\u003cb>\",\"page\":0,\"id\":\"m\"} ] }")
        #expect(one.layer == other.layer)
    }

    @Test func aMarkWithoutEditsGetsThemFromItsText() throws {
        let read = try document("{\"marks\":[\(mark("m"))]}")
        let edits = try #require(read.layer.marks.first?.edits)
        #expect(edits.sorted.map(\.number) == [1] && edits.sorted[0].device.text.hasPrefix("hand-"))
        #expect(try document("{\"marks\":[\(mark("m", x: 0.6))]}").layer.marks[0].edits != edits)
        for odd in [#","v":3"#, #","v":{}"#, #","v":{"a":0}"#, #","v":{"a":-1}"#, #","v":{"a":1.5}"#, #","v":{"a":1e30}"#] {
            #expect(try document("{\"marks\":[\(mark("m", odd))]}").layer.marks[0].edits == edits, "\(odd) says nothing")
        }
    }

    @Test func whoeverChangesAMarkByHandMadeAnEditOfIt() throws {
        var read = try document("{\"marks\":[]}")
        #expect(read.join([try value("m", ["a": 4]), try value("n", ["a": 5])]))
        let changed = try document(text(read).replacing("[[0.5,0.5]],\"v\":{\"a\":4}", with: "[[0.75,0.5]],\"v\":{\"a\":4}"))
        let hand = try #require(changed.layer.marks.first { $0.id.text == "m" })
        #expect(hand.edits.dominates(try edits(["a": 4])) && hand.edits.sorted.count == 2)
        #expect(changed.layer.marks.first { $0.id.text == "n" } == read.layer.marks.first { $0.id.text == "n" })
        // A value does not replace the edit by hand if its author had not seen that edit.
        var joined = changed
        #expect(joined.join([try value("m", x: 0.25, ["a": 4, "b": 1])]))
        #expect((joined.layer.marks + joined.layer.also).filter { $0.id.text == "m" }.count == 2)
        #expect(!joined.join([try value("m", ["a": 4])]), "an older one changes nothing")
        #expect(try document(text(joined)).layer == joined.layer)
    }

    @Test func bothFormsOfDeletionsAreRead() throws {
        let read = try document(
            "{\"marks\":[\(mark("a")),\(mark("b", #","v":{"x":1}"#)),\(mark("c", #","v":{"x":2}"#))],"
                + #""deleted":["a","gone",{"id":"b","v":{"x":1,"y":1}},{"id":"c","v":{"y":1}}]}"#)
        #expect(read.layer.marks.map(\.id.text) == ["c"], "it was edited by somebody who did not know of its deletion")
        #expect(read.layer.deleted.map(\.id.text) == ["a", "b", "c", "gone"])
        #expect(try document(text(read)).layer == read.layer)
    }

    @Test func entriesThatAreNoMarksStay() throws {
        var read = try document("{\"marks\":[7,{\"page\":0},\(mark("m")),{\"id\":3,\"x\":[ 1 ]}]}")
        #expect(read.layer.marks.map(\.id.text) == ["m"])
        #expect(read.join([try value("n", ["a": 1])]))
        #expect(text(read).contains("7,\n{\"page\":0},\n{\"id\":3,\"x\":[ 1 ]}]"))
    }

    @Test func marksWithoutATimeKeepTheOrderInWhichTheyAreDrawn() throws {
        let ids = ["z", "a", "m"]
        let dated = mark("t", #","created_at":"2026-11-22T09:30:00Z""#)
        var read = try document("{\"marks\":[\((ids.map { mark($0) } + [dated]).joined(separator: ","))]}")
        #expect(read.join([try value("b", ["a": 1])]))
        let file = try NativeLayerReader.read(read.bytes())
        #expect(file.marks.map(\.id) == ["z", "a", "m", "b", "t"])
        #expect(file.marks.allSatisfy { $0.unknown.isEmpty }, "edits are nothing to be drawn")
    }

    @Test(arguments: [
        #"{"marks":{}}"#, #"{"marks":[],"also":{}}"#, #"{"marks":[],"deleted":[7]}"#, #"{"marks":[],"deleted":[{}]}"#,
        #"{"version":2,"marks":[]}"#, "", "[]", #"{"marks":["#,
    ])
    func whatIsNoLayerIsRefused(text: String) { #expect(throws: MarkFileFault.self) { try document(text) } }

    @Test func oneIdCannotBeUsedForAllMarks() {
        let marks = (0..<101).map { mark("m", x: Double($0) / 200) }.joined(separator: ",")
        #expect(throws: MarkFileFault.self) { try document("{\"marks\":[\(marks)]}") }
    }

    /// Any document that can be read stays the same when it is written and read, however often.
    @Test func whatWasWrittenIsReadAsTheSame() throws {
        let start = Array(
            (#"{"version":1,"x":[1e5,"\n\u2028"],"name":"n","revision":3,"also":[\#(mark("a", #","v":{"b":1}"#))],"#
                + #""marks":[\#(mark("a", #","v":{"a":2,"c":1}"#)),\#(mark("é\\\"", #","u":{"v":[null,true]}"#))],"#
                + #""deleted":["q",{"id":"r","v":{"a":1}}]}"#).utf8)
        var mutator = Mutator(
            [start], words: ["\"v\"", "\"also\"", "\"deleted\"", "\"sums\"", "{\"a\":1}", "\"hand-0\"", "9007199254740991"])
        var readable = 0
        let count = Mutator.count(4000)
        for _ in 0..<count {
            let bytes = mutator.next()
            guard let read = try? LayerDocument(bytes) else { continue }
            readable += 1
            let again = try LayerDocument(read.bytes())
            #expect(again.layer == read.layer, "\(String(decoding: bytes, as: UTF8.self))")
            #expect(again.bytes() == read.bytes())
            #expect((try? JSONReader.read(read.layer.answer(called: "t"))) != nil)
        }
        #expect(readable > count / 20)
    }
}
