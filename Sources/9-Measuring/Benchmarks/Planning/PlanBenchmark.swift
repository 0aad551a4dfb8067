import Agent
import Freshness
import ImageKeeping
import Library
import Model
import PageCache
import Platform

/// How long it takes to work out which images a library on disk needs, including when every chart has many marks.
@LoopActor
enum PlanBenchmark {
    static func run(_ request: BenchmarkRequest, in folder: String) async throws -> BenchmarkReport {
        // Measure memory first, since memory left in use by the other measurements would be counted.
        let heavy = request.isQuick ? 20 : 200
        let mebibytes = try MarkedLibrary(folder: folder + "/heavy", charts: heavy, marks: 2000).mebibytes()
        // A look works out which images are needed. The first one reads every mark. A later process finds the marks' digests in
        // the library, and a later look of the same process finds them in memory.
        let charts = request.isQuick ? 100 : 1000
        let library = try MarkedLibrary(folder: folder + "/marked", charts: charts, marks: 200)
        let (reading, starting) = (try library.looks(), try library.looks())
        var measured = Measurements()
        for charts in [10, 100, 1000] {
            let library = try MarkedLibrary(folder: "\(folder)/\(charts)", charts: charts, marks: 2)
            measured.add("reconcile_ms@\(charts)", "ms", try library.reconcile(cache: folder + "/cache", runs: request.isQuick ? 3 : 9))
        }
        measured.add("marked_read_ms@\(charts)", "ms", reading[0])
        measured.add("marked_start_ms@\(charts)", "ms", starting[0])
        measured.add("marked_reconcile_ms@\(charts)", "ms", Array(starting.dropFirst()))
        measured.add("marked_mib@\(heavy)", "MiB", mebibytes)
        return BenchmarkReport(measured)
    }
}

/// A library on disk with marks on every chart, to measure the cost of a look, which works out the images that are needed.
@LoopActor
struct MarkedLibrary {
    private static let pages = 10
    static let now = Timestamp(nanoseconds: 1_795_251_600_000_000_000)
    static let renderer = RendererIdentity(tag: RendererTag("benchmark"), fonts: FontSet(SHA256.digest(of: "")))

    let folder: String
    private let charts: Int

    /// Creates a library with this many charts, a multiple of ten, each with a mark file of `marks` marks with 20 points.
    init(folder: String, charts: Int, marks: Int) throws {
        self.folder = folder
        self.charts = charts
        let library = try Library(folder: folder)
        defer { library.close() }
        let plans = (0..<charts / 10).map(Self.contents)
        try library.plans.update(plans, at: Self.now)
        for attachment in plans.flatMap(\.attachments) {
            let bytes = Self.bytes(of: attachment)
            let hash = ChartHash(SHA256.digest(of: bytes))
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { bytes in try file.write(bytes) }
            try library.charts.keep(file, hash: hash, size: bytes.count, for: attachment.id, version: "1")
            let pages = [PageGeometry](repeating: PageGeometry(width: 595, height: 842), count: Self.pages)
            try library.charts.setDescription(StoredDescription(pages: pages), of: hash, by: Self.renderer.tag)
            let stamp = FileStamp(device: 1, inode: 1, size: 1, modified: 1)
            try library.markFiles.store([
                LocalFile(
                    path: "/music/\(attachment.id.text).xopp", stamp: stamp, firstSeen: Self.now, attachment: attachment.id,
                    content: MarkFile(marks: Self.marks(marks)))
            ])
        }
    }

    private static func bytes(of attachment: Attachment) -> [UInt8] { Array("%PDF-1.7\n\(attachment.id.text)\n%%EOF\n".utf8) }

    /// The hashes of all charts in a library that was created with this number of charts.
    static func hashes(_ charts: Int) -> [ChartHash] {
        (0..<charts / 10).flatMap { contents($0).attachments }.map { ChartHash(SHA256.digest(of: bytes(of: $0))) }
    }

