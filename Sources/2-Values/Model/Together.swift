/// Who leads the musicians who turn together, and where the leader is.
///
/// It is a state, not an event: every message has all of it, so whoever comes late, slept or lost a message knows everything from the
/// next one. Of two states, the greater one counts everywhere; no clock decides.
public struct Together: Hashable, Sendable {
    /// Raised by each claim of the lead.
    public let epoch: Int
    public let leader: Leader
    /// Raised by each message within the epoch, which only its leader sends.
    public private(set) var version = 1
    /// False once the leader has given up the lead.
    public private(set) var isLed = true
    public private(set) var place: Place?
    /// What the leader says to everybody at present, such as "Again from B".
    public private(set) var message: String?

    /// The window that claimed the epoch.
    public struct Leader: Hashable, Sendable {
        /// Random letters and digits that the leading window made up.
        public let window: String
        /// The device of the band to whose agent the window belongs; empty without a band.
        public let device: String
        /// What the others call the leader.
        public let name: String

        /// `nil` unless `window` consists of 1 to 40 small letters and digits, and `device` of up to 16.
        public init?(window: String, device: String = "", name: String) {
            func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) } }
            guard (1...40).contains(window.utf8.count), isPlain(window), device.utf8.count <= 16, isPlain(device) else { return nil }
            (self.window, self.device) = (window, device)
            let name = name.asShownLine()
            self.name = name.isEmpty ? "somebody" : name
        }
    }

    /// What is on the leader's stand.
    public struct Place: Hashable, Sendable {
        public let plan: PlanID?
        public let item: ItemID?
        public let chart: AttachmentID
        /// The chart's bytes: for everybody with the same ones, the page means the same.
        public let hash: ChartHash
        public let page: PageIndex
        /// How far down the page the leader's screen begins, as a fraction of the page's height.
        public let down: Double

        /// `nil` if an id is longer than any service's or has control characters, or if a number is out of range.
        public init?(plan: PlanID?, item: ItemID?, chart: AttachmentID, hash: ChartHash, page: PageIndex, down: Double) {
            for id in [plan?.text, item?.text, chart.text].compactMap(\.self) {
                guard (1...Self.longestID).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
            }
            guard (0...PageIndex.greatest).contains(page.value), (0...1).contains(down) else { return nil }
            (self.plan, self.item, self.chart, self.hash, self.page, self.down) = (plan, item, chart, hash, page, down)
        }

        /// In bytes. The ids of the musician's own sets are the longest, since they contain a path.
        private static let longestID = 1024
    }

    /// What a window asks of its agent.
    public struct Wish: Hashable, Sendable {
        public enum Act: String, Sendable { case claim, tell, end }
        public let act: Act
        public let window: String
        /// The highest epoch that the window knows: its agent may have been restarted since, and know less.
        public let epoch: Int
        public let place: Place?
        public let message: String?

        public init(_ act: Act, window: String, epoch: Int = 0, place: Place? = nil, message: String? = nil) {
            (self.act, self.window, self.epoch, self.place, self.message) = (act, window, epoch, place, message)
        }
    }

    /// The greatest epoch and version: every program represents whole numbers up to this one exactly.
    public static let greatest = 1 << 53
    /// The most by which one message may raise the epoch. Whoever sends the greatest epoch there is would otherwise lead for ever, since
    /// nobody could claim a greater one. Honest claims raise it by one.
    public static let greatestStep = 1 << 20

    /// The state after a claim, which everybody who knows `known` follows. `nil` if there is no greater epoch.
    public init?(claimedBy leader: Leader, after known: Together?, atLeast epoch: Int = 0, place: Place? = nil, message: String? = nil) {
        let base = known?.epoch ?? 0
        let highest = max(base, min(epoch, base + Self.greatestStep - 1))
        guard highest < Self.greatest else { return nil }
        self.init(epoch: highest + 1, leader: leader, version: 1, isLed: true, place: place, message: message)
    }

    /// `nil` if a number is out of range.
    init?(epoch: Int, leader: Leader, version: Int, isLed: Bool, place: Place?, message: String?) {
        guard (1...Self.greatest).contains(epoch), (1...Self.greatest).contains(version) else { return nil }
        (self.epoch, self.leader, self.version, self.isLed, self.place) = (epoch, leader, version, isLed, place)
        self.message = Self.shown(message)
    }

    private static func shown(_ message: String?) -> String? { message.map { $0.asShownLine() }.flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether everybody goes by this state instead of `known`. Two who claim at once claim the same epoch; everybody then follows the
    /// same one of them.
    public func isNewer(than known: Together?) -> Bool {
        guard let known else { return true }
        return (epoch, leader.device, leader.window, version) > (known.epoch, known.leader.device, known.leader.window, known.version)
    }

    /// Whether a state that somebody sent replaces `known`. Whoever knows nothing cannot tell how often others have claimed, and the leader who
    /// is followed knows that better than the followers: both leave room for many claims, above which only single steps are believed.
    public func isBelieved(after known: Together?) -> Bool {
        let base = known?.epoch ?? 0
        let room = Self.greatest - Self.greatestStep
        let most = known.map { $0.leader == leader } ?? true ? room : min(base + Self.greatestStep, room)
        return isNewer(than: known) && epoch <= max(most, base + 1)
    }

    /// Whether honest claims alone do not lead to this epoch: then it counts only as long as its leader's words come.
    public var isBeyondHonestClaims: Bool { epoch > Self.greatestStep }

    /// Notes where the leader is and what the leader says. Even a sign of life has a version of its own: a message that somebody repeats is
    /// none.
    public mutating func say(_ place: Place?, _ message: String?) {
        guard version < Self.greatest else { return }
        (self.place, self.message) = (place, Self.shown(message))
        version += 1
    }

    public mutating func giveUp() {
        guard version < Self.greatest, isLed else { return }
        (isLed, message) = (false, nil)
        version += 1
    }
}
