import Agent
import CommandLine
import Configuration
import Freshness
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Readiness

@LoopActor
extension PageStory {
    /// Finds out everything about a page. If its image is missing and nothing prevents it from being drawn for a plan, asks a
    /// running agent when that will happen.
    init(of named: NamedPage, in home: OpenHome) async throws {
        let (library, chart, page) = (home.library, named.chart, named.page)
        let layers = try LayerList(library, of: chart.attachment, hash: chart.hash).entries.filter { $0.marks[page] != nil }
        let renderer = try await home.renderer()
        let inputs = named.inputs(by: renderer)
        let name = ImageName(inputs)
        let wanted = try home.wants.set(by: renderer, now: home.now)
        let rank = wanted.images.first { $0.name == name }?.priority.planRank ?? wanted.away[name.folder]
        let plan = try rank.map { try Self.words(wanted.plans[$0], library) }
        let condition = await Self.condition(of: name, in: home.cache)
        var obstacles: [String] = []
        if condition != .intact { obstacles = try await Self.obstacles(to: name, chart, plan == nil ? nil : wanted, renderer, home) }
        let record = try library.images.record(besides: name)
        var prospect: String?
        if condition == .missing, obstacles.isEmpty, plan != nil {
            prospect = await AgentAnswer(of: home.configuration.paths).prospect(of: AgentReport.Rendering.Page(chart.hash, page))
        }
        let news = try await home.readinessCheck(by: renderer).newsOfMarks(of: chart.attachment, at: home.now)
        self.init(
            chart: chart, path: library.charts.path(of: chart.hash), pages: named.description?.pages, variant: named.variant,
            inputs: inputs, layers: layers, unread: try Self.unread(library, chart.attachment),
            leftOut: try library.markFiles.notesOfMarks(on: chart.attachment).flatMap { file in file.notes.map { "\(file.path): \($0)" } },
            news: news.map(\.sentence), name: name,
            file: home.cache.path(of: name), condition: condition, record: record,
            missReason: condition == .intact ? nil : try library.images.missReason(of: name, renderer: inputs.rendererName),
            plan: plan, standing: plan == nil ? try home.wants.past(by: renderer, now: home.now).worth(of: name)?.standing : nil,
            obstacles: obstacles, prospect: prospect)
    }

    private static func words(_ plan: PlanID, _ library: Library) throws(LibraryError) -> String {
        (try library.plans.plan(plan).map { PlanFinder.words($0.plan) + " " } ?? "") + "(plan \(plan))"
    }

    private static func condition(of name: ImageName, in cache: PageCache) async -> Condition {
        let report = await cache.verify([name])
        if let unreadable = report.unreadable.first { return .unreadable("\(unreadable.error)") }
        return report.intact == 1 ? .intact : report.bad.isEmpty ? .missing : .damaged
    }

    /// The user's files for this chart that cannot be read, with the reason.
    private static func unread(_ library: Library, _ attachment: AttachmentID) throws(LibraryError) -> [String] {
        try library.markFiles.all(of: attachment).compactMap { file in
            file.fault.map { "\(file.path) \($0)" + (file.content == nil ? "" : "; its last good marks are kept") }
        }
    }

    /// What prevents an image from being drawn, a sentence each. `wanted` is `nil` if no upcoming or pinned plan needs the image.
    private static func obstacles(
        to name: ImageName, _ chart: ChartFinder.Candidate, _ wanted: WantedSet?, _ renderer: RendererIdentity, _ home: OpenHome
    ) async throws -> [String] {
        let library = home.library
        var obstacles: [String] = []
        do throws(LibraryError) {
            try library.charts.check(chart.hash)
        } catch {
            obstacles.append("\(error)")
        }
        if let unreadable = try library.charts.unreadable(chart.hash), unreadable.tag == renderer.tag {
            obstacles.append("the chart cannot be read: \(unreadable.reason)")
        }
        let faults = try library.images.faults().filter { $0.chart == chart.hash && $0.tag == renderer.tag && ($0.image ?? name) == name }
        for fault in faults {
            obstacles.append(
                "\(fault.image == nil ? "counting the chart's pages" : "drawing it") failed \(max(fault.tries, 1).counted("time")), last on "
                    + "\(TimeWords.local.minute(fault.at)): \(fault.reason)" + (fault.isFinal ? "; it is not tried again by itself" : ""))
        }
        guard let wanted else { return obstacles }
        let entries = await home.cache.survey()
        try home.keeper.recall()
        let withheld = try home.keeper.admission(of: wanted, present: Set(entries.map(\.name))).withheld.map(\.name)
        if withheld.contains(name) { obstacles.append(home.keeper.reasonToWithhold(withheld.count).description) }
        return obstacles
    }
}
