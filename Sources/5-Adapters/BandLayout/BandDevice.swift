public import Model

/// Identifies one device of a band by the id of its home, sixteen random characters.
public struct BandDevice: OpaqueIdentifier {
    public let text: String
    public init(_ text: String) { self.text = text }

    /// `nil` unless `text` has the form of a device's id, which makes it safe in a path. Capitals are accepted, because file
    /// systems that ignore case may have made them.
    public init?(checking text: some StringProtocol) {
        let text = text.lowercased()
        guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }) else { return nil }
        self.text = text
    }
}

/// The paths in a band's place.
public enum BandPath {
    /// A place without this file counts as out of reach, never as empty.
    public static let marker = "team.json"
    /// The file through which newcomers and members find each other in a place that cannot be listed.
    public static let door = "door.json"
    /// The folder that contains all devices' folders.
    public static let devices = "d"

    public static func folder(of device: BandDevice) -> String { "\(devices)/\(device)" }
    public static func head(of device: BandDevice) -> String { "\(folder(of: device))/head.json" }
    /// The path of a file that is written and then removed to check whether the device may do both in the place.
    public static func probe(of device: BandDevice) -> String { "\(folder(of: device))/probe.json" }
    public static func object(_ sum: Digest, of device: BandDevice) -> String { "\(folder(of: device))/\(name(ofObject: sum))" }

    public static func name(ofObject sum: Digest) -> String { "o-\(sum.hex).json" }

    /// The sum in the name of an object; `nil` for any other name.
    public static func object(named name: String) -> Digest? {
        guard name.hasPrefix("o-"), name.hasSuffix(".json") else { return nil }
        return Digest(hex: String(name.dropFirst(2).dropLast(5)))
    }

    /// The sum in the name of an object, even if a sync program gave the name to a copy, or a file system changed its case; `nil`
    /// for any other name.
    public static func object(copied name: String) -> Digest? {
        let name = name.prefix(66).lowercased()
        return name.hasPrefix("o-") ? Digest(hex: String(name.dropFirst(2))) : nil
    }

    /// The object that a path names; `nil` for any other path.
    public static func object(at path: String) -> (device: BandDevice, sum: Digest)? {
        let parts = path.split(separator: "/")
        guard parts.count == 3, parts[0] == devices, let device = BandDevice(checking: parts[1]), let sum = object(named: String(parts[2]))
        else { return nil }
        return (device, sum)
    }
}
