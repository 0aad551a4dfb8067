/// One service and when it is.
public struct Plan: Hashable, Sendable, Codable {
    public var id: PlanID
    public var serviceType: ServiceTypeID
    public var serviceTypeName: String
    public var title: String
    /// The dates as the service words them, for people.
    public var dates: String
    /// The beginning of its first time and the end of its last one; `nil` for a plan that has no times yet.
    public var firstTime: Timestamp?
    public var lastTime: Timestamp?
    /// When its first service begins, not counting rehearsals; `nil` if the service does not mark which of its times are services.
    public var serviceTime: Timestamp?

    public init(
        id: PlanID, serviceType: ServiceTypeID, serviceTypeName: String = "", title: String = "", dates: String = "",
        firstTime: Timestamp? = nil, lastTime: Timestamp? = nil, serviceTime: Timestamp? = nil
    ) {
        (self.id, self.serviceTime, self.serviceType, self.serviceTypeName) = (id, serviceTime, serviceType, serviceTypeName)
        (self.title, self.dates, self.firstTime, self.lastTime) = (title, dates, firstTime, lastTime)
    }

    /// The time that people go by: a rehearsal on the day before does not make it that day's plan.
    public var mainTime: Timestamp? { serviceTime ?? firstTime }

    /// How long after its last time a plan is past.
    public static let graceAfterLastTime: Duration = .seconds(12 * 3600)

    /// The latest of its times: an end before the beginning does not count.
    public var end: Timestamp? { [firstTime, serviceTime, lastTime].compactMap(\.self).max() }

    /// Whether it is over. A plan without times never is.
    public func isPast(at now: Timestamp) -> Bool {
        end.map { now > $0 + Self.graceAfterLastTime } ?? false
    }

    /// Its name for people: its title, or its service type.
    public var displayName: String { title.isEmpty ? serviceTypeName : title }
}

/// One entry of a plan's running order.
public struct PlanItem: Hashable, Sendable, Codable {
    public var id: ItemID
    /// Its place in the running order.
    public var sequence: Int
    public var title: String
    public var keyName: String
    /// Its charts, in the order in which they are shown.
    public var attachments: [Attachment]
    /// Its kind, in the service's words: `song`, `header`, `media`, `item`.
    public var kind: String?
    /// The name of its song's arrangement.
    public var arrangement: String?
    /// The arrangement's tempo, in beats per minute.
    public var tempo: Int?
    /// Its length in seconds.
    public var length: Int?
    /// The planner's remarks on it.
    public var description: String?
    /// Its song, if the service has the words and chords.
    public var song: ItemSong?

    public init(
        id: ItemID, sequence: Int, title: String, keyName: String = "", attachments: [Attachment] = [], kind: String? = nil,
        arrangement: String? = nil, tempo: Int? = nil, length: Int? = nil, description: String? = nil, song: ItemSong? = nil
    ) {
        (self.kind, self.arrangement, self.tempo, self.length) = (kind, arrangement, tempo, length)
        (self.description, self.id, self.song) = (description, id, song)
        (self.sequence, self.title, self.keyName, self.attachments) = (sequence, title, keyName, attachments)
    }
}

/// The identity of a chart in plans: the file at the service and, if that is made on demand, its origin.
///
/// One song in two keys is one file at the service, but two charts.
public struct ChartUse: Hashable, Comparable, Sendable {
    public let attachment: AttachmentID
    /// Empty for a file that is the same wherever it is shown.
    public let madeFrom: String

    public init(_ attachment: AttachmentID, madeFrom: String = "") { (self.attachment, self.madeFrom) = (attachment, madeFrom) }

    public static func < (left: ChartUse, right: ChartUse) -> Bool {
        (left.attachment, left.madeFrom) < (right.attachment, right.madeFrom)
    }
}

/// A file that belongs to an item at the service.
public struct Attachment: Hashable, Sendable, Codable {
    public var id: AttachmentID
    public var filename: String
    public var contentType: String
    /// As the service gives it; 0 if it makes the file on demand, or gives an impossible size.
    public var fileSize: Int
    public var updatedAt: Timestamp?
    /// Whether the service makes it on demand from an arrangement.
    public var isGenerated: Bool
    /// The origin of this use of a generated file, besides its own `updatedAt`: the arrangement's state and the key.
    public var generatedFrom: String
    /// The order in which to show its pages, in the service's own words; usually empty.
    public var pageOrder: String

    /// Its name for people: the file's name without its ending.
    public var displayName: String {
        let name = filename.lowercased()
        guard let ending = ([".pdf"] + Self.songEndings).first(where: name.hasSuffix) else { return filename }
        return String(filename.dropLast(ending.count))
    }

    private static let songEndings = [".cho", ".chopro", ".chordpro", ".crd", ".pro"]

    /// Whether a file of this name has a song in ChordPro.
    public static func isSong(named name: String) -> Bool { songEndings.contains(where: name.lowercased().hasSuffix) }

    /// Whether it is a file with words and chords, from which its chart is drawn here.
    public var isSong: Bool { !isGenerated && Self.isSong(named: filename) && !generatedFrom.isEmpty }

