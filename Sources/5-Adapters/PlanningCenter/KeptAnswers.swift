public import Model
public import Platform

/// The last complete answer to each list that came with an ETag, so that an unchanged list is not sent again.
///
/// A 304 means that the service would send the same again, so the kept answer is processed as if it had just been sent: the
/// library's contents are never taken for the service's answer. With a store this works from run to run, for one account and address.
@LoopActor
final class KeptAnswers {
    private struct Entry {
        let answer: StoredAnswer
        var lastUse: UInt64
    }

    /// A list of a hundred entries is about 100 kB; this is enough for the upcoming plans of a busy quarter.
    nonisolated static let usualLimit = 4 << 20
    /// Older answers are asked for in full: a tag that never changes must not hide changes for longer than this.
    nonisolated static let greatestAge: Duration = .seconds(86_400)

    private let limit: Int
    private let time: any TimeKeeper
    private let store: (any AnswerStore)?
    private var entries: [ServiceAddress: Entry] = [:]
    /// Answers that the store does not have yet.
    private var unsaved: [Digest: StoredAnswer?] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0

    /// The account that is asking, since others get other answers. Never a credential; without it, nothing is kept beyond this run.
    var account: String?

    init(limit: Int = KeptAnswers.usualLimit, store: (any AnswerStore)? = nil, account: String? = nil, time: any TimeKeeper) {
        (self.limit, self.store, self.account, self.time) = (limit, store, account, time)
    }

    /// The last answer from this address, which counts as a use; `nil` if it can no longer be relied on.
    subscript(address: ServiceAddress) -> StoredAnswer? {
        if entries[address] == nil, let stored = stored(at: address) { note(stored, at: address) }
        guard var entry = entries[address] else { return nil }
        // One from the future was kept while the clock was wrong.
        let age = now - entry.answer.toldAt
        guard age >= .zero, age < Self.greatestAge else { return nil }
        uses += 1
        entry.lastUse = uses
        entries[address] = entry
        return entry.answer
    }

    /// Keeps an answer that was understood, in place of the previous one; an answer without an ETag is not kept.
    func keep(_ response: HTTPResponse, for address: ServiceAddress) {
        forget(address)
        guard response.status == 200, let etag = response.headers["etag"], Self.isUsable(etag) else { return }
        let answer = StoredAnswer(etag: etag, body: response.body, toldAt: now)
        guard note(answer, at: address), let name = name(of: address) else { return }
        unsaved[name] = .some(answer)
    }

    /// Drops an answer that turned out to be useless.
    func forget(_ address: ServiceAddress) {
        // If nothing was kept, there is nothing to write.
        if let name = name(of: address), entries[address] != nil || store?.answer(name) != nil { unsaved[name] = .some(nil) }
        drop(address)
    }

    /// Writes what is new to the store.
    func save() {
        defer { unsaved = [:] }
        guard !unsaved.isEmpty else { return }
        store?.save(unsaved)
    }

    private var now: Timestamp { time.timestamp }

    private func stored(at address: ServiceAddress) -> StoredAnswer? {
        guard let name = name(of: address), unsaved[name] == nil, let answer = store?.answer(name), Self.isUsable(answer.etag) else {
            return nil
        }
        return answer
    }

    /// The name under which the store keeps the answer from an address.
    private func name(of address: ServiceAddress) -> Digest? {
        guard store != nil, let account else { return nil }
        return SHA256.digest(of: "\(account.utf8.count) \(account) \(address.text)")
    }

    @discardableResult
    private func note(_ answer: StoredAnswer, at address: ServiceAddress) -> Bool {
        let size = Self.size(address, answer)
        guard size <= limit else { return false }
        while bytes + size > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) { drop(oldest.key) }
        uses += 1
        entries[address] = Entry(answer: answer, lastUse: uses)
        bytes += size
        return true
    }

    private func drop(_ address: ServiceAddress) {
        guard let entry = entries.removeValue(forKey: address) else { return }
        bytes -= Self.size(address, entry.answer)
    }

    private static func size(_ address: ServiceAddress, _ answer: StoredAnswer) -> Int { address.text.utf8.count + answer.size }

    /// Returns whether it can be sent back unchanged. For complete answers, weak tags are as good as strong ones.
    private static func isUsable(_ etag: String) -> Bool {
        let opaque = opaque(etag)
        return opaque.count >= 2 && opaque.hasPrefix("\"") && opaque.hasSuffix("\"") && etag.utf8.count <= 256
            && etag.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    nonisolated fileprivate static func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
}

extension StoredAnswer {
    /// Returns whether a 304 refers to this answer, as far as it says.
    func isMeant(by response: HTTPResponse) -> Bool {
        response.headers["etag"].map { KeptAnswers.opaque($0) == KeptAnswers.opaque(etag) } ?? true
    }
}

/// Keeps answers from run to run. If it fails, answers have to be sent in full again, and nothing else is lost.
@LoopActor
public protocol AnswerStore {
    /// The answer kept under this name, if it is intact.
    func answer(_ name: Digest) -> StoredAnswer?

    /// Keeps answers under their names; `nil` removes one.
    func save(_ answers: [Digest: StoredAnswer?])
}
