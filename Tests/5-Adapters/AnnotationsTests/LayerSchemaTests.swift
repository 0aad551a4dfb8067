import JSON
import Model
import TestSupport
import Testing

@testable import Annotations

/// The schema refuses exactly what the check reports.
@Suite(.timeLimit(.minutes(5)))
struct LayerSchemaTests {
    private func schema() throws -> JSONValue {
        try JSONReader.read(Array(try Repository.text("Sources/1-Embedded/Manual/schema/marks.schema.json").utf8))
    }

    private static let good =
        #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2],[0.3,0.4,0.01]],"v":{"x":1}}],"deleted":["q"]}"#

    @Test(
        arguments: [
            (#""id":"a""#, #""id":7"#), (#""id":"a""#, #""id":"""#), (#""id":"a""#, #""id":"\u0000""#), (#""id":"a""#, #""id":"a\u202e""#),
            (#""id":"a","#, ""), (#""page":0,"#, ""), (#""page":0"#, #""page":-1"#), (#""page":0"#, #""page":1.5"#),
            (#""page":0"#, #""page":100000"#),
            (#""kind":"pen","#, ""), (#""kind":"pen""#, #""kind":"staple""#), (#""kind":"pen""#, #""kind":3"#),
            ("[0.1,0.2]", "[0.1]"), ("[0.1,0.2]", "[0.1,1001]"), ("[0.1,0.2]", #"["0.1",0.2]"#),
            (#"{"marks""#, #"{"marks""#), (#""v":{"x":1}"#, #""v":{}"#), (#""v":{"x":1}"#, #""v":[]"#), (#"{"x":1}"#, #"{"x":0}"#),
            (#"{"x":1}"#, #"{"":1}"#),
            (#"{"x":1}"#, #"{"x":9007199254740992}"#), (#"{"x":1}"#, #"{"x":1.5}"#), (#"{"x":1}"#, #"{"x\u0007":1}"#),
            (#"["q"]"#, #"[""]"#), (#"["q"]"#, #"[{"id":"q","v":{"x":-1}}]"#), (#"["q"]"#, #"[{"v":{"x":1}}]"#), (#"["q"]"#, "[7]"),
            (#""v":"#, #""color":"red","v":"#), (#""v":"#, #""width":-5,"v":"#), (#""v":"#, #""width":1001,"v":"#),
            (#""v":"#, #""fill":2,"v":"#),
            (#""v":"#, #""dash":[-1],"v":"#), (#""v":"#, #""dash":1,"v":"#), (#""v":"#, #""cap":"flat","v":"#),
            (#""v":"#, #""text":1,"v":"#),
            (#""v":"#, #""size":-1,"v":"#), (#""v":"#, #""font":1,"v":"#), (#""v":"#, #""wrap":2000,"v":"#),
            (#""v":"#, #""point":-1,"v":"#),
            (#""v":"#, #""align":"top","v":"#), (#""v":"#, #""justify":1,"v":"#), (#""v":"#, #""image":1,"v":"#),
            (#""v":"#, #""key":"H","v":"#), (#""v":"#, #""key":1,"v":"#), (#""v":"#, #""key":"Eb7","v":"#),
            (#""v":"#, #""created_at":1,"v":"#), (#""v":"#, #""leads":1,"v":"#), (#""v":"#, #""pass":0,"v":"#),
            (#""v":"#, #""pass":10,"v":"#), (#""v":"#, #""pass":1.5,"v":"#), (#""v":"#, #""pass":"2","v":"#),
            (#"{"marks""#, #"{"version":2,"marks""#), (#"{"marks""#, #"{"chart":"zz","marks""#), (#"{"marks""#, #"{"name":1,"marks""#),
        ] as [(String, String)])
    func bothFindTheSameFaults(part: String, fault: String) throws {
        let text = Self.good.replacing(part, with: fault, maxReplacements: 1)
        let (schema, value) = (try schema(), try JSONReader.read(Array(text.utf8)))
        #expect(try Schema(root: schema).admits(value, by: schema) == (part == fault), "\(text)")
        #expect(LayerCheck.examine(Array(text.utf8)).findings.isEmpty == (part == fault), "\(text)")
    }

    /// The part of JSON Schema that our schema uses.
    private struct Schema {
        let root: JSONValue

        func admits(_ value: JSONValue, by schema: JSONValue) throws -> Bool {
            guard case .object(let rules) = schema else { return true }
            return try rules.allSatisfy { try admits(value, $0, $1, rules) }
        }

        private func admits(_ value: JSONValue, _ rule: String, _ required: JSONValue, _ rules: [String: JSONValue]) throws -> Bool {
            switch (rule, required, value) {
            case ("$ref", .string(let path), _):
                return try admits(value, by: path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] })
            case ("type", .string(let name), _): return isOf(name, value)
            case ("type", .array(let names), _):
                return names.contains { if case .string(let name) = $0 { isOf(name, value) } else { false } }
            case ("const", _, _): return value == required
            case ("enum", .array(let values), _): return values.contains(value)
            case ("anyOf", .array(let schemas), _): return try schemas.contains { try admits(value, by: $0) }
            case ("required", .array(let names), .object(let members)):
                return names.allSatisfy { if case .string(let name) = $0 { members[name] != nil } else { false } }
            case ("properties", .object(let known), .object(let members)):
                return try members.allSatisfy { name, member in try known[name].map { try admits(member, by: $0) } ?? true }
            case ("additionalProperties", _, .object(let members)): return try members.values.allSatisfy { try admits($0, by: required) }
            case ("propertyNames", _, .object(let members)): return try members.keys.allSatisfy { try admits(.string($0), by: required) }
            case ("minProperties", .number(let least), .object(let members)): return Double(members.count) >= least
            case ("maxProperties", .number(let most), .object(let members)): return Double(members.count) <= most
            case ("items", _, .array(let items)): return try items.allSatisfy { try admits($0, by: required) }
            case ("minItems", .number(let least), .array(let items)): return Double(items.count) >= least
            case ("maxItems", .number(let most), .array(let items)): return Double(items.count) <= most
            case ("minimum", .number(let least), .number(let number)): return number >= least
            case ("maximum", .number(let most), .number(let number)): return number <= most
            case ("maxLength", .number(let most), .string(let text)): return Double(text.unicodeScalars.count) <= most
            case ("pattern", .string(let pattern), .string(let text)):
                return try Regex(pattern).matchingSemantics(.unicodeScalar).wholeMatch(in: text) != nil
            default:
                let explains = ["$schema", "title", "description", "default", "format", "contentEncoding", "$defs"]
                let isOfAnotherType = [
                    "required", "properties", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "items",
                    "minItems", "maxItems", "minimum", "maximum", "maxLength", "pattern",
                ].contains(rule)
                #expect(explains.contains(rule) || isOfAnotherType, "this test does not know \(rule)")
                return true
            }
        }

        private func isOf(_ type: String, _ value: JSONValue) -> Bool {
            switch (type, value) {
            case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number),
                ("integer", .integer):
                true
            case ("integer", .number(let number)): number == number.rounded()
            default: false
            }
        }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue {
        if case .object(let members) = self, let member = members[name] { member } else { .null }
    }
}
