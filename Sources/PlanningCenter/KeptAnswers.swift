import Model
import Platform

/// The last whole answer to each list that came with an ETag, so that one without change costs no body.
///
/// A 304 says that the service would tell the same again, so what it told is taken in again as if it had travelled: nothing is
/// believed of what the library has. With a store it holds from run to run, for one account and one address.
@LoopActor
final class KeptAnswers {
    private struct Entry {
        let answer: StoredAnswer
        var lastUse: UInt64
    }

    /// A list of a hundred entries is some 100 kB; this is what the coming plans of a busy quarter need.
    nonisolated static let usualLimit = 4 << 20
    /// An answer that is older is asked for in full: a tag that never changes must not hide what did for longer.
    nonisolated static let greatestAge: Duration = .seconds(86_400)

    private let limit: Int
    private let time: any TimeKeeper
    private let store: (any AnswerStore)?
    private var entries: [ServiceAddress: Entry] = [:]
    /// What the store does not know yet.
    private var unsaved: [Digest: StoredAnswer?] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0

    /// Who asks: another account is told other things. Never a credential; without it, nothing outlasts the run.
    var account: String?

    init(limit: Int = KeptAnswers.usualLimit, store: (any AnswerStore)? = nil, account: String? = nil, time: any TimeKeeper) {
        self.limit = limit
        self.store = store
        self.account = account
        self.time = time
    }

    /// What was answered last, which is thereby used; `nil` where it is not to be relied on any more.
    subscript(address: ServiceAddress) -> StoredAnswer? {
        if entries[address] == nil, let stored = stored(at: address) { note(stored, at: address) }
        guard var entry = entries[address] else { return nil }
        // One from the future is of a clock that was wrong.
        let age = now - entry.answer.toldAt
        guard age >= .zero, age < Self.greatestAge else { return nil }
        uses += 1
        entry.lastUse = uses
        entries[address] = entry
        return entry.answer
    }

    /// Keeps an answer that has been understood in place of the former one; without an ETag, nothing.
    func keep(_ response: HTTPResponse, for address: ServiceAddress) {
        forget(address)
        guard response.status == 200, let etag = response.headers["etag"], Self.isUsable(etag) else { return }
        let answer = StoredAnswer(etag: etag, body: response.body, toldAt: now)
        guard note(answer, at: address), let name = name(of: address) else { return }
        unsaved[name] = .some(answer)
    }

    /// Lets go of an answer that turned out to be of no use.
    func forget(_ address: ServiceAddress) {
        // Where nothing was kept there is nothing to write.
        if let name = name(of: address), entries[address] != nil || store?.answer(name) != nil { unsaved[name] = .some(nil) }
        drop(address)
    }

    /// Has the store know what is different.
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

    /// Under which name the store has what is told at an address.
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

    /// Whether it can be sent back as it is. Weak ones are as good as strong ones for whole answers.
    private static func isUsable(_ etag: String) -> Bool {
        let opaque = opaque(etag)
        return opaque.count >= 2 && opaque.hasPrefix("\"") && opaque.hasSuffix("\"") && etag.utf8.count <= 256
            && etag.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    nonisolated fileprivate static func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
}

extension StoredAnswer {
    /// Whether a 304 is about this answer, as far as it says.
    func isMeant(by response: HTTPResponse) -> Bool {
        response.headers["etag"].map { KeptAnswers.opaque($0) == KeptAnswers.opaque(etag) } ?? true
    }
}
