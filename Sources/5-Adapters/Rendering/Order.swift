import JSON
import Glibc
import Model
import Platform

/// A job in the pool, shared by all callers who wait for it.
@LoopActor
final class Order {
    /// The work, with the files' descriptors in this process.
    enum Work {
        case hello
        case describe(chart: String, answer: Int32)
        case annotations(chart: String, answer: Int32)
        case follow(FollowJob, answer: Int32)
        case render(PageJob)
        case compose(ComposeJob)
        case part(PartJob)
        case bind(BindJob)
        case song(SongJob)
        case picture(PictureJob)
    }

    private let work: Work
    /// Equal for equal jobs; `nil` for a job that is never shared.
    let identity: JobIdentity?
    /// Our own copies of the output descriptors: they stay open even if the caller closes the originals.
    let outputs: OwnedDescriptors
    var requests: [Request]
    /// True if a worker is busy with the job, but no caller wants it any more.
    var isAbandoned = false
    /// True if the job takes so much memory that no other may run at the same time.
    var isLarge = false
    /// The worker that is busy with the job.
    weak var worker: Worker?

    init(_ work: Work, for request: Request) throws(SystemError) {
        outputs = try OwnedDescriptors(copying: work.outputs)
        self.work = work.writing(to: outputs.numbers)
        identity = work.identity
        requests = [request]
        request.order = self
        request.broughtFiles = true
    }

    var chart: String? {
        switch work {
        case .hello, .compose, .bind, .song, .picture: nil
        case .describe(let chart, _), .annotations(let chart, _): chart
        // Of both charts, the worker opens this one last.
        case .follow(let job, _): job.other
        case .render(let job): job.chart
        case .part(let job): job.chart
        }
    }

    /// The longest time that the job may take; `nil` if the same limit as for other jobs holds.
    var patience: Duration? { if case .render(let job) = work { job.patience } else { nil } }

    /// The message for a worker, with copies of the descriptors that belong to it.
    func message(number: Int, tag: RendererTag?) throws(RenderFailure) -> (bytes: [UInt8], files: OwnedDescriptors) {
        switch work {
        case .hello:
            return (try JobMessage(number: number, job: .hello).encoded(), OwnedDescriptors([]))
        case .describe(let chart, let answer):
            let files = try Self.whole([try Self.open(chart), Self.copy(answer)])
            return (try JobMessage(number: number, job: .describe).encoded(), files)
        case .annotations(let chart, let answer):
            let files = try Self.whole([try Self.open(chart), Self.copy(answer)])
            return (try JobMessage(number: number, job: .annotations).encoded(), files)
        case .follow(let job, let answer):
            let numbers = [try Self.open(job.chart), try Self.open(job.other), Self.file(of: job.bareMarks), Self.copy(answer)]
            return (try JobMessage(number: number, job: .follow).encoded(), try Self.whole(numbers))
        case .render(let job):
            var numbers = [try Self.open(job.chart)] + job.outputs.map { Self.copy($0.descriptor) }
            if let marks = job.marks { numbers.append(Self.file(of: marks.marks)) }
            return (try JobMessage(number: number, job: .render(RenderOrder(job, tag: tag))).encoded(), try Self.whole(numbers))
        case .compose(let job):
            var numbers = [Self.copy(job.plain), Self.copy(job.output.descriptor), Self.file(of: job.marks.marks)]
            if let previous = job.previous { numbers += [Self.copy(previous.descriptor), Self.file(of: previous.marks.marks)] }
            return (try JobMessage(number: number, job: .compose(ComposeOrder(job, tag: tag))).encoded(), try Self.whole(numbers))
        case .part(let job):
            var numbers = [try Self.open(job.chart), Self.copy(job.output)]
            if !job.marks.isEmpty { numbers.append(Self.file(of: job.marks)) }
            return (try JobMessage(number: number, job: .part(PartOrder(job))).encoded(), try Self.whole(numbers))
        case .bind(let job):
            let contents = (try? JSONWriter.encode(job.contents)) ?? []
            let numbers = [Self.copy(job.parts), Self.copy(job.output), (try? MemoryFile.create(holding: contents).release()) ?? -1]
            return (try JobMessage(number: number, job: .bind).encoded(), try Self.whole(numbers))
        case .song(let job):
            let sheet = (try? JSONWriter.encode(job.sheet)) ?? []
            let numbers = [(try? MemoryFile.create(holding: sheet).release()) ?? -1, Self.copy(job.output)]
            return (try JobMessage(number: number, job: .song).encoded(), try Self.whole(numbers))
        case .picture(let job):
            let files = try Self.whole([try Self.open(job.picture), Self.copy(job.output)])
            return (try JobMessage(number: number, job: .picture).encoded(), files)
        }
    }

