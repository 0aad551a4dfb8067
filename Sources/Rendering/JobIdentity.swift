import Model

/// What makes two jobs one. Marks are not among it: the key of an image covers all that is seen on it.
struct JobIdentity: Hashable {
    private struct Image: Hashable {
        var variant: Variant
        var key: ImageKey
    }

    private var chart: String
    private var page: PageIndex
    private var settings: RenderSettings
    private var images: [Image]

    init(_ job: PageJob) {
        chart = job.chart
        page = job.page
        settings = job.settings
        images = job.outputs.map { Image(variant: $0.variant, key: $0.key) }
    }
}

extension Order.Work {
    /// `nil` for work that is done for each caller anew.
    var identity: JobIdentity? {
        switch self {
        case .render(let job): JobIdentity(job)
        default: nil
        }
    }

    /// The descriptors that images are written to.
    var outputs: [Int32] {
        switch self {
        case .render(let job): job.outputs.map(\.descriptor)
        default: []
        }
    }

    /// The same work, with other descriptors for its images.
    func writing(to descriptors: [Int32]) -> Order.Work {
        guard case .render(let job) = self else { return self }
        let outputs = zip(job.outputs, descriptors).map { PageJob.Output($0.variant, key: $0.key, descriptor: $1) }
        return .render(PageJob(chart: job.chart, page: job.page, settings: job.settings, outputs: outputs, marks: job.marks))
    }
}
