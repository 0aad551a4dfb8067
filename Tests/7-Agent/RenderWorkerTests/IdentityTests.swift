import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// A renderer's reports about itself and about charts, with fonts that the test chooses.
@Suite(.onLoop)
struct IdentityTests {
    private let folder = TemporaryFolder()

    /// The report of a worker for a musician who has the fonts in the test's folder, and no others.
    @LoopActor
    private func identity(without walls: [String] = []) async throws -> RendererIdentity {
        let rules = folder.path("fonts.conf")
        try AtomicFile.write(
            """
            <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
            <fontconfig><dir prefix="xdg">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
            """, to: rules)
        let bench = Bench { options in
            options.environment.removeAll { $0.hasPrefix("FONTCONFIG_") || $0.hasPrefix("XDG_") }
            // The sandbox lets workers read files in these places.
            options.environment += [
                "FONTCONFIG_FILE=\(rules)", "XDG_DATA_HOME=\(folder.path)", "XDG_CACHE_HOME=\(folder.path("cache"))",
            ]
            options.omittedWalls = walls
        }
        let identity = try await bench.pool.identity()
        await bench.pool.stop()
        return identity
    }

    @Test @LoopActor func anInstalledFontChangesTheFontsAndARemovedOneChangesThemBack() async throws {
        let font = try #require(Self.fontFile, "a font is installed: Debian's poppler needs one")
        try Folder.create(folder.path("fonts"))
        let without = try await identity()
        #expect(try await identity() == without)

        try AtomicFile.read(font, limit: 64 << 20).withUnsafeBytes { try AtomicFile.write($0, to: folder.path("fonts/new.ttf")) }
        let with = try await identity()
        #expect(with.fonts != without.fonts)
        #expect(with.tag == without.tag)
        #expect(try await identity(without: ["landlock", "filter"]) == with, "the sandbox hides no font, rule or table")

        unlink(folder.path("fonts/new.ttf"))
        #expect(try await identity() == without)
    }

    @Test @LoopActor func theSandboxHidesNothingOfThisMachinesFonts() async throws {
        let (walled, free) = (Bench(), Bench { $0.omittedWalls = ["landlock", "filter"] })
        #expect(try await walled.pool.identity() == free.pool.identity())
        for bench in [walled, free] { await bench.pool.stop() }
    }

    @Test @LoopActor func descriptionsTellFontsAndImages() async throws {
        let bench = Bench()
        var pdf = TestPDF()
        let fonts = (0..<150).map { "/F\($0) << /Type /Font /Subtype /Type1 /BaseFont /Name\($0)-\(String(repeating: "x", count: 200)) >>" }
        pdf.addPage(resources: "/Font << \(fonts.joined(separator: " ")) >>")
        pdf.add("<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /Length 0 >>\nstream\n\nendstream")
        let odd = try await bench.pool.describe(chart: bench.chart(pdf, name: "odd.pdf"))
        let names = try #require(odd.fontsNotEmbedded)
        #expect(names.count == ChartDescription.mostFonts)
        #expect(names.allSatisfy { $0.hasPrefix("Name") && $0.count == ChartDescription.longestFontName })
        #expect(names == names.sorted())
        #expect(odd.needsFonts && odd.hasImages)

        let plain = try await bench.pool.describe(chart: bench.chart(.halfBlack))
        #expect(plain.fontsNotEmbedded == [])
        #expect(!plain.needsFonts && !plain.hasImages)
        await bench.pool.stop()
    }

    @Test @LoopActor func aChartOfTooManyPagesToSearchCountsAsInNeedOfFonts() async throws {
        let bench = Bench()
        var pdf = TestPDF()
        for _ in 0..<1001 { pdf.addPage() }
        let description = try await bench.pool.describe(chart: bench.chart(pdf))
        #expect(description.fontsNotEmbedded == nil)
        #expect(description.needsFonts)
        await bench.pool.stop()
    }

    /// Any font of this machine.
    private static var fontFile: String? {
        var folders = ["/usr/share/fonts", "/usr/local/share/fonts"]
        while let folder = folders.popLast() {
            for name in (try? Folder.names(in: folder)) ?? [] {
                let path = folder + "/" + name
                if [".ttf", ".otf", ".t1", ".pfb"].contains(where: name.hasSuffix) { return path }
                if (try? Folder.names(in: path)) != nil { folders.append(path) }
            }
        }
        return nil
    }
}
