import CDeflate
import DrawingPages
import LocalHTTP
import Model
import ReadingPages
import ViewerPages

/// The viewer's own files. The shell page contains the icon and loads one script, one style sheet, and the files for a home screen;
/// another script and style sheet, for the panels and for drawing, are loaded with a plan.
final class BrowserFiles: Sendable {
    private struct File {
        let type: String
        let bytes: [UInt8]
        let packed: [UInt8]?
        /// A hash of the bytes: browsers keep their copy until the program has other bytes.
        let tag: String

        init(_ type: String, _ bytes: [UInt8]) {
            (self.type, self.bytes) = (type, bytes)
            packed = gzipped(bytes)
            tag = SHA256.digest(of: bytes).shortHex
        }
    }

    /// The files by their names in addresses. The names of scripts and style sheets include their tags. Names that a home screen
    /// requests later do not, since the home screen may be older than this program.
    private let files: [String: File]
    private let lasting: Set<String>
    /// The shell page, with placeholders for each browser's own values.
    private let shell: String

    /// The files that are sent one by one, with their types; all others are bundled, or are part of the shell page.
    private static let alone = [
        "icon.svg": "image/svg+xml", "home-screen.png": "image/png", "icon-192.png": "image/png", "icon-512.png": "image/png",
        "manifest.json": "application/manifest+json", worker: "text/javascript; charset=utf-8",
    ]
    /// The worker that may serve all of a browser's pages, although its own address is in a folder: a header allows that.
    private static let worker = "service-worker.js"
    private static let styles = ["base.css", "plans.css", "reader.css", "panels.css"]
    private static let laterStyles = ["drawing.css", "song-key.css", "set-maker.css", "places.css", "together.css"]

    /// Created for the first browser's request, since this takes longer than the rest of the viewer's start.
    static let shared = BrowserFiles()

    private init() {
        var files: [String: File] = [:]
        var texts: [String: String] = [:]
        let pages = UnsafeBufferPointer(start: woodshed_viewer_pages(), count: viewer_pages_count).map { ($0.name!, $0.bytes!, $0.length) }
        let reading = UnsafeBufferPointer(start: woodshed_reading_pages(), count: reading_pages_count)
        let drawing = UnsafeBufferPointer(start: woodshed_drawing_pages(), count: drawing_pages_count)
        for page in pages + reading.map({ ($0.name!, $0.bytes!, $0.length) }) + drawing.map({ ($0.name!, $0.bytes!, $0.length) }) {
            // Drop the folder, which only restricts imports.
            let name = String(String(cString: page.0).split(separator: "/").last ?? "")
            let bytes = Array(UnsafeBufferPointer(start: page.1, count: page.2))
            texts[name] = String(decoding: bytes, as: UTF8.self)
            if let type = Self.alone[name] { files[name] = File(type, bytes) }
        }
        let bundle = ScriptBundle.scripts(
            texts, first: "theme.js", main: "app.js", worker: "page-decoder.js", later: ["panels.js", "drawing.js"])
        var page = (texts["index.html"] ?? "").replacing("{{icon}}", with: Self.address(ofIcon: texts["icon.svg"] ?? ""))
        var lasting: Set<String> = []
        let both = [("", "shell", bundle.main, Self.styles), ("later-", "later", bundle.later, Self.laterStyles)]
        for (place, name, script, styles) in both {
            let script = File("text/javascript; charset=utf-8", Array(script.utf8))
            // Comments are for developers only.
            let rules = styles.map { (texts[$0] ?? "").replacing(/(?s)\/\*.*?\*\/\n?/, with: "") }
            let style = File("text/css; charset=utf-8", rules.flatMap { Array($0.utf8) })
            let names = (script: "\(name)-\(script.tag).js", style: "\(name)-\(style.tag).css")
            files.merge([names.script: script, names.style: style]) { first, _ in first }
            lasting.formUnion([names.script, names.style])
            page = page.replacing("{{\(place)script}}", with: names.script).replacing("{{\(place)style}}", with: names.style)
        }
        (self.files, self.lasting, shell) = (files, lasting, page)
    }

    /// The shell page for a signed-in browser; also sent for unknown addresses, where it shows that there is no such page.
    func shell(token: String, pass: String, mayChange: Bool, status: Int, for request: WebRequest) -> WebReply {
        let own = shell.replacing("{{token}}", with: token).replacing("{{pass}}", with: pass)
        let page = Array(own.replacing("{{rights}}", with: Self.rights(mayChange)).utf8)
        let packed = Self.takesGzip(request) ? gzipped(page, effort: 1) : nil
        let headers = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Vary", "Accept-Encoding")]
        return WebReply(
            status: status, headers: headers + (packed == nil ? [] : [("Content-Encoding", "gzip")]), body: packed ?? page)
    }

    /// The word for these rights in pages and in answers.
    static func rights(_ mayChange: Bool) -> String { mayChange ? "change" : "look" }

    /// A file by its name; `nil` if there is no such file.
    func file(_ name: String, for request: WebRequest) -> WebReply? {
        guard let file = files[name] else { return nil }
        let packed = Self.takesGzip(request) ? file.packed : nil
        // The packed and the plain form have different bytes, so they need different tags.
        let tag = "\"\(file.tag)\(packed == nil ? "" : "-gzip")\""
        var headers = [
            ("Content-Type", file.type), ("Cache-Control", "private, " + lifetime(of: name)), ("ETag", tag), ("Vary", "Accept-Encoding"),
        ]
        if name == Self.worker { headers.append(("Service-Worker-Allowed", "/")) }
        guard request.header("If-None-Match") != tag else { return WebReply(status: 304, headers: headers) }
        guard let packed else { return WebReply(headers: headers, body: file.bytes) }
        headers.append(("Content-Encoding", "gzip"))
        return WebReply(headers: headers, body: packed)
    }

