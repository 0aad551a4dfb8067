import Library
public import Model
import Platform

/// What a chart or a plan lacks to be played from offline.
public enum ReadinessLack: Hashable, Sendable {
    /// The service does not let us have it.
    case noPermission
    /// It never came; with what the service or the disk said, where that is known.
    case notDownloaded(because: String?)
    /// The service has a newer one.
    case outOfDate(because: String?)
    /// It was downloaded, and its file is not there any more.
    case fileGone(path: String)
    /// Its file does not hold the bytes that were downloaded.
    case fileChanged(path: String)
    /// Its file is there and cannot be read.
    case fileUnreadable(path: String, reason: String)
    /// No renderer can open it.
    case cannotBeOpened(reason: String)
    /// Nobody has counted its pages yet; with what stood in the way, where that is known.
    case notCounted(because: String?)
    /// These pages cannot be drawn.
    case cannotBeDrawn([PageIndex], reason: String)
    /// These pages can be drawn without marks and cannot with them, which are of these files and layers.
    case marksCannotBeDrawn([PageIndex], of: [String], reason: String, chart: AttachmentID)
    /// These pages are drawn, and something that they are to show is missing.
    case contentLost([PageIndex], reason: String, chart: AttachmentID)
    /// There is no room for so many of its images.
    case noRoom(images: Int, reason: String)
    /// So many images of these pages are still to be made.
    case notRendered([PageIndex], images: Int)
    /// These pages' images are damaged.
    case damaged([PageIndex])
    /// These pages' images are there and cannot be read.
    case imagesUnreadable([PageIndex], reason: String)
    /// A file of the user's marks cannot be understood; `fault` says where in it.
    case marksUnreadable(path: String, fault: String, keepsFormer: Bool)
    /// What a file of the user's marks draws is not what is shown: nobody has read it since.
    case marksUnread(path: String, Unread)
    /// The same of so many more files.
    case moreMarksUnread(files: Int)
    /// So many files of the user's marks were not looked into, of which this is the first: any chart may be theirs.
    case marksUnsorted(files: Int, path: String)
    /// A folder of the user's marks cannot be read: what was saved in it since it could is not known.
    case marksUnseen(inFolder: String)
    /// A file of the user's marks is left out as a copy of a newer one, but has so many marks that the other one has not.
    case marksInCopy(path: String, of: String, marks: Int, chart: AttachmentID)
    /// The newest marks of a layer are not shown.
    case layerDoubted(LayerDoubt)
    /// What the service says of the plan is doubtful, and was not taken over.
    case heldBack(HoldReason, plan: PlanID)
    /// The configuration leaves out every PDF of the plan, so many, by this rule.
    case nothingChosen(files: Int, rule: String, plan: PlanID)
    /// The plan shows nothing, and the service has so many PDFs of songs with it that are none of its items.
    case nothingHangs(files: Int)
    /// The plan has so many songs, and the service has told of no file for any of them, for less than it takes to believe that.
    case nothingListed(songs: Int)
    /// The catalogue is one of this time, and the service was not asked since: what came later is not known.
    case restored(from: Timestamp?)
    /// The plan showed this chart for a song that it still has, and nothing takes along what is marked on it by these.
    case marksLeftBehind(chart: String, of: [String], plan: PlanID)
    /// These settings are otherwise than when the service was last asked.
    case askedOtherwise(settings: [String])
    /// The catalogue was lost, beside so many charts, and the service was not asked since.
    case begunAnew(charts: Int)

    /// What happened to a file of marks since it was read.
    public enum Unread: Hashable, Sendable {
        /// It was never read.
        case new
        /// It was saved again.
        case saved
        case removed
        /// It was read when its chart was not here yet.
        case unmatched
        /// By the configuration it is not looked at any more.
        case leftOut
        /// The same, while another folder that is configured is not there.
        case misplaced(missing: String)
    }

    /// What mends it.
    public enum Remedy: Hashable, Sendable {
        /// The next sync, or a running agent in its time.
        case work
        /// What the musician can do, as it follows a semicolon.
        case advice(String)
    }

