public import Following
import Glibc
public import Model
public import Platform
public import Rendering

/// A renderer without processes. Its images are tiny, and the test chooses its failures.
@LoopActor
public final class SimulatedRenderer: PageRenderer {
    /// How a job ends.
    public typealias Verdict = Result<PageOutcome, RenderFailure>

    public let width: Int
    /// The tag that `identity()` returns.
    public var currentTag: RendererTag
    /// If set, `identity()` fails for this reason.
    public var startFailure: RenderFailure?
    public var currentFonts = FontSet(SHA256.digest(of: "simulated fonts"))
    /// Returns the description of the chart at a path; by default two pages of letter paper.
    public var describe: @LoopActor (String) -> Result<ChartDescription, RenderFailure> = { _ in
        .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792), PageGeometry(width: 612, height: 792)]))
    }
    /// Returns whether describing the chart at a path hangs until it is cancelled, the renderer is stopped, or a test calls `finishNext`;
    /// it then fails. By default no description hangs.
    public var hangs: @LoopActor (String) -> Bool = { _ in false }
    /// Returns how a job ends; by default in success.
    public var verdict: @LoopActor (PageJob) -> Verdict = { _ in .success(PageOutcome()) }
    /// The minimum size of an image in bytes.
    public var leastBytes: @LoopActor (PageJob.Output) -> Int = { _ in 0 }
    /// How a page looks. Pages that look alike have equal images under the same key. By default, all pages look alike.
    public var shade: @LoopActor (PageJob) -> UInt8 = { _ in 0 }
    /// Whether the images are damaged in the middle, as by a bad disk, while both ends are intact.
    public var isSpoilt = false
    /// Returns where the marks of a job are in the other chart; by default, no place is found.
    public var follows: @LoopActor (FollowJob) -> Result<[Following.Moved?], RenderFailure> = { job in
        .success(job.marks.map { _ in nil })
    }
    /// The jobs that followed marks.
    public private(set) var followed: [FollowJob] = []
    /// Returns how long a job takes; by default every job takes `duration`.
    public var takes: (@LoopActor (PageJob) -> Duration)?
    /// How long it takes to describe a chart.
    public var describing: Duration = .zero
    /// Called with every job that begins.
    public var onBegin: (@LoopActor (PageJob, RenderLane) -> Void)?
    /// Called with every job that ends after it began, and the reason if it failed.
    public var onEnd: (@LoopActor (PageJob, RenderLane, RenderFailure?) -> Void)?
    /// The modification time of images; by default the real time.
    public var imageTime: (@LoopActor () -> Duration)?
    private var upperBands: [Int: [UInt8]] = [:]
    /// Whether jobs wait for `finishNext` and do not end by themselves.
    public var isHeld = false
    /// The paths of the charts described, in order.
    public private(set) var described: [String] = []
    /// The lanes in which they were.
    public private(set) var describedIn: [RenderLane] = []
    /// The jobs that have begun, in order.
    public private(set) var started: [PageJob] = []
    /// The lanes of the jobs in `started`.
    public private(set) var lanes: [RenderLane] = []
    /// The jobs that drew marks on a plain image.
    public private(set) var composed: [ComposeJob] = []
    /// The highest number of jobs that ever ran in parallel.
    public private(set) var mostAtOnce = 0
    /// The number of jobs running now.
    public private(set) var running = 0

    private let clock: (any TimeKeeper)?
    private let duration: Duration
    private var taken: [RenderLane: Int] = [:]
    private var waiting: [RenderLane: [Pause]] = [:]
    private var held: [Pause] = []
    private var isStopped = false
    private var isKnown = false

    /// Creates a renderer whose jobs take `duration` on `clock`, or no time without a clock.
    public init(
        tag: RendererTag = RendererTag("simulated-1"), width: Int = 2, clock: (any TimeKeeper)? = nil, duration: Duration = .zero
    ) {
        currentTag = tag
        self.width = width
        self.clock = clock
        self.duration = duration
    }

    public func identity() async throws(RenderFailure) -> RendererIdentity {
        // A renderer whose identity is known can return it even after it was stopped.
        guard !isStopped || isKnown else { throw .stopped }
        if let startFailure { throw startFailure }
        isKnown = true
        return RendererIdentity(tag: currentTag, fonts: currentFonts)
    }

    public func describe(chart path: String, in lane: RenderLane) async throws(RenderFailure) -> ChartDescription {
        guard !isStopped else { throw .stopped }
        let path = Self.lastingPath(path)
        described.append(path)
        describedIn.append(lane)
        if let clock, describing > .zero { try? await clock.sleep(for: describing) }
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        if hangs(path) {
            await Pause.take { held.append($0) }
            throw isStopped ? .stopped : .cancelled
        }
        return try describe(path).get()
    }

    /// Returns a chart's final path if `path` is still temporary, so a test sees one path for the chart whenever it is described.
    private static func lastingPath(_ path: String) -> String {
        guard path.contains("/" + AtomicFile.temporaryPrefix), let bytes = try? AtomicFile.read(path, limit: 1 << 24) else { return path }
        return Folder.parent(of: path) + "/\(SHA256.digest(of: bytes).hex).pdf"
    }

    public func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome {
        var job = job
        job.chart = Self.lastingPath(job.chart)
        let places = lane == .live ? 1 : width
        if taken[lane, default: 0] < places {
            taken[lane, default: 0] += 1
        } else {
            // The ending job passes its slot on directly, so no other job can take the slot first. A cancelled job gets no slot.
            guard await Pause.take({ waiting[lane, default: []].append($0) }) else { throw isStopped ? .stopped : .cancelled }
        }
        defer { handOn(lane) }
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        running += 1
        defer { running -= 1 }
        mostAtOnce = max(mostAtOnce, running)
        started.append(job)
        lanes.append(lane)
        onBegin?(job, lane)
        do {
            let outcome = try await perform(job)
            onEnd?(job, lane, nil)
            return outcome
        } catch {
            onEnd?(job, lane, error)
            throw error
        }
    }

    private func perform(_ job: PageJob) async throws(RenderFailure) -> PageOutcome {
        if isHeld { await Pause.take { held.append($0) } }
        let duration = takes?(job) ?? duration
        if let clock, duration > .zero { try? await clock.sleep(for: duration) }
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        // Fails like a real worker that was started after the fonts changed.
        if let fonts = job.fonts, fonts != currentFonts { throw .fontsChanged }
        let outcome = try verdict(job).get()
        for output in job.outputs {
            var png = image(output, shade: shade(job))
            if isSpoilt { png[png.count / 2] ^= 0xff }
            guard pwrite(output.descriptor, png, png.count, 0) == png.count else { throw .cannotWrite(errno) }
            if let time = imageTime?() { Self.stamp(output.descriptor, time) }
        }
        return outcome
    }

    private static func stamp(_ file: Int32, _ time: Duration) {
        let time = timespec(tv_sec: Int(time.components.seconds), tv_nsec: Int(time.components.attoseconds / 1_000_000_000))
        _ = withUnsafePointer(to: (time, time)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(file, $0) }
        }
    }

    /// Records the composition as a job with a single output. The source images must exist and not be empty.
    public func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome {
        for descriptor in [job.plain, job.previous?.descriptor].compactMap({ $0 }) {
            guard lseek(descriptor, 0, SEEK_END) > 0 else { throw .damagedImage }
        }
        composed.append(job)
        return try await render(
            PageJob(chart: "", page: PageIndex(0), settings: RenderSettings(), outputs: [job.output], marks: job.marks, fonts: job.fonts),
            in: lane)
    }

    public func follow(_ job: FollowJob, in lane: RenderLane) async throws(RenderFailure) -> [Following.Moved?] {
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        followed.append(job)
        return try follows(job).get()
    }

    private func handOn(_ lane: RenderLane) {
        while let next = waiting[lane]?.first {
            waiting[lane]?.removeFirst()
            if next.end() { return }
        }
        taken[lane, default: 1] -= 1
    }

    public func warm() { warmCount += 1 }
    /// How many times the live lane was warmed up.
    public private(set) var warmCount = 0

    public func rest() { restCount += 1 }
    /// How many times the renderer was requested to release memory.
    public private(set) var restCount = 0

    public func stop() async {
        isStopped = true
        while finishNext() {}
    }

    /// Ends the job that has been held longest. Returns whether there was one.
    @discardableResult
    public func finishNext() -> Bool {
        while !held.isEmpty {
            if held.removeFirst().end() { return true }
        }
        return false
    }

    /// The bytes of the image for an output.
    public func image(_ output: PageJob.Output, shade: UInt8 = 0) -> [UInt8] {
        Self.png(for: output.key, shade: shade, upperBand: upperBand(to: leastBytes(output)))
    }

    /// A complete PNG of two gray pixels, the upper one black. As in real images, each pixel is in its own band, and the key is included.
    public nonisolated static func png(for key: ImageKey, shade: UInt8 = 0, upperBand: [UInt8] = upperBand()) -> [UInt8] {
        let gray = key.digest.bytes[0] &+ shade
        let sum = UInt32(gray)
        // Adler-32 checksums: of the upper band (two zeros), of the lower band (a zero and the pixel), and of all four bytes.
        let (upper, lower, both) = (0x0002_0001 as UInt32, (1 + sum) | (2 + sum) << 16, (1 + sum) | (4 + sum) << 16)
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", bigEndian(1) + bigEndian(2) + [8, 0, 0, 0, 0])
            + chunk("IDAT", [0x78, 0x01])
            + upperBand
            + chunk("IDAT", stored(gray))
            + chunk("IDAT", [0x03, 0x00] + bigEndian(both))
            + chunk("wsKY", Array(key.digest.hex.utf8) + bigEndian(1) + bigEndian(upper) + bigEndian(lower))
            + chunk("IEND", [])
    }

    /// A row of one pixel in a stored block: a filter byte and the pixel.
    private nonisolated static func stored(_ gray: UInt8) -> [UInt8] { [0x00, 0x02, 0x00, 0xfd, 0xff, 0x00, gray] }

    /// The band of the upper pixel, with `padding` bytes of empty blocks: of five bytes each, and of six where needed for the exact number.
    public nonisolated static func upperBand(padding: Int = 0) -> [UInt8] {
        let longer = padding % 5
        let shorter = max(padding - 6 * longer, 0) / 5
        var content: [UInt8] = []
        for _ in 0..<shorter { content += [0x00, 0x00, 0x00, 0xff, 0xff] }
        for _ in 0..<longer { content += [0x02, 0x00, 0x00, 0x00, 0xff, 0xff] }
        return chunk("IDAT", content + stored(0))
    }

    /// The upper band with which an image has at least `length` bytes. Bands are kept for reuse, because computing their checksums takes
    /// time.
    private func upperBand(to length: Int) -> [UInt8] {
        let lacking = max(length - Self.lengthWithoutPadding, 0)
        let made = upperBands[lacking] ?? Self.upperBand(padding: lacking)
        upperBands[lacking] = made
        return made
    }

    private nonisolated static let lengthWithoutPadding = png(for: ImageKey(SHA256.digest(of: ""))).count

    private nonisolated static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let summed = Array(name.utf8) + content
        var sum = ~UInt32(0)
        for byte in summed {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return bigEndian(UInt32(content.count)) + summed + bigEndian(~sum)
    }

    private nonisolated static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// A wait that ends on request, or when the task is cancelled.
@LoopActor
private final class Pause {
    private var waiter: CheckedContinuation<Bool, Never>?

    /// Waits until `end` is called on the pause passed to `handOut`. Returns false if the task was cancelled.
    @discardableResult
    static func take(_ handOut: (Pause) -> Void) async -> Bool {
        let pause = Pause()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: false) }
                pause.waiter = continuation
                handOut(pause)
            }
        } onCancel: {
            spawn { pause.end(false) }
        }
    }

    /// Ends the wait. Returns whether a task was still waiting.
    @discardableResult
    func end(_ result: Bool = true) -> Bool {
        defer { waiter = nil }
        waiter?.resume(returning: result)
        return waiter != nil
    }
}
