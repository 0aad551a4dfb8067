import Annotations
import CommandLine
import Configuration
import Glibc
import Host
import Library
import Marks
import Model
import Platform

extension Command {
    static let layers = Command(
        name: "layers",
        summary: "Lists, hides and shows the layers of marks on a chart, and brings back marks that vanished from your files",
        details: """
            A hidden layer is not drawn on this chart's annotated pages; nothing in it is lost. A running agent redraws the \
            pages at once.

            Each time a file of yours is saved without marks that it had, or is deleted, what it had is kept: --history lists these \
            states, and how many of their marks are in none of your files for the chart now. --restore writes those to a new file; \
            yours stay as they are.

            What you draw in the browser is a layer of yours, too. --import copies the marks of another one into it, to build on; \
            copied again, only what is new there is added. Of a PDF, it copies the annotations that Okular, Evince, forScore and \
            others, or 'woodshed export --as-annotations', wrote into it.

            --follow brings what you drew on this chart to another one of the same music: a newer version, your part for another \
            instrument, the score. Each mark finds its notes or words again. Where that is not certain, the mark is listed instead \
            (code 3); if no mark is certain of its place, nothing is brought (code 1). Brought again, only what is new is added.
            """,
        parameters: [.chartUnlessSchema],
        flags: [
            Flag("show", "NAME", isRepeated: true, "draw this layer again: its name, its owner, its file, or its id").offering(.layers),
            Flag("hide", "NAME", isRepeated: true, "stop drawing this layer").offering(.layers),
            Flag("history", "list the former states of your files that had marks which vanished"),
            Flag(
                "restore", "N", type: .integer(1...Int(Int32.max)),
                "write the marks of state N that vanished to a file of their own, beside the one that had them"),
            Flag(
                "import", "NAME",
                "copy this layer, this file of marks, or this PDF's annotations into the layer that you draw on in the browser"
            ).offering(.layersOrFiles),
            Flag("follow", "OTHER", "bring what you drew on this chart to where its music is in the chart OTHER").offering(.charts),
            Flag("all", "with --follow: also bring the marks whose places are not certain"),
            Flag("schema", "print the form of .marks.json files as a JSON Schema"),
        ],
        json: ChartLayers.form,
        examples: [
            Example("woodshed layers riverside", "Print whose marks are on which pages."),
            Example("woodshed layers 79073916 --hide fingering", "Leave the fingering out of the annotated pages."),
            Example("woodshed layers riverside --history", "List what your files had before marks vanished from them."),
            Example("woodshed layers riverside --import bowings.xopp", "Build on the marks of a file."),
            Example("woodshed layers riverside --import riverside.pdf", "Build on what was drawn in a PDF on a tablet."),
            Example("woodshed layers 79073909 --follow 79073907", "Bring your marks from a part to the score."),
        ],
        subcommands: [checkLayer],
        settings: Options.flags,
        run: { invocation, context in
            if invocation.has("schema") {
                context.output.result(text: LayerSchema.text)
                return .fine
            }
            // What is written must not go by a part of the configuration.
            let writes = ["show", "hide", "restore", "import", "follow"].contains { invocation.has($0) }
            let configuration = try await (writes ? context.configuration(invocation) : context.configurationToRead(invocation))
            return try await LayersCommand(invocation: invocation, context: context, configuration: configuration).run()
        })
}

extension Parameter {
    fileprivate static var chartUnlessSchema: Parameter {
        var chart = chartIfAny
        chart.isOptionalByFlag = true
        return chart
    }
}

/// Takes no lock, since each change in the library is a small one, which is safe while an agent is running.
@LoopActor
struct LayersCommand {
    let invocation: Invocation
    let context: CommandContext
    let configuration: Configuration
    private var paths: Paths { configuration.paths }
    private var data: String { paths.data }

    func run() async throws -> ExitCode {
        guard let name: String = invocation.argument("chart") else {
            throw CommandFailure(.usage, "<chart> is missing: '\(woodshed("plans"))' lists them")
        }
        let library = try OpenHome.library(configuration, reportingTo: context)
        defer { library.close() }
        let chart = try ChartFinder(library).find(name)
        guard invocation.has("follow") || !invocation.has("all") else { throw CommandFailure(.usage, "--all belongs to --follow") }
        let list = try LayerList(library, of: chart.attachment, hash: chart.hash)
        // Look up all names before anything is changed, so that a mistyped name changes nothing.
        let changes = try wishes("show", in: list, hidden: false) + wishes("hide", in: list, hidden: true)
        for (layer, isHidden) in changes {
            try Library.change(in: data) { library throws(LibraryError) in
                try library.drawings.setHidden(isHidden, layer: layer, of: chart.attachment)
            }
        }
        if let number: Int = invocation.value("restore") { try restore(number, of: chart, in: library) }
        if let name: String = invocation.value("import") { try await copy(name, to: chart, in: library, list) }
        let followed: FollowedMarks? =
            if let other: String = invocation.value("follow") { try await follow(chart, to: other, in: library) } else { nil }
        // Marks that were restored or copied just now are not in the list until they have been read, so the list is then printed
        // only on request.
        let isAsked =
            ["json", "history"].contains { invocation.has($0) } || !["restore", "import", "follow"].contains { invocation.has($0) }
        if !changes.isEmpty || isAsked {
            let answer = ChartLayers(
                chart: chart, list: try LayerList(library, of: chart.attachment, hash: chart.hash),
                history: try library.markFiles.history(of: chart.attachment), isOfHistory: invocation.has("history"), followed: followed)
            context.give(answer, to: invocation)
        }
        if !changes.isEmpty { await ControlClient.reportChange(paths, context) }
        return followed?.code ?? .fine
    }

