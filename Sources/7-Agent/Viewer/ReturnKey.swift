import Glibc
import Model
import Platform
import Synchronization

/// Lets browsers back in after a restart without asking a person, if an agent of the same user had let them in before.
///
/// The browsers' cookies prove nothing after a restart: while the port was free, another user of this machine may have listened
/// there, and received the cookies. But each page has a pass that it never sends. The page uses the pass to answer the agent's
/// question, and then gets a new cookie. The pass is computed from the old cookie and a key in the runtime folder, which no other
/// user can read.
final class ReturnKey: Sendable {
    private let key: String
    /// Questions without an answer, oldest first.
    private let questions = Mutex<[String]>([])

    private static let digits = 64
    /// The most questions that can wait for an answer: one musician opens fewer tabs.
    private static let mostQuestions = 64

    /// Reads the key in a folder, or creates one and stores it there.
    init(folder: String) throws(SystemError) {
        let path = folder + "/viewer-key"
        if let kept = Self.read(path) {
            key = kept
            return
        }
        key = Secret.random().revealed
        try Folder.create(folder)
        try AtomicFile.write(key + "\n", to: path, mode: 0o600)
    }

    /// Rejects a key that others could have read or written.
    private static func read(_ path: String) -> String? {
        var status = stat()
        guard let file = try? Descriptor.openFile(path, O_NOFOLLOW), fstat(file.number, &status) == 0,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0, let bytes = try? file.readAll(limit: 256, path: path)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return text.utf8.count == digits ? text : nil
    }

    /// The secret that the pages of a browser with this cookie hold, and never send.
    func pass(of cookie: String) -> String { Self.code("woodshed pass \(cookie)", key: key) }

    /// A question for a returning page; it can be answered once.
    func question() -> String {
        let question = Secret.random().revealed
        questions.withLock { $0 = ($0 + [question]).suffix(Self.mostQuestions) }
        return question
    }

    /// Whether this is the answer that only a page with this cookie's pass can give. The answer includes the port: if the owner of
    /// another port passes the question on to a page, the page's answer is for that port.
    func isRight(_ answer: String, to question: String, cookie: String, port: Substring) -> Bool {
        let wasAsked = questions.withLock { questions in
            questions.firstIndex(of: question).map { questions.remove(at: $0) } != nil
        }
        return wasAsked && Secret(Self.code("\(question) \(port)", key: pass(of: cookie))).isSame(as: answer)
    }

    /// HMAC-SHA256. A key has 64 digits, which is exactly one block.
    private static func code(_ message: String, key: String) -> String {
        let key = Array(key.utf8) + [UInt8](repeating: 0, count: max(0, 64 - key.utf8.count))
        let inner = SHA256.digest(of: key.map { $0 ^ 0x36 } + Array(message.utf8))
        return SHA256.digest(of: key.map { $0 ^ 0x5C } + inner.bytes).hex
    }
}
