import CommandLine
import Freshness
import ImageKeeping
import Model
import PageCache
import Platform

/// Images of the cache by what they are there for, be it all of them or those that a command removed; and how the cache is now.
struct CacheReport: Answer {
    /// What becomes of the images.
    enum Fate {
        case kept
        /// They would be removed, were this not only to show which.
        case toGo
        case removed
    }

    /// Images of one use; of those that are trimmed, for one reason.
    struct Group: Hashable {
        let use: ImageUses.Use
        let reason: TrimReason?
    }

    typealias Row = (group: Group, words: String, count: ImageCount)

    /// The cache's folder, or the chart or plan that was cleared.
    let what: String
    let fate: Fate
    var total: ImageCount
    /// The nearest plan first; `nil` if the renderer does not start, since without it the names of the wanted images are not known.
    let rows: [Row]?
    /// `nil` where that would take one more look at all images, or was not to be had.
    let state: CacheState?
    /// Why `rows` are missing.
    var problem: String?
    /// The names of charts that keep their images because another plan that is kept ready shows them.
    var spared: [String] = []
    /// The same because their files are not here, so that nobody could draw them again.
    var away: [String] = []
    /// How far images remain over their limit, and how much the disk still lacks, when only images that stay are left.
    var excess = ByteCount(0)
    var shortage = ByteCount(0)
    var failures: [TrimReport.Failure] = []
    /// Why folders of images could not be listed: what is in them was neither counted nor removed.
    var unlisted: [SystemError] = []

    var code: ExitCode { excess.bytes == 0 && shortage.bytes == 0 && failures.isEmpty && unlisted.isEmpty ? .fine : .notReady }

    /// How many of the images an upcoming or pinned plan needs; `nil` if that is not known.
    var needed: Int? { rows?.reduce(0) { $1.group.use.plan == nil ? $0 : $0 + $1.count.images } }
}

extension CacheReport {
    /// The images come with why a trim removes them.
    init(_ what: String, _ fate: Fate, _ images: [(entry: CacheEntry, reason: TrimReason?)], for uses: ImageUses?, in state: CacheState?) {
        (self.what, self.fate, self.state) = (what, fate, state)
        total = ImageCount(images.map(\.entry))
        rows = uses.map { uses in
            let counts = images.reduce(into: [:] as [Group: ImageCount]) { counts, image in
                counts[Group(use: uses.use(of: image.entry.name), reason: image.reason), default: ImageCount()].add(image.entry.size)
            }
            return uses.all.flatMap { use in ([nil] + TrimReason.allCases).map { Group(use: use, reason: $0) } }.compactMap { group in
                counts[group].map { (group, uses.words(group.use), $0) }
            }
        }
    }

    /// Of a trim; `done` says how it was carried out, and is `nil` if it was not.
    init(_ what: String, _ decision: TrimDecision, _ done: TrimReport?, for uses: ImageUses) {
        let gone = done.map { Set($0.removed) }
        let removals = decision.removals.filter { gone?.contains($0.entry.name) ?? true }
        self.init(what, done == nil ? .toGo : .removed, removals.map { ($0.entry, $0.reason) }, for: uses, in: nil)
        (excess, shortage, failures) = (decision.excess, decision.shortage, done?.failed ?? [])
    }

    /// Trims a cache as the user asked, whichever process carries it out: to a size, or else to the usual limits.
    @LoopActor
    static func ofTrim(
        _ cache: PageCache, to size: ByteCount?, isDry: Bool, _ keeper: CacheKeeper, by renderer: RendererIdentity, uses: ImageUses
    ) async throws -> CacheReport {
        let limits =
            if let size { CacheLimits(bytes: size, leastFree: ByteCount(0)) } else { keeper.limits(on: try keeper.disk()) }
        let decision = try await keeper.decide(by: renderer, limits: limits, isExact: size != nil)
        let done = isDry ? nil : await keeper.carryOut(decision)
        var report = CacheReport(cache.folder, decision, done, for: uses)
        report.unlisted = cache.closed
        return report
    }

