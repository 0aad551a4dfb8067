import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct DrawnPagesTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")
    private let ann = LayerID("ann")

    private func mark(_ id: String, page: Int, key: String? = nil) -> Mark {
        var mark = Mark(id: id, page: PageIndex(page), kind: .pen, points: [Mark.Point(x: Double(id.utf8.count) / 10, y: 0.2)])
        mark.key = key
        return mark
    }

    @LoopActor private func truth(
        _ library: Library, _ attachment: AttachmentID, in key: ChordKey? = nil
    ) throws -> [PageIndex: MarkDigest] {
        let layers = try library.drawings.visibleLayers(of: attachment).map { layer in
            var layer = layer
            // Independent of the code under test: for each key, the names used here that stand for other keys.
            let others = ["G": ["Gb", "F#m"], "F#": ["G", "F#m"], "F#m": ["G", "Gb"], "A": ["G", "Gb", "F#m"]][key?.description ?? ""]
            layer.marks.removeAll { mark in mark.key.map { others?.contains($0) ?? false } ?? false }
            return layer
        }
        return PageMarks.join(layers).mapValues(\.digest)
    }

    /// Uses the agent's query, which covers all charts together.
    @LoopActor private func drawn(
        _ library: Library, _ attachment: AttachmentID, in key: ChordKey? = nil
    ) throws -> [PageIndex: MarkDigest] {
        let drawing = try library.drawings.all()[attachment]
        #expect(try library.drawings.drawing(of: attachment) == drawing)
        return try drawing.map { try library.drawings.readDrawnPages(of: attachment, from: $0).pages(in: key) } ?? [:]
    }

    /// Stores which pages are drawn on, so that later runs can use the result.
    @LoopActor private func note(_ library: Library, _ attachment: AttachmentID) throws {
        guard let drawing = try library.drawings.drawing(of: attachment) else { return }
        try library.drawings.note([attachment: try library.drawings.readDrawnPages(of: attachment, from: drawing)])
    }

    @Test @LoopActor func whatWasReadOnceIsNotReadAgain() throws {
        let library = try Library(folder: home.path)
        try library.layers.update(
            layers: [Layer(id: ann, attachment: a, marks: [mark("x", page: 3)])], of: PlanID("1"), at: Samples.monday)
        try library.markFiles.store([Samples.localFile("/music/a.xopp", for: a, marks: ["y"])])
        let pages = try drawn(library, a)
        #expect(pages.keys.sorted() == [PageIndex(0), PageIndex(3)])
        try note(library, a)
        // Breaks the stored marks, so any attempt to read them would fail.
        try library.database.run("UPDATE layers SET marks = 'broken'")
        try library.database.run("UPDATE local_files SET marks = 'broken'")
        #expect(try drawn(library, a) == pages)
        library.close()
        let later = try Library(folder: home.path)
        #expect(try drawn(later, a) == pages)
        #expect(try drawn(Library(readingFrom: home.path), a) == pages)
        #expect(try later.markFiles.writtenFile(at: "/music/a.xopp")?.version != nil)
        #expect(throws: LibraryError.self) { try later.markFiles.file(at: "/music/a.xopp") }
        // After a change of the layers, their marks are read again.
        try later.drawings.setHidden(true, layer: ann, of: a)
        #expect(throws: LibraryError.self) { try drawn(later, a) }
    }

    /// A newer version of the program may draw the same marks differently, so it must not use what an older version noted about them.
    @Test @LoopActor func whatWasNotedWhenMarksLookedDifferentCountsNoMore() throws {
        let library = try Library(folder: home.path)
        try library.layers.update(
            layers: [Layer(id: ann, attachment: a, marks: [mark("x", page: 3)])], of: PlanID("1"), at: Samples.monday)
        let version = try library.database.row("SELECT marks_version FROM layers") { $0.text(0) }
        let line = "3:ann \(try #require(version)) 0 \n"
        #expect(try library.drawings.drawing(of: a) == DrawingStore.drawing(of: line), "these are the layers that were noted")
        let former = DrawnPages(
            drawing: DrawingStore.drawing(of: line, version: PageMarks.version - 1),
            of: [Layer(id: ann, attachment: a, marks: [mark("as it looked then", page: 3)])])
        try library.drawings.note([a: former])
        for library in [library, try Library(readingFrom: home.path)] {
            #expect(try drawn(library, a) == truth(library, a))
        }
    }

    @Test @LoopActor func layersAreListedWithTheirPagesAndReadOnce() throws {
        let library = try Library(folder: home.path)
        let unseen = Mark(id: "u", page: PageIndex(7), kind: .pen)
        try library.layers.update(
            layers: [
                Layer(id: ann, attachment: a, personName: "Ann", name: "hers", marks: [mark("x", page: 3), unseen]),
                Layer(id: LayerID("gone"), attachment: a, deletedAt: Samples.monday, marks: [mark("g", page: 1)]),
            ], of: PlanID("1"), at: Samples.monday)
        try library.markFiles.store([Samples.localFile("/music/a.xopp", for: a, marks: ["y"])])
        let expected = (try library.layers.all(of: a) + library.markFiles.localLayers(of: a)).filter { $0.deletedAt == nil }
        #expect(expected.count == 2)
        for _ in 0..<2 {
            let heads = try library.drawings.layerHeads(of: a)
            #expect(heads.map(\.layer.id) == expected.map(\.id))
            #expect(heads.map(\.layer.name) == expected.map(\.name))
            #expect(heads.map(\.layer.personName) == expected.map(\.personName))
            #expect(heads.map(\.pages) == [[PageIndex(3)], [PageIndex(0)]])
            // Breaks the stored marks, so any attempt to read them would fail.
            try library.database.run("UPDATE layers SET marks = 'broken'")
            try library.database.run("UPDATE local_files SET marks = 'broken'")
        }
    }

    @Test @LoopActor func anyHistoryLeadsToWhatTheLayersDraw() throws {
        var random = SeededGenerator(seed: 6)
        var library = try Library(folder: home.path)
        let attachments = ["a", "b"].map { AttachmentID($0) }
        for step in 0..<120 {
            let attachment = attachments.randomElement(using: &random) ?? a
            let marks = (0..<Int.random(in: 0...3, using: &random)).map { place in
                mark(
                    String(repeating: "m", count: Int.random(in: 1...3, using: &random)), page: place,
                    key: [nil, nil, "G", "Gb", "F#m"].randomElement(using: &random) ?? nil)
            }
            let path = "/music/\(Int.random(in: 0...2, using: &random)).xopp"
            let layer = LayerID("layer \(Int.random(in: 0...2, using: &random))")
            switch Int.random(in: 0...5, using: &random) {
            case 0:
                let deleted = Bool.random(using: &random) ? Samples.monday : nil
                try library.layers.update(
                    layers: [Layer(id: layer, attachment: attachment, deletedAt: deleted, marks: marks)], of: PlanID("1"),
                    at: Samples.monday)
            case 1:
                var file = Samples.localFile(path, for: Bool.random(using: &random) ? attachment : nil, marks: [])
                file.content?.marks = marks
                file.firstSeen = Samples.monday + .seconds(step)
                try library.markFiles.store([file])
            case 2: try library.markFiles.store([], forgetting: [path])
            case 3: try library.drawings.setHidden(Bool.random(using: &random), layer: layer, of: attachment)
            case 4: try library.drawings.setHidden(Bool.random(using: &random), layer: LayerID("file:" + path), of: attachment)
            default:
                library.close()
                library = try Library(folder: home.path)
            }
            for attachment in attachments {
                for key in [nil, "G", "F#", "F#m", "A"].map({ $0.flatMap { ChordKey($0) } }) {
                    #expect(try drawn(library, attachment, in: key) == truth(library, attachment, in: key), "step \(step)")
                }
                try note(library, attachment)
            }
        }
    }

    @Test @LoopActor func toAskDoesNotTouchTheMarks() throws {
        let library = try Library(folder: home.path)
        for sql in [
            "SELECT attachment_id, id, marks_version FROM layers WHERE attachment_id IS NOT NULL AND deleted_at IS NULL ORDER BY attachment_id, id",
            "SELECT attachment_id, path, marks_version, first_seen FROM local_files WHERE attachment_id IS NOT NULL AND marks_version IS NOT NULL ORDER BY attachment_id, path",
        ] {
            let plan = try library.database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text(3) }
            #expect(plan.count == 1 && plan[0].contains("COVERING INDEX"), "\(plan)")
        }
    }

    @Test @LoopActor func aFaultLeavesTheMarksOfAFileAsTheyAre() throws {
        let library = try Library(folder: home.path)
        let file = Samples.localFile("/music/a.xopp", for: a, marks: ["y", "zz"])
        try library.markFiles.store([file])
        var known = try #require(try library.markFiles.writtenFile(at: file.path))
        #expect(known.file.content?.marks == [])
        #expect(try known.draws(as: WrittenFile(file)))
        known.file.fault = "cut off"
        #expect(try library.markFiles.store(written: [known]))
        #expect(try !library.markFiles.store(written: [known]))
        var expected = file
        expected.fault = "cut off"
        #expect(try library.markFiles.file(at: file.path) == expected)
        known.file.attachment = AttachmentID("b")
        #expect(!known.draws(as: try library.markFiles.writtenFile(at: file.path)))
        try library.markFiles.store(written: [known])
        #expect(try library.markFiles.localLayers(of: AttachmentID("b")).map(\.marks.count) == [2])
    }

    @Test func whatIsDrawnIsReadAsItWasWritten() {
        let digest = SHA256.digest(of: "x")
        let marks = [mark("x", page: 3), mark("yy", page: 0), mark("zzz", page: 0, key: "Gb"), mark("none", page: 1, key: "Am")]
        for count in 0...marks.count {
            let pages = DrawnPages(drawing: digest, of: [Layer(id: ann, attachment: a, marks: Array(marks.prefix(count)))])
            #expect(DrawnPages(drawing: digest, text: pages.text) == pages)
        }
        #expect(DrawnPages(drawing: digest, text: "")?.pages(in: nil) == [:])
        for text in ["1", "x:00:text", "1:\(digest.hex)", "\nH ", "\nG", "\nG 1"] {
            #expect(DrawnPages(drawing: digest, text: text) == nil)
        }
    }
}
