import JSON
public import Model

/// One device's report to its band, in one file: who plays there, which layers of marks it shares, and whether it is ready.
public struct BandHead: Hashable, Sendable {
    /// A layer that the device shares.
    public struct Layer: Hashable, Sendable {
        /// Distinguishes this layer from the device's others, and never changes.
        public let id: String
        /// The layer's name for people.
        public let name: String
        /// The name of layers drawn in Woodshed. The values in such a layer show which of two edits is later, so the layers of one
        /// musician's devices can be joined into one layer.
        public static let drawnName = MarkFile.drawnName
        public let chart: ChartHash
        /// The chart's name for people.
        public let title: String
        /// The SHA-256 and the length in bytes of the object that contains the marks.
        public let object: Digest
        public let length: Int
        /// The counter of the first head that named this object for the layer.
        public let since: Int
        /// The attachment for which the layer is shared; `nil` in a head from an older program.
        public let attachment: AttachmentID?

        public init(
            id: String, name: String, chart: ChartHash, title: String, object: Digest, length: Int, since: Int,
            attachment: AttachmentID? = nil
        ) {
            (self.id, self.name, self.title) = (id, BandText.name(name), BandText.name(title))
            (self.chart, self.object, self.length, self.since, self.attachment) = (chart, object, length, since, attachment)
        }
    }

    /// A musician's decision about sharing marks. It is made on one device, and applies to all the musician's devices until a later
    /// decision.
    public struct Decision: Hashable, Sendable {
        /// The id of an attachment. It is empty for all charts, and a single blank for leaving the band.
        public let chart: String
        public let isShared: Bool
        /// The decision's number, greater than that of any decision known when it was made.
        public let at: Int

        public init(chart: String, isShared: Bool, at: Int) { (self.chart, self.isShared, self.at) = (chart, isShared, at) }

        /// Whether the decision withdraws marks. With the blank as chart, `isShared` means that the musician leaves.
        public var isOff: Bool { (chart == " ") == isShared }
        public var isLeave: Bool { chart == " " && isShared }
    }

    /// Whether the device has everything needed to play a plan.
    public struct Readiness: Hashable, Sendable {
        public let plan: PlanID
        public let title: String
        public let time: Timestamp?
        public let isReady: Bool
        /// Descriptions of what is missing, with counts and titles.
        public let lacks: [String]
        public let asOf: Timestamp
        /// When the plan was last opened on the device; `nil` if unknown.
        public let opened: Timestamp?

        public init(
            plan: PlanID, title: String, time: Timestamp?, isReady: Bool, lacks: [String], asOf: Timestamp, opened: Timestamp? = nil
        ) {
            (self.plan, self.title, self.time, self.isReady) = (plan, BandText.name(title), time, isReady)
            (self.lacks, self.asOf, self.opened) = (lacks.prefix(BandHead.mostLacks).map(BandText.name), asOf, opened)
        }
    }

    public let device: BandDevice
    /// Different in each head that the device writes; the head with the higher number is the newer one.
    public var counter: Int
    public var person: String
    /// What people call the device.
    public var name: String
    /// `true` if the device has left the band.
    public var hasLeft: Bool
    /// The devices known to this device.
    public var roster: [BandDevice]
    public var readiness: [Readiness]
    /// The time at which `readiness` covered all plans that begin within `ahead`; `nil` if it covers none.
    public var asOf: Timestamp?
    public var layers: [Layer]
    public var sets: [SetEntry] = []
    /// Tonight's sets that the musician offers to the others.
    public var offers: [TonightOffer] = []
    /// Whether the device offers more than this program can read.
    public private(set) var hasUnreadOffers = false
    /// The band for which the head was written. A signature for one band is invalid in any other.
    public var team: BandDevice?
    /// The devices that this device claims to be the same musician's. Two devices count as the same musician's only if each
    /// claims the other.
    public var kin: [BandDevice] = []
    public var decisions: [Decision] = []
    /// Where the device's agent can be reached by those who turn pages together, such as `192.168.1.5:8737`; empty if it takes no part.
    public var addresses: [String] = []
    /// Identifies the process that wrote the head, so that its home recognises its own heads; `nil` in a head from an older program.
    public var writer: String?
    /// The key whose signature was confirmed; `nil` if the head is not signed.
    public private(set) var signer: SigningKey.Verifier?