    func print(on output: Output) {
        let verb =
            switch fate {
            case .kept: ""
            case .toGo: "would remove "
            case .removed: "removed "
            }
        output.result("\(what): \(verb)\(total.words)".printable)
        if let rows, !rows.isEmpty {
            let why = rows.contains { $0.group.reason != nil } ? "why" : ""
            var table = TextTable(["for", "images", "size", why], alignments: [.left, .right, .right, .left])
            for (group, words, count) in rows {
                table.add([.init(words), "\(count.images)", "\(count.size)", .init(group.reason?.rawValue ?? "")])
            }
            table.print(on: output)
        }
        if let state { output.result("In the cache: \(state.words)") }
        if let problem { output.warning(problem.printable) }
        if !spared.isEmpty {
            let them = spared.count == 1 ? "it" : "them"
            output.message(
                "\(spared.count.counted("chart")) kept, since another upcoming or pinned plan shows \(them): \(spared.joined(separator: ", "))"
                    .printable)
        }
        if !away.isEmpty {
            let (them, files) = away.count == 1 ? ("it", "its file, which is") : ("them", "their files, which are")
            output.message(
                "\(away.count.counted("chart")) kept, since nobody could draw \(them) again without \(files) not here: \(away.joined(separator: ", "))"
                    .printable)
        }
        if fate == .kept, let state { for problem in state.problems { output.warning(problem) } }
        if fate != .kept, let needed, needed > 0 {
            output.message(
                "Upcoming or pinned plans need \(needed) of them; the next sync or the agent draws them again, as far as the limits allow.")
        }
        if excess.bytes > 0 {
            output.warning(
                "images of pinned plans, and of charts whose files are not here, take up \(excess) more than allowed; unpin a plan, fetch the "
                    + "files with a sync, or raise the limit")
        }
        if shortage.bytes > 0 { output.warning("the disk is still short of \(shortage), and no image is left that may be removed") }
        if let failure = failures.first {
            output.warning("\(failures.count.counted("image")) could not be removed: \(failure.error)".printable)
        }
        let left = fate == .kept ? "counted" : "counted or removed"
        for error in unlisted {
            output.warning("\(error): the images there are not \(left); make it readable, and run this again".printable)
        }
    }

    /// The JSON of `woodshed cache stats`, `trim` and `clear`.
    static let form = JSONForm<CacheReport>(
        schema: 2,
        [
            .init("what", "the cache's folder, or the chart or plan that was cleared", \.what),
            .init("dry_run", "whether this was only a dry run") { $0.fate == .toGo },
            .init("images", "how many images are there, were removed, or would be", \.total.images),
            .init("bytes", "what they take up", \.total.size),
            .list(
                "uses", "what they are there for, the nearest plan first; null if not known",
                of: JSONForm<Row>([
                    .init("use", "plan, far, past or none", \.group.use.name), .init("plan", "the plan's id", \.group.use.plan?.text),
                    .init("reason", "why a trim removes them: size, disk or age", \.group.reason?.rawValue),
                    .init("images", "how many", \.count.images), .init("bytes", "what they take up", \.count.size),
                ]), \.rows),
            .init("problem", "why it is not known what they are there for", \.problem),
            .init("needed", "how many of them an upcoming or pinned plan needs, so that they are made again once removed", \.needed),
            .init("kept_charts", "charts whose images are kept, since another plan shows them or their files are not here") {
                $0.spared + $0.away
            },
            .init("excess", "by how much the images that stay exceed the limit", \.excess),
            .init("shortage", "how much the disk is still short of", \.shortage),
            .init("failed", "how many could not be removed", \.failures.count),
            .init("unlisted", "folders of images that could not be listed, with the reason") { $0.unlisted.map(\.description) },
            .object("cache", "how it is now; null after a trim, and where the disk does not say", of: CacheState.form, \.state),
        ])
}

/// How much is in the cache, and how much may be.
struct CacheState: Equatable {
    let held: ImageCount
    let limit: ByteCount
    /// How much is free on its disk, and how much should stay free.
    let free: ByteCount
    let leastFree: ByteCount

    var words: String { "\(held.size) of \(limit), \(held.images.counted("image")); \(free) free on its disk" }

    var problems: [String] {
        var problems: [String] = []
        if held.size > limit {
            problems.append(
                "the page cache takes up \(held.size), more than its limit of \(limit); '\(woodshed("cache trim"))' says why")
        }
        if free < leastFree {
            problems.append("the disk is nearly full: \(free) free, but \(leastFree) should stay free; free some space")
        }
        return problems
    }

    static let form = JSONForm<Self>([
        .init("images", "how many page images there are", \.held.images), .init("bytes", "what they take up", \.held.size),
        .init("limit", "what they may take up", \.limit), .init("free", "how much is free on their disk", \.free),
        .init("least_free", "how much must stay free there", \.leastFree),
    ])
}

extension CacheState {
    @LoopActor
    init(of entries: [CacheEntry], _ keeper: CacheKeeper) throws {
        let disk = try keeper.disk()
        let limits = keeper.limits(on: disk)
        self.init(held: ImageCount(entries), limit: limits.bytes, free: disk.free, leastFree: limits.leastFree)
    }
}
