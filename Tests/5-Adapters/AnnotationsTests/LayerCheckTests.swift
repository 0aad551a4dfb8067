import Model
import Platform
import TestSupport
import Testing

@testable import Annotations

/// What is said of the marks of a file that would be left out.
@Suite(.timeLimit(.minutes(5)))
struct LayerCheckTests {
    private func findings(_ text: String) -> [LayerCheck.Finding] { LayerCheck.look(at: Array(text.utf8)).findings }

    @Test func aGoodFileHasNoFindings() {
        let text = #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2]]}],"also":[3],"deleted":["b",{"id":"c","v":{"x":1}}]}"#
        let (drawn, findings) = LayerCheck.look(at: Array(text.utf8))
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
        #expect(found.map(\.line) == [4, 7, 9, 10, 11, 12])
        #expect(found.map(\.mark) == [2, 3, 4, 5, 6, 7])
        #expect(found.map(\.field) == ["page", "points", "color", "text", "points", nil])
        #expect(found.allSatisfy { $0.sentence.contains("; ") }, "each says what to do")
        #expect(found[2].sentence.contains("#RRGGBB") && found[1].sentence.contains("[x, y]"))
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

    /// As many are found as the reader leaves out.
    @Test func itAgreesWithTheReader() throws {
        let start = Array(
            #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0.1,0.2]],"width":0.1},{"id":"b","page":1,"kind":"text","text":"t","size":0.1,"points":[[0,0]]}]}"#
                .utf8)
        var mutator = Mutator([start], words: ["\"id\"", "\"page\"", "null", "\"pen\"", "[[1,2]]", "\"deleted\":[\"a\"]", "1e9"])
        for _ in 0..<Mutator.count(3000) {
            let bytes = mutator.next()
            let (drawn, findings) = LayerCheck.look(at: bytes)
            guard let file = try? NativeLayerReader.read(bytes) else {
                #expect(drawn == 0 && findings.count == 1 && findings[0].mark == nil)
                continue
            }
            #expect(drawn == file.marks.count { $0.reasonNotToBeSeen == nil })
            #expect(findings.isEmpty == file.notes.filter { !$0.contains("“chart” ignored") }.isEmpty)
        }
    }
}
