import CPoppler
import Glibc
import Synchronization

/// What poppler has to say about a PDF: an unknown operator, a font that is not there, a broken picture.
public enum PopplerMessages {
    /// Puts every message on standard error from now on, a line each; by itself poppler-glib keeps them to itself.
    public static func sendToStandardError() {
        isSentOn.store(true, ordering: .relaxed)
        _ = handler
    }

    /// Does work whose messages are counted instead: that of this thread, on this thread.
    static func count<Result>(during work: () -> Result) -> (result: Result, messages: Int) {
        _ = handler
        var messages = 0
        let result = withUnsafeMutablePointer(to: &messages) { messages in
            // Whoever counts around this goes on with it afterwards.
            let outer = pthread_getspecific(counter)
            pthread_setspecific(counter, messages)
            defer { pthread_setspecific(counter, outer) }
            return work()
        }
        return (result, messages)
    }

    /// Does work of which nothing is said: that of this thread.
    public static func keep<Result>(during work: () -> Result) -> Result { count(during: work).result }

    private static let isSentOn = Atomic(false)

    /// Where a thread that counts has its count.
    private static let counter: pthread_key_t = {
        var key = pthread_key_t()
        guard pthread_key_create(&key, nil) == 0 else { preconditionFailure("no thread-specific memory") }
        return key
    }()

    /// GLib has one handler for all threads: it is put there once and stays.
    private static let handler = g_log_set_handler(
        "Poppler", GLogLevelFlags(rawValue: ~0),
        { domain, level, message, data in
            if let messages = pthread_getspecific(counter) {
                messages.assumingMemoryBound(to: Int.self).pointee += 1
            } else if isSentOn.load(ordering: .relaxed), let message {
                var line = String(cString: message) + "\n"
                line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
            } else {
                g_log_default_handler(domain, level, message, data)
            }
        }, nil)
}
