import LayerJoin
import Model
import Platform
import TestSupport
import Testing

@testable import Annotations

/// The check of a file names the marks that the reader leaves out.
@Suite(.timeLimit(.minutes(5)))
struct LayerCheckTests {
    private func findings(_ text: String) -> [LayerCheck.Finding] { LayerCheck.examine(Array(text.utf8)).findings }

    @Test func aGoodFileHasNoFindings() {
        let text = #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2]]}],"also":[3],"deleted":["b",{"id":"c","v":{"x":1}}]}"#
        let (drawn, findings) = LayerCheck.examine(Array(text.utf8))
        #expect(drawn == 1 && findings == [])
    }

    @Test func eachMarkIsNamedWithItsLineAndField() {
        let text = """
            {"version": 1,
             "marks": [
               {"id": "a", "page": 0, "kind": "pen", "points": [[0.1, 0.2]]},
               {"id": "b", "kind": "pen"},
               {"id": "c", "page": 0,
                "kind": "pen",
                "points": [[0.1]]},
               {"id": "d", "page": 0, "kind": "pen", "points": [[0.1, 0.2]],
                "color": "red"},
               {"id": "e", "page": 0, "kind": "text", "points": [[0, 0]], "size": 0.1},
               {"id": "f", "page": 0, "kind": "pen", "points": [[12000, 0]]},
               7
             ]}
            """
        let found = findings(text)
        #expect(found.map(\.line) == [4, 4, 7, 9, 10, 11, 12])
        #expect(found.map(\.mark) == [2, 2, 3, 4, 5, 6, 7])
        #expect(found.map(\.field) == ["page", "points", "points", "color", "text", "points", nil])
        #expect(found.allSatisfy { $0.sentence.contains("; ") }, "each says what to do")
        #expect(found[3].sentence.contains("#RRGGBB") && found[2].sentence.contains("[x, y]"))
    }

