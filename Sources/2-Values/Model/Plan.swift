/// Where a plan comes from.
public enum PlanSource: Hashable, Sendable {
    case service
    /// The musician's own folders and lists.
    case sets
}

/// A plan for a service, with its times.
public struct Plan: Hashable, Sendable, Codable {
    public var id: PlanID
    public var serviceType: ServiceTypeID
    public var serviceTypeName: String
    public var title: String
    /// The dates for people, as the service words them.
    public var dates: String
    /// When the first of the plan's times begins and, below, when the last one ends; `nil` if the plan has no times yet.
    public var firstTime: Timestamp?
    public var lastTime: Timestamp?
    /// When the first service begins, not counting rehearsals; `nil` if the service does not state which times are services.
    public var serviceTime: Timestamp?

    public init(
        id: PlanID, serviceType: ServiceTypeID, serviceTypeName: String = "", title: String = "", dates: String = "",
        firstTime: Timestamp? = nil, lastTime: Timestamp? = nil, serviceTime: Timestamp? = nil
    ) {
        (self.id, self.serviceTime, self.serviceType, self.serviceTypeName) = (id, serviceTime, serviceType, serviceTypeName)
        (self.title, self.dates, self.firstTime, self.lastTime) = (title, dates, firstTime, lastTime)
    }

    /// The time by which people know the plan: the service's, even if there is a rehearsal on the day before.
    public var mainTime: Timestamp? { serviceTime ?? firstTime }

    /// Whether the plan has a day but no time of day, like a set whose name has only a date.
    public var isAllDay: Bool { id.source == .sets && lastTime != firstTime }

    /// How long after its last time a plan begins to count as past.
    public static let graceAfterLastTime: Duration = .seconds(12 * 3600)

    /// The latest of the plan's times; `nil` without times. An end before the beginning does not count.
    public var end: Timestamp? { [firstTime, serviceTime, lastTime].compactMap(\.self).max() }

    /// Whether the plan is over. `false` for a plan without times.
    public func isPast(at now: Timestamp) -> Bool {
        end.map { now > $0 + Self.graceAfterLastTime } ?? false
    }

    /// The plan's name for people: its title or, if there is none, the name of its service type.
    public var displayName: String { title.isEmpty ? serviceTypeName : title }
}

/// One entry of a plan's running order.
public struct PlanItem: Hashable, Sendable, Codable {
    public var id: ItemID
    /// The item's position in the running order.
    public var sequence: Int
    public var title: String
    public var keyName: String
    /// The charts in the order in which they are shown.
    public var attachments: [Attachment]
    /// The kind of item as the service names it: `song`, `header`, `media`, `item`.
    public var kind: String?
    /// The name of the song's arrangement.
    public var arrangement: String?
    /// The arrangement's tempo, in beats per minute.
    public var tempo: Int?
    /// The length in seconds.
    public var length: Int?
    /// The planner's remarks.
    public var description: String?
    /// The song, if the service has its words and chords.
    public var song: ItemSong?
    /// The page at which the item begins, if it is a song within a book. Only what is added for tonight has one.
    public var start: PageIndex?
    /// The fret of the capo that a list of one's own names behind the song.
    public var capo: Int?

    public init(
        id: ItemID, sequence: Int, title: String, keyName: String = "", attachments: [Attachment] = [], kind: String? = nil,
        arrangement: String? = nil, tempo: Int? = nil, length: Int? = nil, description: String? = nil, song: ItemSong? = nil,
        capo: Int? = nil
    ) {
        (self.kind, self.arrangement, self.tempo, self.length) = (kind, arrangement, tempo, length)
        (self.description, self.id, self.song, self.capo) = (description, id, song, capo)
        (self.sequence, self.title, self.keyName, self.attachments) = (sequence, title, keyName, attachments)
    }
}