    /// Names it for programs.
    public var name: String {
        switch self {
        case .noPermission: "no-permission"
        case .notDownloaded: "not-downloaded"
        case .outOfDate: "out-of-date"
        case .fileGone: "file-gone"
        case .fileChanged: "file-changed"
        case .fileUnreadable: "file-unreadable"
        case .cannotBeOpened: "cannot-be-opened"
        case .notCounted: "not-counted"
        case .cannotBeDrawn: "cannot-be-drawn"
        case .marksCannotBeDrawn: "marks-cannot-be-drawn"
        case .contentLost: "content-lost"
        case .noRoom: "no-room"
        case .notRendered: "not-rendered"
        case .damaged: "image-damaged"
        case .imagesUnreadable: "image-unreadable"
        case .marksUnreadable: "marks-unreadable"
        case .marksUnread, .moreMarksUnread: "marks-unread"
        case .marksUnsorted: "marks-unsorted"
        case .marksUnseen: "marks-unseen"
        case .marksInCopy: "marks-in-copy"
        case .layerDoubted: "layer-doubted"
        case .heldBack: "held-back"
        case .nothingChosen: "nothing-chosen"
        case .nothingHangs, .nothingListed: "nothing-shown"
        case .restored: "catalogue-restored"
        case .begunAnew: "catalogue-lost"
        case .marksLeftBehind: "marks-left-behind"
        case .askedOtherwise: "asked-otherwise"
        }
    }

    /// For people, without a full stop.
    public var sentence: String {
        switch self {
        case .noPermission: "the service gives no permission to have it"
        case .notDownloaded(let reason): "not downloaded" + (reason.map { ": \($0)" } ?? "")
        case .outOfDate(let reason): "the service has a newer version than the one here" + (reason.map { ": \($0)" } ?? "")
        case .fileGone(let path): "its file was removed: \(path)"
        case .fileChanged(let path):
            "\(path) is not what was downloaded; the next sync fetches the chart again, and keeps the changed file beside it"
        case .fileUnreadable(_, let reason): "its file cannot be read: \(reason)"
        case .cannotBeOpened(let reason): "it cannot be opened: \(reason)"
        case .notCounted(let reason):
            "its pages are not counted yet" + (reason.map { ", which is tried again: \($0)" } ?? "")
        case .cannotBeDrawn(let pages, let reason): "\(Self.words(pages)) cannot be drawn: \(reason)"
        case .marksCannotBeDrawn(let pages, let names, let reason, _):
            "the marks on \(Self.words(pages)) cannot be drawn\(names.isEmpty ? "" : ", of \(names.joined(separator: ", "))"): \(reason); "
                + "without marks \(pages.count == 1 ? "the page is" : "the pages are") here"
        case .contentLost(let pages, let reason, _):
            "\(Self.words(pages)) \(pages.count == 1 ? "is" : "are") damaged, and something may be missing there: \(reason)"
        case .noRoom(_, let reason): reason
        case .notRendered(let pages, let images): "\(Self.count(images)) of \(Self.words(pages)) still to be made"
        case .damaged(let pages): "\(Self.words(pages)): damaged image"
        case .imagesUnreadable(let pages, let reason): "\(Self.words(pages)): the image cannot be read: \(reason)"
        case .marksLeftBehind(let chart, let whose, _):
            "the marks on '\(chart)', which this plan showed for a song that it still has, are on no chart of it: of "
                + whose.joined(separator: ", ")
        case .marksUnreadable(let path, let fault, let keepsFormer):
            "your marks: \(path) \(fault)" + (keepsFormer ? "; its last good marks are shown" : "")
        case .marksUnread(let path, .new): "your marks: \(path) is new and not read yet"
        case .marksUnread(let path, .saved): "your marks: \(path) was saved and not read since"
        case .marksUnread(let path, .removed): "your marks: \(path) was removed, and its marks are still shown"
        case .marksUnread(let path, .unmatched): "your marks: \(path) is for this chart, and its marks are not shown yet"
        case .marksUnread(let path, .leftOut):
            "your marks: \(path) is in none of the configured folders any more, or passed over there, and its marks are still shown"
        case .marksUnread(let path, .misplaced(let missing)):
            "your marks: \(path) is in none of the configured folders any more, while \(missing), which is configured, is not there; "
                + "its marks stay as they were read"
        case .moreMarksUnread(let files): "your marks: \(files == 1 ? "1 more file was" : "\(files) more files were") not read yet"
        case .marksUnsorted(let files, let path):
            "your marks: \(path)\(files > 1 ? " and \(files - 1) more files" : "") not read yet; they may be for any chart"
        case .marksUnseen(let folder):
            "your marks: the folder \(folder) cannot be read; what was saved in it since it could is not shown"
        case .marksInCopy(let path, let other, let marks, _):
            "your marks: \(path) is an older copy of \(other) and left out, with \(marks == 1 ? "1 mark" : "\(marks) marks") that the "
                + "other one does not have"
        case .layerDoubted(let doubt): doubt.sentence(telling: .local)
        case .heldBack(let reason, _): "\(reason.sentence(telling: .local)); it is kept as it was, and may be old"
        case .nothingChosen(let files, let rule, _):
            "your choice of charts leaves out \(files == 1 ? "the one PDF" : "all \(files) PDFs") of this plan (\(rule))"
        case .nothingHangs(let files):
            "the service has \(files == 1 ? "1 PDF" : "\(files) PDFs") for this plan, and no item that has \(files == 1 ? "it" : "them")"
        case .nothingListed(songs: 0): "the service lists no song and no file in this plan; an hour confirms it"
        case .nothingListed(let songs):
            "the service lists no file at all for the \(songs == 1 ? "song" : "\(songs) songs") of this plan; an hour confirms it"
        case .restored(let time):
            "the catalogue is as it was at "
                + (time.map { LocalTime.minute(nanosecondsSinceEpoch: $0.nanoseconds) } ?? "some earlier time")
                + ", and the service was not asked since for what changed"
        case .askedOtherwise(let settings):
            "\(settings.joined(separator: ", ")) \(settings.count == 1 ? "has" : "have") changed since the service was last asked; "
                + "what it has by \(settings.count == 1 ? "it" : "them") is not known yet"
        case .begunAnew(let charts):
            "the catalogue was lost, and a new one does not know any plan until the service is asked; "
                + (charts == 0
                    ? "there were no charts beside it"
                    : "\(charts == 1 ? "1 chart stays" : "\(charts) charts stay") and can be opened in the music folder")
        }
    }

