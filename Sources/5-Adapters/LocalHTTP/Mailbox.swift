import CShims
import Glibc
import Synchronization

/// What other threads want from the server's thread.
final class Mailbox: Sendable {
    enum Letter: Sendable {
        /// The answer to the request with this number, which is waiting for it.
        case answer(Int, WebReply)
        /// The stream that answers the request with this number has something to send, or should end.
        case news(Int)
        case stop
    }

    /// Readable while there are letters.
    let wakeup = woodshed_eventfd()
    private let letters = Mutex<[Letter]?>([])

    deinit {
        Glibc.close(wakeup)
    }

    /// Adds a letter; `false` if nobody will read it.
    @discardableResult
    func post(_ letter: Letter) -> Bool {
        letters.withLock { letters in
            guard letters != nil else { return false }
            letters?.append(letter)
            if letters?.count == 1 {
                var one: UInt64 = 1
                _ = write(wakeup, &one, 8)
            }
            return true
        }
    }

    /// Takes all letters; `isLast` means that no more will be taken.
    func take(isLast: Bool = false) -> [Letter] {
        letters.withLock { letters in
            // The eventfd is only set if there is a letter.
            if letters?.isEmpty == false {
                var count: UInt64 = 0
                _ = read(wakeup, &count, 8)
            }
            defer { letters = isLast ? nil : [] }
            return letters ?? []
        }
    }
}
