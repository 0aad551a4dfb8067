import Agent
import Annotations
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport

/// What a person could miss, and what must not be told: held against the service as it truly was.
extension Simulation {
    /// Remembers how the service stands, so that it can be told apart from what somebody made up.
    func remember() {
        for plan in service.plans { states[plan.id, default: []].insert(Set(plan.charts.map { Self.word($0.id, hash($0)) })) }
        for layer in layers.values { marks[layer.id, default: []].insert(layer.isDeleted ? [] : layer.dots) }
    }

    private func hash(_ chart: SmallService.Chart) -> String { "\(ChartHash(SHA256.digest(of: chart.bytes)))" }
    private static func word(_ attachment: String, _ hash: String) -> String { attachment + " " + hash }

    // MARK: Nothing is gone

    /// A chart that was here and that a plan at the service shows is here, whatever was told meanwhile.
    func checkNothingIsGone() throws {
        let here = Set(try Folder.names(in: folder.path("data/charts")).map { String($0.prefix { $0 != "." }) })
        for plan in service.plans {
            for chart in plan.charts where chartsSeen.contains(hash(chart)) && !here.contains(hash(chart)) {
                complain("\(chart.name) of plan \(plan.id) was here and is gone")
            }
        }
        chartsSeen = here
        guard let life else { return }
        for layer in layers.values.sorted(by: { $0.id < $1.id }) {
            for stored in try life.library.layers(of: AttachmentID(layer.attachment)) where stored.id == LayerID(layer.id) {
                let dots = stored.deletedAt == nil ? stored.marks.map(Self.dot) : []
                if marks[layer.id]?.contains(dots) != true { complain("\(layer.id) has marks that nobody made: \(dots)") }
            }
        }
    }

    private static func dot(_ mark: Mark) -> MarkText.Dot { MarkText.Dot(page: mark.page.value, x: mark.points.first?.x ?? -1) }

    // MARK: Nothing is told that is not so

    /// Where somebody who asks beside the agent is told that a plan is ready, it is.
    func checkReadiness() async throws {
        guard let life else { return }
        let now = Timestamp(sinceEpoch: life.clock.wallTime)
        let library: Library
        do throws(LibraryError) {
            library = try Library(readingFrom: folder.path("data"))
        } catch {
            return trace.note("ready: \(error)")
        }
        defer { library.close() }
        let cache = try PageCache(readingFrom: folder.path("cache"), side: SideThread(inline: true))
        let wants = LibraryWants(library: library, render: settings.render, ahead: settings.ahead)
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: settings.cache, time: life.clock, log: Log { _, _ in })
        let question = ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: try await life.renderer.identity(),
            marks: settings.marks.roots)
        let report = try await question.report(
            of: try wants.plans(now: now), ReadinessCheck.Circumstances(now: now, isThorough: false))
        trace.note("ready: \(report.plans.map { "\($0.plan.id) \($0.isReady)" })")
        for plan in report.plans where plan.isReady { try check(plan, cache, library) }
    }

    private func check(_ plan: ReadinessReport.Plan, _ cache: PageCache, _ library: Library) throws {
        let id = "\(plan.plan.id)"
        let shown = Set(plan.charts.map { Self.word("\($0.attachment)", $0.hash.map { "\($0)" } ?? "") })
        if states[id]?.contains(where: { $0.isSubset(of: shown) }) != true {
            complain("plan \(id) is called ready with \(shown.sorted()), which is not all that it ever had")
        }
        for chart in plan.charts { try check(chart, cache, library) }
    }

    private func check(_ chart: ReadinessReport.Chart, _ cache: PageCache, _ library: Library) throws {
        guard let hash = chart.hash, let score = scores["\(hash)"] else {
            return complain("\(chart.filename) is called ready and is a chart that nobody wrote")
        }
        let here = cache.present().filter { $0.folder == ImageFolder(of: hash) }
        for page in 0..<score.pages {
            let images = here.filter { $0.page == PageIndex(page) && $0.variant != .thumbnail }
            let isWhole = try images.contains {
                guard let bytes = life?.witness.expected($0) else { return false }
                return try AtomicFile.read(cache.path(of: $0), limit: 1 << 20) == bytes
            }
            if !isWhole { complain("\(chart.filename) is called ready without its page \(page + 1)") }
        }
        for name in music.files.keys.sorted() where name.hasSuffix(".marks.json") {
            let text = String(decoding: music.files[name] ?? [], as: UTF8.self)
            guard text.contains("\"attachment_id\":\"\(chart.attachment)\"") else { continue }
            let known = try library.localFile(at: music.path(name))?.content?.marks
            let saved = try? MarkFileReader.read(path: music.path(name)).0.marks
            // One that cannot be read has to be told of; one that can, to be drawn.
            if saved == nil || saved != (known ?? []) { complain("\(chart.filename) is called ready without the marks of \(name)") }
        }
    }
}
