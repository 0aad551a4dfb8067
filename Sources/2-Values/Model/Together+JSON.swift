public import JSON

extension Together {
    private struct Form: Decodable {
        let epoch: Int
        let version: Int
        let led: Bool
        let window: String
        let device: String?
        let leader: String
        let place: Place.Form?
        let message: String?
    }

    /// The state as agents send it to each other and to browsers.
    public var json: JSONText {
        [
            "epoch": .integer(epoch), "version": .integer(version), "led": .boolean(isLed), "leader": .text(leader.name),
            "window": .text(leader.window), "device": .text(leader.device), "place": place?.json ?? .null, "message": .maybe(message),
        ]
    }

    /// Reads a state that somebody sent; `nil` if any part of it is out of bounds.
    public init?(reading bytes: [UInt8]) {
        guard let part = try? JSONReader.whole(bytes, limits: Self.limits) else { return nil }
        self.init(part)
    }

    /// A state has a dozen values.
    fileprivate static let limits = JSONLimits(depth: 6, values: 100)

    fileprivate init?(_ part: JSONPart) {
        guard let form = try? part.decoded(as: Form.self),
            let leader = Leader(window: form.window, device: form.device ?? "", name: form.leader)
        else { return nil }
        let place = form.place.map { Place($0) }
        if case .some(nil) = place { return nil }
        self.init(
            epoch: form.epoch, leader: leader, version: form.version, isLed: form.led, place: place ?? nil, message: form.message)
    }
}

extension Together.Place {
    fileprivate struct Form: Decodable {
        let plan: String?
        let item: String?
        let chart: String
        let hash: String
        let page: Int
        let down: Double?
    }

    fileprivate init?(_ form: Form) {
        guard let hash = Digest(hex: form.hash) else { return nil }
        self.init(
            plan: form.plan.map { PlanID($0) }, item: form.item.map { ItemID($0) }, chart: AttachmentID(form.chart), hash: ChartHash(hash),
            page: PageIndex(form.page), down: form.down ?? 0)
    }

    fileprivate var json: JSONText {
        [
            "plan": .maybe(plan?.text), "item": .maybe(item?.text), "chart": .text(chart.text), "hash": .text(hash.digest.hex),
            "page": .integer(page.value), "down": .number(down),
        ]
    }
}

extension Together.Wish {
    private struct Form: Decodable {
        let act: String
        let window: String
        let epoch: Int?
        let place: Together.Place.Form?
        let message: String?
    }

    /// Reads what a browser sent; `nil` if any part of it is out of bounds.
    public init?(_ bytes: [UInt8]) {
        guard let form = try? JSONReader.decode(Form.self, from: bytes), let act = Act(rawValue: form.act) else { return nil }
        let place = form.place.map { Together.Place($0) }
        if case .some(nil) = place { return nil }
        self.init(act, window: form.window, epoch: max(0, form.epoch ?? 0), place: place ?? nil, message: form.message)
    }
}

/// A state on its way from the agent of its leader to the others of the band, with the signature of the leader's device.
///
/// Whoever has it can pass it on, and nobody can change it. An old one changes nothing, since the greater state counts.
public struct TogetherWord: Hashable, Sendable {
    public let state: Together
    /// The band for which it was signed. In any other band, it means nothing.
    public let team: String
    /// The bytes as they are sent.
    public let bytes: [UInt8]

    /// More than the longest state has.
    public static let limit = 8 << 10

    /// `nil` unless the key is that of the leader's device.
    public init?(_ state: Together, team: String, signedBy key: SigningKey) {
        guard key.verifier.name == state.leader.device else { return nil }
        let text: JSONText = ["format": 1, "team": .text(team), "key": .text(key.verifier.hex), "state": state.json]
        let said = text.bytes(forBrowsers: false)
        (self.state, self.team) = (state, team)
        bytes = said + [0x0a] + Array(key.sign(Self.context + said).utf8)
    }

    private struct Form: Decodable {
        let format: Int
        let team: String
        let key: String
    }

    /// `nil` unless the bytes are a word with the signature of the device that its state names as the leader's. The names of devices
    /// are made from their keys.
    public init?(reading bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let end = bytes.lastIndex(of: 0x0a),
            let part = try? JSONReader.whole(Array(bytes[..<end]), limits: Together.limits),
            let form = try? part.decoded(as: Form.self), form.format == 1, let state = part["state"].flatMap({ Together($0) }),
            let key = SigningKey.Verifier(hex: form.key), key.name == state.leader.device,
            key.confirms(String(decoding: bytes[(end + 1)...], as: UTF8.self), of: Self.context + bytes[..<end])
        else { return nil }
        (self.state, team, self.bytes) = (state, form.team, bytes)
    }

    /// Part of the signed bytes, so that a signature made for another purpose is invalid.
    private static let context = Array("woodshed together\n".utf8)
}
