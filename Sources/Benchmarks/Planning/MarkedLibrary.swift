import Agent
import Freshness
import Keeping
import Library
import Model
import PageCache
import Platform

/// A library on disk with marks on every chart, used to measure what a look costs.
struct MarkedLibrary {
    private static let pages = 10
    private static let now = Timestamp(nanoseconds: 1_795_251_600_000_000_000)
    private static let renderer = RendererIdentity(tag: RendererTag("benchmark"), fonts: FontSet(SHA256.digest(of: "")))

    /// Makes a library with this many charts, each with a mark file of `marks` marks with 20 points.
    @LoopActor
    static func make(in folder: String, charts: Int, marks: Int) throws {
        let library = try Library(folder: folder)
        defer { library.close() }
        let plans = (0..<charts / 10).map { plan in contents(plan) }
        try library.plans.update(plans, at: now)
        for attachment in plans.flatMap(\.attachments) {
            let bytes = Array("%PDF-1.7\n\(attachment.id.text)\n%%EOF\n".utf8)
            let hash = ChartHash(SHA256.digest(of: bytes))
            let file = try library.charts.beginChart()
            try bytes.withUnsafeBytes { bytes in try file.write(bytes) }
            try library.charts.keep(file, hash: hash, size: bytes.count, for: attachment.id, version: "1")
            let page = PageGeometry(width: 595, height: 842)
            try library.charts.setDescription(
                StoredDescription(pages: [PageGeometry](repeating: page, count: pages)), of: hash, by: renderer.tag)
            try library.markFiles.store([
                LocalFile(
                    path: "/music/\(attachment.id.text).xopp", stamp: FileStamp(device: 1, inode: 1, size: 1, modified: 1), firstSeen: now,
                    attachment: attachment.id, content: MarkFile(marks: Self.marks(marks)))
            ])
        }
    }

    /// CPU milliseconds of the first look in a new process, with or without known digests, and of later ones.
    @LoopActor
    static func look(at folder: String, charts: Int) throws -> (first: Double, later: [Double]) {
        let library = try Library(folder: folder)
        defer { library.close() }
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let look = { @LoopActor in
            let start = ProcessFigures.cpuMilliseconds
            let count = try wants.set(by: renderer, now: now).images.count
            precondition(count == charts * pages * 3, "three images of every page")
            return ProcessFigures.cpuMilliseconds - start
        }
        let first = try look()
        let later = try (0..<9).map { _ in try look() }
        for (attachment, drawing) in try library.drawings.all() {
            try library.drawings.note([attachment: try library.drawings.readDrawnPages(of: attachment, from: drawing)])
        }
        return (first, later)
    }

    /// CPU milliseconds of an agent's looks once everything is known. Half of the images are there, as after a trim.
    @LoopActor
    static func reconcile(at folder: String, cache: String, runs: Int) throws -> [Double] {
        let library = try Library(folder: folder)
        defer { library.close() }
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let cache = try PageCache(folder: cache)
        let keeper = CacheKeeper(
            library: library, cache: cache, wants: wants, settings: CacheSettings(), time: SystemClock(), log: .silent)
        let present = Set(try wants.set(by: renderer, now: now).images.enumerated().filter { $0.offset % 2 == 0 }.map(\.element.name))
        return try (0..<runs).map { _ in
            let start = ProcessFigures.cpuMilliseconds
            let wanted = try wants.set(by: renderer, now: now)
            let found = cache.intact(wanted.images.map(\.name))
            let admission = try keeper.admission(of: wanted, present: present)
            let works = PageWork.group(admission.missing)
            precondition(found.isEmpty && !works.isEmpty)
            return ProcessFigures.cpuMilliseconds - start
        }
    }

    /// How much memory a look at a library with this many marks leaves in use.
    @LoopActor
    static func mebibytes(at folder: String, charts: Int, marks: Int) throws -> Double {
        try make(in: folder, charts: charts, marks: marks)
        ProcessMemory.giveBack()
        let before = try ProcessFigures.residentMebibytes()
        let library = try Library(folder: folder)
        let wants = LibraryWants(library: library, render: RenderSettings(), ahead: .seconds(28 * 86_400))
        let wanted = try wants.set(by: renderer, now: now)
        ProcessMemory.giveBack()
        return try withExtendedLifetime((library, wanted)) { try ProcessFigures.residentMebibytes() } - before
    }

    private static func contents(_ plan: Int) -> PlanContents {
        let time = now + .seconds(86_400 * (plan % 28))
        return PlanContents(
            plan: Plan(
                id: PlanID("\(plan)"), serviceType: ServiceTypeID("1"), serviceTypeName: "", title: "", dates: "", firstTime: time,
                lastTime: time),
            items: (0..<10).map { place in
                let id = "\(plan)-\(place)"
                return PlanItem(
                    id: ItemID(id), sequence: place, title: id, keyName: "",
                    attachments: [
                        Attachment(
                            id: AttachmentID(id), filename: id + ".pdf", fileSize: 0, updatedAt: now, isGenerated: false, generatedFrom: "")
                    ])
            })
    }

    private static func marks(_ count: Int) -> [Mark] {
        (0..<count).map { number in
            Mark(
                id: "\(number)", page: PageIndex(number % pages), kind: .pen, width: 0.002,
                points: (0..<20).map { Mark.Point(x: Double(number) / 5000 + Double($0) / 777, y: Double($0) / 333, width: 0.0021) })
        }
    }
}
