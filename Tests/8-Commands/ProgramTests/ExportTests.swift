import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed export` as built, on the stand-in's plans.
@Suite(.onLoop, .serialized)
struct ExportTests {
    private let home = TemporaryFolder()

    @LoopActor
    private func woodshed(_ words: String...) async throws -> Program.Result {
        // Only the demo draws images, which are small here. Letters stand on whole pixels in small images, as they do in a similar PDF.
        let sizes =
            words[0] == "demo"
            ? ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "WOODSHED_EXPORT_FOLDER=\(home.path("sync"))"] : []
        return try await Program.run("woodshed", words + ["--home", home.path], environment: sizes)
    }

    @LoopActor
    private func said(_ program: String, _ arguments: String...) async throws -> String {
        let result = try await Program.run("/usr/bin/" + program, arguments)
        #expect(result.exit == .code(0) && result.messages.isEmpty, "\(result.messages)")
        return result.output
    }

    @Test @LoopActor func aPlanIsOnePDFInItsOwnOrder() async throws {
        try Folder.create(home.path("sync"))
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let kept = try Folder.names(in: home.path("sync"))
        #expect(kept.count > 1 && kept.allSatisfy { $0.hasSuffix(".pdf") }, "\(kept)")
        for name in kept { _ = try await said("qpdf", "--check", home.path("sync/" + name)) }
        let target = home.path("sunday.pdf")
        let run = try await woodshed("export", "next", "-o", target)
        #expect(run.exit == .code(0) && run.messages.isEmpty, "\(run.messages)")
        _ = try await said("qpdf", "--check", target)

        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let now = SystemClock().timestamp
        let plan = try #require(
            try library.plans.all().filter { !$0.plan.isPast(at: now) }.min {
                ($0.plan.firstTime?.nanoseconds ?? .max) < ($1.plan.firstTime?.nanoseconds ?? .max)
            })
        var texts = ""
        for attachment in plan.items.flatMap(\.attachments) {
            let chart = try #require(try library.charts.chart(of: attachment.use))
            texts += try await said("pdftotext", library.charts.path(of: chart.hash), "-")
        }
        let plain = home.path("plain.pdf")
        #expect(try await woodshed("export", plan.plan.id.text, "--plain", "-o", plain).exit == .code(0))
        #expect(try await said("pdftotext", plain, "-") == texts)
        // Marks that are words are text in the PDF, too.
        #expect(try await said("pdftotext", target, "-").contains("piano alone"))
        let bowings = home.path("bowings.pdf")
        #expect(try await woodshed("export", "next", "--layers", "bowings", "-o", bowings).exit == .code(0))
        let words = try await said("pdftotext", bowings, "-")
        #expect(words.contains("non vib.") && !words.contains("piano alone"))
        let unknown = try await woodshed("export", "next", "--layers", "nobody's", "-o", home.path("x.pdf"))
        #expect(unknown.exit == .code(1) && unknown.messages.contains("no layer on these charts is called 'nobody's'"))

        try await missingChart(of: plan, in: library)
    }

    /// Exports a plan after one chart was overwritten. The message names that chart, and the PDF contains all others.
    @LoopActor
    private func missingChart(of plan: PlanContents, in library: Library) async throws {
        let lost = try #require(plan.attachments.first)
        let path = library.charts.path(of: try #require(try library.charts.chart(of: lost.use)).hash)
        chmod(path, 0o600)
        try AtomicFile.write("something else", to: path)
        let run = try await woodshed("export", "next", "-o", home.path("rest.pdf"))
        #expect(run.exit == .code(3) && run.messages.contains("left out: \(lost.filename)"), "\(run.messages)")
        #expect(run.output.contains(": \(plan.items.flatMap(\.attachments).count - 1) charts, "), "\(run.output)")
        _ = try await said("qpdf", "--check", home.path("rest.pdf"))
        let alone = try await woodshed("export", lost.id.text, "-o", home.path("alone.pdf"))
        #expect(alone.exit == .code(1), "\(alone.messages)")
        #expect(access(home.path("alone.pdf"), F_OK) != 0)
    }

    /// The export counts charts and pages as `ready` does, however many times a page is played.
    @Test @LoopActor func itCountsAsReadyDoesAndSaysWhatThePlanLeavesOut() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        func counts(_ text: String) -> String? { text.firstMatch(of: /\d+ charts?, \d+ pages?/).map { String($0.0) } }
        let ready = try await woodshed("ready")
        let export = try await woodshed("export", "next", "-o", home.path("all.pdf"))
        #expect(counts(ready.output) != nil && counts(ready.output) == counts(export.output), "\(ready.output)\(export.output)")
        #expect(!ready.output.contains("page order") && !export.output.contains("played"))

        // By the leader's page order, only the second page of a chart is played, three times.
        let library = try Library(folder: home.path("data"))
        let now = SystemClock().timestamp
        let next = try library.plans.all().filter { !$0.plan.isPast(at: now) }.min {
            ($0.plan.firstTime?.nanoseconds ?? .max) < ($1.plan.firstTime?.nanoseconds ?? .max)
        }
        var plan = try #require(next)
        for item in plan.items.indices {
            for place in plan.items[item].attachments.indices where plan.items[item].attachments[place].filename.contains("Riverside") {
                plan.items[item].attachments[place].pageOrder = "2,2,2"
            }
        }
        try library.plans.update([plan], at: now)
        library.close()
        let short = try await woodshed("ready")
        #expect(short.output.contains("page 1 is here but not played, as the plan's page order has it"), "\(short.output)")
        let played = try await woodshed("export", "next", "-o", home.path("played.pdf"))
        #expect(counts(played.output) == counts(ready.output), "\(played.output)")
        #expect(played.output.contains(", played as 23") && played.output.contains("Riverside.pdf: without page 1,"), "\(played.output)")
    }

    @Test @LoopActor func aBookletIsReplacedByTheNextAndNothingElseIs() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let folder = home.path("booklet")
        let run = try await woodshed("export", "riverside", "--images", folder)
        #expect(run.exit == .code(0) && run.messages.isEmpty && run.output.contains("booklet/index.html: "), "\(run.messages)")
        let names = try Folder.names(in: folder)
        #expect(names.count == 2 && names[0] == "index.html" && names[1].hasPrefix("pages-"))
        let images = try Folder.names(in: folder + "/" + names[1]).filter { $0.hasSuffix(".png") }
        let page = String(decoding: try AtomicFile.read(folder + "/index.html", limit: 1 << 20), as: UTF8.self)
        #expect(!images.isEmpty && images.allSatisfy { page.contains("src=\"\(names[1])/\($0)\"") })
        #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("//cdn"))

        // A second export replaces the first and leaves none of its files.
        #expect(try await woodshed("export", "riverside", "--plain", "--images", folder).exit == .code(0))
        let next = try Folder.names(in: folder)
        #expect(next.count == 2 && next != names)
        try AtomicFile.write("mine", to: folder + "/mine.txt")
        let refused = try await woodshed("export", "riverside", "--images", folder)
        #expect(refused.exit == .code(2) && refused.messages.contains("--force"), "\(refused.messages)")
        #expect(try Folder.names(in: folder) == ["index.html", "mine.txt", next[1]])
        #expect(try await woodshed("export", "riverside", "--force", "--images", folder).exit == .code(0))
        let forced = try Folder.names(in: folder)
        #expect(forced.count == 3 && forced.contains("mine.txt") && forced != next)
        // Images that somebody has changed are that person's, and stay.
        let image = folder + "/" + forced[2] + "/001.png"
        try AtomicFile.write("mine", to: image)
        #expect(try await woodshed("export", "riverside", "--plain", "--force", "--images", folder).exit == .code(0))
        #expect(try AtomicFile.read(image, limit: 100) == Array("mine".utf8))

        #expect(try await woodshed("export", "riverside", "--images", home.path("mine"), "-o", home.path("x.pdf")).exit == .code(2))
        try AtomicFile.write("mine", to: home.path("file"))
        #expect(try await woodshed("export", "riverside", "--images", home.path("file")).exit == .code(2))
        #expect(try await woodshed("export", "riverside", "--images", home.path("away/booklet")).exit == .code(1))
        #expect(try Folder.names(in: home.path).allSatisfy { !$0.hasPrefix(".tmp-") })
    }

    @Test @LoopActor func noFileIsReplacedUnasked() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let target = home.path("riverside.pdf")
        #expect(try await woodshed("export", "riverside", "-o", target).exit == .code(0))
        let first = try AtomicFile.read(target, limit: 1 << 26)
        let again = try await woodshed("export", "riverside", "-o", target)
        #expect(again.exit == .code(2) && again.messages.contains("--force"), "\(again.messages)")
        #expect(try await woodshed("export", "riverside", "--force", "-o", target).exit == .code(0))
        // The same chart with the same marks gives the same file.
        #expect(try AtomicFile.read(target, limit: 1 << 26) == first)
        try AtomicFile.write("mine", to: home.path("mine.pdf"))
        let mine = try await woodshed("export", "riverside", "--force", "-o", home.path("mine.pdf"))
        #expect(mine.exit == .code(2) && mine.messages.contains("is not a PDF, so it is left alone"), "\(mine.messages)")
        #expect(try await woodshed("export", "riverside", "-o", home.path("riverside.png")).exit == .code(2))
        #expect(try await woodshed("export", "riverside", "--plain", "--layers", "x", "-o", home.path("x.pdf")).exit == .code(2))
        // Even with `--force`, the library's own charts are never overwritten, by whatever path.
        symlink(home.path("data/charts"), home.path("way"))
        let charts = try Folder.names(in: home.path("data/charts"))
        symlink(home.path("data/charts/" + (charts.first { $0.hasSuffix(".pdf") } ?? "")), home.path("link.pdf"))
        // Links to a missing chart, and a link from the charts' folder to a file elsewhere.
        symlink(home.path("data/charts/gone.pdf"), home.path("dangling.pdf"))
        symlink("data/charts/gone.pdf", home.path("near.pdf"))
        symlink(target, home.path("data/charts/out.pdf"))
        for place in ["charts/x.pdf", "charts/out.pdf", "../data/x.pdf", "../way/x.pdf", "../link.pdf", "../dangling.pdf", "../near.pdf"]
            .map({ "data/" + $0 })
        {
            let own = try await woodshed("export", "riverside", "--force", "-o", home.path(place))
            #expect(own.exit == .code(2) && own.messages.contains("keeps its own files"), "\(own.messages)")
        }
        #expect(try await woodshed("export", "riverside", "--force", "--images", home.path("data")).exit == .code(2))
        let chart = try #require(charts.first { $0.hasSuffix(".pdf") })
        let others = [
            ["song", "riverside", "--force", "-o", "data/charts/\(chart)"], ["why", "riverside", "1", "-o", "cache/pages/x.png"],
        ]
        for words in others {
            let own = try await Program.run("woodshed", words.dropLast() + [home.path(words.last ?? ""), "--home", home.path])
            #expect(own.exit == .code(2) && own.messages.contains("keeps its own files"), "\(own.messages)")
        }
        unlink(home.path("data/charts/out.pdf"))
        #expect(try Folder.names(in: home.path("data/charts")) == charts)
        #expect(try SHA256.digest(of: AtomicFile.read(home.path("data/charts/\(chart)"), limit: 1 << 26)).hex == String(chart.dropLast(4)))
    }

    /// If the disk fills up before the PDF is complete, the export fails and replaces nothing.
    @Test @LoopActor func whatFindsNoRoomIsNoPDF() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let target = home.path("riverside.pdf")
        #expect(try await woodshed("export", "riverside", "-o", target).exit == .code(0))
        let whole = try AtomicFile.read(target, limit: 1 << 26)
        for share in [10, 19] {
            // A limit on the size of files acts like a full disk.
            let room = "prlimit --fsize=\(whole.count * share / 20) \(Program.folder)/woodshed"
            let full = try await Program.run(
                "/bin/sh", ["-c", "exec \(room) export riverside --force -o '\(target)' --home '\(home.path)'"])
            #expect(full.exit == .code(1) && full.messages.contains("cannot write the PDF"), "\(full.messages)")
            #expect(try AtomicFile.read(target, limit: 1 << 26) == whole)
        }
    }

    @Test @LoopActor func ofAChartWhoseFileIsGoneNobodySaysThatItIsNotHereYet() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let library = try Library(readingFrom: home.path("data"))
        defer { library.close() }
        let attachment = try #require(try library.plans.all().flatMap(\.attachments).first { $0.id.text == "79073901" })
        let chart = try #require(try library.charts.chart(of: attachment.use))
        #expect(unlink(library.charts.path(of: chart.hash)) == 0)
        let run = try await woodshed("export", "next", "-o", home.path("a.pdf"))
        #expect(run.messages.contains("its file was removed or damaged"), "\(run.messages)")
        #expect(!run.messages.contains("not here yet"), "\(run.messages)")
    }

    /// Without a message, a musician might play from a PDF with last week's marks.
    @Test @LoopActor func marksThatWereNotReadSinceAreNamed() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let folder = home.path("data/annotations")
        try Folder.create(folder)
        try AtomicFile.write(MarkText.native("79073901", [MarkText.Dot(page: 0, x: 0.5)]), to: folder + "/mine.marks.json")
        for what in ["next", "79073901"] {
            let run = try await woodshed("export", what, "--force", "-o", home.path("a.pdf"))
            #expect(run.exit == .code(3) && run.messages.contains("mine.marks.json is new and has not been read yet"), "\(run.messages)")
            #expect(try await woodshed("export", what, "--plain", "--force", "-o", home.path("a.pdf")).exit == .code(0))
        }
        let images = try await woodshed("export", "next", "--images", home.path("booklet"))
        #expect(images.exit == .code(3) && images.messages.contains("has not been read yet"), "\(images.messages)")
    }

    /// Mark files are known by their paths, so a home must be the same by every path that leads to it.
    @Test @LoopActor func aHomeIsTheSameByAnotherWay() async throws {
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let folder = home.path("data/annotations")
        try Folder.create(folder)
        try AtomicFile.write(MarkText.native("79073901", [MarkText.Dot(page: 0, x: 0.5)]), to: folder + "/mine.marks.json")
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let link = TemporaryFolder()
        symlink(home.path, link.path("link"))
        let name = home.path.split(separator: "/").last ?? ""
        for way in [link.path("link"), home.path + "/../\(name)", home.path] {
            let ready = try await Program.run("woodshed", ["ready", "--home", way])
            #expect(ready.exit == .code(0) && !ready.output.contains("mine.marks.json"), "\(way): \(ready.output)\(ready.messages)")
        }
    }
}
