import FoundationEssentials

/// Messages as bytes. A message of another version is told apart from one that makes no sense, since all but the version may have changed with it.
package protocol VersionedMessage: Codable {
    var version: Int { get }
}

extension JobMessage: VersionedMessage {}
extension ReplyMessage: VersionedMessage {}

private struct VersionAlone: Decodable {
    var version: Int
}

extension VersionedMessage {
    /// The message as it is sent.
    package func encoded() throws(RenderFailure) -> [UInt8] {
        do {
            return try Array(JSONEncoder().encode(self))
        } catch {
            throw .malformedReply("\(error)")
        }
    }

    /// Reads a message that came.
    package init(bytes: [UInt8]) throws(RenderFailure) {
        let data = Data(bytes)
        let message = try? JSONDecoder().decode(Self.self, from: data)
        if let message, message.version == JobMessage.currentVersion {
            self = message
            return
        }
        guard let version = message?.version ?? (try? JSONDecoder().decode(VersionAlone.self, from: data))?.version else {
            throw .malformedReply("it is no message")
        }
        guard version == JobMessage.currentVersion else {
            throw .versionMismatch(ours: JobMessage.currentVersion, theirs: version)
        }
        throw .malformedReply("its fields are not those of version \(version)")
    }
}
