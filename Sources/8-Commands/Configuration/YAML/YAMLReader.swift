import CYAML

/// Why and where a text is not acceptable YAML.
struct YAMLError: Error, Hashable, Sendable {
    let line: Int
    let column: Int
    let message: String
}

/// Reads one YAML document of plain data: no anchors, aliases, tags or second documents, and limited in depth.
///
/// Uses libyaml's events and not its ready-made document trees, in which an alias cannot be distinguished from its target.
struct YAMLReader: ~Copyable {
    /// Much deeper than any configuration, and too shallow to exhaust the stack.
    static let greatestDepth = 16

    /// Allocated separately: libyaml's parser contains its own address and must not be moved.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// The root node; nil if the document contains only comments.
    static func read(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
        let reader = YAMLReader(bytes)
        return try reader.document()
    }

    private init(_ bytes: [UInt8]) {
        // libyaml reads these bytes in place whenever an event is requested, and rejects a null pointer.
        input = .allocate(capacity: max(bytes.count, 1))
        _ = input.initialize(from: bytes)
        parser = .allocate(capacity: 1)
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    private struct Event {
        enum Kind {
            case scalar(String, isPlain: Bool)
            case listStart
            case listEnd
            case mapStart
            case mapEnd
            case documentStart
            case streamEnd
            /// Events that need no action, such as the start of the stream or the end of a document.
            case other
        }

        let kind: Kind
        let line: Int
        let column: Int
    }

    private borrowing func document() throws(YAMLError) -> YAMLNode? {
        var root: YAMLNode?
        while true {
            let event = try next()
            switch event.kind {
            case .streamEnd: return root
            case .documentStart:
                guard root == nil else {
                    throw YAMLError(line: event.line, column: event.column, message: "a second document begins here; only one is expected")
                }
                root = try node(try next(), depth: 0)
            default: continue
            }
        }
    }

    private borrowing func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
        guard depth < Self.greatestDepth else {
            throw YAMLError(line: event.line, column: event.column, message: "nested too deeply")
        }
        let content: YAMLNode.Content
        switch event.kind {
        case .scalar(let text, let isPlain):
            content = .scalar(text, isPlain: isPlain)
        case .listStart:
            var items: [YAMLNode] = []
            while true {
                let event = try next()
                if case .listEnd = event.kind { break }
                items.append(try node(event, depth: depth + 1))
            }
            content = .list(items)
        case .mapStart:
            var pairs: [(key: YAMLNode, value: YAMLNode)] = []
            while true {
                let event = try next()
                if case .mapEnd = event.kind { break }
                let key = try node(event, depth: depth + 1)
                pairs.append((key, try node(try next(), depth: depth + 1)))
            }
            content = .map(pairs)
        default:
            throw YAMLError(line: event.line, column: event.column, message: "a value is expected here")
        }
        return YAMLNode(content: content, line: event.line, column: event.column)
    }

    private borrowing func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) != 0 else { throw syntaxError }
        defer { yaml_event_delete(&event) }
        let line = Int(event.start_mark.line) + 1
        let column = Int(event.start_mark.column) + 1
        func refuse(_ message: String) -> YAMLError { YAMLError(line: line, column: column, message: message) }
        func check(_ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?) throws(YAMLError) {
            if anchor != nil { throw refuse("anchors (&name) are not supported; write out the value") }
            if tag != nil { throw refuse("tags (!name) are not supported; write out the value") }
        }
        let kind: Event.Kind
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try check(scalar.anchor, scalar.tag)
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            kind = .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            try check(event.data.sequence_start.anchor, event.data.sequence_start.tag)
            kind = .listStart
        case YAML_MAPPING_START_EVENT:
            try check(event.data.mapping_start.anchor, event.data.mapping_start.tag)
            kind = .mapStart
        case YAML_ALIAS_EVENT: throw refuse(Self.startsWithStar)
        case YAML_SEQUENCE_END_EVENT: kind = .listEnd
        case YAML_MAPPING_END_EVENT: kind = .mapEnd
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_STREAM_END_EVENT: kind = .streamEnd
        default: kind = .other
        }
        return Event(kind: kind, line: line, column: column)
    }

    private static var startsWithStar: String { "a value that begins with * needs quotes, as in '*lead*'" }

    private var syntaxError: YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not valid YAML"
        if parser.pointee.error == YAML_READER_ERROR {
            // For bytes that are not valid text, libyaml reports only an offset, so the line and column are computed from it.
            let before = input.prefix(parser.pointee.problem_offset)
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
            return YAMLError(line: line, column: before.count - lineStart + 1, message: "not valid text: \(problem)")
        }
        // For the most common mistakes, libyaml's message names neither the mistake nor the place where it begins.
        let context = parser.pointee.context.map { String(cString: $0) } ?? ""
        if context == "while scanning a quoted scalar", problem == "found unexpected end of stream" {
            let quote = parser.pointee.context_mark
            return YAMLError(
                line: Int(quote.line) + 1, column: Int(quote.column) + 1, message: "the quote that begins here is never closed")
        }
        if context == "while scanning an alias" {
            let star = parser.pointee.context_mark
            return YAMLError(line: Int(star.line) + 1, column: Int(star.column) + 1, message: Self.startsWithStar)
        }
        // These name only what libyaml's own grammar has next.
        let grammar = ["did not find expected", "could not find expected", "mapping values are not allowed", "block sequence entries"]
        let isOfGrammar = grammar.contains { problem.contains($0) }
        let found =
            isOfGrammar
            ? "not valid YAML here, or in the line before: look for a missing quote, bracket, colon or space before a word (\(problem))"
            : problem
        let message = found.contains("cannot start any token") ? "\(found) (a tab, or one of @ ` % without quotes)" : found
        return YAMLError(
            line: Int(parser.pointee.problem_mark.line) + 1, column: Int(parser.pointee.problem_mark.column) + 1, message: message)
    }
}

/// A node of a YAML document, with its position.
struct YAMLNode: Sendable {
    indirect enum Content: Sendable {
        /// A scalar; `isPlain` if it has no quotes.
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        /// Pairs in the order of the file. A key may occur twice.
        case map([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    /// Counted from 1.
    let line: Int
    /// Counted from 1, in characters.
    let column: Int

    /// Whether the value is missing or is a word for null.
    var isEmpty: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null"].contains(text)
    }

    /// Whether this may be a section: pairs, or nothing because all pairs are commented out.
    var isSection: Bool { if case .map = content { true } else { isEmpty } }

    /// The text of a scalar; nil for other nodes.
    var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }
}