    /// What mends it; `nil` where the sentence says that already.
    public var remedy: Remedy? {
        switch self {
        case .noPermission: .advice("ask whoever administers your account at the service")
        case .marksUnread(_, .misplaced): .advice("put annotations.folders right")
        case .notDownloaded(nil), .outOfDate(nil), .fileGone, .fileChanged, .notCounted(nil), .notRendered, .marksUnread, .moreMarksUnread,
            .marksUnsorted, .restored, .begunAnew:
            .work
        case .askedOtherwise: .advice("'woodshed sync' asks anew; where an agent runs with other settings, start it again with these")
        case .notDownloaded, .outOfDate, .notCounted, .noRoom: nil
        case .damaged: .advice("'woodshed cache verify' removes it, and the next sync makes it again")
        case .fileUnreadable, .imagesUnreadable: .advice("give yourself the right to read it")
        case .cannotBeOpened: .advice("ask for another copy of it at the service")
        case .cannotBeDrawn: .advice("ask for another copy of it at the service; it is not tried again by itself")
        case .contentLost(let pages, _, let chart):
            .advice(
                "ask for another copy of it at the service, or look at \(pages.count == 1 ? "the page" : "the pages"), and if all is "
                    + "there that you need, 'woodshed accept \(chart)' says so")
        case .marksCannotBeDrawn(_, _, _, let chart):
            .advice("make them fewer or simpler, or hide them with 'woodshed layers \(chart) --hide'; it is tried again when they change")
        case .marksUnseen:
            .advice("give yourself the right to read it, or, if it has none, leave it out by annotations.folders or annotations.ignore")
        case .marksUnreadable: .advice("save it again with the program that wrote it, or remove it")
        case .marksInCopy(let path, _, _, let chart):
            .advice("'woodshed layers \(chart) --show' draws it, too, and '--hide' leaves it out for good; its name there: \(path)")
        case .layerDoubted(let doubt):
            doubt.reason.confirmation == nil
                ? .advice("whoever made them can save them again; perhaps they need a newer woodshed")
                : .advice("an hour of the same confirms it")
        case .heldBack(.nothingChosen, let plan), .nothingChosen(_, _, let plan):
            .advice("mend charts.include and its like, or say with 'woodshed accept \(plan)' that it is meant")
        case .heldBack(_, let plan): .advice("'woodshed accept \(plan)' takes it over")
        case .marksLeftBehind(_, _, let plan):
            .advice("mark the chart in its place, and say with 'woodshed accept \(plan)' that it is meant")
        case .nothingListed: .advice("look at the plan there; should it have charts, the next sync may bring them")
        case .nothingHangs: .advice("look at the plan there; should it have items, the next sync may bring them")
        }
    }

    /// The sentence, with what to do about it where a sync alone will not.
    public var advised: String {
        if case .advice(let advice) = remedy { "\(sentence); \(advice)" } else { sentence }
    }

    /// So many pages are worth naming.
    private static let mostNamed = 6

    static func words(_ pages: [PageIndex]) -> String {
        pages.count > mostNamed ? "\(pages.count) pages" : PageIndex.words(pages)
    }

    private static func count(_ images: Int) -> String { images == 1 ? "1 image" : "\(images) images" }
}
