import CExpat
import Glibc

/// Parses XML piece by piece into a document, which can stop the parser by throwing a fault. XML that declares a document type is
/// refused, so no entity is expanded and nothing outside the file is requested.
final class XMLStream {
    private let parser: XML_Parser
    private let target: XournalDocument
    private let limit: Int
    private var fed = 0
    private var fault: MarkFileFault?

    /// The longest attribute, comment or other token, in bytes. Longer ones would take long, because the parser reads an incomplete
    /// token again from its start with each piece.
    private static let longestToken = 8 << 20
    /// How many bytes the parser gets at once: many, so that it rarely has to read an incomplete token again.
    private static let piece = 1 << 20

    /// Reports the contents of a document of at most `limit` bytes to `target`.
    init(limit: Int, target: XournalDocument) throws(MarkFileFault) {
        // The encoding is given here, so that the document cannot choose it.
        guard let parser = XML_ParserCreate("UTF-8") else { throw MarkFileFault(.tooLarge, "does not fit into memory") }
        self.parser = parser
        self.target = target
        self.limit = limit
        XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, 2)
        XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, 1 << 20)
        XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
        // The unretained pointer is safe: the parser calls back only during `feed` and `finish`, while the stream exists.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            XMLStream.of(context).pass { _ throws(MarkFileFault) in
                throw MarkFileFault(.malformed, "declares a document type, which no mark file needs")
            }
        }
        XML_SetElementHandler(
            parser,
            { context, name, attributes in
                XMLStream.of(context).pass { target throws(MarkFileFault) in
                    try target.begin(name.map { String(cString: $0) } ?? "", XMLAttributes(list: attributes))
                }
            },
            { context, name in
                XMLStream.of(context).pass { target throws(MarkFileFault) in
                    try target.end(name.map { String(cString: $0) } ?? "")
                }
            })
        XML_SetCharacterDataHandler(parser) { context, text, count in
            XMLStream.of(context).pass { target throws(MarkFileFault) in
                do {
                    try UnsafeRawBufferPointer(start: text, count: Int(count)).withMemoryRebound(to: UInt8.self) {
                        try target.text($0)
                    }
                } catch {
                    throw error as? MarkFileFault ?? MarkFileFault(.malformed, "\(error)")
                }
            }
        }
    }

    deinit {
        XML_ParserFree(parser)
    }

    func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws(MarkFileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeBufferPointer(rebasing: rest.prefix(Self.piece))
            fed += piece.count
            guard fed <= limit else { throw MarkFileFault(.tooLarge, "unpacks to more than \(limit >> 20) MiB", at: place) }
            try parse(piece, isLast: false)
            guard fed - Int(xml_byte_index(parser)) <= Self.longestToken else {
                throw MarkFileFault(.tooLarge, "has an element of more than \(Self.longestToken >> 20) MiB", at: place)
            }
            rest = rest.dropFirst(piece.count)
        }
    }

    func finish() throws(MarkFileFault) {
        try parse(UnsafeBufferPointer(start: nil, count: 0), isLast: true)
    }

    private func parse(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(MarkFileFault) {
        let status = bytes.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32($0.count), isLast ? 1 : 0) }
        if let fault { throw fault }
        guard status != XML_STATUS_OK else { return }
        let code = XML_GetErrorCode(parser)
        if isLast, fed == 0 || Self.cutOff.contains(code.rawValue) {
            throw MarkFileFault(.unfinished, fed == 0 ? "is empty" : "is cut off", at: place)
        }
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        throw MarkFileFault(.malformed, "is not valid XML: \(reason)", at: place)
    }

    private static let cutOff: Set<UInt32> = [
        XML_ERROR_NO_ELEMENTS.rawValue, XML_ERROR_UNCLOSED_TOKEN.rawValue, XML_ERROR_PARTIAL_CHAR.rawValue,
        XML_ERROR_UNCLOSED_CDATA_SECTION.rawValue,
    ]

    private var place: MarkFileFault.Place {
        .line(Int(xml_line(parser)), column: Int(xml_column(parser)) + 1)
    }

    /// Passes a call on to the target, unless the target has thrown. After being stopped, the parser may still make some calls.
    private func pass(_ call: (XournalDocument) throws(MarkFileFault) -> Void) {
        guard fault == nil else { return }
        do throws(MarkFileFault) {
            try call(target)
        } catch {
            fault = error.placed(at: place)
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLStream {
        Unmanaged<XMLStream>.fromOpaque(context!).takeUnretainedValue()
    }
}

/// The attributes of an element; valid only during its callback.
struct XMLAttributes {
    /// Names and values in turn, with a null at the end.
    let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    subscript(name: String) -> String? {
        value(name).map { String(cString: $0) }
    }

    /// The first number in the value of the attribute `name`; NaN if the value does not begin with a number, or if the attribute is
    /// missing.
    func number(_ name: String) -> Double {
        withBytes(name) { bytes in
            var scanner = NumberScanner(bytes)
            return scanner.next() ?? .nan
        } ?? .nan
    }

    /// Calls `body` with a value's bytes, which may be too many to copy; returns `nil` if the attribute is missing.
    func withBytes<Result>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        guard let value = value(name) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: value, count: strlen(value))
        return bytes.withMemoryRebound(to: UInt8.self, body)
    }

    private func value(_ name: String) -> UnsafePointer<CChar>? {
        guard var place = list else { return nil }
        while let key = place[0], let value = place[1] {
            if strcmp(key, name) == 0 { return value }
            place += 2
        }
        return nil
    }
}
