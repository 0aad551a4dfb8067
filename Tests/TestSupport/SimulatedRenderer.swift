import Glibc
public import Model
public import Platform
public import Rendering

/// A renderer without processes: its images are one pixel each, and its failures are the test's to choose.
@LoopActor
public final class SimulatedRenderer: PageRenderer {
    /// How a job ends, as the test decides.
    public typealias Verdict = Result<PageOutcome, RenderFailure>

    public let width: Int
    /// What `identity()` answers.
    public var currentTag: RendererTag
    public var currentFonts = FontSet(SHA256.digest(of: "simulated fonts"))
    /// What a chart is, by its path; two pages of letter paper unless the test says otherwise.
    public var describe: @LoopActor (String) -> Result<ChartDescription, RenderFailure> = { _ in
        .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792), PageGeometry(width: 612, height: 792)]))
    }
    /// Charts, by path, whose description never ends by itself.
    public var hangs: @LoopActor (String) -> Bool = { _ in false }
    /// How a job ends; well, unless the test says otherwise.
    public var verdict: @LoopActor (PageJob) -> Verdict = { _ in .success(PageOutcome()) }
    /// Whether jobs wait for `finishNext`, instead of ending by themselves.
    public var isHeld = false
    /// The charts described, in order.
    public private(set) var described: [String] = []
    /// The jobs begun, in order.
    public private(set) var started: [PageJob] = []
    /// The most jobs that ever ran at once.
    public private(set) var mostAtOnce = 0
    /// How many run now.
    public private(set) var running = 0

    private let clock: (any TimeKeeper)?
    private let duration: Duration
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var held: [CheckedContinuation<Void, Never>] = []
    private var isStopped = false

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
        guard !isStopped else { throw .stopped }
        return RendererIdentity(tag: currentTag, fonts: currentFonts)
    }

    public func describe(chart path: String) async throws(RenderFailure) -> ChartDescription {
        guard !isStopped else { throw .stopped }
        described.append(path)
        if hangs(path) {
            await withCheckedContinuation { held.append($0) }
            throw .stopped
        }
        return try describe(path).get()
    }

    public func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome {
        await withCheckedContinuation { continuation in
            guard running < width else { return waiting.append(continuation) }
            running += 1
            continuation.resume()
        }
        defer {
            // The place goes straight to the next who waits, so that nobody gets in between.
            if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
        }
        guard !isStopped else { throw .stopped }
        guard !Task.isCancelled else { throw .cancelled }
        mostAtOnce = max(mostAtOnce, running)
        started.append(job)
        await withCheckedContinuation { continuation in
            if isHeld, !isStopped { held.append(continuation) } else { continuation.resume() }
        }
        if let clock, duration > .zero { try? await clock.sleep(for: duration) }
        guard !isStopped else { throw .stopped }
        let outcome = try verdict(job).get()
        for output in job.outputs {
            let png = Self.png(for: output.key)
            guard pwrite(output.descriptor, png, png.count, 0) == png.count else { throw .cannotWrite(errno) }
        }
        return outcome
    }

    public func stop() async {
        isStopped = true
        while !held.isEmpty { finishNext() }
    }

    /// Ends the job that has been held longest; answers whether there was one.
    @discardableResult
    public func finishNext() -> Bool {
        guard !held.isEmpty else { return false }
        held.removeFirst().resume()
        return true
    }

    /// A whole PNG of one gray pixel, which tells its key as real ones do.
    public nonisolated static func png(for key: ImageKey) -> [UInt8] {
        let gray = key.digest.bytes[0]
        // One stored block of a filter byte and the pixel, and its Adler-32.
        let adler = (1 + UInt32(gray)) | (2 + UInt32(gray)) << 16
        let rows: [UInt8] = [0x78, 0x01, 0x01, 0x02, 0x00, 0xfd, 0xff, 0x00, gray] + bigEndian(adler)
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", bigEndian(1) + bigEndian(1) + [8, 0, 0, 0, 0])
            + chunk("IDAT", rows)
            + chunk("wsKY", Array(key.digest.hex.utf8))
            + chunk("IEND", [])
    }

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