    /// The field is taken from the place of the fault, not from any name that the message quotes.
    @Test(
        arguments: [
            (#"{"marks":[],"marks":[]}"#, "marks"), (#"{"marks":[],"deleted":[3]}"#, "deleted.[0]"), (#"{"marks":[1 2]}"#, nil),
            (#"{"name":"a“b”","version":7,"marks":[]}"#, nil),
        ] as [(String, String?)])
    func ofAFileThatIsNotReadTheFieldIsNamed(text: String, field: String?) {
        #expect(findings(text).map(\.field) == [field])
    }

    @Test func allThatIsWrongWithAMarkIsNamed() {
        let found = findings(
            #"{"marks":[{"id":"","page":-1,"kind":7,"points":[[1e9,0]],"width":"x","color":"red","cap":"flat","fill":2,"v":3}]}"#)
        #expect(Set(found.map(\.field)) == ["id", "page", "kind", "points", "width", "color", "cap", "fill", "v"])
        #expect(found.count == 9 && found.allSatisfy { $0.mark == 1 })
    }

    @Test func aDeletedMarkIsReportedAsNotDrawn() {
        let text = #"""
            {"marks":[
            {"id":"a","page":0,"kind":"pen","points":[[0,0]]},
            {"id":"b","page":0,"kind":"pen","points":[[0,0]],"v":{"x":2}},
            {"id":"c","page":0,"kind":"pen","points":[[0,0]],"v":{"x":3}}],
            "deleted":["a",{"id":"b","v":{"x":2}},{"id":"c","v":{"x":2}}]}
            """#
        let (drawn, found) = LayerCheck.examine(Array(text.utf8))
        #expect(drawn == 1 && found.map(\.mark) == [1, 2] && found.map(\.line) == [2, 3], "\(found)")
        #expect(found.allSatisfy { $0.sentence.contains("it is not drawn; take it out of “deleted”") })
        #expect(found.last?.sentence.contains("“v” that includes its own") == true)
    }

    @Test func marksOfOneIdAreNamed() {
        let mark = #"{"id":"a","page":0,"kind":"pen","points":[[0,0]]}"#
        let (drawn, found) = LayerCheck.examine(
            Array("{\"marks\":[\n\(mark),\n\(mark.replacing("\"a\"", with: "\"b\"")),\n\(mark)]}".utf8))
        #expect(drawn == 3 && found.map(\.line) == [4] && found.map(\.field) == ["id"], "\(found)")
        #expect(found.first?.sentence.hasPrefix("“id” is that of mark 1, too; ") == true)
    }

    @Test func anUnknownKindIsNamedOnceWithThoseThatThereAre() {
        let found = findings(#"{"marks":[{"id":"a","page":0,"kind":"staple","points":[[0,0]]}]}"#)
        #expect(
            found.map(\.sentence) == [
                "“kind” is “staple”, which cannot be drawn; "
                    + "write one of pen, highlighter, eraser, line, rectangle, ellipse, text, image, jump, landing, bookmark"
            ])
    }

    @Test(arguments: [
        "3", "[]", "{}", #"{"a":0}"#, #"{"a":-1}"#, #"{"a":1.5}"#, #"{"a":9007199254740992}"#, #"{"a":1e30}"#, #"{"":1}"#, #"{"\u0000":1}"#,
        #"{"a":"1"}"#, "null",
    ])
    func editsThatNobodyCanHaveMadeAreNamed(edits: String) throws {
        let text = #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0,0]],"v":\#(edits)}],"deleted":["q",{"id":"b","v":\#(edits)}]}"#
        let (drawn, found) = LayerCheck.examine(Array(text.utf8))
        #expect(drawn == 1 && found.map(\.field) == ["v", "v"] && found.map(\.mark) == [1, nil], "\(found)")
        #expect(found.last?.sentence.hasPrefix("entry 2 of “deleted”: “v” ") == true)
    }

    /// Edits without a number or with an impossible one are ignored both by the reader that draws and by the join.
    @Test(arguments: ["{}", #"{"a":0}"#, #"{"a":-1}"#, #"{"a":9007199254740992}"#])
    func suchEditsCountTheSameForAll(edits: String) throws {
        let mark = #"{"id":"m","page":0,"kind":"pen","points":[[0,0]]"#
        for text in [
            #"{"marks":[\#(mark),"v":{"a":1}}],"deleted":[{"id":"m","v":\#(edits)}]}"#,
            #"{"marks":[\#(mark),"v":\#(edits)}],"deleted":[{"id":"m","v":{"a":1}}]}"#,
        ] {
            let bytes = Array(text.utf8)
            #expect(try NativeLayerReader.read(bytes).marks.count == LayerDocument(bytes).layer.marks.count, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("{\n\"marks\": [\n,]}", 3, "not valid JSON"), ("{\n\n\"marks\": {}}", 3, "wrong type"),
            ("{\"version\":2,\"marks\":[]}", 1, "version 2"),
            ("{}", 1, "has no “marks”"), ("", 1, "is empty"), ("{\"marks\":[],\n\"deleted\":[{}]}", 2, "deleted"),
            ("{\"marks\":[\n", 2, "cut off"),
        ] as [(String, Int, String)])
    func aFileThatCannotBeReadHasOneFinding(text: String, line: Int, reason: String) {
        let found = findings(text)
        #expect(found.count == 1 && found.first?.line == line && found.first?.mark == nil, "\(found)")
        #expect(found.first?.sentence.contains(reason) == true, "\(found)")
    }

    /// The check counts the marks that are drawn, and has a finding whenever the reader leaves out something.
    @Test func itAgreesWithTheReader() throws {
        let start = Array(
            #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2]],"width":0.1},{"id":"b","page":1,"kind":"text","text":"t","size":0.1,"points":[[0,0]]}]}"#
                .utf8)
        var mutator = Mutator([start], words: ["\"id\"", "\"page\"", "null", "\"pen\"", "[[1,2]]", "\"deleted\":[\"a\"]", "1e9"])
        for _ in 0..<Mutator.count(3000) {
            let bytes = mutator.next()
            let (drawn, findings) = LayerCheck.examine(bytes)
            guard let file = try? NativeLayerReader.read(bytes) else {
                #expect(drawn == 0 && findings.count == 1 && findings[0].mark == nil)
                continue
            }
            #expect(drawn == file.marks.count { $0.reasonsNotToBeSeen.isEmpty })
            #expect(file.notes.isEmpty || !findings.isEmpty)
        }
    }
}
