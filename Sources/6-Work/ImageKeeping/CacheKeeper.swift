public import Freshness
public import Library
package import Marks
public import Model
public import PageCache
public import Platform

/// Keeps the page cache within its limits, and remembers what happened to its images.
@LoopActor
public final class CacheKeeper {
    let library: Library
    let cache: PageCache
    let wants: LibraryWants
    let settings: CacheSettings
    let time: any TimeKeeper
    let log: Log

    var memory = ImageMemory()
    var hasRecalled = false
    package lazy var drawnMarks = DrawnMarks(library: library, side: SideThread(inline: cache.side.isInline))
    /// When a write last failed for lack of space although the disk reported free space: a quota must be full.
    private var fullSince: Moment?
    /// Called whenever something happens to an image.
    private(set) var onImageEvent: (@LoopActor (ImageName, ImageEvent) -> Void)?
    /// When the age of images was last checked.
    private var agedAt: Moment?
    /// The state after a trim that could not keep the limits: while it is the same, another trim would find nothing to remove, either.
    private var exhausted: Exhaustion?
    /// Which limit the last trim could not keep, in a sentence; `nil` if the limits are kept.
    public private(set) var complaint: String?

    private struct Exhaustion {
        /// The total size of the images.
        let bytes: ByteCount
        /// The images that must not be removed.
        let pinned: Set<ImageName>
        let away: [ImageFolder: Int]
    }

    /// How often space was freed for images that could not be stored.
    package private(set) var roomsMade = 0
    private let roomTurns = Turns()

    /// How long a quota is assumed to be full: no event reports that there is space again.
    package static let fullLasts: Duration = .seconds(600)
    /// More bytes than even a large image takes, such as the image of a coloured scan.
    private static let roomForOne = 4 << 20
    /// The pause between two checks of the images' age.
    private static let ageRhythm: Duration = .seconds(6 * 3600)

    /// A keeper of `cache`; the cache is not read yet.
    public init(
        library: Library, cache: PageCache, wants: LibraryWants, settings: CacheSettings, time: any TimeKeeper, log: Log
    ) {
        self.library = library
        self.cache = cache
        self.wants = wants
        self.settings = settings
        self.time = time
        self.log = log
        cache.setListener { [weak self] name, event, size in self?.note(name, event, size) }
    }

    private var now: Timestamp { time.timestamp }

    /// Sets the function that is called whenever something happens to an image.
    package func setListener(_ body: @escaping @LoopActor (ImageName, ImageEvent) -> Void) { onImageEvent = body }

    // MARK: - Limits

    /// The space on the cache's disk, as far as the cache may use it.
    public func disk() throws(SystemError) -> DiskSpace {
        var disk = try DiskSpace.of(cache.folder)
        if isFull {
            // With a full quota, count hardly more space as free than must stay free: only stored images have room then.
            let most = settings.limits(on: disk).leastFree.bytes
            disk.free = min(disk.free, ByteCount(most + most / 10))
        }
        return disk
    }

    private var isFull: Bool { fullSince.map { time.now < $0 + Self.fullLasts } ?? false }

    /// The limits that apply on this disk.
    public func limits(on disk: DiskSpace) -> CacheLimits { settings.limits(on: disk) }

    /// Decides for which of the wanted images there is room.
    public func admission(of wanted: WantedSet, present: Set<ImageName>) throws(SystemError) -> Admission {
        let disk = try disk()
        let present = present.union(wanted.away.keys.flatMap(cache.present))
        return Admission(
            wanted, present: present, held: cache.bytes ?? ByteCount(0), limits: limits(on: disk), disk: disk
        ) { [cache, memory] name in cache.knownSize(of: name) ?? memory.size(of: name) }
    }

    /// Why images are withheld, in words for people: the limit that is in effect, and what helps against that one.
    public func reasonToWithhold(_ count: Int) -> RoomShortage {
        guard let disk = try? disk() else {
            return RoomShortage(isOfDisk: true, "the disk of \(cache.folder) cannot be checked", remedy: "see that it is connected")
        }
        let limits = limits(on: disk)
        let images = count == 1 ? "1 image" : "\(count) images"
        guard !Admission.isDiskTighter(held: cache.bytes ?? ByteCount(0), limits: limits, disk: disk) else {
            if isFull, let reported = try? DiskSpace.of(cache.folder).free, reported > disk.free {
                return RoomShortage(
                    isOfDisk: true,
                    "the disk takes no more, though it reports \(reported) free (a quota may be used up, or it can hold no more files), so there is no room for \(images)",
                    remedy: "remove some files")
            }
            return RoomShortage(
                isOfDisk: true,
                "the disk is short (\(disk.free) free, of which \(limits.leastFree) must stay free), so there is no room for \(images)",
                remedy: "free some space, or lower cache.least_free")
        }
        let tenth = settings.limit == nil && limits.bytes < CacheSettings.usualLimit ? ", a tenth of its disk," : ""
        return RoomShortage(
            isOfDisk: false, "the cache's limit of \(limits.bytes)\(tenth) leaves no room for \(images)",
            remedy: "raise cache.limit, or lower plans.ahead")
    }