    public init(
        device: BandDevice, counter: Int, person: String, name: String, hasLeft: Bool = false, roster: [BandDevice] = [],
        readiness: [Readiness] = [], asOf: Timestamp? = nil, layers: [Layer] = [], writer: String? = nil
    ) {
        let person = BandText.name(person)
        (self.device, self.counter, self.person, self.name) = (device, counter, person.isEmpty ? "somebody" : person, BandText.name(name))
        (self.hasLeft, self.roster, self.readiness, self.asOf, self.layers) = (hasLeft, roster, readiness, asOf, layers)
        self.writer = writer
    }

    /// In bytes. A longer file is not a head, since five thousand charts take less than a quarter of this.
    public static let limit = 4 << 20
    private static let mostDevices = 1000
    /// The most bytes of an id: more than any service's ids have.
    private static let longestID = 64
    /// The most devices that a head may claim as the same musician's: more laptops and tablets than anybody has.
    public static let mostKin = 20
    private static let mostLayers = 20_000
    private static let mostAddresses = 4
    private static let mostFiles = 500
    public static let mostPlans = 50
    public static let mostOffers = 10
    /// How far ahead a device reports on its plans.
    public static let ahead: Duration = .seconds(28 * 86_400)
    static let mostLacks = 20
    /// The greatest number of a head or a decision. Every program represents whole numbers up to this one exactly.
    public static let greatestCounter = 1 << 53
}

extension BandHead {
    private struct Form: Decodable {
        struct Shared: Decodable {
            let id: String
            let name: String?
            let chart: String
            let title: String?
            let object: String
            let length: Int
            let since: Int
            let of: String?
        }
        struct Said: Decodable {
            let of: String
            let shared: Bool
            let at: Int
        }
        struct Ready: Decodable {
            let plan: String
            let title: String?
            let time: String?
            let ready: Bool
            let lacks: [String]?
            let as_of: String
            let opened: String?
        }
        struct Set: Decodable {
            struct File: Decodable {
                let object: String
                let length: Int
            }
            let id: String
            let object: String
            let length: Int
            let files: [File]?
        }
        let device: String
        let counter: Int
        let person: String
        let name: String?
        let left: Bool?
        let roster: [String]?
        let readiness: [Ready]?
        let as_of: String?
        let layers: [Shared]?
        let sets: [Set]?
        let team: String?
        let kin: [String]?
        let shares: [Said]?
        let writer: String?
        let addresses: [String]?
        let offers: TonightOffer.List?
        let key: String?
        let signature: String?
    }

    /// Reads a file's bytes; throws if they are incomplete or malformed, or if a signature is wrong. The sum distinguishes this
    /// head from any other.
    public static func read(_ bytes: [UInt8]) throws(Trouble) -> (head: BandHead, sum: Digest) {
        let text = bytes.last == 0x0a ? bytes.dropLast() : bytes[...]
        guard let end = text.lastIndex(of: 0x0a), let sum = Digest(hex: String(decoding: text[(end + 1)...], as: UTF8.self)) else {
            throw .torn
        }
        let summed = Array(bytes[...end])
        guard SHA256.digest(of: summed) == sum else { throw .torn }
        let form = try BandText.decode(Form.self, summed)
        var head = try BandHead(form)
        if form.key != nil || form.signature != nil { head.signer = try signer(form, of: summed) }
        return (head, sum)
    }

    /// The key that signed the head; throws if the signature is wrong. The signature is the last field of the JSON object, and not
    /// outside it, because older programs ignore unknown fields.
    private static func signer(_ form: Form, of bytes: [UInt8]) throws(Trouble) -> SigningKey.Verifier {
        let last = bytes.count - signatureEnding(String(repeating: "0", count: 128)).count
        guard let key = form.key.flatMap({ SigningKey.Verifier(hex: $0) }), let signature = form.signature, last > 0,
            bytes[last...].elementsEqual(signatureEnding(signature)), key.confirms(signature, of: context + bytes[..<last])
        else { throw .malformed("its signature is not that of its “key”") }
        return key
    }

