import JSON
package import Model

/// A request to a worker: one message on its socket, with the necessary files attached as descriptors.
package struct JobMessage: Hashable, Sendable, Codable {
    /// The work to be done. A new kind of work requires a new version of the messages.
    package enum Job: Hashable, Sendable, Codable {
        /// Report the renderer's identity. No descriptors.
        case hello
        /// Open the PDF and measure its pages. Descriptors: the PDF, a file for the description as JSON.
        case describe
        /// Draw a page. Descriptors: the PDF, a file for each output in order, and the marks if there are any.
        case render(RenderOrder)
        /// Put marks on a plain image. Descriptors: the plain image, the output and the marks, then the previous annotated image
        /// and its marks, if there are any.
        case compose(ComposeOrder)
        /// Copy a chart's PDF, and put marks on its pages. Descriptors: the PDF, the output, and the marks if there are any.
        case part(PartOrder)
        /// Join several PDFs into one. Descriptors: one file that holds all of them, the output, the contents as JSON.
        case bind
        /// Draw a song. Descriptors: the sheet as JSON, the output.
        case song
        /// Make a PDF of a picture. Descriptors: the picture, the output.
        case picture
        /// Read a PDF's annotations. Descriptors: the PDF, a file for the marks that they become.
        case annotations
        /// Find where the marks of one chart are in another one. Descriptors: both PDFs, the marks, a file for the marks at their new places.
        case follow
    }

    /// Must be raised whenever a request or reply changes its meaning or form.
    package static let currentVersion = 14
    /// Messages are small; data that can be large is sent in files.
    package static let mostBytes = 64 << 10

    /// Identifies the request; its reply carries the same number.
    package var number: Int
    package var job: Job

    package init(number: Int, job: Job) { (self.number, self.job) = (number, job) }
}

package struct RenderOrder: Hashable, Sendable, Codable {
    package struct Output: Hashable, Sendable, Codable {
        package var variant: Variant
        /// The key of the image in hexadecimal, all 64 digits.
        package var key: String
    }

    package var page: Int
    package var fullSize: Int
    package var thumbnailSize: Int
    package var paper: Color
    package var outputs: [Output]
    package var hasMarks: Bool
    /// The tag of the renderer that the keys were made for. A renderer with another tag must refuse the job.
    package var tag: RendererTag?
    /// The fonts that the keys were made for, if the images depend on fonts. A renderer with other fonts must refuse the job.
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
    /// The key of the new image in hexadecimal, all 64 digits.
    package var key: String
    package var paper: Color
    /// The keys in the names of the plain and the previous image. With them, the worker detects that another image has taken the
    /// place of either.
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
    /// The byte of the output file where the PDF begins.
    package var start: Int

    package init(_ job: PartJob) {
        (hasMarks, form, longSide, start) = (!job.marks.isEmpty, job.form, job.longSide, job.start)
    }
}

package struct ReplyMessage: Hashable, Sendable, Codable {
    package enum Reply: Hashable, Sendable, Codable {
        case hello(RendererIdentity, gaps: [SandboxGap])
        /// The description is in the file that came with the request.
        case described
        case rendered
        /// The PDF is in the output file. `key` is the key that a song's chords are printed in; `nil` for other PDFs and if it is unknown.
        case bound(pages: Int, bytes: Int, key: String? = nil, song: SongFacts? = nil)
        /// The marks are in the file that came with the request; `leftOut` counts, by kind, the annotations that cannot become marks.
        case found(leftOut: [String: Int])
        /// The marks are in the file that came with the request.
        case followed
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

/// Messages as bytes: a beginning that is the same in every version, the version, then JSON. The beginning distinguishes messages
/// of other versions from nonsense, since everything after the version may differ between versions.
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