    /// Whether the images take more space than they may, or the disk is short, and a trim may help. False until the cache has been read.
    package var isBeyondLimits: Bool {
        guard let held = cache.bytes, held != exhausted?.bytes, let disk = try? disk() else { return false }
        let limits = limits(on: disk)
        return held > limits.bytes || disk.free < limits.leastFree
    }

    /// Brings the cache within its limits, as far as images may be removed; `complaint` states which limit is still exceeded. Costs
    /// little if the limits are kept.
    package func holdLimits(wanted: WantedSet, by renderer: RendererIdentity) async throws {
        if cache.bytes == nil { _ = await cache.survey() }
        let disk = try disk()
        let limits = limits(on: disk)
        let held = cache.bytes ?? ByteCount(0)
        let isAgeDue = limits.greatestAge != nil && (agedAt.map { time.now >= $0 + Self.ageRhythm } ?? true)
        guard held > limits.bytes || disk.free < limits.leastFree || isAgeDue else {
            complaint = nil
            exhausted = nil
            return
        }
        if let exhausted, exhausted.bytes == held, exhausted.pinned == wanted.pinned, exhausted.away == wanted.away,
            !isAgeDue
        {
            return
        }
        let decision = try await decide(by: renderer, limits: limits)
        if isAgeDue { agedAt = time.now }
        _ = await carryOut(decision)
        let isExhausted = decision.excess.bytes > 0 || decision.shortage.bytes > 0
        exhausted = isExhausted ? cache.bytes.map { Exhaustion(bytes: $0, pinned: wanted.pinned, away: wanted.away) } : nil
        let wasReported = complaint != nil
        complaint = Self.complaint(decision, limits)
        // Log a complaint once, not whenever its figures change.
        if let complaint, !wasReported { log.warning(complaint) }
    }

    private static func complaint(_ decision: TrimDecision, _ limits: CacheLimits) -> String? {
        if decision.excess.bytes > 0 {
            return
                "images of pinned plans, and of charts whose files are not here, take up \(decision.excess) more than the cache's limit of \(limits.bytes); unpin a plan, fetch the files with a sync, or raise cache.limit"
        }
        guard decision.shortage.bytes > 0 else { return nil }
        return
            "\(decision.shortage) more should be free on the disk, for \(limits.leastFree) in all, and no more images may be removed; free some space, or lower cache.least_free"
    }

    /// Returns what to remove to keep within `limits`. Measures all images, outside the loop.
    private func decide(
        by renderer: RendererIdentity, limits: CacheLimits, need: ByteCount = ByteCount(0), below: ImageWorth? = nil
    ) async throws -> TrimDecision {
        let entries = await cache.survey()
        // Read both sets from the library as it is now: a plan that was just pinned must be in one of them.
        let wanted = try wants.set(by: renderer, now: now)
        let (past, disk, now) = (try wants.past(by: renderer, now: now), try disk(), now)
        // Sorting a hundred thousand images takes longer than the loop should wait.
        return await cache.side.run {
            TrimDecision(
                entries: entries, wanted: wanted, past: past, limits: limits, disk: disk, now: now, need: need, below: below)
        }
    }

    /// Removes the images that `decision` lists.
    private func carryOut(_ decision: TrimDecision) async -> TrimReport {
        guard !decision.removals.isEmpty else { return TrimReport() }
        let report = await cache.trim(decision.removals.map(\.entry.name))
        let reasons = Dictionary(decision.removals.map { ($0.entry.name, $0.reason) }) { first, _ in first }
        var counts: [TrimReason: Int] = [:]
        for name in report.removed { if let reason = reasons[name] { counts[reason, default: 0] += 1 } }
        let why = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) for \($0.key.words)" }.joined(separator: ", ")
        if !report.removed.isEmpty { log.info("trimmed the page cache: \(report.freed) freed, images: \(why)") }
        if let failure = report.failed.first {
            let count = report.failed.count
            log.warning("\(count == 1 ? "1 page image" : "\(count) page images") could not be removed: \(failure.error)")
        }
        flush()
        return report
    }

    /// Frees space for the `count` images of a page that could not be stored, by removing only images worth less than `image`.
    /// `rooms` is the value of `roomsMade` before the images were drawn: if the number has grown, another page that failed at the
    /// same time has freed space already. Returns whether there is more space than before.
    package func makeRoom(
        for image: WantedImage, count: Int, since rooms: Int, wanted: WantedSet, by renderer: RendererIdentity
    ) async throws -> Bool {
        try await roomTurns.run {
            guard roomsMade == rooms else { return true }
            return try await makeRoom(for: image, count: count, wanted: wanted, by: renderer)
        }
    }

    private func makeRoom(
        for image: WantedImage, count: Int, wanted: WantedSet, by renderer: RendererIdentity
    ) async throws -> Bool {
        let need = ByteCount(count * Self.roomForOne)
        let disk = try DiskSpace.of(cache.folder)
        if disk.free > need { fullSince = time.now }
        let decision = try await decide(
            by: renderer, limits: limits(on: disk), need: need, below: wanted.worth(of: image))
        guard await carryOut(decision).freed.bytes > 0 else { return false }
        roomsMade += 1
        return true
    }
}

extension TrimReason {
    /// The reason as words that follow "for".
    fileprivate var words: String {
        switch self {
        case .size: "the cache's limit"
        case .disk: "free disk space"
        case .age: "their age"
        }
    }
}
