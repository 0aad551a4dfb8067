import Agent
import Freshness
import Glibc
import Library
import Model
import PageCache
import Platform
import Rendering
import Sets
import TestSupport

@testable import Marks

/// The whole agent for a few days: a service, a musician, a machine and a disk act by chance, and now and then everything goes wrong.
@LoopActor
final class Simulation {
    /// A chart at the service.
    struct Score {
        let name: String
        let hash: ChartHash
        let pages: Int
        var needsFonts = false
        /// Whether the chart cannot be opened.
        var isBroken = false
        /// A page that cannot be drawn.
        var badPage: Int?
    }

    /// A drawn mark: its place, and whether the mark is the musician's own or comes from the service.
    struct Dot: Hashable {
        let x: Double
        let isOwn: Bool
    }

    let seed: UInt64
    var random: SeededGenerator
    var weather: Weather
    let folder = TemporaryFolder()
    let clock = SimulatedClock()
    let trace: Trace
    let music: MusicFolder
    /// The folder of the musician's own sets; `nil` if all plans come from the service.
    let sets: SetMusic?
    let service: SmallService
    let settings: AgentSettings
    /// The rules for files that count as charts. They vary from run to run, but all files of the service count.
    let choice: ChartChoice
    let width: Int
    /// Whether the cache's limit is less than the plans need.
    let isTight: Bool
    var tag = RendererTag("simulated-1")
    var fonts = FontSet(SHA256.digest(of: "fonts 1"))
    /// Every chart so far, by its hash.
    var scores: [String: Score] = [:]
    /// The whole key of every image whose drawing has begun, by the beginning of the key.
    var keys: [String: ImageKey] = [:]
    /// Marks that a renderer could not draw.
    var badMarks: Set<MarkDigest> = []
    var complaints: [String] = []
    /// Pages and charts that crashed the renderer once; a second crash would make the agent give them up for good.
    private var crashed: Set<String> = []
    var life: Life?
    /// The task that replaces an agent which had to leave its library.
    private var renewal: Task<Void, Never>?
    private var dead: [Life] = []
    var count = 0
    var layers: [String: ServiceLayer] = [:]
    var lies = Lies()
    /// Whether the service changed or hid charts during the present poll. Reports of readiness are then checked right after the poll.
    var wasTricked = false
    /// A backup of the service.
    var backup: (plans: [SmallService.Plan], layers: [String: ServiceLayer])?
    /// The library's state at the last check.
    var known: Known?
    /// Tonight's sets as the musician last changed them, and when.
    var tonight: [PlanID: (set: TonightSet, at: Moment)] = [:]
    /// When each plan was last pinned.
    var pinnedAt: [PlanID: Moment] = [:]
    /// The older layers that a person accepted, and that have not been requested since.
    var acceptedLayers: Set<LayerID> = []
    /// The marks of each file of marks at the last check.
    var knownMarks: [String: KnownMarks] = [:]
    /// The content of a file of marks before it was last saved.
    var formerText: [String: [UInt8]] = [:]
    /// The files next to which a sync program put another machine's copy, by the copy's name.
    var copied: [String: CopiedMarks] = [:]
    /// Whether no file can be made in the folders of the library.
    var isDiskLocked = false {
        didSet { for name in ["data/charts", "data"] { LockedFolder.set(isDiskLocked, folder.path(name)) } }
    }
    /// Whether the catalogue was ever lost, and with it the learned sizes of images.
    var hasLostCatalogue = false
    /// How wrong the machine's time of day is; the service's clock is right.
    var clockError = Duration.zero
    /// The true states of the service.
    var truth = Truth()
    /// The dots that a renderer was given, by the digest of the marks; and that digest, by the beginning of an image's key.
    var drawn: [MarkDigest: Set<Dot>] = [:]
    var marksByKey: [String: MarkDigest] = [:]
    /// The charts' files at the last check.
    var chartsSeen: Set<String> = []
    /// The number of the last requested page.
    var selections = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        weather = Weather(seed: seed &+ 0x5eed)
        trace = Trace(clock: clock, folder: folder.path)
        music = try MusicFolder(folder.path("music"))
        sets = Self.hasSets(seed) ? try SetMusic(folder.path("sets")) : nil
        service = SmallService([], clock: clock)
        choice = ChartChoice(
            usual: [
                ChartChoice.Rules(), ChartChoice.Rules(include: [FilenamePattern("Song*")]),
                ChartChoice.Rules(exclude: [FilenamePattern("Draft*")]),
            ][Int(seed % 3)])
        width = Int.random(in: 1...3, using: &random)
        isTight = Int.random(in: 0..<4, using: &random) == 0
        // An unknown size is estimated as 300 kB.
        let limit = isTight ? Int.random(in: 700...2000, using: &random) * 1000 : 1_000_000_000
        settings = AgentSettings(
            downloads: Int.random(in: 1...4, using: &random), marks: MarkSettings(roots: MarkRoots([music.path])),
            cache: CacheSettings(
                limit: ByteCount(limit), leastFree: .bytes(ByteCount(0)),
                greatestAge: Bool.random(using: &random) ? .seconds(2 * 86_400) : nil),
            tidying: TidySettings(music: music.path, keptAfter: .seconds(30 * 86_400)),
            sets: sets.map { SetSettings([$0.path]) })
        service.pageSize = 2
        for _ in 0..<Int.random(in: 2...4, using: &random) { addPlan() }
        music.timeOfDay = { [clock] in clock.wallTime }
        sets?.timeOfDay = { [unowned self] in clock.wallTime + clockError }
        if sets != nil { for _ in 0..<2 { try addSet() } }
        // One file always stays, because an empty folder counts as taken away.
        try music.save(MarkText.native("none", [MarkText.Dot(page: 0, x: 0.5)]), as: "always.marks.json")
    }

    func complain(_ text: String) {
        trace.note("COMPLAINT: \(text)")
        complaints.append(text)
    }

    func oneIn(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

    /// Whether the renderer crashes now; each of these names causes a crash at most once.
    func mayCrash(once names: String..., onceIn times: Int) -> Bool { mayCrash(once: names, onceIn: times) }

    func mayCrash(once names: [String], onceIn times: Int) -> Bool {
        guard weather.strikes(onceIn: times), crashed.isDisjoint(with: names) else { return false }
        crashed.formUnion(names)
        return true
    }

    // MARK: Lives

    func begin() throws {
        trace.note("BEGIN")
        let life = try Life(in: folder.path, self)
        self.life = life
        // The next life may start with a backup of the catalogue.
        forgetKnown()
        life.begin()
    }

    /// Replaces an agent that had to leave its library with another one, as the program does.
    func beginAnew(after left: Life) {
        renewal = spawn { [self] in
            guard life === left else { return }
            trace.note("LEFT")
            life = nil
            await left.end()
            do {
                try begin()
            } catch {
                trace.note("\(error)")
            }
        }
    }

    func end() async {
        await renewal?.value
        guard let life else { return }
        trace.note("END")
        self.life = nil
        await life.end()
    }

    /// Kills the agent in the middle of its work.
    func kill() async {
        await renewal?.value
        guard let life else { return }
        trace.note("KILL")
        self.life = nil
        life.kill()
        dead.append(life)
        // Steps that need no waiting are finished before the next life begins, as if the agent had been killed a little later.
        try? await clock.sleep(for: .milliseconds(1))
    }

    // MARK: The course of a run

    func run() async {
        do {
            try await clock.run {
                try begin()
                for _ in 0..<3 {
                    weather.isFoul = true
                    for _ in 0..<Int.random(in: 5...25, using: &random) {
                        do {
                            try await step()
                            try checkNothingIsGone()
                            try checkNothingIsOlder()
                            try checkLostMarksAreKept()
                        } catch let error as LibraryError {
                            // A command may read a catalogue that somebody has just damaged, and reports that.
                            trace.note("\(error)")
                        }
                        if oneIn(3) { try await checkReadiness() }
                    }
                    try await quiet()
                    try await check()
                }
                try await checkAgainstFresh()
                await end()
                trace.close()
                for life in dead { await life.bury() }
            }
        } catch {
            complain("the simulation itself broke: \(error)")
        }
        dead = []
        isDiskLocked = false
        // The folder is in memory. Empty it now, before the last object that uses it ends, or a thousand runs would fill the memory.
        TemporaryFolder.empty(folder.path)
        rmdir(folder.path)
    }

    func wait(_ duration: Duration) async { try? await clock.sleep(for: duration) }

    /// Runs in fair weather until all possible work is done.
    func quiet() async throws {
        trace.note("QUIET")
        weather.isFoul = false
        weather.isOffline = false
        lies.forget()
        isDiskLocked = false
        // The program does the same once its disk is writable again.
        if life?.library.isOnlyInMemory == true { await end() }
        clockError = .zero
        life?.machine.happen(.clockJumped)
        await renewal?.value
        moveForeignCatalogueAway()
        if life == nil { try begin() }
        life?.agent.resume()
        try mendFiles()
        try mendSets()
        // Wait for two polls, because the first may have begun in foul weather; polls may be two hours apart. Altogether, the waiting is
        // long enough for hourly checks, for retries with growing pauses, and for accepting the loss of most of a plan's charts.
        for _ in 0..<2 {
            life?.lastOutcome = nil
            for _ in 0..<180 where life?.lastOutcome == nil { await wait(.seconds(60)) }
        }
        try checkAllIsFetched()
        await wait(.seconds(9 * 3600))
        try checkNothingIsOlder()
        try await acceptWhatIsOlder()
        await settle("after quiet")
    }

    /// Waits until the agent has done everything; complains if that takes too long.
    func settle(_ when: String) async {
        guard let life else { return }
        var isSettled = false
        let task = spawn {
            await life.agent.settled()
            isSettled = true
        }
        for _ in 0..<2000 where !isSettled { await wait(.seconds(1)) }
        if isSettled { await task.value } else { complain("the agent does not come to rest \(when)") }
    }
}
