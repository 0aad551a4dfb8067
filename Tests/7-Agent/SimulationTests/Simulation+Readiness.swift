import Agent
import Annotations
import Freshness
import Library
import Model
import PageCache
import Platform
import TestSupport

@testable import ImageKeeping
@testable import Marks
@testable import Readiness
@testable import Commands

/// Checks that no plan is reported as ready when it is not.
extension Simulation {
    /// The state that a command sees while the agent runs.
    private struct Desk {
        let library: Library
        let cache: PageCache
    }

    /// Checks every plan that a command reports as ready while the agent runs.
    func checkReadiness() async throws {
        guard let life else { return }
        let now = life.clock.timestamp
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
        let renderer = try await life.renderer.identity()
        let question = ReadinessCheck(
            library: library, cache: cache, wants: wants, keeper: keeper, renderer: renderer, marks: settings.marks.roots)
        let lastPoll = life.agent.report(version: "simulated", since: now).polls.lastGood
        // A plan that is only listed may be the next one; a plan that the service no longer lists cannot be.
        let plans = try PlanFinder(library, now: now).plans.filter { !$0.isPast(at: now) }
        for (place, plan) in plans.enumerated() {
            let report = try await question.report(
                of: try library.plans.allListed().filter { $0.plan.id == plan.id },
                ReadinessCheck.Circumstances(now: now, isThorough: false, lastPoll: lastPoll))
            let verdict = ReadinessVerdict(report: report, maxAge: ReadinessVerdict.defaultMaxAge)
            trace.note("ready: \(plan.id) \(verdict.isReady)")
            guard verdict.isReady else { continue }
            let desk = Desk(library: library, cache: cache)
            for plan in report.plans { try check(plan, desk) }
            if place == 0 { checkIsNext(plan) }
        }
    }

    /// Checks that no plan comes before the one that is reported as next.
    private func checkIsNext(_ plan: Plan) {
        // A clock that is wrong by less than an hour must do no harm, so times within an hour are left out. Plans far ahead are left out,
        // too, because they are not kept.
        let (now, far) = (clock.timestamp, clock.timestamp + .seconds(25 * 86_400))
        let clocks = min(now, now + clockError) - .seconds(3600)...max(now, now + clockError) + .seconds(3600)
        guard let start = truth.turn(of: "\(plan.id)", at: clocks) else { return }
        for other in service.plans {
            guard let first = truth.turn(of: other.id, at: clocks), first < start, first < far, first > now + .seconds(3600) else {
                continue
            }
            complain("plan \(plan.id) is called the next one and ready, and plan \(other.id) comes before it")
        }
    }

    private func check(_ plan: ReadinessReport.Plan, _ desk: Desk) throws {
        let shown = Dictionary(grouping: plan.charts) { "\($0.attachment)" }.mapValues { $0.map { $0.hash.map { "\($0)" } ?? "" } }
        for (chart, contents) in truth.charts(of: "\(plan.plan.id)").sorted(by: { $0.key < $1.key }) {
            guard let hashes = shown[chart] else {
                if try isLeftOutTonight(chart, of: plan.plan.id, in: desk.library) { continue }
                complain("plan \(plan.plan.id) is called ready without its chart \(chart)")
                continue
            }
            if contents.isDisjoint(with: hashes) { complain("plan \(plan.plan.id) is called ready with an old chart \(chart)") }
        }
        for attachment in try desk.library.plans.plan(plan.plan.id)?.attachments ?? [] where shown["\(attachment.id)"] == nil {
            complain("plan \(plan.plan.id) is called ready without tonight's chart \(attachment.id)")
        }
        for chart in plan.distinctCharts { try check(chart, of: "\(plan.plan.id)", desk) }
    }

