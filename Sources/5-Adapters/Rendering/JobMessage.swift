package import Model

/// What is asked of a worker: one message on its socket, with the files it needs as descriptors.
package struct JobMessage: Hashable, Sendable {
    /// The work to be done. New kinds of work come with a new version.
    package enum Job: Hashable, Sendable {
        /// Report the identity. No descriptors.
        case hello
        /// Open and measure. Descriptors: the PDF, a file for the description as JSON.
        case describe
        /// Draw a page. Descriptors: the PDF, a file for each output in order, and the marks if there are any.
        case render(RenderOrder)
        /// Put marks on a plain image. Descriptors: that image, the output, the marks; then the predecessor and its marks, if there is
        /// one.
        case compose(ComposeOrder)
    }

    /// Goes up whenever a message changes its meaning or form, in either direction.
    package static let currentVersion = 4
    /// A message is small; anything that can be large travels in files.
    package static let mostBytes = 64 << 10

    /// Is sent back with the answer.
    package var number: Int
    package var job: Job

    package init(number: Int, job: Job) {
        self.number = number
        self.job = job
    }
}

/// Which page to draw, and which images of it.
package struct RenderOrder: Hashable, Sendable {
    package struct Output: Hashable, Sendable {
        package var variant: Variant
        /// All 64 hexadecimal digits.
        package var key: String

        package init(variant: Variant, key: String) {
            self.variant = variant
            self.key = key
        }
    }

    package var page: Int
    package var fullSize: Int
    package var thumbnailSize: Int
    package var paper: Color
    package var outputs: [Output]
    package var hasMarks: Bool
    /// The tag that the keys were made with; another renderer must not draw under them.
    package var tag: RendererTag?
    /// The fonts that the keys were made with, if they matter; a renderer with other fonts must not draw under them.
    package var fonts: FontSet?

    package init(_ job: PageJob, tag: RendererTag?) {
        page = job.page.value
        fullSize = job.settings.fullSize
        thumbnailSize = job.settings.thumbnailSize
        paper = job.settings.paper
        outputs = job.outputs.map { Output(variant: $0.variant, key: $0.key.digest.hex) }
        hasMarks = job.marks != nil
        fonts = job.fonts
        self.tag = tag
    }

    init(
        page: Int, fullSize: Int, thumbnailSize: Int, paper: Color, outputs: [Output], hasMarks: Bool, tag: RendererTag?,
        fonts: FontSet?
    ) {
        self.page = page
        self.fullSize = fullSize
        self.thumbnailSize = thumbnailSize
        self.paper = paper
        self.outputs = outputs
        self.hasMarks = hasMarks
        self.tag = tag
        self.fonts = fonts
    }
}

/// Which annotated image to make.
package struct ComposeOrder: Hashable, Sendable {
    /// All 64 hexadecimal digits.
    package var key: String
    package var paper: Color
    /// The keys in the names of the plain image and the predecessor, so that another image in their place is noticed.
    package var plainKey: String
    package var previousKey: String?
    package var tag: RendererTag?
    package var fonts: FontSet?

    package var hasPrevious: Bool { previousKey != nil }

    package init(_ job: ComposeJob, tag: RendererTag?) {
        key = job.output.key.digest.hex
        paper = job.paper
        plainKey = job.plainKey
        previousKey = job.previous?.key
        fonts = job.fonts
        self.tag = tag
    }

    init(key: String, paper: Color, plainKey: String, previousKey: String?, tag: RendererTag?, fonts: FontSet?) {
        self.key = key
        self.paper = paper
        self.plainKey = plainKey
        self.previousKey = previousKey
        self.tag = tag
        self.fonts = fonts
    }
}

/// What a worker answers.
package struct ReplyMessage: Hashable, Sendable {
    package enum Reply: Hashable, Sendable {
        case hello(RendererIdentity)
        /// The description is in the file.
        case described
        case rendered
        case failed(RenderFailure)
    }

    package var number: Int
    package var reply: Reply
    /// What went wrong without stopping the job.
    package var warnings: [String] = []

    package init(number: Int, reply: Reply, warnings: [String] = []) {
        self.number = number
        self.reply = reply
        self.warnings = warnings
    }
}
