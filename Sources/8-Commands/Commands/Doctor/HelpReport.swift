import Catalogue
import CommandLine
import Configuration
import Glibc
import Model
import Platform

/// Everything that a helper needs to know about a machine, but not what is played there, by whom and when.
struct HelpReport {
    let text: String

    /// `vocabulary` contains every text that this program shows to all users. Of texts from elsewhere, the report keeps only words
    /// in the vocabulary, names of days and months, and short numbers. `log` has the log's last lines.
    init(_ facts: DoctorFacts, _ configuration: Configuration, log: [String], vocabulary: [String], home: String) {
        let library = Self.library(in: configuration.paths.data)
        let redaction = Redaction(vocabulary: vocabulary, names: library.names ?? [], home: home)
        let system = (try? AtomicFile.read("/etc/os-release", limit: 65536)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let name = system.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst(12) ?? "unknown"
        var lines = [
            "A report of 'woodshed doctor'. In place of titles, names, addresses and whatever else is not a word of Woodshed's own manual",
            "stands …; please look through it all the same before you give it to somebody.", "", "# Versions", "", "system: \(name)",
        ]
        lines += facts.versions.map { "\($0.name): \($0.version)" }
        if case .works(let tag, _) = facts.renderer { lines.append("woodshed-render: \(tag)") }
        lines += ["", "# Settings", ""]
        for setting in Options.settings {
            let origin = configuration.origin(of: setting)
            let value = origin == .standard || Self.isHarmless(setting.type) ? setting.read(configuration.options).yaml : "(set)"
            lines.append("\(setting.key): " + (origin == .standard ? value : "\(value) (\(redaction.of(origin.description)))"))
        }
        lines += ["", "# Places", ""] + configuration.paths.named.map { "\($0.name): \(redaction.of($0.path))" }
        lines += ["", "# Counts", ""] + library.counts
        lines += ["", "# Findings", ""]
        for finding in Examination.findings(facts) {
            lines.append("\(finding.state.rawValue)  \(finding.subject): \(redaction.of(finding.found))")
            if let mend = finding.mend { lines.append("    → \(redaction.of(mend))") }
        }
        lines += ["", "# The last lines of the log", ""]
        if library.names == nil {
            lines.append("(left out: without a catalogue, titles in them could not be told from other words)")
        } else {
            lines += log.isEmpty ? ["(there are none)"] : log.map(redaction.of)
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Whether a value of this type can only be a number or one of our own words; texts, folders and addresses may contain anything.
    private static func isHarmless(_ type: InputType) -> Bool {
        switch type {
        case .integer, .duration, .size, .diskAmount, .boolean, .choice, .choices: true
        case .optional(let type): isHarmless(type)
        default: false
        }
    }

    /// Writes the report to a new file that only its owner can read. Returns whether the name was free.
    func write(to path: String) throws(SystemError) -> Bool {
        let file = try TemporaryFile.create(inFolderOf: path)
        do {
            try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        } catch {
            throw error as? SystemError ?? SystemError("write", path: path, code: EIO)
        }
        return try file.publishWhereFree(as: path)
    }

    /// How many rows the main tables of the catalogue have, and all names in the catalogue. If the catalogue is missing or cannot
    /// be read, `names` is `nil`.
    private static func library(in folder: String) -> (counts: [String], names: [String]?) {
        let tables = [
            "plans", "items", "attachments", "charts", "layers", "local_files", "former_marks", "links", "image_records", "journal",
            "held_back",
            "gone_plans", "unread_plans", "download_faults", "render_faults", "layer_doubts", "pins",
        ]
        let names = """
            SELECT title FROM plans UNION SELECT service_type_name FROM plans UNION SELECT title FROM items UNION SELECT arrangement FROM items
            UNION SELECT description FROM items UNION SELECT filename FROM attachments UNION SELECT person_name FROM layers
            UNION SELECT name FROM layers UNION SELECT name FROM local_files UNION SELECT path FROM local_files UNION SELECT path FROM links
            UNION SELECT filename FROM left_out UNION SELECT item FROM left_out UNION SELECT filename FROM lost_charts
            UNION SELECT value FROM service_account, json_tree(account) WHERE type = 'text'
            UNION SELECT value FROM journal, json_tree(change) WHERE type = 'text'
            UNION SELECT value FROM unread_plans, json_tree(plan) WHERE type = 'text'
            """
        let found = try? Database.read(libraryAt: folder) { database throws(LibraryError) in
            var counts: [String] = []
            for table in tables {
                let count = try database.row("SELECT count(*) FROM \(table)", []) { $0.integer(0) } ?? 0
                counts.append("\(table): \(count)")
            }
            return (counts, try database.rows(names, []) { $0.optionalText(0) ?? "" })
        }
        return found ?? (["(there is no catalogue that can be read)"], nil)
    }
}

/// Hides the musician's private words in lines of text: names from the catalogue, and every word that is not in the vocabulary.
struct Redaction {
    private let words: Set<String>
    private let names: [String]
    private let home: String

    init(vocabulary: [String], names: [String], home: String) {
        words = Set(
            vocabulary.flatMap { $0.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init) } + Self.daysAndMonths)
        // A path's parts are names, too, and so is a file's name without its ending.
        let parts = names.flatMap { name in
            name.split(separator: "/").flatMap { part in
                [String(part), part.lastIndex(of: ".").map { String(part[..<$0]) } ?? ""]
            } + [name]
        }
        self.names = Set(parts.map { $0.lowercased() }).filter { $0.count > 2 }.sorted { ($0.count, $0) > ($1.count, $1) }
        self.home = home
    }

    /// Hides private words in the parts of a sentence that are not our own.
    func of(_ wording: Wording) -> String { wording.parts.map { $0.isOurs ? $0.text : of($0.text) }.joined() }

    func of(_ line: String) -> String {
        var line = home == "/" ? line : line.replacing(home, with: "~")
        // Hide addresses and quoted texts as a whole, except our own commands in quotes, since a private text may consist only of
        // words in the vocabulary. Of a path, only the parts in `places` stay.
        line.replace(/'(?!woodshed)[^']*'/, with: "'…'")
        line.replace(/[a-z]+:\/\/[^\s'",]+/, with: "…")
        line.replace(/\d+\.\d+\.\d+\.\d+/, with: "…")
        line.replace(/[~\/][^\s'",\]]*/) { path in
            path.output.split(separator: "/", omittingEmptySubsequences: false).map { Self.places.contains($0) ? $0 : "…" }
                .joined(separator: "/")
        }
        for name in names { line = Self.hide(name, in: line) }
        var text = ""
        var word = ""
        for character in line + "\n" {
            if character.isLetter || character.isNumber {
                word.append(character)
                continue
            }
            text += word.isEmpty || isFit(word) ? word : text.hasSuffix("…") ? "" : "…"
            word = ""
            if character != "\n" { text.append(character) }
        }
        return text
    }

    /// Parts of paths that are the same on many machines, and so reveal nothing.
    private static let places: Set<Substring> = [
        "", "~", ".config", ".local", ".cache", "share", "bin", "libexec", "usr", "etc", "run", "user", "tmp", "dev", "shm", "proc", "var",
        "lib", "home", "media", "mnt", "Music", "Woodshed", "woodshed", "woodshed.yaml", "woodshed-render", "annotations", "charts",
        "pages",
        "catalogue.sqlite", "runtime", "data", "cache", "config", "music", "fonts",
    ]

    /// Hides `name`, which is in lower case, where it is not part of a longer word. The rest of the line keeps its case.
    private static func hide(_ name: String, in line: String) -> String {
        let small = line.lowercased()
        let ranges = small.ranges(of: name).filter { found in
            let before = found.lowerBound == small.startIndex ? nil : small[small.index(before: found.lowerBound)]
            let after = found.upperBound == small.endIndex ? nil : small[found.upperBound]
            return !(isOfWord(before) && isOfWord(name.first)) && !(isOfWord(name.last) && isOfWord(after))
        }
        guard !ranges.isEmpty else { return line }
        guard small.count == line.count else { return small.replacing(name, with: "…") }
        var text = ""
        var place = line.startIndex
        for found in ranges {
            let start = line.index(line.startIndex, offsetBy: small.distance(from: small.startIndex, to: found.lowerBound))
            guard start >= place else { continue }
            text += line[place..<start] + "…"
            place = line.index(start, offsetBy: name.count)
        }
        return text + line[place...]
    }

    private static func isOfWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }

    /// As abbreviated in dates.
    private static let daysAndMonths = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Whether a word may stay: it is in the vocabulary, or a time such as 22T10, or a number of at most six digits, which is too
    /// short to identify a person.
    private func isFit(_ word: String) -> Bool {
        words.contains(word.lowercased())
            || word.utf8.count < 7 && word.utf8.allSatisfy { (48...57).contains($0) || "TZtz".utf8.contains($0) }
    }
}
