import Agent
import Freshness
import Glibc
import Library
import Model
import Platform
import Rendering
import TestSupport

/// Observes every job of the renderer, decides how the job fails, and complains about jobs that should not exist.
@LoopActor
final class Witness {
    /// A running job, as the witness recorded it.
    private struct Seen {
        let page: String
        let keys: [ImageKey]
        let lane: RenderLane
        let isComparison: Bool
        /// The count of events when the job began.
        let began: Int
        let at: Moment
    }

    /// The events around a page on the screen.
    struct Showing {
        let began: Int
        /// The jobs that have begun or ended well since the page was selected.
        fileprivate var jobs: [(at: Int, lane: RenderLane, keys: [ImageKey], page: String, isEnd: Bool)] = []
    }

    private let simulation: Simulation
    private unowned var life: Life?
    private var running: [Seen] = []
    /// The marker of images that are made for comparison, and never kept.
    private static let comparison = ImageKey(SHA256.digest(of: "woodshed page comparison"))
    /// The number of events so far.
    private var count = 0
    private(set) var jobs = 0
    private var showing: [Int: Showing] = [:]
    /// The pages that were under way at the last pause. They may still begin while paused, because begun work is finished.
    private var underWay: Set<String> = []

    init(_ simulation: Simulation) {
        self.simulation = simulation
    }

    func watch(_ life: Life) {
        self.life = life
        let renderer = life.renderer
        renderer.currentFonts = simulation.fonts
        renderer.describing = .milliseconds(30)
        renderer.describe = { [unowned self] in describe($0) }
        renderer.takes = { [unowned self] in duration(of: $0) }
        renderer.verdict = { [unowned self] in verdict($0) }
        renderer.onBegin = { [unowned self] in begin($0, $1) }
        renderer.onEnd = { [unowned self] in end($0, $1, $2) }
        renderer.leastBytes = { $0.variant == .thumbnail ? 4096 : 65_536 }
        renderer.imageTime = { [simulation] in simulation.clock.wallTime }
    }

    // MARK: Faults

    private func describe(_ path: String) -> Result<ChartDescription, RenderFailure> {
        guard let score = simulation.scores[hash(in: path)] else { return .failure(.unreadable("nobody wrote this")) }
        simulation.trace.note("describe \(score.name)")
        if score.isBroken { return .failure(.encrypted) }
        if simulation.mayCrash(once: "describe \(score.name)", onceIn: 12) { return .failure(.crashed("was killed")) }
        if simulation.weather.strikes(onceIn: 5) { return .failure(.cannotWrite(5)) }
        return .success(
            ChartDescription(
                pages: [PageGeometry](repeating: PageGeometry(width: 600, height: 800), count: score.pages),
                fontsNotEmbedded: score.needsFonts ? ["Helvetica"] : []))
    }

    private func duration(of job: PageJob) -> Duration { simulation.weather.milliseconds(10...400) }

    private func verdict(_ job: PageJob) -> SimulatedRenderer.Verdict {
        check(job)
        guard let (hash, page) = place(of: job), let score = simulation.scores[hash] else { return .failure(.cannotOpen("gone")) }
        if score.badPage == page.value, !job.chart.isEmpty { return .failure(.drawing("no ink")) }
        let isMarked = job.outputs.contains { $0.variant == .annotated }
        if isMarked, let marks = job.marks, Simulation.isBad(marks) {
            simulation.badMarks.insert(marks.digest)
            return .failure(.drawing("these marks cannot be drawn"))
        }
        if simulation.mayCrash(once: job.outputs.map { "\($0.key)" }, onceIn: 40) { return .failure(.crashed("was killed")) }
        if simulation.weather.strikes(onceIn: 50) { return .failure(.cannotWrite(5)) }
        return .success(PageOutcome())
    }

    // MARK: Jobs

    private func hash(in path: String) -> String {
        // A chart of a set is opened in its own folder, before it is copied.
        if let sets = simulation.sets, path.hasPrefix(sets.path + "/"), let bytes = try? AtomicFile.read(path, limit: 1 << 20) {
            return "\(ChartHash(SHA256.digest(of: bytes)))"
        }
        return String((path.split(separator: "/").last ?? "").prefix { $0 != "." })
    }

    /// The page of the score that a job draws. A job that puts marks on an image is identified by that image.
    private func place(of job: PageJob) -> (String, PageIndex)? {
        guard job.chart.isEmpty else { return (hash(in: job.chart), job.page) }
        guard let composed = life?.renderer.composed.last(where: { $0.output.key == job.outputs[0].key }) else { return nil }
        for (hash, score) in simulation.scores {
            for page in 0..<score.pages
            where key(.plain, hash, PageIndex(page), RenderSettings(), nil)?.hasPrefix(composed.plainKey) == true {
                return (hash, PageIndex(page))
            }
        }
        return nil
    }

    private func key(_ variant: Variant, _ hash: String, _ page: PageIndex, _ settings: RenderSettings, _ marks: MarkDigest?) -> String? {
        guard let score = simulation.scores[hash], let life else { return nil }
        return ImageInputs(
            renderer: RendererIdentity(tag: life.renderer.currentTag, fonts: life.renderer.currentFonts), chart: score.hash,
            chartNeedsFonts: score.needsFonts, page: page, variant: variant, settings: settings, marks: marks
        ).key.digest.hex
    }

