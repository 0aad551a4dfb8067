import LocalHTTP
import Model
import ViewerPages

/// The viewer's own files: the shell page, and the files that it loads by name.
struct BrowserFiles: Sendable {
    private struct File {
        let type: String
        let bytes: [UInt8]
        /// Changes with the bytes, so that a browser keeps its copy until a newer version of the program runs.
        let tag: String
    }

    private let files: [String: File]
    /// The shell page, with the places for what each browser has of its own.
    private let shell: String

    init() {
        var files: [String: File] = [:]
        for page in UnsafeBufferPointer(start: woodshed_viewer_pages(), count: viewer_pages_count) {
            let bytes = Array(UnsafeBufferPointer(start: page.bytes, count: page.length))
            let tag = "\"\(SHA256.digest(of: bytes).shortHex)\""
            files[String(cString: page.name)] = File(type: String(cString: page.type), bytes: bytes, tag: tag)
        }
        shell = String(decoding: files.removeValue(forKey: "index.html")?.bytes ?? [], as: UTF8.self)
        self.files = files
    }

    /// The shell page for a browser that is let in; also sent for addresses that lead nowhere, so that it can say so.
    func shell(token: String, pass: String, status: Int) -> WebReply {
        WebReply(
            status: status, headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(shell.replacing("{{token}}", with: token).replacing("{{pass}}", with: pass).utf8))
    }

    /// A file by its name; `nil` if there is none.
    func file(_ name: String, for request: WebRequest) -> WebReply? {
        guard let file = files[name] else { return nil }
        let headers = [("Content-Type", file.type), ("Cache-Control", "no-cache"), ("ETag", file.tag)]
        guard request.header("If-None-Match") != file.tag else { return WebReply(status: 304, headers: headers) }
        return WebReply(headers: headers, body: file.bytes)
    }
}