/// Identifies a chart in plans: by the file at the service and, for a chart that is made on demand, by its origin.
///
/// A song in two keys is one file at the service, but two charts.
public struct ChartUse: Hashable, Comparable, Sendable {
    public let attachment: AttachmentID
    /// The origin of the chart; empty for a file that is the same in all items.
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
    /// The size as the service states it; 0 if the file is made on demand, or if the stated size is impossible.
    public var fileSize: Int
    public var updatedAt: Timestamp?
    /// Whether the file is not stored at the service, but made on demand from an arrangement, there or here.
    public var isGenerated: Bool
    /// What the chart is made from, if it is made on demand: the state of its source, and the key. Empty for a file that is shown as it
    /// is. Together with `updatedAt`, it identifies the chart's version.
    public var generatedFrom: String
    /// The order in which to show the pages, as the service states it; usually empty.
    public var pageOrder: String

    /// The name for people: the file's name without a known ending.
    public var displayName: String {
        let name = filename.lowercased()
        guard let ending = ([".pdf", Self.textEnding] + Self.songEndings + Self.pictureEndings).first(where: name.hasSuffix) else {
            return filename
        }
        return String(filename.dropLast(ending.count))
    }

    private static let songEndings = [".cho", ".chopro", ".chordpro", ".crd", ".pro"]

    private static let textEnding = ".txt"

    /// Whether a file with this name may contain a song in ChordPro, judged by its ending.
    public static func isChordPro(named name: String) -> Bool { songEndings.contains(where: name.lowercased().hasSuffix) }

    /// Whether a file with this name may contain a song. Whether a text is one shows when it is read.
    public static func isSong(named name: String) -> Bool { isChordPro(named: name) || name.lowercased().hasSuffix(textEnding) }

    /// The format of the song in the file.
    public var dialect: SongText.Dialect { Self.isChordPro(named: filename) ? .chordPro : .any }

    private static let pictureEndings = [".jpg", ".jpeg", ".png"]

    /// Whether a file with this name may be a picture of a page, judged by its ending.
    public static func isPicture(named name: String) -> Bool { pictureEndings.contains(where: name.lowercased().hasSuffix) }

    /// Whether the file has words and chords from which its chart is drawn here.
    public var isSong: Bool { !isGenerated && Self.isSong(named: filename) && !generatedFrom.isEmpty }

    public init(
        id: AttachmentID, filename: String, contentType: String = "application/pdf", fileSize: Int = 0,
        updatedAt: Timestamp? = nil, isGenerated: Bool = false, generatedFrom: String = "", pageOrder: String = ""
    ) {
        (self.id, self.filename, self.contentType, self.fileSize) = (id, filename, contentType, fileSize)
        (self.updatedAt, self.isGenerated, self.generatedFrom, self.pageOrder) = (updatedAt, isGenerated, generatedFrom, pageOrder)
    }

    /// Identifies which of the file's charts this is.
    public var use: ChartUse { ChartUse(id, madeFrom: generatedFrom) }

    /// Identifies one state of the file at the service. While it stays the same, the file need not be downloaded again.
    public var version: String {
        "\(updatedAt?.description ?? "-") \(fileSize) \(generatedFrom)" + (pageOrder.isEmpty ? "" : " \(pageOrder)")
    }
}

/// A plan with its running order, as one poll returned it.
public struct PlanContents: Hashable, Sendable, Codable {
    public var plan: Plan
    public var items: [PlanItem]
    /// The files of the plan that are not shown, and why.
    public var leftOut: [LeftOut]
    /// The choice of charts that the contents were made with, in words; `nil` if it was not recorded.
    public var choice: String?
    /// The words and chords of the songs, until the library has stored them. Equality ignores them, since the items have their digests.
    public var texts: [SongText] = []
    /// Set if the musician has changed the plan for tonight: `items` are then the items as played tonight.
    public internal(set) var tonight: Tonight?

    public init(plan: Plan, items: [PlanItem], leftOut: [LeftOut] = [], choice: String? = nil) {
        (self.plan, self.items, self.leftOut, self.choice) = (plan, items, leftOut, choice)
    }