    /// Checks that an image is made from the ingredients that its name states.
    private func check(_ job: PageJob) {
        guard let (hash, page) = place(of: job) else {
            return simulation.complain("a job for \(job.chart) is for no page that there is")
        }
        guard job.outputs.map(\.key) != [Self.comparison] else { return }
        for output in job.outputs { simulation.keys[String(output.key.digest.hex.prefix(32))] = output.key }
        if let marks = job.marks {
            simulation.drawn[marks.digest] = Set(marks.marks.map(Simulation.dot))
            for output in job.outputs where output.variant == .annotated {
                simulation.marksByKey[String(output.key.digest.hex.prefix(32))] = marks.digest
            }
        }
        for output in job.outputs where key(output.variant, hash, page, job.settings, job.marks?.digest) != output.key.digest.hex {
            simulation.complain("\(output.variant) of \(word(job)) is made from something else than its name says")
        }
    }

    private func word(_ job: PageJob) -> String {
        guard let (hash, page) = place(of: job) else { return "?" }
        return word(hash, page)
    }

    private func word(_ hash: String, _ page: PageIndex) -> String { "\(simulation.scores[hash]?.name ?? "?").\(page.value)" }

    private func begin(_ job: PageJob, _ lane: RenderLane) {
        count += 1
        jobs += 1
        let (page, keys) = (word(job), job.outputs.map(\.key))
        let variants = job.outputs.map { "\($0.variant) \($0.key)" }.joined(separator: ", ")
        simulation.trace.note("begin \(page) \(lane): \(variants)")
        // A page drawn for comparison is not an image of the cache, so the cache's image may be drawn at the same time.
        let isComparison = keys == [Self.comparison] || job.outputs.allSatisfy { Self.isInMemory($0.descriptor) }
        // An image that somebody waits for may be drawn while a job in another lane makes the same image.
        for other in running where !isComparison && !other.isComparison && lane == other.lane && other.keys.contains(where: keys.contains) {
            simulation.complain("\(page) is being made twice at once (\(lane))")
        }
        for other in running
        where other.page == page && !isComparison && !other.isComparison && lane == .background && other.lane == .background {
            simulation.complain("two jobs of \(page) run at once")
        }
        if lane == .background, life?.agent.isPaused == true, underWay.remove(page) == nil {
            simulation.complain("\(page) begins while paused")
        }
        running.append(Seen(page: page, keys: keys, lane: lane, isComparison: isComparison, began: count, at: simulation.clock.now))
        for number in showing.keys { showing[number]?.jobs.append((count, lane, keys, page, false)) }
    }

    private static func isInMemory(_ descriptor: Int32) -> Bool {
        var target = [UInt8](repeating: 0, count: 256)
        let count = target.withUnsafeMutableBytes { readlink("/proc/self/fd/\(descriptor)", $0.baseAddress.unsafelyUnwrapped, $0.count) }
        return target.prefix(max(0, count)).starts(with: "/memfd:".utf8)
    }

    private func end(_ job: PageJob, _ lane: RenderLane, _ failure: RenderFailure?) {
        count += 1
        let (page, keys) = (word(job), job.outputs.map(\.key))
        simulation.trace.note("end \(page) \(lane): \(failure.map { "\($0)" } ?? "made")")
        if let place = running.firstIndex(where: { $0.keys == keys && $0.lane == lane }) {
            let job = running.remove(at: place)
            // A job that a selection aborts before any time has passed never reached the renderer, so it did not run.
            if failure == .cancelled, job.at == simulation.clock.now {
                for number in showing.keys { showing[number]?.jobs.removeAll { $0.at == job.began } }
            }
        }
        guard failure == nil else { return }
        for number in showing.keys { showing[number]?.jobs.append((count, lane, keys, page, true)) }
    }

    /// Records the pages that are under way when the agent is about to pause.
    func willPause(while pages: [AgentReport.Rendering.Page]) {
        underWay = Set(pages.map { word("\($0.chart)", $0.page) })
    }

    // MARK: Pages on the screen

    /// The bytes of an image; `nil` for an image that was never begun.
    func expected(_ name: ImageName) -> [UInt8]? {
        simulation.keys[name.key].flatMap { life?.renderer.image(PageJob.Output(name.variant, key: $0, descriptor: -1)) }
    }

    func select(_ number: Int) {
        count += 1
        showing[number] = Showing(began: count)
    }

    /// Checks that no job for another page began or ended well between the selection and the end of the selected page's job.
    func answered(_ number: Int, _ answer: Result<ShownPage, Trouble>) {
        guard let shown = showing.removeValue(forKey: number), case .success(let page) = answer else { return }
        if page.bytes != expected(page.name) { simulation.complain("selection \(number) shows other bytes than its image has") }
        guard page.source == .rendered else { return }
        func isOwn(_ keys: [ImageKey]) -> Bool { keys.contains { $0.digest.hex.hasPrefix(page.name.key) } }
        guard let end = shown.jobs.last(where: { $0.isEnd && isOwn($0.keys) }) else {
            return simulation.complain("selection \(number) was rendered by nobody")
        }
        // The page itself may have been begun under another name, with fonts that were gone when it was drawn.
        for job in shown.jobs where job.at < end.at && !isOwn(job.keys) && (job.page, job.lane) != (end.page, .live) {
            simulation.complain("\(job.page) \(job.isEnd ? "ended well" : "began") (\(job.lane)) while selection \(number) was waited for")
        }
    }
}
