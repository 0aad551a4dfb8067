public import Model
public import Platform

/// The last complete answer to each request, if it has an ETag: the service does not send an unchanged list again.
///
/// After a 304, the kept answer is processed as if the service had just sent it: it is the service's own answer, not a copy of the
/// library's contents. With a store, answers are kept from run to run, separately for each account and address.
@LoopActor
final class TaggedAnswers {
    /// The age from which an answer is requested in full. A tag that never changes can hide changes for at most this long.
    nonisolated static let greatestAge: Duration = .seconds(86_400)

    private let store: any AnswerStore
    private let time: any TimeKeeper
    /// Changes that are not in the store yet.
    private var unsaved: [Digest: StoredAnswer?] = [:]
    /// Identifies the account, since other accounts get other answers; empty if it has no public id. Never a credential.
    private let account: String

    /// If the account has no public id, answers are kept for this run only.
    init(store: (any AnswerStore)? = nil, account: String? = nil, time: any TimeKeeper) {
        (self.account, self.time) = (account ?? "", time)
        self.store = account == nil ? MemoryAnswers() : store ?? MemoryAnswers()
    }

    /// The kept answer from this address; `nil` if there is none, it is too old, or its tag is unusable.
    subscript(address: WebAddress) -> StoredAnswer? {
        let name = name(of: address)
        guard let answer = unsaved[name] ?? store.answer(name), Self.isUsable(answer.etag) else { return nil }
        // An answer with a time in the future was kept while the clock was wrong.
        let age = time.timestamp - answer.sentAt
        return age >= .zero && age < Self.greatestAge ? answer : nil
    }

    /// Keeps an answer that was understood, in place of the previous answer. If the new answer has no usable ETag, it is not kept,
    /// but the previous answer is dropped.
    func keep(_ response: HTTPResponse, for address: WebAddress) {
        guard response.status == 200, let etag = response.headers["etag"], Self.isUsable(etag) else { return forget(address) }
        unsaved[name(of: address)] = StoredAnswer(etag: etag, body: response.body, sentAt: time.timestamp)
    }

    /// Drops an answer that turned out to be useless.
    func forget(_ address: WebAddress) {
        let name = name(of: address)
        // If the store has no such answer, there is nothing to remove.
        unsaved[name] = store.answer(name) == nil ? nil : .some(nil)
    }

    /// Writes the changes to the store.
    func save() {
        defer { unsaved = [:] }
        if !unsaved.isEmpty { store.save(unsaved) }
    }

    /// The name under which the store keeps the answer from an address.
    private func name(of address: WebAddress) -> Digest {
        SHA256.digest(of: "\(account.utf8.count) \(account) \(address.text)")
    }

    /// Returns whether the tag can be sent back unchanged. Only complete answers are compared, so weak tags are as good as strong ones.
    private static func isUsable(_ etag: String) -> Bool {
        let opaque = opaque(etag)
        return opaque.count >= 2 && opaque.hasPrefix("\"") && opaque.hasSuffix("\"") && etag.utf8.count <= 256
            && etag.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    nonisolated fileprivate static func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
}

extension StoredAnswer {
    /// Returns whether a 304 refers to this answer. A 304 without a tag does.
    func isMeant(by response: HTTPResponse) -> Bool {
        response.headers["etag"].map { TaggedAnswers.opaque($0) == TaggedAnswers.opaque(etag) } ?? true
    }
}

/// Keeps answers from run to run. If the store loses some answers, they must be requested in full, but no other data is lost.
@LoopActor
public protocol AnswerStore {
    /// The answer kept under this name, if it is intact.
    func answer(_ name: Digest) -> StoredAnswer?

    /// Keeps answers under their names; `nil` in place of an answer removes it.
    func save(_ answers: [Digest: StoredAnswer?])
}

/// Keeps answers for this run only. If not all answers have room, the latest are kept.
@LoopActor
final class MemoryAnswers: AnswerStore {
    private let limit: Int
    private var answers: [Digest: StoredAnswer] = [:]

    /// A list of a hundred entries is about 100 kB; the default has room for the upcoming plans of a busy quarter.
    init(limit: Int = 4 << 20) { self.limit = limit }

    func answer(_ name: Digest) -> StoredAnswer? { answers[name] }

    func save(_ new: [Digest: StoredAnswer?]) {
        for (name, answer) in new { answers[name] = answer }
        var bytes = 0
        for (name, answer) in answers.sorted(by: { $0.value.sentAt > $1.value.sentAt }) {
            if bytes + answer.size > limit { answers[name] = nil } else { bytes += answer.size }
        }
    }
}