    public init(
        id: AttachmentID, filename: String, contentType: String = "application/pdf", fileSize: Int = 0,
        updatedAt: Timestamp? = nil, isGenerated: Bool = false, generatedFrom: String = "", pageOrder: String = ""
    ) {
        (self.id, self.filename, self.contentType, self.fileSize) = (id, filename, contentType, fileSize)
        (self.updatedAt, self.isGenerated, self.generatedFrom, self.pageOrder) = (updatedAt, isGenerated, generatedFrom, pageOrder)
    }

    /// Which of the file's charts this is.
    public var use: ChartUse { ChartUse(id, madeFrom: generatedFrom) }

    /// Identifies one state of the file at the service: if the text is the same, there is no need to download it again.
    public var version: String {
        "\(updatedAt?.description ?? "-") \(fileSize) \(generatedFrom)" + (pageOrder.isEmpty ? "" : " \(pageOrder)")
    }
}

/// A plan with its running order, as one poll returned it.
public struct PlanContents: Hashable, Sendable, Codable {
    public var plan: Plan
    public var items: [PlanItem]
    /// The files that are attached to the plan but not shown.
    public var leftOut: [LeftOut]
    /// The choice of charts that it was made with, in words; `nil` if that was not recorded.
    public var choice: String?
    /// The words and chords of its songs, on their way to the library. They are not part of its identity: its items name them.
    public var texts: [SongText] = []

    public init(plan: Plan, items: [PlanItem], leftOut: [LeftOut] = [], choice: String? = nil) {
        (self.plan, self.items, self.leftOut, self.choice) = (plan, items, leftOut, choice)
    }

    private enum CodingKeys: CodingKey { case plan, items, leftOut, choice }

    public static func == (left: PlanContents, right: PlanContents) -> Bool {
        left.plan == right.plan && left.items == right.items && left.leftOut == right.leftOut && left.choice == right.choice
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(plan)
        hasher.combine(items)
        hasher.combine(leftOut)
        hasher.combine(choice)
    }

    /// Every chart once, in the order of the items.
    public var attachments: [Attachment] {
        var seen: Set<ChartUse> = []
        return items.flatMap(\.attachments).filter { seen.insert($0.use).inserted }
    }
}

extension PlanContents {
    /// The rules of the configuration that leave out some of its files, in words.
    public var rules: String {
        var rules: [String] = []
        for file in leftOut {
            if case .notChosen(let rule) = file.reason, !rules.contains(rule) { rules.append(rule) }
        }
        return rules.joined(separator: "; ")
    }
}

/// A plan that the service lists, but whose latest contents could not be read.
public struct UnreadPlan: Hashable, Sendable {
    /// As it is listed.
    public var plan: Plan
    public var since: Timestamp
    /// Why, to be put after a colon; `nil` if it has not been requested yet.
    public var reason: String?

    public init(plan: Plan, since: Timestamp, reason: String? = nil) { (self.plan, self.since, self.reason) = (plan, since, reason) }
}

/// A plan that was kept as it was, because the service's new version of it looks wrong.
public struct HeldBackPlan: Hashable, Sendable {
    /// The plan as it is kept.
    public let plan: Plan
    /// How many charts it has in the version that is kept.
    public let chartsKept: Int
    /// The service's present version.
    public let sent: PlanContents
    /// Since when the service has sent exactly that.
    public let since: Timestamp
    /// The doubt about it.
    public let reason: HoldReason

    package init(plan: Plan, chartsKept: Int, sent: PlanContents, since: Timestamp, reason: HoldReason) {
        (self.plan, self.chartsKept, self.sent, self.since, self.reason) = (plan, chartsKept, sent, since, reason)
    }

    /// How many charts the service's version has.
    public var chartsSent: Int { sent.attachments.count }
}

/// A file at the service that is not shown, and why.
public struct LeftOut: Hashable, Sendable, Codable {
    /// Why a file is not shown.
    public enum Reason: Hashable, Sendable, Codable {
        /// It is a recording, a link or a text document: nothing with pages.
        case notAPDF
        /// The configuration leaves it out, by this rule.
        case notChosen(rule: String)
        /// No item of the running order has it: it belongs to something else, of this kind in the service's words.
        case ofNoItem(owner: String)
        /// The service does not let us download it.
        case noPermission
    }

    /// Whether it was left out by choice.
    public var isByChoice: Bool {
        if case .notChosen = reason { true } else { false }
    }

    /// Whether the service lists it with the plan as part of a song, but names no such song in the plan.
    public var isContradiction: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ["Song", "Arrangement", "Key", "Item"].contains(owner)
    }

    /// Whether the service has it with the plan, but attached to nothing of a kind that is known here.
    public var isOfUnknown: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ChartChoice.Owner(rawValue: owner.lowercased()) == nil
    }

    public var attachment: AttachmentID
    public var filename: String
    /// The title of the item that it belongs to, if there is one.
    public var item: String
    public var reason: Reason

    public init(attachment: AttachmentID, filename: String, item: String, reason: Reason) {
        (self.attachment, self.filename, self.item, self.reason) = (attachment, filename, item, reason)
    }
}
