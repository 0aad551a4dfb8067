/// The browser side's modules as one script: a browser gets them with one request, however many files they are written in.
///
/// Each module becomes a function that runs once, after those that it imports from. Our own modules need no more than what is read
/// here: imports and exports that each stand on one line, by name, and no circles. The same script is what a page's worker runs: it is in
/// the browser already, and stays there when the agent is away.
struct ScriptBundle {
    private let modules: [String: String]
    private var done: Set<String> = []
    private var parts: [String] = []

    /// The script that runs `first` at once, since it has to come before the first paint, and `main` when the page has been read; in a
    /// worker it runs `worker` instead.
    static func script(_ modules: [String: String], first: String, main: String, worker: String) -> String {
        var bundle = ScriptBundle(modules: modules)
        bundle.add(main)
        return """
            const modules = {};
            if (typeof document === "undefined") {
            \(lines(of: modules[worker] ?? "").joined(separator: "\n"))
            } else {
            \(lines(of: modules[first] ?? "").joined(separator: "\n"))
            addEventListener("DOMContentLoaded", () => {
            \(bundle.parts.joined(separator: "\n"))
            });
            }

            """
    }

    private init(modules: [String: String]) {
        self.modules = modules
    }

    private mutating func add(_ name: String) {
        guard done.insert(name).inserted, let text = modules[name] else { return }
        var body: [Substring] = []
        var exports: [Substring] = []
        for line in Self.lines(of: text) {
            if line.utf8.starts(with: "import ".utf8),
                let found = line.wholeMatch(of: /import (?:\{ ([^}]+) \} from )?"\.\/([a-z-]+\.js)";/)
            {
                let dependency = String(found.2)
                add(dependency)
                if let names = found.1 { body.append("const { \(names.replacing(" as ", with: ": ")) } = modules[\"\(dependency)\"];") }
            } else if line.utf8.starts(with: "export ".utf8),
                let found = line.prefixMatch(of: /export ((?:async )?(?:function|class|const) (\w+))/)
            {
                exports.append(found.2)
                body.append(line.dropFirst("export ".utf8.count))
            } else {
                body.append(line)
            }
        }
        parts.append(
            """
            modules["\(name)"] = (() => {
            "use strict";
            \(body.joined(separator: "\n"))
            return { \(exports.joined(separator: ", ")) };
            })();
            """)
    }

    /// The lines, but for those that are comments, which only developers need.
    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n")).filter { !$0.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) }
            .map { Substring($0) }
    }
}
