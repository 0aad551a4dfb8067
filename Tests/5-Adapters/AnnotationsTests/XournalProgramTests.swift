import Annotations
import Foundation
import Model
import Platform
import TestSupport
import Testing

/// Compares files and drawings of the real Xournal++ with the marks that we read.
@Suite(.onLoop)
struct XournalProgramTests {
    /// The marks without the fields that Xournal++ may write differently.
    nonisolated private static func essence(_ file: MarkFile) -> [Mark] {
        file.marks.map { mark in
            var mark = mark
            // Xournal++ compresses pictures again, so their bytes differ.
            if mark.image != nil { mark.image = "" }
            return mark
        }
    }

    /// Puts a chart and its file of marks into a folder, and returns that file's text.
    nonisolated private static func lay(in folder: TemporaryFolder) throws -> String {
        var chart = TestPDF()
        chart.addPage(width: 200, height: 400)
        try chart.bytes.withUnsafeBytes { try AtomicFile.write($0, to: folder.path("chart.pdf")) }
        let text = WrittenByXournal.original.replacing("/srv/music/Amazing Grace.pdf", with: folder.path("chart.pdf"))
        try AtomicFile.write(text, to: folder.path("grace.xopp"))
        return text
    }

    @Test func aFileThatItWrote() throws {
        let bytes = try #require(Data(base64Encoded: WrittenByXournal.base64, options: .ignoreUnknownCharacters))
        let written = try XournalReader.read(Array(bytes))
        let original = try Journal.read(WrittenByXournal.original)
        #expect(written.marks.map(\.kind) == [.pen, .highlighter, .pen, .text, .image, .eraser, .pen])
        #expect(Self.essence(written) == Self.essence(original))
        #expect(written.marks.first { $0.kind == .image }?.image?.isEmpty == false)
        #expect(written.reference.pdf == "/srv/music/Amazing Grace.pdf")
        #expect(written.otherPages == 1)
        #expect(written.notes == ["marks on pages that are not in the PDF left out: 1 (page 2)"])
    }

    @Test(.needs(.otherPrograms), .enabled(if: XournalProgram.isInstalled, "Xournal++ and Xvfb are not installed"))
    @LoopActor func whatItSavesIsReadAsWhatItOpened() async throws {
        let folder = TemporaryFolder()
        let text = try Self.lay(in: folder)
        try await XournalProgram.open(folder.path("grace.xopp"), savingIn: folder.path("config")) { path in
            (try? MarkFileReader.read(path: path)) != nil
        }
        let (saved, _) = try MarkFileReader.read(path: folder.path("config/xournalpp/emergencysave.xopp"))
        let opened = try Journal.read(text)
        #expect(saved.marks.count == 7)
        #expect(Self.essence(saved) == Self.essence(opened))
        #expect(saved.reference == opened.reference)
    }

    @Test(.needs(.otherPrograms), .enabled(if: XournalProgram.canExport, "Xournal++ is not installed"))
    @LoopActor func whatItDrawsLiesWhereWeReadIt() async throws {
        let folder = TemporaryFolder()
        let text = try Self.lay(in: folder)
        let result = try await Program.run(
            XournalProgram.path, ["--export-no-background", "--create-img=" + folder.path("drawn.png"), folder.path("grace.xopp")])
        #expect(result.exit == .code(0))
        let image = try #require(PNGImage(try AtomicFile.read(folder.path("drawn-1.png"), limit: 64 << 20)))
        #expect(image.channels == 4)
        let strokes = try Journal.read(text).marks.filter { [.pen, .highlighter, .eraser].contains($0.kind) }
        #expect(strokes.count == 5)
        for mark in strokes {
            let (from, to) = (mark.points[0], mark.points[1])
            let (width, height) = (Double(image.width), Double(image.height))
            let (dx, dy) = ((to.x - from.x) * width, (to.y - from.y) * height)
            let length = max((dx * dx + dy * dy).squareRoot(), 1)
            /// The pixel near the start of the stroke, moved sideways by `beside` times the stroke's width.
            func pixel(beside: Double) -> [UInt8] {
                let off = beside * (from.width ?? mark.width) * width
                let (nx, ny) = dx == 0 && dy == 0 ? (0, 1) : (-dy / length, dx / length)
                let (x, y) = (Int(from.x * width + 0.1 * dx + nx * off), Int(from.y * height + 0.1 * dy + ny * off))
                let start = (y * image.width + x) * image.channels
                return Array(image.pixels[start..<start + 4])
            }
            let color = [mark.color.red, mark.color.green, mark.color.blue, mark.color.alpha]
            for beside in [0, 0.4, -0.4] {
                let near = zip(pixel(beside: beside), color).allSatisfy { abs(Int($0) - Int($1)) <= 3 }
                #expect(near, "\(mark.id) at \(beside): \(pixel(beside: beside)), not \(color)")
            }
            for beside in [0.7, -0.7] { #expect(pixel(beside: beside) != color, "\(mark.id) at \(beside)") }
        }
    }
}