    private enum CodingKeys: CodingKey { case plan, items, leftOut, choice }

    public static func == (left: PlanContents, right: PlanContents) -> Bool {
        left.plan == right.plan && left.items == right.items && left.leftOut == right.leftOut && left.choice == right.choice
            && left.tonight == right.tonight
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(plan)
        hasher.combine(items)
        hasher.combine(leftOut)
        hasher.combine(choice)
    }

    /// All charts in the order of the items. Each use of a file occurs once.
    public var attachments: [Attachment] {
        var seen: Set<ChartUse> = []
        return items.flatMap(\.attachments).filter { seen.insert($0.use).inserted }
    }
}

extension PlanContents {
    /// The rules of the configuration that exclude files of the plan, in words.
    public var rules: String {
        var rules: [String] = []
        for file in leftOut {
            if case .notChosen(let rule) = file.reason, !rules.contains(rule) { rules.append(rule) }
        }
        return rules.joined(separator: "; ")
    }
}

/// A plan that the service lists, although its latest contents could not be read.
public struct UnreadPlan: Hashable, Sendable {
    /// The plan as listed.
    public var plan: Plan
    public var since: Timestamp
    /// The reason, in words that can follow a colon; `nil` if the contents have not been requested yet.
    public var reason: String?

    public init(plan: Plan, since: Timestamp, reason: String? = nil) { (self.plan, self.since, self.reason) = (plan, since, reason) }
}

/// A plan that stays as it was, because the service's new version looks wrong.
public struct HeldBackPlan: Hashable, Sendable {
    /// The plan as kept.
    public let plan: Plan
    /// The number of charts in the kept version.
    public let chartsKept: Int
    /// The service's present version.
    public let sent: PlanContents
    /// When the service first sent exactly this version.
    public let since: Timestamp
    /// Why the version is doubted.
    public let reason: HoldReason

    package init(plan: Plan, chartsKept: Int, sent: PlanContents, since: Timestamp, reason: HoldReason) {
        (self.plan, self.chartsKept, self.sent, self.since, self.reason) = (plan, chartsKept, sent, since, reason)
    }

    /// The number of charts in the service's version.
    public var chartsSent: Int { sent.attachments.count }
}

/// A file at the service that is not shown, and why.
public struct LeftOut: Hashable, Sendable, Codable {
    /// Why a file is not shown.
    public enum Reason: Hashable, Sendable, Codable {
        /// The file is a recording, a link or a text document, and has no pages.
        case notAPDF
        /// This rule of the configuration excludes the file.
        case notChosen(rule: String)
        /// No item of the running order has the file, because it belongs to something else. `owner` is the kind of that thing at
        /// the service.
        case ofNoItem(owner: String)
        /// The service does not permit downloading the file.
        case noPermission
        /// A set names a song without a chart, or has an unusable file. The words can follow a colon.
        case noChart(because: String)
    }

    /// Whether the configuration excludes the file.
    public var isByChoice: Bool {
        if case .notChosen = reason { true } else { false }
    }

    /// Whether the service lists the file with the plan as belonging to an item or a song, but the plan has no such item or song.
    public var isContradiction: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ["Song", "Arrangement", "Key", "Item"].contains(owner)
    }

    /// Whether the file belongs to something whose kind is unknown here, and which therefore may be in the plan.
    public var isOfUnknown: Bool {
        guard case .ofNoItem(let owner) = reason else { return false }
        return ChartChoice.Owner(rawValue: owner.lowercased()) == nil
    }

    public var attachment: AttachmentID
    public var filename: String
    /// The title of the item that the file belongs to; empty if there is no such item.
    public var item: String
    public var reason: Reason

    public init(attachment: AttachmentID, filename: String, item: String, reason: Reason) {
        (self.attachment, self.filename, self.item, self.reason) = (attachment, filename, item, reason)
    }
}