    private static func signatureEnding(_ signature: String) -> [UInt8] { Array(",\"signature\":\"\(signature)\"}\n".utf8) }
    /// Part of the signed bytes, so that a signature made for another purpose is invalid.
    private static let context = Array("woodshed head\n".utf8)

    private init(_ form: Form) throws(Trouble) {
        guard let device = BandDevice(checking: form.device) else {
            throw .malformed("its “device” is not sixteen small letters and digits")
        }
        guard (1...Self.greatestCounter).contains(form.counter) else { throw .malformed("its “counter” is none") }
        func few<Part>(_ name: String, _ parts: [Part]?, _ most: Int) throws(Trouble) -> [Part] {
            guard parts?.count ?? 0 <= most else { throw .malformed("it has more than \(most) \(name)") }
            return parts ?? []
        }
        var layers: [Layer] = []
        var ids: Set<String> = []
        for shared in try few("layers", form.layers, Self.mostLayers) {
            guard let chart = Digest(hex: shared.chart), let object = Digest(hex: shared.object), shared.length > 0,
                (1...form.counter).contains(shared.since), Self.isID(shared.id), ids.insert(shared.id).inserted
            else { throw .malformed("its layer “\(BandText.name(shared.id))” is none") }
            layers.append(
                Layer(
                    id: shared.id, name: shared.name ?? "", chart: ChartHash(chart), title: shared.title ?? "", object: object,
                    length: shared.length, since: shared.since,
                    attachment: shared.of.flatMap { (1...Self.longestID).contains($0.utf8.count) ? AttachmentID($0) : nil }))
        }
        let readiness = try few("plans", form.readiness, Self.mostPlans).compactMap { ready -> Readiness? in
            guard let time = Timestamp(ready.as_of), ready.plan.utf8.count <= Self.longestID else { return nil }
            return Readiness(
                plan: PlanID(ready.plan), title: ready.title ?? "", time: ready.time.flatMap { Timestamp($0) }, isReady: ready.ready,
                lacks: ready.lacks ?? [], asOf: time, opened: ready.opened.flatMap { Timestamp($0) })
        }
        let shares = try few("decisions", form.shares, Self.mostLayers)
        guard shares.allSatisfy({ (1...Self.greatestCounter).contains($0.at) && $0.of.utf8.count <= Self.longestID }) else {
            throw .malformed("its “shares” are none")
        }
        self.init(
            device: device, counter: form.counter, person: form.person, name: form.name ?? "", hasLeft: form.left ?? false,
            roster: try few("devices", form.roster, Self.mostDevices).compactMap { BandDevice(checking: $0) }, readiness: readiness,
            asOf: form.as_of.flatMap { Timestamp($0) }, layers: layers, writer: form.writer.map(BandText.name))
        team = form.team.flatMap { BandDevice(checking: $0) }
        addresses = try few("addresses", form.addresses, Self.mostAddresses).filter(Self.isAddress)
        kin = try few("devices", form.kin, Self.mostKin).compactMap { BandDevice(checking: $0) }
        (offers, hasUnreadOffers) = (form.offers?.offers ?? [], form.offers?.areAllRead == false)
        for set in try few("sets", form.sets, Self.mostSets) {
            let files = try few("charts of a set", set.files, Self.mostFiles).compactMap { file in
                (1...Self.longestChart).contains(file.length)
                    ? Digest(hex: file.object).map { SetEntry.File(object: $0, length: file.length) } : nil
            }
            guard let object = Digest(hex: set.object), set.length > 0, Self.isID(set.id), !sets.contains(where: { $0.id == set.id }),
                files.count == set.files?.count ?? 0
            else { throw .malformed("its set “\(BandText.name(set.id))” is none") }
            sets.append(SetEntry(id: set.id, object: object, length: set.length, files: files))
        }
        guard chartBytes <= Self.mostChartBytes else { throw .malformed("its charts are more than \(ByteCount(Self.mostChartBytes))") }
        // No id contains a blank; a single blank stands for leaving.
        decisions = shares.filter { $0.of == " " || !$0.of.contains(" ") }.map { Decision(chart: $0.of, isShared: $0.shared, at: $0.at) }
    }

