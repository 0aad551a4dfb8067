import Agent
import Freshness
import Library
import Model
import PageCache
import Platform

extension Command {
    /// `woodshed why`
    static let why: Command = Command(
        name: "why",
        summary: "Says what the image of a page is made from, why it was made, whether it is there, and what would make it again",
        details: "Nothing is made or changed; an agent may be running. Times are local; in JSON they are UTC.",
        parameters: [
            Parameter("chart", "the attachment's id, the beginning of the chart's hash, or a part of its name"),
            Parameter("page", "the page's number, from 1", type: .integer(1...10_000)),
        ],
        flags: [
            Flag(
                "variant", "VARIANT", type: .choice(Variant.allCases.map(\.rawValue)), "plain, annotated (the default) or thumbnail")
        ],
        json: .why,
        examples: [
            Example("woodshed why riverside 1", "Print whose marks are on the first page, and how its image stands."),
            Example("woodshed why 79073916 2 --variant thumbnail --json", "Print the same of a small image, as JSON."),
        ],
        takesSettings: true,
        run: { invocation, context throws(CommandFailure) in try await WhyCommand(invocation, context).run() })
}

/// What `woodshed why` does.
@LoopActor
struct WhyCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let source: AgentAnswer.Source

    init(_ invocation: Invocation, _ context: CommandContext, source: @escaping AgentAnswer.Source = AgentAnswer.bySocket) {
        self.invocation = invocation
        self.context = context
        self.source = source
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let holdings = try Holdings(try context.configuration(invocation), for: .reading, context)
        defer { holdings.close() }
        let story: PageStory
        do {
            story = try await gather(holdings)
        } catch {
            throw CommandFailure(of: error)
        }
        if invocation.has("json") {
            context.output.result(story.json, as: .why)
        } else {
            for line in story.lines { context.output.result(line.printable) }
        }
        return story.condition == .whole ? .fine : .notReady
    }

    private func gather(_ holdings: Holdings) async throws -> PageStory {
        let library = holdings.library
        let chart = try ChartFinder(library).findOrExplain(invocation.argument("chart") ?? "")
        let page = PageIndex((invocation.argument("page") ?? 1) - 1)
        let description = try library.charts.description(of: chart.hash)
        if let pages = description?.pages.count, page.value >= pages {
            throw CommandFailure(.failed, "\(chart.filename) has \(pages.counted("page")), and no \(page)")
        }
        let word: String? = invocation.value("variant")
        let variant = word.flatMap { Variant(rawValue: $0) } ?? .annotated
        let layers = try PageStory.layers(library, of: chart.attachment, on: page)
        let marks = variant == .annotated ? PageMarks.join(try library.drawings.visibleLayers(of: chart.attachment))[page] : nil
        let renderer = try await holdings.renderer()
        let inputs = ImageInputs(
            renderer: renderer, chart: chart.hash, chartNeedsFonts: description?.needsFonts ?? true, page: page, variant: variant,
            settings: holdings.configuration.options.renderSettings, marks: marks?.digest)
        let name = ImageName(inputs)
        let uses = try holdings.uses(by: renderer)
        let condition = await condition(of: name, in: holdings.cache)
        var obstacles: [String] = []
        if condition != .whole { obstacles = try await self.obstacles(to: name, chart, uses, renderer, holdings) }
        let record = try library.images.record(besides: name)
        let use = uses.use(of: name)
        var prospect: String?
        if condition == .missing, obstacles.isEmpty, case .plan = use {
            prospect = await source(holdings.configuration.paths).prospect(of: AgentReport.Rendering.Page(chart.hash, page))
        }
        let news = try await holdings.readinessCheck(by: renderer).newsOfMarks(
            of: chart.attachment, at: Timestamp(sinceEpoch: context.clock.wallTime))
        return PageStory(
            chart: chart, path: library.charts.path(of: chart.hash), pages: description?.pages, variant: variant, inputs: inputs,
            layers: layers, unread: try unread(library, chart.attachment),
            leftOut: try library.markFiles.notesOfMarks(on: chart.attachment).flatMap { file in file.notes.map { "\(file.path): \($0)" } },
            news: news.map(\.sentence), name: name,
            file: holdings.cache.path(of: name), condition: condition, record: record,
            reasons: try MakingReason.all(record, of: chart.attachment, in: library),
            missReason: condition == .whole ? nil : try library.images.missReason(of: name, renderer: inputs.rendererName),
            use: use, useInWords: uses.words(use), obstacles: obstacles, prospect: prospect)
    }

    private func condition(of name: ImageName, in cache: PageCache) async -> PageStory.Condition {
        let report = await cache.verify([name])
        if let unreadable = report.unreadable.first { return .unreadable("\(unreadable.error)") }
        return report.whole == 1 ? .whole : report.bad.isEmpty ? .missing : .damaged
    }

    /// The user's files for this chart that cannot be read, with the reason.
    private func unread(_ library: Library, _ attachment: AttachmentID) throws(LibraryError) -> [String] {
        try library.markFiles.all(of: attachment).compactMap { file in
            file.fault.map { "\(file.path) \($0)" + (file.content == nil ? "" : "; its last good marks stay") }
        }
    }

    private func obstacles(
        to name: ImageName, _ chart: ChartFinder.Candidate, _ uses: ImageUses, _ renderer: RendererIdentity, _ holdings: Holdings
    ) async throws -> [String] {
        let library = holdings.library
        var obstacles: [String] = []
        if let unreadable = try library.charts.unreadable(chart.hash), unreadable.tag == renderer.tag {
            obstacles.append("the chart cannot be read: \(unreadable.reason)")
        }
        let faults = try library.images.faults().filter { $0.chart == chart.hash && $0.tag == renderer.tag && ($0.image ?? name) == name }
        for fault in faults {
            obstacles.append(
                "\(fault.image == nil ? "counting the chart's pages" : "drawing it") failed \(max(fault.tries, 1).counted("time")), last on "
                    + "\(TimeWords.local.minute(fault.at)): \(fault.reason)" + (fault.isFinal ? "; it is not tried again by itself" : ""))
        }
        guard case .plan = uses.use(of: name) else { return obstacles }
        let entries = await holdings.cache.survey()
        try holdings.keeper.recall()
        let withheld = try holdings.keeper.admission(of: uses.wanted, present: Set(entries.map(\.name))).withheld.map(\.name)
        if withheld.contains(name) { obstacles.append(holdings.keeper.reasonToWithhold(withheld.count)) }
        return obstacles
    }
}
