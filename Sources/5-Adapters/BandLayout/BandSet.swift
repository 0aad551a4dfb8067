import JSON
public import Model
public import Sets

/// The file with a set that a device shares.
extension SharedSet {
    /// The most bytes of the file. Five hundred songs with two charts each take less.
    public static let limit = 256 << 10

    private struct Form: Decodable {
        struct Item: Decodable {
            struct Chart: Decodable {
                let name: String
                let sha256: String
                let size: Int
                let sent: Bool?
            }
            let kind: String
            let title: String
            let key: String?
            let capo: Int?
            let charts: [Chart]?
        }
        let set: String
        let items: [Item]
    }

    /// Throws if the bytes are not a set. Items and charts beyond the limits of a set are left out.
    public init(reading bytes: [UInt8]) throws(Trouble) {
        guard bytes.count <= Self.limit else { throw .malformed("it is longer than \(Self.limit >> 10) KB") }
        let form = try BandText.decode(Form.self, bytes)
        guard let name = Self.name(form.set) else { throw .malformed("its “set” begins with no date") }
        let items = form.items.map { item in
            Item(
                Item.Kind(rawValue: item.kind) ?? .remark, SongTitle(title: item.title, key: item.key, capo: item.capo),
                charts: (item.charts ?? []).compactMap { chart in
                    Digest(hex: chart.sha256).map { Chart(name: chart.name, bytes: $0, size: chart.size, isSent: chart.sent ?? false) }
                })
        }
        self.init(name: name, items: items)
    }

    /// The name of a set; `nil` if it does not begin with a date.
    public static func name(_ text: String) -> SetName? {
        guard case .set(let name) = SetName.read(BandText.name(text)) else { return nil }
        return name
    }

    /// The name of the set in a folder or a list at this path; `nil` if it does not begin with a date.
    public static func name(ofPath path: String) -> SetName? {
        let name = path.split(separator: "/").last ?? ""
        return Self.name(String(name.lowercased().hasSuffix(".txt") ? name.dropLast(4) : name))
    }

    public var bytes: [UInt8] {
        let items = items.map { item -> JSONText in
            let charts = item.charts.map { chart -> JSONText in
                [
                    "name": .text(chart.name), "sha256": .text(chart.bytes.hex), "size": .integer(chart.size),
                    "sent": .boolean(chart.isSent),
                ]
            }
            return [
                "kind": .text(item.kind.rawValue), "title": .text(item.title.title), "key": .maybe(item.title.key),
                "capo": item.title.capo.map(JSONText.integer) ?? .null, "charts": .list(charts),
            ]
        }
        let text: JSONText = ["format": .integer(BandText.format), "set": .text(name.text), "items": .list(items)]
        return text.bytes(forBrowsers: false) + [0x0a]
    }
}

extension BandHead {
    /// A set that the device shares.
    public struct SetEntry: Hashable, Sendable {
        public struct File: Hashable, Sendable {
            public let object: Digest
            public let length: Int

            public init(object: Digest, length: Int) { (self.object, self.length) = (object, length) }
        }

        /// Distinguishes this set from the device's others, and never changes. It reveals nothing about the set's folder.
        public let id: String
        /// The SHA-256 and the length in bytes of the object that contains the set.
        public let object: Digest
        public let length: Int
        /// The files of charts that are shared with the set; each is an object, too.
        public let files: [File]

        public init(id: String, object: Digest, length: Int, files: [File]) {
            (self.id, self.object, self.length, self.files) = (id, object, length, files)
        }
    }

    /// The most sets that a device shares.
    public static let mostSets = 20
    /// The most bytes of charts that a band shares, and the most of one chart.
    public static let mostChartBytes = 200_000_000
    public static let longestChart = 64_000_000

    /// All objects that the head names, with their lengths.
    public var objects: [Digest: Int] {
        var all: [(Digest, Int)] = layers.map { ($0.object, $0.length) }
        all += sets.map { ($0.object, $0.length) }
        for set in sets { all += set.files.map { ($0.object, $0.length) } }
        return Dictionary(all) { first, _ in first }
    }

    /// How many bytes of charts the device shares.
    public var chartBytes: Int {
        Dictionary(sets.flatMap { $0.files.map { ($0.object, $0.length) } }) { first, _ in first }.values.reduce(0, +)
    }
}

/// The id of a set is unique to one device, so a shared set has another id on each device.
extension PlanID {
    /// The plan of a set that `device` shares.
    public static func ofBand(_ device: BandDevice, _ set: String) -> PlanID { ofSet("\(band)\(device)/\(set)") }

    /// The id with which a set is shared.
    public var sharedID: String { String(SHA256.digest(of: text).hex.prefix(16)) }

    /// The device that shares the set; `nil` if the plan is the musician's own, or the service's.
    public var bandDevice: BandDevice? { shared?.device }

    /// What the plan is called on all devices of the band, whoever shares it.
    public var everywhere: String { shared?.set ?? (source == .sets ? sharedID : text) }

    private static let band = "band/"

    private var shared: (device: BandDevice, set: String)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard source == .sets, parts.count == 4, "\(parts[1])/" == Self.band, let device = BandDevice(checking: parts[2]),
            BandHead.isID(String(parts[3]))
        else { return nil }
        return (device, String(parts[3]))
    }
}
