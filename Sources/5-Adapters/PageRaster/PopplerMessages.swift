import CPoppler
import Glibc
import Synchronization

/// Poppler's messages about a PDF: an unknown operator, a missing font, a broken picture.
public enum PopplerMessages {
    /// Writes messages to standard error from now on, one line each, except while they are counted. By default poppler-glib does
    /// not show them.
    public static func sendToStandardError() {
        isSentOn.store(true, ordering: .relaxed)
        _ = handler
    }

    /// Runs `work`, and counts this thread's messages instead of showing them.
    static func count<Result>(during work: () -> Result) -> (result: Result, messages: Int) {
        _ = handler
        var messages = 0
        let result = withUnsafeMutablePointer(to: &messages) { messages in
            // Restore an outer count afterwards.
            let outer = pthread_getspecific(counter)
            pthread_setspecific(counter, messages)
            defer { pthread_setspecific(counter, outer) }
            return work()
        }
        return (result, messages)
    }

    /// Runs `work` without showing this thread's messages.
    public static func keep<Result>(during work: () -> Result) -> Result { count(during: work).result }

    private static let isSentOn = Atomic(false)

    /// The thread-specific key under which each counting thread has a pointer to its count.
    private static let counter: pthread_key_t = {
        var key = pthread_key_t()
        guard pthread_key_create(&key, nil) == 0 else { preconditionFailure("no thread-specific memory") }
        return key
    }()

    /// GLib has one handler for all threads, so it is installed once and stays.
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
