import Foundation
import JSON
import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JSONReaderTests {
    private func read(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONFault) -> JSONValue {
        try JSONReader.read(Array(text.utf8), limits: limits)
    }

    private func fault(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONFault? {
        do throws(JSONFault) {
            _ = try read(text, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func everyKindOfValueIsRead() throws {
        let value = try read(#" {"a":[1,-2.5e1,true,false,null,{}, [] ],"b":{"c":"d"}} "#)
        #expect(
            value
                == .object([
                    "a": .array([.number(1), .number(-25), .bool(true), .bool(false), .null, .object([:]), .array([])]),
                    "b": .object(["c": .string("d")]),
                ]))
        #expect(try read("\u{feff}[0]") == .array([.number(0)]))
    }

    @Test func escapesAreReadAsTheCharactersThatTheyMean() throws {
        #expect(try read(#""a\"\\\/\b\f\n\r\t\u00e9\ud834\udd1e♯z""#) == .string("a\"\\/\u{8}\u{c}\n\r\té𝄞♯z"))
        for wrong in [#""\x""#, #""\ud834""#, #""\ud834\u0041""#, #""\udd1e""#, #""\u12g4""#] {
            #expect(fault(wrong)?.reason == .malformed)
        }
    }

    @Test func whatIsNoJSONIsRefusedWithItsPlace() {
        let wrong = ["[1,]", "{\"a\" 1}", "{a:1}", "[01]", "[1.]", "[1e]", "nul1", "[\"\t\"]", "[1]2", "]", "{\"a\":1,}", "[-]"]
        for text in wrong { #expect(fault(text)?.reason == .malformed, "\(text)") }
        for text in ["", "[", "[1", "\"a", "{\"a\":", "tru", "[1,"] { #expect(fault(text)?.reason == .unfinished, "\(text)") }
        #expect(fault("[1,\n 2 3]").map { [$0.line, $0.column] } == [2, 4])
        #expect(throws: JSONFault.self) { try JSONReader.read([0x22, 0xff, 0x22]) }
    }

    @Test(arguments: [
        ("9007199254740993", JSONValue.integer(9_007_199_254_740_993)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ("1e17", .integer(100_000_000_000_000_000)), ("1e999", .number(.greatestFiniteMagnitude)),
        ("-1e999", .number(-.greatestFiniteMagnitude)), ("1e-999", .number(0)),
    ])
    func numbersOfAnySizeAreKeptAsFarAsTheyCanBe(text: String, value: JSONValue) throws {
        #expect(try read(text) == value)
        #expect(try JSONReader.decode(JSONValue.self, from: Array(JSONEncoder().encode(value))) == value)
    }

    @Test func wholeNumbersOfEverySizeAreReadByTheirDigits() throws {
        #expect(
            try JSONReader.decode([UInt64].self, from: Array("[18446744073709551615,9223372036854775809,1e3]".utf8)) == [
                .max, 1 << 63 + 1, 1000,
            ])
        #expect(throws: DecodingError.self) { try JSONReader.decode([UInt64].self, from: Array("[18446744073709551616]".utf8)) }
    }

    @Test func whatIsOverALimitIsRefusedByName() {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(fault(nested(40)) == nil)
        #expect(fault(nested(41))?.sentence == "has more than 40 nested lists")
        #expect(fault(String(repeating: "[", count: 1_000_000))?.reason == .tooLarge)
        #expect(fault(String(repeating: #"{"a":"#, count: 1_000_000))?.reason == .tooLarge)
        #expect(fault("[1,2,3]", limits: JSONLimits(values: 3))?.sentence == "has more than 3 values")
        #expect(fault("[1,2,3]", limits: JSONLimits(bytes: 6))?.sentence == "has more than 6 bytes")
    }

    /// A list of marks, each with `count` values in an unknown field, either nested or side by side.
    private func layer(marks: Int, values count: Int, nested: Bool) -> [UInt8] {
        let unknown =
            nested
            ? String(repeating: "[", count: count) + String(repeating: "]", count: count)
            : "[" + Array(repeating: "[]", count: count - 1).joined(separator: ",") + "]"
        let mark = #"{"id":"m","page":0,"kind":"pen","points":[[0.1,0.2],[0.3,0.4]],"more":\#(unknown)}"#
        return Array("[\(Array(repeating: mark, count: marks).joined(separator: ","))]".utf8)
    }

    private func cost(_ bytes: [UInt8]) throws -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let begin = now()
        let marks = try JSONReader.decode([Mark].self, from: bytes)
        let end = now()
        #expect(marks.allSatisfy { $0.unknown.count == 1 })
        return end - begin
    }

    @Test func nestingCostsNoMoreThanAsManyValuesSideBySide() throws {
        let nested = try cost(layer(marks: 1000, values: 33, nested: true))
        let flat = try cost(layer(marks: 1000, values: 33, nested: false))
        #expect(nested < 6 * flat)
    }

    @Test func tenTimesTheMarksCostTenTimesAsMuch() throws {
        let few = try cost(layer(marks: 200, values: 33, nested: true))
        let many = try cost(layer(marks: 2000, values: 33, nested: true))
        #expect(many < 40 * few)
    }

    @Test func aWrongFormIsReportedWithItsPath() throws {
        struct Entry: Decodable { let id: String }
        struct Answer: Decodable { let data: [Entry] }
        let error = #expect(throws: DecodingError.self) {
            try JSONReader.decode(Answer.self, from: Array(#"{"data":[{"id":"1"},{"id":[2]}]}"#.utf8))
        }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["data", "1", "id"])
    }

    @Test func aMarkReadsAsItDoesWithTheSystemsDecoder() throws {
        let text = #"""
            [{"id":"a","page":3,"kind":"hologram","color":"#ff000080","width":0.25,"points":[[0,1],[0.5,1,2e-3]],"fill":null,
            "dash":[0.1,0.2],"cap":"odd","text":"é","created_at":"2026-11-18T20:31:31.25Z","x":{"y":[1,[true,null]]},"z":"w"}]
            """#
        let bytes = Array(text.utf8)
        #expect(try JSONReader.decode([Mark].self, from: bytes) == JSONDecoder().decode([Mark].self, from: Data(bytes)))
    }
}
