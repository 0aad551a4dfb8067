import Annotations
import Foundation
import Model
import Platform
import TestSupport
import Testing

/// What the real program writes and draws, against what we read.
@Suite(.onLoop, .timeLimit(.minutes(5)))
struct XournalProgramTests {
    private static let program = "/usr/bin/xournalpp"
    private static let display = "/usr/bin/Xvfb"
    nonisolated private static func isInstalled(_ programs: String...) -> Bool {
        programs.allSatisfy { access($0, X_OK) == 0 }
    }

    /// The marks without what the program is free to write in another way.
    nonisolated private static func essence(_ file: MarkFile) -> [Mark] {
        file.marks.map { mark in
            var mark = mark
            // It packs pictures anew.
            if mark.image != nil { mark.image = "" }
            return mark
        }
    }

    /// Puts a chart and the file of its marks into a folder, and answers the file's text.
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
        #expect(written.notes.isEmpty)
    }

    /// The program saves what it has open when it crashes, which needs nobody to press a key.
    @Test(.enabled(if: isInstalled(program, display), "Xournal++ and Xvfb are not installed"))
    @LoopActor func whatItSavesIsReadAsWhatItOpened() async throws {
        let folder = TemporaryFolder()
        let text = try Self.lay(in: folder)
        let screen = try Program(Self.display, ["-displayfd", "2", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        defer { screen.child.kill(SIGTERM) }
        var number = ""
        try await waitUntil {
            number =
                try screen.messagesSoFar().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .last { !$0.isEmpty && $0.allSatisfy(\.isNumber) }.map(String.init) ?? ""
            return !number.isEmpty
        }
        let xournal = try Program(
            Self.program, [folder.path("grace.xopp")],
            environment: ["DISPLAY=:" + number, "XDG_CONFIG_HOME=" + folder.path("config"), "XDG_DATA_HOME=" + folder.path("data")])
        // It notes a file among the recent ones when it has opened it.
        try await waitUntil { access(folder.path("data/recently-used.xbel"), F_OK) == 0 }
        defer { xournal.child.kill(SIGKILL) }
        // A crash in the middle of something may keep it from saving, and from ending, too: it saves in its signal handler.
        var computed = -1
        try await waitUntil {
            let before = computed
            computed = try Self.computed(xournal.child.pid)
            try await SystemClock().sleep(for: .milliseconds(300))
            return computed == before
        }
        xournal.child.kill(SIGSEGV)
        let save = folder.path("config/xournalpp/emergencysave.xopp")
        try await waitUntil { (try? MarkFileReader.read(path: save)) != nil }
        let (saved, _) = try MarkFileReader.read(path: save)
        xournal.child.kill(SIGKILL)
        _ = try await xournal.result()
        let opened = try Journal.read(text)
        #expect(saved.marks.count == 7)
        #expect(Self.essence(saved) == Self.essence(opened))
        #expect(saved.reference == opened.reference)
        screen.child.kill(SIGTERM)
        _ = try await screen.result()
    }

    /// How long a process has computed, in the kernel's ticks.
    nonisolated private static func computed(_ pid: Int32) throws -> Int {
        let fields =
            String(decoding: try AtomicFile.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self)
            .split(separator: ")").last?.split(separator: " ") ?? []
        // User's and system's, counted from behind the name.
        return [11, 12].compactMap { fields.indices.contains($0) ? Int(fields[$0]) : nil }.reduce(0, +)
    }

    @Test(.enabled(if: isInstalled(program), "Xournal++ is not installed"))
    @LoopActor func whatItDrawsLiesWhereWeReadIt() async throws {
        let folder = TemporaryFolder()
        let text = try Self.lay(in: folder)
        let result = try await Program.run(
            Self.program, ["--export-no-background", "--create-img=" + folder.path("drawn.png"), folder.path("grace.xopp")])
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
            /// The pixel near the stroke's beginning, so and so many of its widths beside it.
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
