import Glibc
public import Model
public import Platform
public import Rendering

/// A renderer without processes: its images are one pixel each, and the test chooses its failures.
@LoopActor
public final class SimulatedRenderer: PageRenderer {
    /// How a job ends, as the test decides.
    public typealias Verdict = Result<PageOutcome, RenderFailure>

    public let width: Int
    /// What `identity()` answers.
    public var currentTag: RendererTag
    /// Why `identity()` fails, for as long as it does.
    public var startFailure: RenderFailure?
    public var currentFonts = FontSet(SHA256.digest(of: "simulated fonts"))
    /// The description of a chart, by its path; two pages of letter paper unless the test says otherwise.
    public var describe: @LoopActor (String) -> Result<ChartDescription, RenderFailure> = { _ in
        .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792), PageGeometry(width: 612, height: 792)]))
    }
    /// Charts, by path, whose description never ends by itself.
    public var hangs: @LoopActor (String) -> Bool = { _ in false }
    /// How a job ends; in success, unless the test says otherwise.
    public var verdict: @LoopActor (PageJob) -> Verdict = { _ in .success(PageOutcome()) }
    /// The bytes that an image has at least.
    public var leastBytes: @LoopActor (PageJob.Output) -> Int = { _ in 0 }
    /// How a page looks. Pages that look alike have equal images under one key; all do, unless the test says otherwise.
    public var shade: @LoopActor (PageJob) -> UInt8 = { _ in 0 }
    /// Whether its images are damaged, as by a bad disk: whole at their ends only.
    public var isSpoilt = false
    /// How long a job takes; all take the same, unless the test says otherwise.
    public var takes: (@LoopActor (PageJob) -> Duration)?
    /// How long it takes to describe a chart.
    public var describing: Duration = .zero
    /// Called with every job that begins.
    public var onBegin: (@LoopActor (PageJob, RenderLane) -> Void)?
    /// Called with every job that ends after it began, and the reason if it failed.
    public var onEnd: (@LoopActor (PageJob, RenderLane, RenderFailure?) -> Void)?
    /// The time that images bear; the real one, unless the test says otherwise.
    public var imageTime: (@LoopActor () -> Duration)?
    private var upperBands: [Int: [UInt8]] = [:]
    /// Whether jobs wait for `finishNext`, instead of ending by themselves.
    public var isHeld = false
    /// The charts described, in order.
    public private(set) var described: [String] = []
    /// The jobs begun, in order.
    public private(set) var started: [PageJob] = []
    /// The lane of each of these jobs.
    public private(set) var lanes: [RenderLane] = []
    /// The jobs among them that put marks on a plain image.
    public private(set) var composed: [ComposeJob] = []
    /// The most jobs that ever ran at once.
    public private(set) var mostAtOnce = 0
    /// How many run now.
    public private(set) var running = 0

    private let clock: (any TimeKeeper)?
    private let duration: Duration
    private var taken: [RenderLane: Int] = [:]
    private var waiting: [RenderLane: [Pause]] = [:]
    private var held: [Pause] = []
    private var isStopped = false
    private var isKnown = false

    /// Makes a renderer whose jobs take `duration` on `clock`, or no time at all without one.
    public init(
        tag: RendererTag = RendererTag("simulated-1"), width: Int = 2, clock: (any TimeKeeper)? = nil, duration: Duration = .zero
    ) {
        currentTag = tag
        self.width = width
        self.clock = clock
        self.duration = duration
    }

    public func identity() async throws(RenderFailure) -> RendererIdentity {
        // A renderer that answered before need not ask its processes again.
        guard !isStopped || isKnown else { throw .stopped }
        if let startFailure { throw startFailure }
        isKnown = true
        return RendererIdentity(tag: currentTag, fonts: currentFonts)
    }

    public func describe(chart path: String) async throws(RenderFailure) -> ChartDescription {
        guard !isStopped else { throw .stopped }
        let path = Self.lastingPath(path)
        described.append(path)
        if let clock, describing > .zero { try? await clock.sleep(for: describing) }
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        if hangs(path) {
            await Pause.take { held.append($0) }
            throw isStopped ? .stopped : .cancelled
        }
        return try describe(path).get()
    }

    /// The lasting path of a chart that is looked at before it has its name, so that a test can treat both as one.
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
            // The place is handed on, so that no other job gets in between; a cancelled job has none.
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
        // As with a real worker that was started after the fonts changed.
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

    /// Counts among the jobs as a job for the output alone; the images that it is made of must be there and whole.
    public func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome {
        for descriptor in [job.plain, job.previous?.descriptor].compactMap({ $0 }) {
            guard lseek(descriptor, 0, SEEK_END) > 0 else { throw .damagedImage }
        }
        composed.append(job)
        return try await render(
            PageJob(chart: "", page: PageIndex(0), settings: RenderSettings(), outputs: [job.output], marks: job.marks, fonts: job.fonts),
            in: lane)
    }

    private func handOn(_ lane: RenderLane) {
        while let next = waiting[lane]?.first {
            waiting[lane]?.removeFirst()
            if next.end() { return }
        }
        taken[lane, default: 1] -= 1
    }

    public func warm() { warmCount += 1 }
    /// How many times the live lane was made ready.
    public private(set) var warmCount = 0

    public func rest() { restCount += 1 }
    /// How many times it was asked to give back memory.
    public private(set) var restCount = 0

    public func stop() async {
        isStopped = true
        while finishNext() {}
    }

    /// Ends the job that has been held longest; returns whether there was one.
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

    /// A whole PNG of two gray pixels, the upper one black, each in a band of its own as in real images; it contains its key as they do.
    public nonisolated static func png(for key: ImageKey, shade: UInt8 = 0, upperBand: [UInt8] = upperBand()) -> [UInt8] {
        let gray = key.digest.bytes[0] &+ shade
        let sum = UInt32(gray)
        // Adler-32 of both bands: of two zeros; of a zero and the pixel; of all four bytes.
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

    /// A row of one pixel: a filter byte and the pixel in a stored block.
    private nonisolated static func stored(_ gray: UInt8) -> [UInt8] { [0x00, 0x02, 0x00, 0xfd, 0xff, 0x00, gray] }

    /// The band of the upper pixel, longer by so many bytes of empty blocks: of five bytes, and of six where needed to reach the number.
    public nonisolated static func upperBand(padding: Int = 0) -> [UInt8] {
        let longer = padding % 5
        let shorter = max(padding - 6 * longer, 0) / 5
        var content: [UInt8] = []
        for _ in 0..<shorter { content += [0x00, 0x00, 0x00, 0xff, 0xff] }
        for _ in 0..<longer { content += [0x02, 0x00, 0x00, 0x00, 0xff, 0xff] }
        return chunk("IDAT", content + stored(0))
    }

    /// The upper band that makes an image this long. Its checksum takes time, so it is made once.
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

/// A wait that ends on request, or with the task's cancellation.
@LoopActor
private final class Pause {
    private var waiter: CheckedContinuation<Bool, Never>?

    /// Waits until the pause that was handed out is ended; returns false when the task was cancelled.
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

    /// Ends the wait; returns whether somebody was still waiting.
    @discardableResult
    func end(_ result: Bool = true) -> Bool {
        defer { waiter = nil }
        waiter?.resume(returning: result)
        return waiter != nil
    }
}