    private static func contents(_ plan: Int) -> PlanContents {
        let time = now + .seconds(86_400 * (plan % 28))
        return PlanContents(
            plan: Plan(id: PlanID("\(plan)"), serviceType: ServiceTypeID("1"), firstTime: time, lastTime: time),
            items: (0..<10).map { place in
                let id = "\(plan)-\(place)"
                let attachment = Attachment(
                    id: AttachmentID(id), filename: id + ".pdf", fileSize: 0, updatedAt: now, isGenerated: false, generatedFrom: "")
                return PlanItem(id: ItemID(id), sequence: place, title: id, keyName: "", attachments: [attachment])
            })
    }

    private static func marks(_ count: Int) -> [Mark] {
        (0..<count).map { number in
            Mark(
                id: "\(number)", page: PageIndex(number % pages), kind: .pen, width: 0.002,
                points: (0..<20).map { Mark.Point(x: Double(number) / 5000 + Double($0) / 777, y: Double($0) / 333, width: 0.0021) })
        }
    }

    private func open<Value>(_ body: (Library, LibraryWants) throws -> Value) throws -> Value {
        let library = try Library(folder: folder)
        defer { library.close() }
        return try body(library, LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400)))
    }

    /// CPU milliseconds of ten looks, the first of which is like that of a new process. Then stores the digests of the marks, for
    /// a later process.
    func looks() throws -> [Double] {
        try open { library, wants in
            let looks = try (0..<10).map { _ in
                let start = ProcessFigures.cpuMilliseconds
                let count = try wants.set(by: Self.renderer, now: Self.now).images.count
                precondition(count == charts * Self.pages * 3, "three images of every page")
                return ProcessFigures.cpuMilliseconds - start
            }
            for (attachment, drawing) in try library.drawings.all() {
                try library.drawings.note([attachment: try library.drawings.readDrawnPages(of: attachment, from: drawing)])
            }
            return looks
        }
    }

    /// CPU milliseconds of an agent's look once everything is known, without reading files: take the library's state, work out which
    /// images are wanted, which exist and for which there is room, and group the missing ones by page.
    ///
    /// Half of the images exist, as after a trim.
    func reconcile(cache folder: String, runs: Int) throws -> [Double] {
        try open { library, wants in
            let cache = try PageCache(folder: folder)
            let keeper = CacheKeeper(
                library: library, cache: cache, wants: wants, settings: CacheSettings(), time: SystemClock(), log: .silent)
            let all = try wants.set(by: Self.renderer, now: Self.now).images.enumerated()
            let present = Set(all.filter { $0.offset % 2 == 0 }.map(\.element.name))
            return try (0..<runs).map { _ in
                let start = ProcessFigures.cpuMilliseconds
                let works = try Self.look(wants, cache, keeper, besides: present)
                precondition(!works.isEmpty)
                return ProcessFigures.cpuMilliseconds - start
            }
        }
    }

    /// One look: the pages to be made, if the images in `present` exist in addition to those in the cache.
    static func look(
        _ wants: LibraryWants, _ cache: PageCache, _ keeper: CacheKeeper, besides present: Set<ImageName>
    ) throws -> [PageWork] {
        let wanted = try wants.set(by: renderer, now: now)
        let found = cache.intact(wanted.images.map(\.name))
        return PageWork.group(try keeper.admission(of: wanted, present: found.isEmpty ? present : found.union(present)).missing)
    }

    /// The memory that stays in use after a look.
    func mebibytes() throws -> Double {
        ProcessMemory.giveBack()
        let before = try ProcessFigures.residentMebibytes()
        return try open { _, wants in
            let wanted = try wants.set(by: Self.renderer, now: Self.now)
            ProcessMemory.giveBack()
            return try withExtendedLifetime(wanted) { try ProcessFigures.residentMebibytes() } - before
        }
    }
}
