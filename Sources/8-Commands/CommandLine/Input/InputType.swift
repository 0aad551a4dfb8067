import Glibc
package import Model
package import Platform

/// The types of the values of settings, flags and arguments.
package indirect enum InputType: Sendable {
    /// A text that is not empty and has no control characters.
    case text
    /// Any text, unchanged.
    case anything
    /// An address that `WebAddress` accepts, without a trailing slash.
    case url
    case integer(ClosedRange<Int>)
    case duration(ClosedRange<Duration>)
    case size(ClosedRange<ByteCount>)
    /// A size within the range, or a share of the disk.
    case diskAmount(ClosedRange<ByteCount>)
    case boolean
    /// A list of texts, separated by commas on the command line and in the environment.
    case list
    /// A file or folder, made absolute.
    case path
    /// A folder, made absolute, or an address, which is kept as written except for a lowercase scheme.
    case place
    /// Several files or folders.
    case paths
    /// The name of a file, without a folder.
    case fileName
    case choice([String])
    /// Any number of the given choices.
    case choices([String])
    /// A colour without transparency, as `#RRGGBB`.
    case opaqueColor
    /// A text that the given check accepts.
    case rule(Check)
    /// Several texts, each of which the given check accepts.
    case rules(Check)
    /// A value of the given type, or `none`.
    case optional(InputType)

    /// Throws a description of the mistake if a text is not valid.
    package typealias Check = @Sendable (String) throws(Trouble) -> Void

    /// The placeholder for a value in the help.
    package var placeholder: String {
        switch self {
        case .text, .anything: "TEXT"
        case .url: "URL"
        case .integer: "N"
        case .duration: "TIME"
        case .size: "SIZE"
        case .diskAmount: "SIZE|SHARE%"
        case .boolean: "true|false"
        case .list: "A,B,…"
        case .path: "PATH"
        case .place: "PATH|URL"
        case .paths: "PATH,…"
        case .fileName: "NAME"
        case .choice(let choices): choices.joined(separator: "|")
        case .choices(let choices): choices.prefix(2).joined(separator: ",") + ",…"
        case .opaqueColor: "#RRGGBB"
        case .rule: "RULE"
        case .rules: "RULE,…"
        case .optional(let type): type.placeholder
        }
    }

    /// Reads a value as written on the command line or in the environment.
    package func parse(_ text: String, base: PathBase) throws(Trouble) -> InputValue {
        switch self {
        case .text: return .text(try Self.plainText(text))
        case .anything: return .text(text)
        case .url: return .text(try Self.url(text))
        case .integer(let range): return .integer(try Self.integer(text, in: range))
        case .duration(let range): return .duration(try Self.duration(text, in: range))
        case .size(let range):
            let size = try SizeText.parse(text)
            try Self.check(size, in: range, text)
            return .size(size)
        case .diskAmount(let range):
            let amount = try DiskAmountText.parse(text)
            if case .bytes(let size) = amount { try Self.check(size, in: range, text) }
            return .diskAmount(amount)
        case .boolean: return .boolean(try Self.boolean(text))
        case .list:
            return .list(try Self.items(text, of: .text, base: base))
        case .path: return .text(try base.resolve(text))
        case .place: return .text(try text.contains("://") ? Self.address(text) : base.resolve(text))
        case .paths: return .list(try Self.items(text, of: .path, base: base))
        case .fileName: return .text(try Self.fileName(text))
        case .choice(let choices):
            guard choices.contains(text) else {
                let hint = Suggestion.text(for: text, among: choices)
                throw Trouble("'\(text.printable)' is none of \(choices.joined(separator: ", "))\(hint)")
            }
            return .text(text)
        case .choices(let choices):
            return .list(try Self.items(text, of: .choice(choices), base: base))
        case .opaqueColor: return .text(try Self.opaqueColor(text))
        case .rule(let check):
            try check(try Self.plainText(text))
            return .text(text)
        case .rules(let check):
            return .list(try Self.items(text, of: .rule(check), base: base))
        case .optional(let type):
            return text == "none" ? .unset : try type.parse(text, base: base)
        }
    }

    /// The type of each element, for types that accept a list.
    package var item: InputType? {
        switch self {
        case .list: .text
        case .choices(let choices): .choice(choices)
        case .rules(let check): .rule(check)
        case .paths: .path
        case .optional(let type): type.item
        default: nil
        }
    }

    package var isList: Bool { item != nil }

    package var wrapped: InputType {
        if case .optional(let type) = self { return type }
        return self
    }

    private static func items(_ text: String, of type: InputType, base: PathBase) throws(Trouble) -> [String] {
        var texts: [String] = []
        for item in text.split(separator: ",") {
            guard case .text(let text) = try type.parse(trimmed(String(item)), base: base) else { continue }
            texts.append(text)
        }
        return texts
    }

    /// Keeps an address as written, but lowercases its scheme. Rejects an address with a user. Errors do not repeat the address,
    /// which may contain a secret.
    private static func address(_ text: String) throws(Trouble) -> String {
        guard let mark = text.firstRange(of: "://") else { return text }
        guard !text[mark.upperBound...].prefix(while: { $0 != "/" }).contains("@") else {
            throw Trouble(
                "an address with a user in it is not used: leave out what is before the @, and write user:password to a file")
        }
        return try text[..<mark.lowerBound].lowercased() + plainText(String(text[mark.lowerBound...]))
    }

    /// Keeps an address as written, but normalises its scheme and drops trailing slashes, since stored addresses are compared
    /// with the result.
    private static func url(_ text: String) throws(Trouble) -> String {
        let scheme = try WebAddress(input: text).scheme
        var rest = text.dropFirst(scheme.count)
        while rest.hasSuffix("/") { rest.removeLast() }
        return scheme + rest
    }

    private static func plainText(_ text: String) throws(Trouble) -> String {
        guard !text.isEmpty else { throw Trouble("text is expected, but this is empty") }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Trouble("the text contains a control character")
        }
        return text
    }

    private static func fileName(_ text: String) throws(Trouble) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch Character(UnicodeScalar(byte)) {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
            default: false
            }
        }
        guard isPlain, !text.isEmpty, !text.hasPrefix(".") else {
            throw Trouble("a name of letters, digits, '.', '_' and '-' that does not begin with '.' is expected")
        }
        return text
    }

    private static func opaqueColor(_ text: String) throws(Trouble) -> String {
        guard let color = Color(text), text.utf8.count == 7 else {
            throw Trouble("'\(text.printable)' is not a colour; write '#' and six hexadecimal digits in quotes, as in \"#fff8e7\"")
        }
        return color.description
    }

    private static func integer(_ text: String, in range: ClosedRange<Int>) throws(Trouble) -> Int {
        guard let number = Int(text), String(number) == text else {
            throw Trouble("'\(text.printable)' is not a whole number")
        }
        guard range.contains(number) else {
            throw Trouble("\(number) is out of range: \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func duration(_ text: String, in range: ClosedRange<Duration>) throws(Trouble) -> Duration {
        let duration = try DurationText.parse(text)
        guard range.contains(duration) else {
            let bounds = "\(DurationText.text(of: range.lowerBound)) to \(DurationText.text(of: range.upperBound))"
            throw Trouble("'\(text.printable)' is out of range: \(bounds)")
        }
        return duration
    }

    private static func check(_ size: ByteCount, in range: ClosedRange<ByteCount>, _ text: String) throws(Trouble) {
        guard !range.contains(size) else { return }
        let bounds = "\(SizeText.text(of: range.lowerBound)) to \(SizeText.text(of: range.upperBound))"
        throw Trouble("'\(text.printable)' is out of range: \(bounds)")
    }

    private static func boolean(_ text: String) throws(Trouble) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default:
            // YAML 1.1 readers disagree about these words, so only one spelling is accepted. The hint saves a look at the manual.
            let meant = ["yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"]
            let hint = (meant[text.lowercased()] ?? Suggestion.nearest(to: text, among: ["true", "false"])).map { "; write '\($0)'" }
            throw Trouble("'\(text.printable)' is neither true nor false\(hint ?? "")")
        }
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

/// How to resolve relative paths that the user writes.
package struct PathBase: Sendable {
    /// The folder that `~` stands for.
    package let home: String
    /// The folder that relative paths start from. Nil for the configuration file, where a relative path would mean another file in
    /// each working directory.
    package let folder: String?

    package init(home: String, folder: String?) { (self.home, self.folder) = (home, folder) }

    /// The working directory of this process; nil if it cannot be determined, for example because it was removed.
    package static var currentFolder: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// Turns `text` into an absolute path without a trailing slash, and expands `~/`. Without a `folder`, relative paths are rejected.
    func resolve(_ text: String) throws(Trouble) -> String {
        guard !text.isEmpty else { throw Trouble("a path is expected") }
        guard !text.utf8.contains(0) else { throw Trouble("a path cannot contain a null byte") }
        if text == "~" || text.hasPrefix("~/") { return Self.trimmed(home + text.dropFirst()) }
        if text.hasPrefix("~") { throw Trouble("only '~/' is expanded, not another user's home; write the whole path") }
        if text.hasPrefix("/") { return Self.trimmed(text) }
        guard let folder else { throw Trouble("a path must begin with '/' or '~/'") }
        return Self.trimmed(folder + "/" + text)
    }

    /// Reduces repeated slashes to one, and drops "." components and trailing slashes.
    private static func trimmed(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}

extension WebAddress {
    /// Reads a service's address as the user wrote it.
    package init(input text: String) throws(Trouble) {
        do throws(Fault) {
            try self.init(text, [.plain, .folder])
        } catch {
            throw Trouble("\(error)" + (error == .hasUser ? "; tokens go in account.token_file" : ""))
        }
    }
}
