/// An identifier from elsewhere. It is compared, stored and sent back unchanged, but never taken apart or used as a path.
public protocol OpaqueIdentifier: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The identifier as received.
    var text: String { get }
    init(_ text: String)
}

extension OpaqueIdentifier {
    public var description: String { text }

    // Compare bytes: a file's name may identify a layer, and two names that differ only in their Unicode form are equal as strings.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    public static func < (left: Self, right: Self) -> Bool { left.text.precedesByBytes(right.text) }
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Identifies a service type, such as "Sunday morning".
public struct ServiceTypeID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Identifies a plan.
public struct PlanID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }

    private static let set = "set/"

    /// The id of the plan that a folder or a list represents. `path` is relative to the configured folder.
    public static func ofSet(_ path: String) -> PlanID { PlanID(set + path) }

    public var source: PlanSource { text.hasPrefix(Self.set) ? .sets : .service }

    /// Who decides what is in a plan.
    public enum Owner: Hashable, Sendable {
        case service, folder
        /// Somebody in the band, who shares a set.
        case band

        public var words: String {
            switch self {
            case .service: "the service"
            case .folder: "your folder"
            case .band: "the band"
            }
        }
    }

    public var owner: Owner {
        guard source == .sets else { return .service }
        // The name of a set's folder or list begins with a date, so it never consists of sixteen hexadecimal digits.
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isShared = parts.count == 4 && parts[1] == "band" && parts[3].utf8.count == 16 && parts[3].allSatisfy(\.isHexDigit)
        return isShared ? .band : .folder
    }

    /// Holds the charts that were opened from a songbook. People never see it as a plan, and no list of plans contains it.
    public static let songbook = PlanID("songbook")
}

/// Identifies an item of a plan.
public struct ItemID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Identifies an attachment at the service, or a file in a folder of sets.
public struct AttachmentID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }

    private static let ofBytes = "bytes/"

    /// The id of a file in a folder of sets. It depends on the bytes alone, so it stays the same wherever the file is moved.
    public init(ofBytes digest: Digest) { self.init(Self.ofBytes + digest.hex) }

    /// The digest of the bytes of a file in a folder of sets; `nil` for an attachment at the service.
    public var bytes: Digest? { text.hasPrefix(Self.ofBytes) ? Digest(hex: String(text.dropFirst(Self.ofBytes.count))) : nil }
}

/// Identifies a song in one arrangement.
public struct SongID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }
}

/// Identifies a layer of marks.
public struct LayerID: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }

    /// The prefixes of ids that this program gives: to the layers of files, and to the layers that the band shares.
    public static let (ofFile, ofBand) = ("file:", "band:")
    private static let ofService = "service:"

    /// The id of a layer of the service. If the id begins with one of these three prefixes, `service:` is put in front, so that the id
    /// differs from all ids that this program gives.
    public init(atService id: String) {
        self.init([Self.ofFile, Self.ofBand, Self.ofService].contains { id.hasPrefix($0) } ? Self.ofService + id : id)
    }
}

extension String {
    /// The text as one part of an address's path or query. All bytes except ASCII letters, digits and `-._~` are encoded.
    public var percentEncoded: String {
        utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._~".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
