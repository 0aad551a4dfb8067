import FoundationEssentials
import Model

/// Messages as bytes. A message of another version is told from one that makes no sense, since everything but the beginning may differ
/// between versions.
enum MessageCoding {
    /// What every message begins with, in every version.
    static let beginning = "woodshed renderer\n"

    static func encoded(_ body: (inout ByteWriter) throws(RenderFailure) -> Void) throws(RenderFailure) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(beginning)
        writer.add(JobMessage.currentVersion)
        try body(&writer)
        return writer.bytes
    }

    static func decoded<Message>(
        _ bytes: [UInt8], _ body: (inout ByteReader) -> Message?
    ) throws(RenderFailure) -> Message {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(RenderFailure) -> Message in
                var reader = ByteReader(bytes)
                guard reader.text() == beginning, let version = reader.integer() else { throw .malformedReply("it is not a message") }
                guard version == JobMessage.currentVersion else {
                    throw .versionMismatch(ours: JobMessage.currentVersion, theirs: version)
                }
                guard let message = body(&reader), reader.isAtEnd else {
                    throw .malformedReply("its fields are not those of version \(version)")
                }
                return message
            }
        }
        return try result.get()
    }
}

extension JobMessage {
    private enum Kind: Int {
        case hello, describe, render, compose
    }

    /// The message as it is sent.
    package func encoded() throws(RenderFailure) -> [UInt8] {
        try MessageCoding.encoded { writer in
            writer.add(number)
            switch job {
            case .hello: writer.add(Kind.hello.rawValue)
            case .describe: writer.add(Kind.describe.rawValue)
            case .render(let order):
                writer.add(Kind.render.rawValue)
                order.write(to: &writer)
            case .compose(let order):
                writer.add(Kind.compose.rawValue)
                order.write(to: &writer)
            }
        }
    }

    /// Reads a message that was received.
    package init(bytes: [UInt8]) throws(RenderFailure) {
        self = try MessageCoding.decoded(bytes) { reader in
            guard let number = reader.integer(), let kind = reader.integer().flatMap(Kind.init) else { return nil }
            let job: Job? =
                switch kind {
                case .hello: .hello
                case .describe: .describe
                case .render: RenderOrder(&reader).map(Job.render)
                case .compose: ComposeOrder(&reader).map(Job.compose)
                }
            return job.map { JobMessage(number: number, job: $0) }
        }
    }
}

extension RenderOrder {
    fileprivate func write(to writer: inout ByteWriter) {
        for number in [page, fullSize, thumbnailSize] { writer.add(number) }
        writer.add(paper.description)
        writer.add(outputs.count)
        for output in outputs {
            writer.add(output.variant.rawValue)
            writer.add(output.key)
        }
        writer.add(hasMarks)
        writer.add(tag?.text)
        writer.add(fonts?.digest.hex)
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let page = reader.integer(), let fullSize = reader.integer(), let thumbnailSize = reader.integer(),
            let paper = reader.text().flatMap({ Color($0) }), let count = reader.count()
        else { return nil }
        var outputs: [Output] = []
        for _ in 0..<count {
            guard let variant = reader.text().flatMap(Variant.init(rawValue:)), let key = reader.text() else { return nil }
            outputs.append(Output(variant: variant, key: key))
        }
        guard let hasMarks = reader.flag(), let tag = reader.optionalText(), let fonts = reader.fonts() else { return nil }
        self.init(
            page: page, fullSize: fullSize, thumbnailSize: thumbnailSize, paper: paper, outputs: outputs, hasMarks: hasMarks,
            tag: tag.map { RendererTag($0) }, fonts: fonts)
    }
}

extension ComposeOrder {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.add(key)
        writer.add(paper.description)
        writer.add(plainKey)
        writer.add(previousKey)
        writer.add(tag?.text)
        writer.add(fonts?.digest.hex)
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let key = reader.text(), let paper = reader.text().flatMap({ Color($0) }), let plainKey = reader.text(),
            let previousKey = reader.optionalText(), let tag = reader.optionalText(), let fonts = reader.fonts()
        else { return nil }
        self.init(
            key: key, paper: paper, plainKey: plainKey, previousKey: previousKey, tag: tag.map { RendererTag($0) }, fonts: fonts)
    }
}

extension ByteReader {
    /// The fonts that keys were made with, or that they do not matter.
    fileprivate mutating func fonts() -> FontSet?? {
        guard let hex = optionalText() else { return nil }
        guard let hex else { return .some(nil) }
        return Digest(hex: hex).map { .some(FontSet($0)) }
    }
}

extension ReplyMessage {
    private enum Kind: Int {
        case hello, described, rendered, failed
    }

    /// The message as it is sent.
    package func encoded() throws(RenderFailure) -> [UInt8] {
        try MessageCoding.encoded { writer throws(RenderFailure) in
            writer.add(number)
            writer.add(warnings.count)
            for warning in warnings { writer.add(warning) }
            switch reply {
            case .described: writer.add(Kind.described.rawValue)
            case .rendered: writer.add(Kind.rendered.rawValue)
            // Sent only once for each process or for each page that cannot be drawn; since these have many forms, JSON will do.
            case .hello(let identity):
                writer.add(Kind.hello.rawValue)
                writer.add(try Self.json(identity))
            case .failed(let failure):
                writer.add(Kind.failed.rawValue)
                writer.add(try Self.json(failure))
            }
        }
    }

    private static func json(_ value: some Encodable) throws(RenderFailure) -> [UInt8] {
        do {
            return try Array(JSONEncoder().encode(value))
        } catch {
            throw .malformedReply("\(error)")
        }
    }

    /// Reads a message that was received.
    package init(bytes: [UInt8]) throws(RenderFailure) {
        self = try MessageCoding.decoded(bytes) { reader in
            guard let number = reader.integer(), let count = reader.count() else { return nil }
            var warnings: [String] = []
            for _ in 0..<count {
                guard let warning = reader.text() else { return nil }
                warnings.append(warning)
            }
            func value<Value: Decodable>(_ type: Value.Type) -> Value? {
                reader.block().flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
            }
            let reply: Reply? =
                switch reader.integer().flatMap(Kind.init) {
                case .described: .described
                case .rendered: .rendered
                case .hello: value(RendererIdentity.self).map(Reply.hello)
                case .failed: value(RenderFailure.self).map(Reply.failed)
                case nil: nil
                }
            return reply.map { ReplyMessage(number: number, reply: $0, warnings: warnings) }
        }
    }
}