    private func check(_ chart: ReadinessReport.Chart, of plan: String, _ desk: Desk) throws {
        guard let hash = chart.hash, let score = scores["\(hash)"] else {
            return complain("\(chart.filename) is called ready and is a chart that nobody wrote")
        }
        if let bytes = chart.attachment.bytes, bytes != hash.digest { complain("\(chart.filename) is called ready with other bytes") }
        let here = desk.cache.present().filter { $0.folder == ImageFolder(of: hash) }
        let hidden = Set(try desk.library.drawings.hiddenLayers(of: chart.attachment).map { "\($0)" })
        let own = try ownMarks(on: "\(chart.attachment)", chart.filename, passedOn: try passedOn(desk.library))
        let drawing = try desk.library.drawings.drawing(of: chart.attachment).map {
            try desk.library.drawings.readDrawnPages(of: chart.attachment, from: $0)
        }
        for page in 0..<score.pages {
            let images = here.filter { $0.page == PageIndex(page) && $0.variant != .thumbnail }
            let whole = try images.filter {
                guard let bytes = life?.witness.expected($0) else { return false }
                return try AtomicFile.read(desk.cache.path(of: $0), limit: 1 << 20) == bytes
            }
            let ownDots = Set(own.filter { $0.page == PageIndex(page) }.map(Self.dot))
            let told = truth.dots(on: "\(chart.attachment)", page: page, in: plan, besides: hidden)
            let digest = drawing?.pages(in: nil)[PageIndex(page)]
            let shown = digest.map { drawn[$0] } ?? []
            if !whole.contains(where: { digest == nil || marksByKey[$0.key] == digest }) {
                complain("\(chart.filename) is called ready without its page \(page + 1)")
            } else if shown.map({ shows($0, ownDots, told) }) != true {
                complain(
                    "\(chart.filename) is called ready, and its page \(page + 1) shows \(shown.map(Self.words) ?? "what nobody drew") "
                        + "for \(Self.words(ownDots)) and \(told.map { $0.map { $0.sorted() }.sorted { "\($0)" < "\($1)" } } ?? [])")
            }
        }
    }

    /// Whether `dots` are the musician's own dots, together with one of the sets that the service may show.
    private func shows(_ dots: Set<Dot>, _ own: Set<Dot>, _ told: Set<Set<Double>>?) -> Bool {
        dots.filter(\.isOwn) == own && told?.contains(Set(dots.filter { !$0.isOwn }.map(\.x))) ?? true
    }

    private static func words(_ dots: Set<Dot>) -> String { "\(dots.map { "\($0.isOwn ? "own " : "")\($0.x)" }.sorted())" }

    /// The musician's marks on a chart as they are saved now. If a file cannot be read, `ready` must report that.
    private func ownMarks(on attachment: String, _ filename: String, passedOn: [String: String]) throws -> [Mark] {
        var marks: [Mark] = []
        for name in music.files.keys.sorted() where name.hasSuffix(".marks.json") {
            guard named(by: name) == attachment || passedOn[music.path(name)] == attachment else { continue }
            do throws(MarkFileFault) {
                marks += try MarkFileReader.read(path: music.path(name)).0.marks
            } catch {
                complain("\(filename) is called ready without the marks of \(name), which \(error)")
            }
        }
        return marks
    }

    /// The chart that a file of marks names.
    private func named(by name: String) -> String? {
        let text = String(decoding: music.files[name] ?? [], as: UTF8.self)
        return text.firstMatch(of: /"attachment_id":"([^"]*)"/).map { String($0.1) }
    }

    /// The files of marks, by path, that are for another chart than they name, with that chart. No coming plan may show the named
    /// chart, and both charts must have had the same bytes.
    func passedOn(_ library: Library) throws -> [String: String] {
        // The agent has not yet read the pins that were set at this very moment.
        let (now, pinned) = (clock.timestamp, try library.plans.pinned().filter { pinnedAt[$0] != clock.now })
        let coming = try library.plans.all().filter { !$0.plan.isPast(at: now) || pinned.contains($0.plan.id) }
        let shown = Set(coming.flatMap(\.attachments).map { "\($0.id)" })
        var passedOn: [String: String] = [:]
        for file in try library.markFiles.all() {
            let name = music.files.keys.first { music.path($0) == file.path }
            // Files that were saved again after the agent read them are left out.
            guard let name, let attachment = file.attachment.map({ "\($0)" }), let former = named(by: name), former != attachment,
                file.content?.reference.attachment == AttachmentID(former)
            else { continue }
            passedOn[file.path] = attachment
            func contents(_ id: String) -> Set<String> {
                Set(truth.allStates.flatMap { $0.plans.values.flatMap(\.charts) }.filter { $0.id == id }.map { Truth.hash($0) })
            }
            // Marks on a chart of a set go on to a file that takes its name, too.
            let isOfSets = [former, attachment].contains { AttachmentID($0).bytes != nil }
            if shown.contains(former) || !isOfSets && contents(former).isDisjoint(with: contents(attachment)) {
                complain("the marks of \(name) are shown on \(attachment) for \(former)")
            }
        }
        return passedOn
    }
}
