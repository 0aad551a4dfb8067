import JSON
import Testing

struct JSONPartTests {
    private func whole(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONPart {
        try JSONReader.whole(Array(text.utf8), limits: limits)
    }

    private func text(_ part: JSONPart?) -> String? { part.map { String(decoding: $0.bytes, as: UTF8.self) } }

    @Test func everyValueIsFoundAsItIsWrittenAndWhereItStands() throws {
        let whole = try whole("\u{feff}{ \"b\" : [1.50, {\"x\":[ ]} ,\"q\\u0041\"],\n  \"a\\n\":null, \"b2\" :-0E1 } ")
        #expect(whole.members?.map(\.name) == ["b", "a\n", "b2"])
        #expect(whole["b"]?.elements?.map { text($0) } == ["1.50", "{\"x\":[ ]}", "\"q\\u0041\""])
        #expect(whole["b"]?.elements?.last?.string == "qA")
        #expect(whole["b"]?.elements?[1]["x"]?.elements?.isEmpty == true)
        #expect(whole["a\n"]?.isNull == true && text(whole["b2"]) == "-0E1")
        #expect(try #require(whole["a\n"]).place == (line: 2, column: 9))
        #expect(whole["c"] == nil && whole["b2"]?.members == nil && whole["b2"]?.elements == nil && whole["b2"]?.string == nil)
    }

    @Test func ofEqualNamesTheLastOneCounts() throws {
        let whole = try whole(#"{"a":1,"a":{"b":2}}"#)
        #expect(whole.members?.count == 2 && text(whole["a"]) == #"{"b":2}"#)
        #expect(whole.value == .object(["a": .object(["b": .number(2)])]))
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"c":2,"d":3"#, ["a"]), (#"{"a":1,"b":2"#, ["a"]), (#"{"a":[1],"b":2,"#, ["a", "b"]), (#"{"a":1} x"#, ["a"]),
    ])
    func whatWasCompleteBeforeAFaultIsKnown(text: String, names: [String]) throws {
        let fault = #expect(throws: JSONFault.self) { try whole(text) }
        #expect(fault?.before?.members?.map(\.name) == names)
    }

    @Test func whatIsStoredMayBeNestedAThousandTimes() throws {
        let text = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        var (value, depth) = (try whole(text, limits: JSONLimits(depth: 1000)).value, 0)
        while case .array(let inside) = value {
            depth += 1
            value = inside.first ?? .null
        }
        #expect(depth == 1000)
    }
}
