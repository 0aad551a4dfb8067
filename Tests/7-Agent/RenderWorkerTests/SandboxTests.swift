import CShims
import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// The acts that the sandbox forbids to a worker, which can still draw.
@Suite(.onLoop)
struct SandboxTests {
    /// The output and the exit of a worker that tries every forbidden act.
    @LoopActor
    private static func trial(_ arguments: [String] = []) async throws -> (lines: [String], exit: Child.Exit) {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let report = try MemoryFile.create()
        let child = try Child.start(
            Bench.program, arguments: ["--try-out"] + arguments, environment: ["HOME=/home"],
            descriptors: [null.number, report.number, report.number])
        let exit = await child.exit()
        let text = String(decoding: try MemoryFile.read(report.number, limit: 1 << 16), as: UTF8.self)
        return (text.split(separator: "\n").map(String.init), exit)
    }

    /// Tests also run on kernels without landlock, where fewer acts are forbidden.
    private static var hasLandlock: Bool { woodshed_landlock_version() >= 1 }

    @Test @LoopActor func nothingIsPossibleButToReadFonts() async throws {
        let (lines, exit) = try await Self.trial()
        #expect(lines.count >= 24)
        let denied = lines.filter { $0.hasSuffix(": Permission denied") }.map { $0.split(separator: ":")[0] }
        for attempt in ["make a network socket", "connect", "fork", "run a program", "trace another process", "delete a file"] {
            #expect(denied.contains { $0 == attempt }, "\(lines)")
        }
        let font = lines.filter { $0.hasPrefix("read a font") }
        #expect(font == ["read a font: allowed"] || font == ["read a font: there is none"])
        guard Self.hasLandlock else { return }
        #expect(denied.contains("read /etc/passwd") && denied.contains("read the parent's environment"))
        #expect(denied.count == lines.count - 1, "\(lines)")
        #expect(exit == .code(0))
    }

    @Test @LoopActor func missingWallsAreTold() async throws {
        let (lines, exit) = try await Self.trial(["--without", "landlock", "--without", "filter"])
        #expect(exit == .code(1))
        #expect(lines.contains("read /etc/passwd: allowed"))
        #expect(lines.count { $0.hasPrefix("gap: ") } == 3)
    }

    @Test @LoopActor func fontsOutOfReachAreTold() async throws {
        let folder = TemporaryFolder()
        try Folder.create(folder.path("fonts"))
        let rules = "<?xml version=\"1.0\"?><fontconfig><dir>/usr/share/fonts</dir><dir>\(folder.path("fonts"))</dir></fontconfig>"
        try AtomicFile.write(rules, to: folder.path("fonts.conf"))
        let bench = Bench { $0.environment.append("FONTCONFIG_FILE=\(folder.path("fonts.conf"))") }
        let gaps = try await bench.pool.gaps()
        #expect(gaps.contains(.fonts(inFolder: folder.path("fonts"))), "\(gaps)")
        await bench.pool.stop()
    }

    @Test @LoopActor func workersDrawTheSameBehindAnyWalls() async throws {
        var images: Set<[UInt8]> = []
        for omitted in [[], ["landlock"], ["filter"], ["landlock", "filter"]] {
            let bench = Bench { $0.omittedWalls = omitted }
            let gaps = try await bench.pool.gaps()
            #expect(gaps.contains(.noLandlock) == (omitted.contains("landlock") || !Self.hasLandlock))
            #expect(gaps.contains(.noFilter) == omitted.contains("filter"))
            // The chart needs a font that it does not embed, and so does the mark.
            var pdf = TestPDF()
            pdf.addPage(
                resources: "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >>", "BT /F 60 Tf 50 400 Td (Intro) Tj ET")
            let mark = Mark(
                id: "m", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.2, y: 0.2)], text: "Ritardando ♭",
                setting: .init(size: 0.05))
            let (files, outcome) = try await bench.render(
                bench.chart(pdf), [.plain, .annotated], settings: Bench.small, marks: PageMarks(drawing: [mark]))
            #expect(outcome.warnings.isEmpty)
            images.formUnion(files.values)
            await bench.pool.stop()
        }
        #expect(images.count == 2)
    }
}
