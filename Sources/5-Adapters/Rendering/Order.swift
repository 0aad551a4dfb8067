import Glibc
import Model
import Platform

/// A job on its way through the pool: from its callers to a worker and back.
@LoopActor
final class Order {
    /// What is to be done, with the files on our side.
    enum Work {
        case hello
        case describe(chart: String, answer: Int32)
        case render(PageJob)
        case compose(ComposeJob)
    }

    private let work: Work
    /// What makes another job the same as this one; `nil` for a job that is never shared.
    let identity: JobIdentity?
    /// Our own copies of the output descriptors: they stay open when the caller who brought them is gone.
    let outputs: OwnedDescriptors
    /// The callers who wait for it.
    var requests: [Request]
    /// Whether the last caller has gone while a worker is busy with it.
    var isAbandoned = false
    /// Whether it takes so much memory that it is done alone.
    var isLarge = false
    /// The worker that is busy with it.
    weak var worker: Worker?

    init(_ work: Work, for request: Request) throws(SystemError) {
        outputs = try OwnedDescriptors(copying: work.outputs)
        self.work = work.writing(to: outputs.numbers)
        identity = work.identity
        requests = [request]
        request.order = self
        request.broughtFiles = true
    }

    /// The PDF that it is about.
    var chart: String? {
        switch work {
        case .hello, .compose: nil
        case .describe(let chart, _): chart
        case .render(let job): job.chart
        }
    }

    /// How long it may take at most, if less than other jobs.
    var patience: Duration? { if case .render(let job) = work { job.patience } else { nil } }

    /// The message for a worker, with copies of the descriptors that belong to it.
    func message(number: Int, tag: RendererTag?) throws(RenderFailure) -> (bytes: [UInt8], files: OwnedDescriptors) {
        switch work {
        case .hello:
            return (try JobMessage(number: number, job: .hello).encoded(), OwnedDescriptors([]))
        case .describe(let chart, let answer):
            let files = try Self.whole([try Self.open(chart), Self.copy(answer)])
            return (try JobMessage(number: number, job: .describe).encoded(), files)
        case .render(let job):
            var numbers = [try Self.open(job.chart)] + job.outputs.map { Self.copy($0.descriptor) }
            if let marks = job.marks { numbers.append(Self.file(of: marks)) }
            return (try JobMessage(number: number, job: .render(RenderOrder(job, tag: tag))).encoded(), try Self.whole(numbers))
        case .compose(let job):
            var numbers = [Self.copy(job.plain), Self.copy(job.output.descriptor), Self.file(of: job.marks)]
            if let previous = job.previous { numbers += [Self.copy(previous.descriptor), Self.file(of: previous.marks)] }
            return (try JobMessage(number: number, job: .compose(ComposeOrder(job, tag: tag))).encoded(), try Self.whole(numbers))
        }
    }

    private static func copy(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// The files to hand over, if all of them could be opened.
    private static func whole(_ numbers: [Int32]) throws(RenderFailure) -> OwnedDescriptors {
        let files = OwnedDescriptors(numbers)
        guard numbers.allSatisfy({ $0 >= 0 }) else { throw .cannotStart("its files cannot be handed over") }
        return files
    }

    private static func open(_ chart: String) throws(RenderFailure) -> Int32 {
        do {
            return try Descriptor.open(chart, O_RDONLY).release()
        } catch {
            throw .cannotOpen(error.description)
        }
    }

    /// The marks in a file in memory, since they can be far larger than a message; -1 if that fails.
    private static func file(of marks: PageMarks) -> Int32 {
        (try? MemoryFile.create(holding: MarkCoding.encode(marks.marks)).release()) ?? -1
    }
}
