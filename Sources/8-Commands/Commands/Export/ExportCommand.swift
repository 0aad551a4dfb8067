import Catalogue
import CommandLine
import Configuration
import Exporting
import Glibc
import Host
import Library
import Model
import Platform
import Readiness
import Rendering

extension Command {
    static let export = Command(
        name: "export",
        summary: "Writes a plan or a chart as one PDF, for paper, or for a tablet that has no Woodshed",
        details: """
            The charts come in the order of the plan, with a bookmark for each item, and the marks that the viewer shows are on their pages, \
            as sharp as the notes. The pages themselves are those of the charts, byte for byte. A chart that is missing or \
            cannot be read is named, as are marks of yours that were saved since the last sync, and the rest is exported.
            """,
        parameters: [
            Parameter("what", "'next', a plan (its id, date or title), or a chart (its id, the start of its hash, or its name)")
                .offering(.places(["next"]))
        ],
        flags: [
            Flag("annotated", "draw the marks on the pages, which is the default"),
            Flag("plain", "leave all marks out"),
            Flag(
                "as-annotations",
                "add the marks as annotations that Okular, Evince, forScore and others can change, instead of painting them"),
            Flag("layers", "A,B,…", type: .list, "draw only these layers, hidden or not: their names, owners, files or ids").offering(
                .layers),
            Flag(
                "output", short: "o", "FILE", type: .path,
                "write to FILE, whose name ends in .pdf, instead of a file named after the plan here; '-' means standard output"),
            Flag(
                "images", "DIR", type: .path,
                "write a folder of images instead, whose index.html any browser opens from the disk, without Woodshed"
            ).offering(.folders),
            Flag("force", "replace FILE if it is there, or index.html in DIR"),
        ],
        json: ExportAnswer.form,
        examples: [
            Example("woodshed export next -o sunday.pdf", "Write the next plan with everybody's marks."),
            Example("woodshed export riverside --plain", "Write one chart as it came."),
            Example("woodshed export next --images /media/usb/sunday", "Write a folder that a tablet without any program turns pages of."),
            Example("woodshed export next --layers bowings -o strings.pdf", "Write the next plan with only the bowings."),
        ],
        settings: Options.flags,
        run: { try await ExportCommand(invocation: $0, context: $1).run() })
}

