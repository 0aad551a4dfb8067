import Model
import Platform
import TestSupport
import Testing

/// `woodshed layers --import` of PDFs, as built, for the stand-in's charts.
@Suite(.onLoop)
struct PDFImportTests {
    private let home = TemporaryFolder()

    @LoopActor
    private func woodshed(_ words: String...) async throws -> Program.Result {
        let sizes = words[0] == "demo" ? ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"] : []
        return try await Program.run("woodshed", words + ["--home", home.path], environment: sizes)
    }

    @Test @LoopActor func theAnnotationsOfAPDFAreCopiedOnce() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let exported = home.path("Exported.PDF")
        #expect(try await woodshed("export", "riverside", "--as-annotations", "-o", home.path("x.pdf")).exit == .code(0))
        let bytes = try AtomicFile.read(home.path("x.pdf"), limit: 1 << 26)
        try bytes.withUnsafeBytes { try AtomicFile.write($0, to: exported) }
        let first = try await woodshed("layers", "riverside", "--import", exported)
        #expect(first.exit == .code(0) && first.messages.contains("21 marks are in "), "\(first.messages)")
        #expect(first.messages.contains("No agent is running: that is drawn, and listed here, when one starts, or after 'woodshed sync"))
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let listed = try await woodshed("layers", "riverside")
        #expect(listed.output.contains("Drawn in Woodshed"), "\(listed.output)\(listed.messages)")
        let second = try await woodshed("layers", "riverside", "--import", exported)
        #expect(second.exit == .code(0) && second.messages.contains("All of that is in "), "\(second.messages)")
        #expect(try AtomicFile.read(exported, limit: 1 << 26) == bytes)

        var other = TestPDF()
        for page in ["/Subtype /Line /L [0 0 9 9]", "/Subtype /Text", "/Subtype /Line /L [0 0 9 9]"] {
            let annotations = "/Annots [<< \(page) >> << /Subtype /Stamp >> << /Subtype /Ink /F 2 >>]"
            other.kids.append("\(other.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 500] \(annotations) >>")) 0 R")
        }
        try AtomicFile.write(String(decoding: other.bytes, as: UTF8.self), to: home.path("other.pdf"))
        let edition = try await woodshed("layers", "riverside", "--import", home.path("other.pdf"))
        #expect(edition.exit == .code(0) && edition.messages.contains("1 mark is in "), "\(edition.messages)")
        #expect(edition.messages.contains("1 mark on page 3 was left out: "), "\(edition.messages)")
        #expect(edition.messages.contains("page 1 of \(home.path("other.pdf")) has another shape than in "), "\(edition.messages)")
        #expect(edition.messages.contains("3 stamps (Stamp) and 1 note (Text) cannot be drawn and were left out."), "\(edition.messages)")
        #expect(edition.messages.contains("3 annotations that are hidden there were left out."), "\(edition.messages)")

        try AtomicFile.write("no PDF", to: home.path("bad.pdf"))
        let bad = try await woodshed("layers", "riverside", "--import", home.path("bad.pdf"))
        #expect(bad.exit == .code(1) && bad.messages.contains("nothing was copied from \(home.path("bad.pdf")): not a PDF"))
        #expect(try await woodshed("export", "riverside", "--plain", "-o", home.path("plain.pdf")).exit == .code(0))
        let plain = try await woodshed("layers", "riverside", "--import", home.path("plain.pdf"))
        #expect(plain.exit == .code(0) && plain.messages.contains("has no annotations to copy"), "\(plain.messages)")
    }
}
