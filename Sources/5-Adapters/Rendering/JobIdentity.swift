import Model

/// What makes two jobs the same. Marks are not part of it: the key of an image covers everything visible on it.
struct JobIdentity: Hashable {
    private struct Image: Hashable {
        var variant: Variant
        var key: ImageKey
    }

    /// What the page is drawn from; `nil` for an image that is made from another one.
    private var page: Page?
    private var images: [Image]

    private struct Page: Hashable {
        var chart: String
        var index: PageIndex
        var settings: RenderSettings
    }

    init(_ job: PageJob) {
        page = Page(chart: job.chart, index: job.page, settings: job.settings)
        images = job.outputs.map { Image(variant: $0.variant, key: $0.key) }
    }

    init(_ job: ComposeJob) {
        images = [Image(variant: job.output.variant, key: job.output.key)]
    }
}

extension Order.Work {
    /// `nil` for work that is done separately for each caller.
    var identity: JobIdentity? {
        switch self {
        case .render(let job): JobIdentity(job)
        case .compose(let job): JobIdentity(job)
        case .hello, .describe: nil
        }
    }

    /// The descriptors that images are written to.
    var outputs: [Int32] {
        switch self {
        case .render(let job): job.outputs.map(\.descriptor)
        case .compose(let job): [job.output.descriptor]
        case .hello, .describe: []
        }
    }

    /// The same work, with other descriptors for its images.
    func writing(to descriptors: [Int32]) -> Order.Work {
        switch self {
        case .render(let job):
            let outputs = zip(job.outputs, descriptors).map { PageJob.Output($0.variant, key: $0.key, descriptor: $1) }
            return .render(
                PageJob(
                    chart: job.chart, page: job.page, settings: job.settings, outputs: outputs, marks: job.marks, fonts: job.fonts,
                    patience: job.patience))
        case .compose(var job):
            job.output.descriptor = descriptors[0]
            return .compose(job)
        case .hello, .describe: return self
        }
    }
}