    /// Whether a text is an IP address and a port. A head must not lead a request anywhere else.
    private static func isAddress(_ text: String) -> Bool {
        (1...60).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: ":"))
            && text.utf8.allSatisfy { (0x30...0x3a).contains($0) || (0x61...0x66).contains($0) || ".[]".utf8.contains($0) }
    }

    static func isID(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
    }

    /// The file's bytes, signed by the device. The last line is the sum of all bytes before it.
    public func bytes(signedBy key: SigningKey) -> [UInt8] {
        let text = text(key.verifier).bytes(forBrowsers: false).dropLast()
        return Self.summed(text + Self.signatureEnding(key.sign(Self.context + text)))
    }

    /// The file's bytes without a signature, to be stored where nobody else writes.
    public var bytes: [UInt8] { Self.summed(text(nil).bytes(forBrowsers: false) + [0x0a]) }

    private static func summed(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(SHA256.digest(of: bytes).hex.utf8) + [0x0a] }

    private func text(_ key: SigningKey.Verifier?) -> JSONText {
        let layers = layers.map { layer -> JSONText in
            [
                "id": .text(layer.id), "name": .text(layer.name), "chart": .text(layer.chart.digest.hex), "title": .text(layer.title),
                "object": .text(layer.object.hex), "length": .integer(layer.length), "since": .integer(layer.since),
                "of": .maybe(layer.attachment.flatMap { $0.text.utf8.count <= Self.longestID ? $0.text : nil }),
            ]
        }
        let readiness = readiness.map { ready -> JSONText in
            [
                "plan": .text(ready.plan.text), "title": .text(ready.title), "time": .time(ready.time), "ready": .boolean(ready.isReady),
                "lacks": .texts(ready.lacks), "as_of": .time(ready.asOf), "opened": .time(ready.opened),
            ]
        }
        let sets = sets.map { set -> JSONText in
            [
                "id": .text(set.id), "object": .text(set.object.hex), "length": .integer(set.length),
                "files": .list(set.files.map { ["object": .text($0.object.hex), "length": .integer($0.length)] }),
            ]
        }
        let shares = decisions.filter { $0.chart.utf8.count <= Self.longestID }.prefix(Self.mostLayers).map { decision -> JSONText in
            ["of": .text(decision.chart), "shared": .boolean(decision.isShared), "at": .integer(decision.at)]
        }
        return [
            "format": .integer(BandText.format), "device": .text(device.text), "counter": .integer(counter), "person": .text(person),
            "name": .text(name), "left": .boolean(hasLeft), "roster": .texts(roster.prefix(Self.mostDevices).map(\.text)),
            "readiness": .list(Array(readiness.prefix(Self.mostPlans))), "as_of": .time(asOf),
            "layers": .list(layers), "sets": .list(sets), "team": .maybe(team?.text),
            "kin": .texts(kin.prefix(Self.mostKin).map(\.text)), "shares": .list(Array(shares)), "writer": .maybe(writer),
            "addresses": .texts(Array(addresses.prefix(Self.mostAddresses))),
            "offers": .list(offers.prefix(Self.mostOffers).map(\.json)), "key": .maybe(key?.hex),
        ]
    }

    /// Whether both heads report the same, regardless of their counters, writers and signers. Rosters are ignored, too: otherwise
    /// every newcomer would make all devices write new heads.
    public func hasTheContents(of other: BandHead) -> Bool {
        var same = other
        (same.counter, same.roster, same.writer, same.signer) = (counter, roster, writer, signer)
        return same == self
    }

    /// Whether each of the two devices claims the other as the same musician's.
    public func isSameMusician(as other: BandHead) -> Bool { kin.contains(other.device) && other.kin.contains(device) }

    /// Groups devices by musician, in the order of the devices.
    public static func byMusician<Device>(_ devices: [Device], _ head: (Device) -> BandHead) -> [[Device]] {
        var musicians: [[Device]] = []
        for device in devices {
            let same = musicians.indices.filter { musicians[$0].contains { head($0).isSameMusician(as: head(device)) } }
            guard let first = same.first else {
                musicians.append([device])
                continue
            }
            // If the device is the same musician's as devices of several groups, these groups are one.
            musicians[first] += same.dropFirst().flatMap { musicians[$0] } + [device]
            for place in same.dropFirst().reversed() { musicians.remove(at: place) }
        }
        return musicians
    }
}
