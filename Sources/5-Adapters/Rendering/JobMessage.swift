import JSON
package import Model

/// A request to a worker: one message on its socket, with the files it needs as descriptors.
package struct JobMessage: Hashable, Sendable, Codable {
    /// The work to be done. New kinds of work come with a new version.
    package enum Job: Hashable, Sendable, Codable {
        /// Report the identity. No descriptors.
        case hello
        /// Open and measure. Descriptors: the PDF, a file for the description as JSON.
        case describe
        /// Draw a page. Descriptors: the PDF, a file for each output in order, and the marks if there are any.
        case render(RenderOrder)
        /// Put marks on a plain image. Descriptors: that image, the output, the marks; then the predecessor and its marks, if there is
        /// one.
        case compose(ComposeOrder)
        /// Copy a chart's PDF, with marks over its pages. Descriptors: the PDF, the output; the marks, if there are any.
        case part(PartOrder)
        /// Make one PDF of several. Descriptors: the file with all of them, the output, the contents as JSON.
        case bind
        /// Draw a song. Descriptors: the sheet as JSON, the output.
        case song
        /// Read a PDF's annotations. Descriptors: the PDF, a file for the marks.
        case annotations
    }

    /// Goes up whenever a message changes its meaning or form, in either direction.
    package static let currentVersion = 10
    /// A message is small; anything that can be large travels in files.
    package static let mostBytes = 64 << 10

    /// Sent back with the answer.
    package var number: Int
    package var job: Job

    package init(number: Int, job: Job) { (self.number, self.job) = (number, job) }
}

package struct RenderOrder: Hashable, Sendable, Codable {
    package struct Output: Hashable, Sendable, Codable {
        package var variant: Variant
        /// All 64 hexadecimal digits.
        package var key: String
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
}

package struct ComposeOrder: Hashable, Sendable, Codable {
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
}

package struct PartOrder: Hashable, Sendable, Codable {
    package var hasMarks: Bool
    package var form: PartJob.MarkForm
    package var longSide: Int
    /// Where in the output it begins.
    package var start: Int

    package init(_ job: PartJob) {
        (hasMarks, form, longSide, start) = (!job.marks.isEmpty, job.form, job.longSide, job.start)
    }
}

package struct ReplyMessage: Hashable, Sendable, Codable {
    package enum Reply: Hashable, Sendable, Codable {
        case hello(RendererIdentity, gaps: [SandboxGap])
        /// The description is in the file.
        case described
        case rendered
        /// The PDF is in the file; of a song with the key that its chords stand in.
        case bound(pages: Int, bytes: Int, key: String? = nil)
        /// The marks are in the file, except for so many annotations of each kind.
        case found(leftOut: [String: Int])
        case failed(RenderFailure)
    }

    package var number: Int
    package var reply: Reply
    /// Problems that did not stop the job.
    package var warnings: [String] = []

    package init(number: Int, reply: Reply, warnings: [String] = []) {
        (self.number, self.reply, self.warnings) = (number, reply, warnings)
    }
}

/// Messages as bytes: a beginning that is the same in every version, and the rest as JSON. So a message of another version can be told from
/// nonsense, since everything but the beginning may differ between versions.
private enum MessageCoding {
    static let beginning = "woodshed renderer\n"

    static func encoded(_ message: some Encodable) throws(RenderFailure) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(beginning)
        writer.add(JobMessage.currentVersion)
        do {
            return try writer.bytes + JSONWriter.encode(message)
        } catch {
            throw .malformedReply("\(error)")
        }
    }

    static func decoded<Message: Decodable>(_ bytes: [UInt8]) throws(RenderFailure) -> Message {
        let (text, version, place) = bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            return (reader.text(), reader.integer(), bytes.count - reader.rest)
        }
        guard text == beginning, let version else { throw .malformedReply("it is not a message") }
        guard version == JobMessage.currentVersion else {
            throw .versionMismatch(ours: JobMessage.currentVersion, theirs: version)
        }
        guard let message = try? JSONReader.decode(Message.self, from: Array(bytes[place...])) else {
            throw .malformedReply("its fields are not those of version \(version)")
        }
        return message
    }
}

extension JobMessage {
    package func encoded() throws(RenderFailure) -> [UInt8] { try MessageCoding.encoded(self) }
    package init(bytes: [UInt8]) throws(RenderFailure) { self = try MessageCoding.decoded(bytes) }
}

extension ReplyMessage {
    package func encoded() throws(RenderFailure) -> [UInt8] { try MessageCoding.encoded(self) }
    package init(bytes: [UInt8]) throws(RenderFailure) { self = try MessageCoding.decoded(bytes) }
}
