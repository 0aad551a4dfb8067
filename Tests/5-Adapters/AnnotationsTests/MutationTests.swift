import Annotations
import Foundation
import Model
import TestSupport
import Testing

/// Randomly damages files. Each file is either read or refused, and every result keeps the reader's promises.
@Suite(.timeLimit(.minutes(5)))
struct MutationTests {
    private static var limits: MarkFileLimits {
        var limits = MarkFileLimits()
        limits.marks = 40
        limits.points = 200
        limits.pages = 10
        return limits
    }

    private static let journal = Array(WrittenByXournal.original.utf8)
    private static let layer = Array(
        #"""
        {"version":1,"attachment_id":"79073923","chart":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
         "name":"my bowings \u00e9","revision":7,"deleted":["z","y"],"marks":[
         {"id":"a","page":2,"kind":"pen","color":"#ff0000","width":0.003,"points":[[0.1,0.2],[0.3,0.4,0.002]],"dash":[0.01,0.02]},
         {"id":"b","page":0,"kind":"hologram","depth":{"x":[1,null,true,{"y":"z"}]}},
         {"id":"c","page":1,"kind":"rectangle","color":"#00ff0080","points":[[0.1,0.2],[0.3,0.4]],"fill":0.5,"cap":"butt"},
         {"id":"d","page":0,"kind":"text","points":[[0,0]],"text":"é \ud83c\udfb5","size":0.02,"font":"serif",
          "created_at":"2026-11-18T20:31:31.25Z"}]}
        """#.utf8)

    /// Checks what must hold for every file that is read.
    private static func check(_ file: MarkFile) throws {
        #expect(file.marks.count <= limits.marks)
        #expect(file.marks.reduce(0) { $0 + $1.points.count } <= limits.points)
        for mark in file.marks {
            #expect((0..<100_000).contains(mark.page.value))
            let numbers =
                mark.points.flatMap { [$0.x, $0.y, $0.width ?? 0] } + mark.dash + [mark.width, mark.fill ?? 0, mark.setting.size ?? 0]
            #expect(numbers.allSatisfy { abs($0) <= 1_000_000 })
        }
        // The catalogue stores marks as JSON, so marks that are read back from JSON must be the same and have the same digest.
        let kept = try JSONDecoder().decode([Mark].self, from: JSONEncoder().encode(file.marks))
        #expect(kept == file.marks)
        #expect(PageMarks(drawing: file.marks)?.digest == PageMarks(drawing: kept)?.digest)
    }

    /// Reads `count` damaged files, and returns how many could be read.
    private static func attempt(
        _ mutator: inout Mutator, _ count: Int, _ read: ([UInt8]) throws(MarkFileFault) -> MarkFile
    ) throws -> Int {
        var understood = 0
        for _ in 0..<count {
            let bytes = mutator.next()
            do throws(MarkFileFault) {
                let file = try read(bytes)
                understood += 1
                do { try check(file) } catch { Issue.record("\(error)") }
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        return understood
    }

    @Test func journals() throws {
        var mutator = Mutator(
            [Self.journal],
            words: [
                "<page width=\"1\" height=\"1\">", "</page>", "<layer>", "</layer>", "<stroke>", "</stroke>", "<![CDATA[", "]]>", "<!--",
                "-->", "<!DOCTYPE x [", "&amp;", "&#0;", "&x;", "pageno=\"1ll\"", "cust: 1 2", "teximage", "\"", "'",
            ])
        let count = Mutator.count(3000)
        let understood = try Self.attempt(&mutator, count) { bytes throws(MarkFileFault) in
            try XournalReader.read(bytes, name: "a.xopp", limits: Self.limits)
        }
        // If almost all or almost no files can be read, the cases test nothing.
        #expect(understood > count / 20 && understood < count * 19 / 20)
    }

    @Test func packedJournals() throws {
        let attached = Array(WrittenByXournal.original.replacing("absolute", with: "attach").utf8)
        var mutator = Mutator(
            [
                Packed.gzip(Self.journal), Packed.gzip(Self.journal, level: 0), Packed.gzip(Self.journal) + Packed.gzip(Self.journal),
                Packed.zip([("content.xml", attached), ("attachments//srv/music/Amazing Grace.pdf", [1, 2, 3])]),
                Packed.zip([("content.xml", Self.journal)]),
            ], words: ["PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "PK\u{6}\u{6}", "PK\u{6}\u{7}", "\u{1f}", "content.xml"])
        _ = try Self.attempt(&mutator, Mutator.count(3000)) { bytes throws(MarkFileFault) in
            try XournalReader.read(bytes, name: "a.xopp", limits: Self.limits)
        }
    }

    @Test func nativeLayers() throws {
        var mutator = Mutator(
            [Self.layer],
            words: [
                "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud800", "null", "true", "\"marks\":", "\"points\":", "[[[[[[", "\"page\":",
                "\"text\"", "\"image\":\"iVBO\"", "1.", "-", "e5",
            ])
        let count = Mutator.count(3000)
        let understood = try Self.attempt(&mutator, count) { bytes throws(MarkFileFault) in
            try NativeLayerReader.read(bytes, limits: Self.limits)
        }
        #expect(understood > count / 20 && understood < count * 19 / 20)
    }
}
