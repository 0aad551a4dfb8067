import LayerJoin
import Model
import TestSupport
import Testing

@testable import Annotations

/// What is taken of what a browser, or whoever pretends to be one, sends.
@Suite(.timeLimit(.minutes(5)))
struct LayerEditsTests {
    private func read(_ text: String, pages: Int = 2) throws(LayerEdits.Refusal) -> [LayerValue] {
        try LayerEdits.read(Array(text.utf8), pages: pages)
    }

    private func refusal(_ text: String) -> LayerEdits.Refusal? {
        do throws(LayerEdits.Refusal) {
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

    @Test(
        arguments: [
            ("", "is cut off"), ("[]", "must be lists"), (#"{"marks":3}"#, "must be lists"), (#"{"deleted":{}}"#, "must be lists"),
            (#"{"marks":[3]}"#, "no “id”"), (#"{"marks":[{"v":{"a":1}}]}"#, "no “id”"), (#"{"marks":[{"id":7,"v":{"a":1}}]}"#, "no “id”"),
            (#"{"deleted":["m"]}"#, "“deleted”"), (#"{"deleted":[{"id":"m"}]}"#, "“deleted”"),
            (#"{"deleted":[{"id":"m","v":{}}]}"#, "“deleted”"),
            (#"{"deleted":[{"id":"","v":{"a":1}}]}"#, "too long"), (#"{"marks":[NaN]}"#, "not valid JSON"),
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
            (#""v":{"a":1},"page":0,"kind":"pen","points":[[1e9,0]]"#, "impossible numbers"),
            (#""v":{"a":1},"page":0,"kind":"pen","color":"red""#, "“color”"),
            (#""v":{"a":1},"page":0,"kind":"pen","width":null,"points":{}"#, "“points”"),
            (#""v":{"":1},"#, "too long"),
        ] as [(String, String)])
    func aMarkThatMakesNoSenseIsNamed(fields: String, reason: String) {
        // What goes on is about the numbers alone.
        let refusal = refusal(mark(fields.isEmpty || fields.hasSuffix(",") ? fields + Self.rest : fields))
        #expect(refusal?.mark == "m" && refusal?.description.contains(reason) == true, "\(refusal?.description ?? "taken")")
    }

    @Test func tooLongNamesAreRefused() {
        let long = String(repeating: "x", count: 201)
        #expect(refusal(#"{"marks":[{"id":"\#(long)","v":{"a":1},\#(Self.rest)}]}"#) != nil)
        #expect(refusal(mark(#""v":{"\#(long)":1},"# + Self.rest)) != nil)
        let many = (0..<201).map { "\"d\($0)\":1" }.joined(separator: ",")
        #expect(refusal(mark(#""v":{\#(many)},"# + Self.rest)) != nil)
        #expect(refusal(mark(#""v":{"a":1},"page":0,"kind":"text","text":"\#(String(repeating: "x", count: 300_000))""#)) != nil)
    }

    @Test func kindsThatOnlyAnotherProgramKnowsAreTaken() throws {
        #expect(try read(mark(#""v":{"a":1},"page":0,"kind":"staple","angle":3"#)).count == 1)
    }
}