    /// Files that a browser uses outside the pages may be a day out of date.
    private func lifetime(of name: String) -> String { lasting.contains(name) ? "max-age=31536000, immutable" : "max-age=86400" }

    /// The icon as a data address, which saves each page a request.
    private static func address(ofIcon icon: String) -> String {
        let escapes: [Character: String] = ["#": "%23", "%": "%25", "\"": "'", "<": "%3C", ">": "%3E", "\n": ""]
        return "data:image/svg+xml," + icon.map { escapes[$0] ?? String($0) }.joined()
    }

    private static func takesGzip(_ request: WebRequest) -> Bool {
        let accepted = (request.header("Accept-Encoding") ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        return accepted.contains("gzip")
    }
}

/// Compresses files for browsers; by default as small as possible, since it is done once.
func gzipped(_ bytes: [UInt8], effort: Int32 = 12) -> [UInt8]? {
    guard let compressor = libdeflate_alloc_compressor(effort) else { return nil }
    defer { libdeflate_free_compressor(compressor) }
    let most = libdeflate_gzip_compress_bound(compressor, bytes.count)
    let packed = [UInt8](unsafeUninitializedCapacity: most) { target, count in
        count = bytes.withUnsafeBytes { libdeflate_gzip_compress(compressor, $0.baseAddress, $0.count, target.baseAddress, most) }
    }
    return packed.isEmpty ? nil : packed
}

/// Bundles the browser side's modules into one script, to let browsers load them with one request.
///
/// Each module becomes a function that runs once, after the modules that it imports from. Only the syntax that Woodshed's modules
/// use is supported: imports and exports on one line each, by name, without cycles. A `function` in parentheses is compiled while
/// the script arrives, an arrow function only when it is called, which would delay the page. A page's worker runs the same script:
/// the browser already has it, even when the agent is away.
struct ScriptBundle {
    private let modules: [String: String]
    private var done: Set<String> = []
    private var parts: [String] = []

    /// Two scripts. The first runs `first` immediately, before the first paint, and `main` when the page has been read; in a
    /// worker, it runs `worker` instead. The second runs `later` when it is loaded, with the additional modules that it needs.
    static func scripts(
        _ modules: [String: String], first: String, main: String, worker: String, later: [String]
    ) -> (main: String, later: String) {
        var bundle = ScriptBundle(modules: modules)
        bundle.add(main)
        let count = bundle.parts.count
        for module in later { bundle.add(module) }
        let shell = """
            const modules = {};
            if (typeof document === "undefined") {
            \(lines(of: modules[worker] ?? "").joined(separator: "\n"))
            } else {
            \(lines(of: modules[first] ?? "").joined(separator: "\n"))
            addEventListener("DOMContentLoaded", (function () {
            \(bundle.parts[..<count].joined(separator: "\n"))
            }));
            }

            """
        return (shell, bundle.parts[count...].joined(separator: "\n"))
    }

    private init(modules: [String: String]) { self.modules = modules }

    private mutating func add(_ name: String) {
        guard done.insert(name).inserted, let text = modules[name] else { return }
        var body: [Substring] = []
        var exports: [Substring] = []
        for line in Self.lines(of: text) {
            if let (names, file) = Self.imported(line) {
                add(file)
                if !names.isEmpty { body.append("const {\(names.replacing(" as ", with: ": "))} = modules[\"\(file)\"];") }
            } else if let (name, declaration) = Self.exported(line) {
                exports.append(name)
                body.append(declaration)
            } else {
                body.append(line)
            }
        }
        parts.append(
            """
            modules["\(name)"] = (function () {
            "use strict";
            \(body.joined(separator: "\n"))
            return { \(exports.joined(separator: ", ")) };
            })();
            """)
    }

    /// The names and the file in `import { a, b as c } from "./file.js";` or `import "./file.js";`, the only forms that
    /// `.ci/imports` allows. Read byte by byte: regular expressions would delay the first browser by more than all the rest.
    private static func imported(_ line: Substring) -> (names: Substring, file: String)? {
        let parts = line.utf8.starts(with: "import ".utf8) ? line.utf8.split(separator: UInt8(ascii: "\"")) : []
        guard parts.count == 3 else { return nil }
        let names = parts[0].drop { $0 != UInt8(ascii: "{") }.dropFirst().prefix { $0 != UInt8(ascii: "}") }
        return (Substring(names), String(Substring(parts[1].dropFirst("./".utf8.count))))
    }

    /// The name that a line exports, and the line without `export`.
    private static func exported(_ line: Substring) -> (name: Substring, declaration: Substring)? {
        guard line.utf8.starts(with: "export ".utf8) else { return nil }
        let declaration = line.utf8.dropFirst("export ".utf8.count)
        let before: Set<Substring> = ["async", "function", "class", "const"]
        let words = declaration.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "(") }.lazy.map { Substring($0) }
        return words.first { !before.contains($0) }.map { ($0, Substring(declaration)) }
    }

    /// The lines without indentation and comments, which only developers need. `.ci/imports` refuses texts of several lines.
    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }.filter { !$0.starts(with: "//".utf8) }
            .map { Substring($0) }
    }
}