    private static func copy(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// The files to send. Throws if one of them could not be opened; the others are then closed.
    private static func whole(_ numbers: [Int32]) throws(RenderFailure) -> OwnedDescriptors {
        let files = OwnedDescriptors(numbers)
        guard numbers.allSatisfy({ $0 >= 0 }) else { throw .cannotStart("its files cannot be handed over") }
        return files
    }

    private static func open(_ chart: String) throws(RenderFailure) -> Int32 {
        do {
            return try Descriptor.openFile(chart).release()
        } catch {
            throw .cannotOpen(error.description)
        }
    }

    /// Writes marks to a file in memory, since they can be far larger than a message; returns -1 on failure.
    private static func file(of marks: [Mark]) -> Int32 {
        (try? MemoryFile.create(holding: MarkCoding.encode(marks)).release()) ?? -1
    }
}

/// Equal jobs become one order: the worker writes to the first caller's files, and the other callers get copies.
extension Order {
    /// True if another caller can join the order. The output files must be readable, because they are copied for that caller.
    var canBeShared: Bool { identity != nil && !isAbandoned && outputs.numbers.allSatisfy { fcntl($0, F_GETFL) & O_ACCMODE == O_RDWR } }

    func join(_ request: Request) {
        request.order = self
        requests.append(request)
    }

    /// Removes a caller, who gets the failure `cancelled` and no copies.
    func leave(_ request: Request) {
        requests.removeAll { $0 === request }
        request.finish(.failure(.cancelled))
    }

    /// Answers all callers with this result, and copies the images for those who joined. An abandoned order is always `cancelled`.
    func finish(_ result: Result<ReplyMessage, RenderFailure>) {
        let result: Result<ReplyMessage, RenderFailure> = isAbandoned ? .failure(.cancelled) : result
        let answers = requests.map { ($0, answer(to: $0, result)) }
        requests = []
        for (request, result) in answers { request.finish(result) }
    }

    private func answer(to request: Request, _ result: Result<ReplyMessage, RenderFailure>) -> Result<ReplyMessage, RenderFailure> {
        guard !request.broughtFiles, case .success(let reply) = result, case .rendered = reply.reply else { return result }
        for (source, target) in zip(outputs.numbers, request.outputs) {
            if let code = Self.copy(source, to: target) { return .failure(.cannotWrite(code)) }
        }
        return result
    }

    /// Copies an image. Most images are smaller than a megabyte, so moving to another thread would take longer. Returns an errno on
    /// failure.
    private static func copy(_ source: Int32, to target: Int32) -> Int32? {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var offset: off_t = 0
        while true {
            let count = pread(source, &chunk, chunk.count, offset)
            if count == 0 { return ftruncate(target, offset) == 0 || errno == EINVAL ? nil : errno }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            var written = 0
            while written < count {
                let more = chunk.withUnsafeBytes { pwrite(target, $0.baseAddress! + written, count - written, offset + off_t(written)) }
                if more < 0, errno != EINTR { return errno }
                written += max(more, 0)
            }
            offset += off_t(count)
        }
    }
}

/// One caller who is waiting for an order.
@LoopActor
final class Request {
    /// The caller's own files for the images.
    let outputs: [Int32]
    /// True if the worker writes to this caller's own files; otherwise the caller gets copies.
    var broughtFiles = false
    /// The order that the request became part of.
    weak var order: Order?
    var waiter: CheckedContinuation<Result<ReplyMessage, RenderFailure>, Never>?

    init(outputs: [Int32]) { self.outputs = outputs }

    /// Answers the caller; only the first result counts.
    func finish(_ result: Result<ReplyMessage, RenderFailure>) {
        waiter?.resume(returning: result)
        waiter = nil
    }
}

/// Identifies a job. Marks need not be part of the identity: the key of an image covers everything visible on it.
struct JobIdentity: Hashable {
    struct Image: Hashable {
        let variant: Variant
        let key: ImageKey

        init(_ output: PageJob.Output) { (variant, key) = (output.variant, output.key) }
    }

    /// The PDF that the page is drawn from; `nil` for an image made from another image.
    var chart: String?
    var page: PageIndex?
    var settings: RenderSettings?
    let images: [Image]
}

extension Order.Work {
    /// The job's identity; `nil` for work that callers cannot share.
    var identity: JobIdentity? {
        switch self {
        case .render(let job):
            JobIdentity(chart: job.chart, page: job.page, settings: job.settings, images: job.outputs.map(JobIdentity.Image.init))
        case .compose(let job): JobIdentity(images: [JobIdentity.Image(job.output)])
        case .hello, .describe, .annotations, .follow, .part, .bind, .song, .picture: nil
        }
    }

    var outputs: [Int32] {
        switch self {
        case .render(let job): job.outputs.map(\.descriptor)
        case .compose(let job): [job.output.descriptor]
        case .part(let job): [job.output]
        case .bind(let job): [job.output]
        case .song(let job): [job.output]
        case .picture(let job): [job.output]
        case .hello, .describe, .annotations, .follow: []
        }
    }

    /// Returns the same work with other output descriptors.
    func writing(to descriptors: [Int32]) -> Order.Work {
        switch self {
        case .render(var job):
            for (index, descriptor) in descriptors.enumerated() { job.outputs[index].descriptor = descriptor }
            return .render(job)
        case .compose(var job):
            job.output.descriptor = descriptors[0]
            return .compose(job)
        case .part(var job):
            job.output = descriptors[0]
            return .part(job)
        case .bind(var job):
            job.output = descriptors[0]
            return .bind(job)
        case .song(var job):
            job.output = descriptors[0]
            return .song(job)
        case .picture(var job):
            job.output = descriptors[0]
            return .picture(job)
        case .hello, .describe, .annotations, .follow: return self
        }
    }
}