/// Takes no lock: it only reads the library, which is safe while an agent is running.
@LoopActor
struct ExportCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let names: [String]? = invocation.value("layers")
        guard [invocation.has("annotated"), invocation.has("plain"), names != nil].count(where: { $0 }) < 2 else {
            throw CommandFailure(.usage, "--annotated, --plain and --layers exclude each other")
        }
        let folder: String? = invocation.value("images")
        guard folder == nil || !invocation.has("output") && !invocation.has("as-annotations") else {
            throw CommandFailure(.usage, "--images excludes -o and --as-annotations")
        }
        let configuration = try await context.configurationToRead(invocation)
        let home = try OpenHome(configuration, for: .reading, context)
        defer { home.close() }
        let library = home.library
        let contents = try contents(in: library)
        let choice: MarkChoice = names.map { .layers($0) } ?? (invocation.has("plain") ? .plain : .annotated)
        let marks = try MarksToExport(choice, of: contents, in: library)
        if let folder {
            try OutputFile.refuseOwn(folder, configuration.paths)
            let outcome = try await writeImages(of: contents, marks, to: folder, library, configuration)
            return give(outcome, folder + "/index.html", unread: try await unread(contents, choice, home))
        }
        let target = try OutputFile.pdf.target(invocation, context, configuration.paths, usual: contents.title)
        let file = try OutputFile.begin(target, cache: configuration.paths.cache)
        let outcome = try await write(contents, marks, to: file, library, configuration)
        try OutputFile.finish(file, as: target, invocation, on: context.output)
        return give(outcome, target, unread: try await unread(contents, choice, home))
    }

    /// Changes in the musician's own files that the library has not read yet, so that the exported marks are out of date. The
    /// sentences are worded as in `woodshed ready`. Empty for an export without marks. Charts that are in no plan are not checked.
    private func unread(_ contents: ExportContents, _ choice: MarkChoice, _ home: OpenHome) async throws -> [String] {
        if case .plain = choice { return [] }
        let charts = Set(contents.charts.map(\.attachment.id))
        let plans = try home.library.plans.all().filter { !charts.isDisjoint(with: $0.attachments.map(\.id)) }
        let report = try await home.readiness(
            of: plans, by: try await home.renderer(), isThorough: false, await AgentAnswer(of: home.configuration.paths))
        let lacks = report.plans.flatMap(\.charts).filter { charts.contains($0.attachment) }.flatMap { chart in
            chart.lacks.filter(\.isUnreadMarks).map { "\(chart.displayName): \($0.advised)" }
        }
        return lacks.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func write(
        _ contents: ExportContents, _ marks: MarksToExport, to file: TemporaryFile, _ library: Library, _ configuration: Configuration
    ) async throws -> PDFExport.Outcome {
        try await configuration.options.withRenderer(clock: context.clock) { pool in
            // Use the live lane, at normal priority, since a person waits for the export.
            let export = PDFExport(
                library, maker: pool, longSide: configuration.options.renderSettings.fullSize,
                form: invocation.has("as-annotations") ? .annotations : .painted, in: .live, side: SideThread()
            ) { try marks.of($0, on: $1) }
            do {
                return try await export.write(contents, to: file, progress: progress())
            } catch let failure as ExportFailure {
                throw CommandFailure(.failed, "nothing was exported: \(failure)")
            } catch RenderFailure.cannotWrite(let code) {
                throw CommandFailure(
                    .failed,
                    "nothing was exported: \(SystemError("write the PDF", code: code)); make room for it, or name another place with -o")
            }
        }
    }

    private func contents(in library: Library) throws -> ExportContents {
        switch try NamedPlace(invocation.argument("what") ?? "", in: library, now: context.clock.timestamp) {
        case .plan(let plan):
            guard let contents = try library.plans.plan(plan.id) else { throw LibraryError.unknownPlan(plan.id) }
            return try ExportContents(contents, title: PlanFinder.words(plan), in: library)
        case .chart(let chart): return ExportContents(Attachment(id: chart.attachment, filename: chart.filename), hash: chart.hash)
        }
    }

    /// Shows the progress of an export to people, or reports it to programs.
    func progress() -> @LoopActor (ExportProgress) -> Void {
        let bar = ProgressBar(
            "Exporting", unit: "charts", for: invocation.formForPrograms, output: context.output, clock: context.clock)
        return { bar.update(done: $0.done, total: $0.charts) }
    }

    /// If the export itself went to standard output, prints only warnings.
    private func give(_ outcome: PDFExport.Outcome, _ target: String?, unread: [String]) -> ExitCode {
        context.output.endLiveLine()
        let answer = ExportAnswer(file: target ?? "", outcome: outcome, unread: unread)
        if target != nil { return context.give(answer, to: invocation) }
        answer.warn(on: context.output)
        return answer.code
    }
}

/// Which marks to export.
enum MarkChoice {
    case annotated, plain
    /// Only the layers that the user named.
    case layers([String])
}

/// Finds the marks to export with each chart.
@LoopActor
struct MarksToExport {
    private let library: Library
    private let choice: MarkChoice

    /// Fails if a layer that was named is on none of the charts.
    init(_ choice: MarkChoice, of contents: ExportContents, in library: Library) throws {
        (self.choice, self.library) = (choice, library)
        guard case .layers(let names) = choice else { return }
        let lists = try contents.charts.compactMap { chart in
            try chart.hash.map { try LayerList(library, of: chart.attachment.id, hash: $0) }
        }
        for name in names where !lists.contains(where: { !$0.all(name).isEmpty }) {
            let known = Set(lists.flatMap { $0.entries.map(\.name) }).sorted()
            let others = known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))"
            throw CommandFailure(.failed, "no layer on these charts is called '\(name)'; \(others)")
        }
    }

    /// The marks on a chart, in drawing order.
    func of(_ attachment: Attachment, on chart: ChartHash) throws -> [Mark] { PageMarks.all(in: try layers(of: attachment, on: chart)) }

    /// The marks on a chart, page by page.
    func pages(of attachment: Attachment, on chart: ChartHash) throws -> [PageIndex: PageMarks] {
        PageMarks.join(try layers(of: attachment, on: chart))
    }

    private func layers(of attachment: Attachment, on chart: ChartHash) throws -> [Layer] {
        let layers: [Layer] =
            switch choice {
            case .plain: []
            case .annotated: try library.drawings.visibleLayers(of: attachment.id)
            case .layers(let names): try self.layers(names, of: attachment.id)
            }
        let key = try library.charts.key(of: chart)
        return try OlderMarkLine(on: attachment, in: library).added(to: layers.shown(in: key))
    }

    private func layers(_ names: [String], of attachment: AttachmentID) throws -> [Layer] {
        let list = try LayerList(library, of: attachment, hash: nil)
        let wanted = Set(names.flatMap { list.all($0).map(\.id) })
        return try library.drawings.allLayers(of: attachment).filter { wanted.contains($0.id) }
    }
}
