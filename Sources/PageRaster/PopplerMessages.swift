import CPoppler
import Glibc

/// What poppler has to say about a PDF: an unknown operator, a font that is not there, a broken picture.
public enum PopplerMessages {
    /// Puts every message on standard error from now on, a line each; by itself poppler-glib keeps them to itself.
    public static func sendToStandardError() {
        g_log_set_handler(
            "Poppler", GLogLevelFlags(rawValue: ~0),
            { _, _, message, _ in
                guard let message else { return }
                var line = String(cString: message) + "\n"
                line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
            }, nil)
    }
}
