import Platform

/// The last whole answer to each list that came with an ETag, so that one without change costs no body.
///
/// In memory only: after a restart everything is simply asked for again.
@LoopActor
final class KeptAnswers {
    struct Answer {
        let etag: String
        let body: [UInt8]
    }

    private struct Entry {
        let answer: Answer
        var lastUse: UInt64
    }

    /// A list of a hundred entries is some 100 kB; this is what the coming plans of a busy quarter need.
    nonisolated static let usualLimit = 4 << 20

    private let limit: Int
    private var entries: [ServiceAddress: Entry] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0

    nonisolated init(limit: Int = KeptAnswers.usualLimit) {
        self.limit = limit
    }

    /// What was answered last, which is thereby used.
    subscript(address: ServiceAddress) -> Answer? {
        guard var entry = entries[address] else { return nil }
        uses += 1
        entry.lastUse = uses
        entries[address] = entry
        return entry.answer
    }

    /// Keeps an answer that has been understood in place of the former one; without an ETag, nothing.
    func keep(_ response: HTTPResponse, for address: ServiceAddress) {
        forget(address)
        guard let etag = response.headers["etag"], Self.isUsable(etag) else { return }
        let size = Self.size(address, etag: etag, body: response.body)
        guard size <= limit else { return }
        while bytes + size > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) { forget(oldest.key) }
        uses += 1
        entries[address] = Entry(answer: Answer(etag: etag, body: response.body), lastUse: uses)
        bytes += size
    }

    /// Lets go of an answer that turned out to be of no use.
    func forget(_ address: ServiceAddress) {
        guard let entry = entries.removeValue(forKey: address) else { return }
        bytes -= Self.size(address, etag: entry.answer.etag, body: entry.answer.body)
    }

    private static func size(_ address: ServiceAddress, etag: String, body: [UInt8]) -> Int {
        address.text.utf8.count + etag.utf8.count + body.count
    }

    /// Whether it can be sent back as it is. Weak ones are as good as strong ones for whole answers.
    private static func isUsable(_ etag: String) -> Bool {
        let opaque = etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
        return opaque.count >= 2 && opaque.hasPrefix("\"") && opaque.hasSuffix("\"") && etag.utf8.count <= 256
            && etag.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }
}