    private func wishes(_ flag: String, in list: LayerList, hidden: Bool) throws -> [(LayerID, Bool)] {
        let names: [String] = invocation.values(flag)
        return try names.map { (try list.find($0).id, hidden) }
    }

    /// Writes the vanished marks of a former state to a new file, and prints its path. If the user's files have all these marks
    /// again, prints that, and writes nothing.
    private func restore(_ number: Int, of chart: ChartFinder.Candidate, in library: Library) throws {
        guard let marks = try library.markFiles.missingMarks(of: number, on: chart.attachment),
            let state = try library.markFiles.history(of: chart.attachment).first(where: { $0.number == number })
        else {
            throw CommandFailure(
                .failed,
                "no state of your files for this chart has the number \(number); '\(woodshed("layers \(chart.attachment) --history"))' lists them"
            )
        }
        guard !marks.marks.isEmpty else {
            context.output.message("All marks of state \(number) are in your files; nothing was written.")
            return
        }
        let path = try RestoredMarks.write(marks, beside: state.path)
        context.output.message(
            "\(marks.marks.count.counted("mark")) that vanished from \(state.path) \(marks.marks.count == 1 ? "is" : "are") in \(path) now."
                .printable)
        sayWhenItIsRead()
    }

    /// If no agent is running, prints that the new marks are read only when one starts, or by a sync.
    func sayWhenItIsRead() {
        guard ControlClient.find(paths, clock: context.clock) == nil, ControlClient.lost(paths) == nil else { return }
        context.output.message(
            "No agent is running: that is drawn, and listed here, when one starts, or after '\(woodshed("sync"))'.".printable)
    }

    /// Copies the marks of a layer, a file or a PDF into the layer that the user draws on in the browser. Prints how many marks are
    /// new there, and which were left out.
    private func copy(_ name: String, to chart: ChartFinder.Candidate, in library: Library, _ list: LayerList) async throws {
        let own = try drawn(chart, in: library)
        let pdf = PDFImport.isPDF(name) ? try await PDFImport(name, configuration, clock: context.clock) : nil
        defer {
            let pages = (try? library.charts.description(of: own.hash)?.pages) ?? []
            for remark in pdf?.remarks(on: chart.filename, of: pages) ?? [] { context.output.message(remark.printable) }
        }
        if let pdf, pdf.marks.isEmpty { return }
        let (marks, source) = try pdf.map { ($0.marks, nil) } ?? marks(name, of: chart, in: library, list)
        let copied = try await inOwnLayers { layers throws(Trouble) in
            try await layers.copy(marks, from: source, to: own, at: context.clock.timestamp)
        }
        context.output.message(
            (copied.path.map { "\(copied.count.counted("mark")) \(copied.count == 1 ? "is" : "are") in \($0) now, to build on." }
                ?? (copied.beyond.count + copied.unseen == marks.count && !marks.isEmpty
                    ? "Nothing was copied." : "All of that is in your layer already, or was deleted there."))
                .printable)
        if copied.count > 0 { sayWhenItIsRead() }
        if copied.unseen > 0 {
            context.output.message(
                "\(copied.unseen.counted("mark")) that cannot be seen, or \(copied.unseen == 1 ? "is" : "are") off the page, "
                    + "\(copied.unseen == 1 ? "was" : "were") left out.")
        }
        guard !copied.beyond.isEmpty else { return }
        context.output.message(
            ("\(copied.beyond.count.counted("mark")) on \(PageIndex.words(Set(copied.beyond).sorted())) "
                + "\(copied.beyond.count == 1 ? "was" : "were") left out: \(chart.filename) has \(own.pages.counted("page")).").printable)
    }

    /// A chart to draw on.
    func drawn(_ chart: ChartFinder.Candidate, in library: Library) throws -> OwnLayers.Chart {
        guard let own = try OwnLayers.Chart(chart.attachment, in: library, at: context.clock.timestamp) else {
            throw CommandFailure(
                .failed, "no plan that is here shows \(chart.filename), or its pages are not counted yet; run '\(woodshed("sync"))'")
        }
        return own
    }

    /// Does `work` with the layers that the user draws on in the browser.
    func inOwnLayers<Result>(_ work: (OwnLayers) async throws(Trouble) -> Result) async throws -> Result {
        let layers = configuration.ownLayers
        do throws(Trouble) {
            return try await work(layers)
        } catch {
            switch error.kind {
            case .away: throw CommandFailure(.notReady, "nothing was copied: \(FolderReach.word(layers.folder))")
            case .senseless: throw error
            default: throw CommandFailure(.failed, "Your marks are not kept: \(error)")
            }
        }
    }

    /// The marks of the file of marks at the path `name`, or else of the chart's layer with that name. `source` is the path of the
    /// file that they come from; `nil` if they come from the service.
    private func marks(
        _ name: String, of chart: ChartFinder.Candidate, in library: Library, _ list: LayerList
    ) throws -> ([Mark], source: String?) {
        let isFile = MarkFileName.isNative(name) || MarkFileName.isOfXournal(name)
        if isFile, access(name, F_OK) == 0 {
            do throws(MarkFileFault) {
                return (try MarkFileReader.read(path: name).0.marks, name)
            } catch {
                throw CommandFailure(.failed, "\(name) \(error)")
            }
        }
        if isFile || name.contains("/") || name.hasSuffix(OutputFile.pdf.ending), (try? list.find(name)) == nil {
            throw CommandFailure(.failed, "there is no file of marks or PDF \(name), nor a layer of that name on this chart")
        }
        let entry = try list.find(name)
        let layers = try library.drawings.allLayers(of: chart.attachment)
        return (layers.first { $0.id == entry.id }?.marks ?? [], entry.file)
    }
}
