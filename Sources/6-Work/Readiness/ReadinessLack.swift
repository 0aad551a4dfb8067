import Library
public import Model
import Platform

/// Something that a chart or a plan still needs before it can be played from offline.
public enum ReadinessLack: ReadinessRemark {
    case noPermission
    /// A set of one's own names a song without a chart, or has a file that cannot be used.
    case noChart(because: String)
    /// The chart was never downloaded, for this reason that the service or the disk gave; `nil` if no reason is known.
    case notDownloaded(because: String?)
    case outOfDate(because: String?)
    /// The chart was downloaded, but its file no longer exists.
    case fileGone(path: String)
    /// The chart's file no longer has the bytes that were downloaded.
    case fileChanged(path: String)
    case fileUnreadable(path: String, reason: String)
    /// The renderer cannot open the chart.
    case cannotBeOpened(reason: String)
    /// The chart's pages have not been counted yet; with the reason, if it is known.
    case notCounted(because: String?)
    case cannotBeDrawn([PageIndex], reason: String)
    /// These pages can be drawn without marks but not with them; the marks are from these files and layers.
    case marksCannotBeDrawn([PageIndex], of: [String], reason: String, chart: AttachmentID)
    /// These pages are drawn incompletely. If `lacksPages`, the file instead ends before the first of these pages.
    case contentLost([PageIndex], reason: String, lacksPages: Bool = false, chart: AttachmentID)
    /// There is no room for this many of the chart's images.
    case noRoom(images: Int, RoomShortage)
    case notRendered([PageIndex], images: Int)
    case damaged([PageIndex])
    case imagesUnreadable([PageIndex], reason: String)
    /// One of the user's mark files cannot be parsed; `fault` says what is wrong with it.
    case marksUnreadable(path: String, fault: String, keepsFormer: Bool)
    /// One of the user's mark files is not shown as it is now, for example because it is new or was saved; marks read earlier stay.
    case marksUnread(path: String, Unread)
    /// This many more of the user's mark files are not shown as they are now.
    case moreMarksUnread(files: Int)
    /// This many of the user's mark files, the first of them at `path`, were not read: they may be for any chart.
    case marksUnsorted(files: Int, path: String)
    /// A folder of the user's marks cannot be read: files saved there since it last could be read are unknown.
    case marksUnseen(inFolder: String)
    /// One of the user's mark files is omitted as a copy of another one, but has this many marks that the other file lacks.
    case marksInCopy(path: String, of: String, marks: Int, chart: AttachmentID)
    /// Marks vanished from one of the user's files, at the same time as many others, and nobody has confirmed that this is right.
    case marksVanished(FormerMarks, chart: AttachmentID)
    case layerDoubted(LayerDoubt)
    /// The service's version of the plan is doubtful, so the former version is kept until the user accepts the new one or, for some
    /// reasons, until the new one has stayed the same for a while.
    case heldBack(HoldReason, plan: PlanID)
    /// The service lists the plan, but its contents could not be read for this reason; `nil` if they were not requested yet.
    case unread(since: Timestamp, because: String?)
    /// The configuration omits all PDFs of the plan, this many, by this rule.
    case nothingChosen(files: Int, rule: String, plan: PlanID)
    /// The plan shows nothing although the service has this many PDFs for it, of songs that none of its items uses.
    case nothingHangs(files: Int)
    /// The plan has this many songs, but the service lists no file for any of them, and this state is too recent to be trusted.
    case nothingListed(songs: Int)
    /// The catalogue was restored from a backup of this time, and the service has not been polled since: later changes are unknown.
    case restored(from: Timestamp?)
    /// The plan used to show this chart for a song that it still has. The marks on the chart, from these files and layers, were
    /// transferred to none of the plan's present charts.
    case marksLeftBehind(chart: String, of: [String], plan: PlanID)
    /// These settings have changed since the service was last polled.
    case askedOtherwise(settings: [String])
    /// The catalogue was lost while this many charts remained in its folder, and the service has not been polled since.
    case begunAnew(charts: Int)

    /// Why a mark file is not shown as it is now.
    public enum Unread: Hashable, Sendable {
        case new
        case saved
        case removed
        /// The file was read before its chart was here.
        case unmatched
        case leftOut
        /// The file was saved again, in a folder that is no longer configured, or although it is ignored by now.
        case savedOutside
        /// The file vanished with its folder or disk: later changes in it are unknown.
        case away

        /// The words that follow the file's path in a sentence.
        fileprivate var words: String {
            switch self {
            case .new: "is new and has not been read yet"
            case .saved: "was saved and has not been read since"
            case .removed: "was removed, but its marks are still shown"
            case .unmatched: "is for this chart, but its marks are not shown yet"
            case .leftOut: "is no longer in a configured folder, but its marks are still shown"
            case .savedOutside: "was saved, and is not read any more: it is in no configured folder, or annotations.ignore leaves it out"
            case .away: "is away with its folder or disk; its marks are shown as they were last read, and may have changed since"
            }
        }

        /// What the musician can do if reading the file again is not enough.
        fileprivate func advice(on path: String) -> String? {
            let givingUp = woodshed("accept --gone \(Folder.parent(of: path).shellQuoted)")
            return switch self {
            case .savedOutside: "add its folder to annotations.folders, or change annotations.ignore, or run: \(givingUp)"
            case .away: "mount its disk or put it back, or, if it is gone for good, run: \(givingUp)"
            case .new, .saved, .removed, .unmatched, .leftOut: nil
            }
        }
    }

    /// Whether the plan has no chart to show because of this, so that only the plan's own list can name it.
    package var isOfAbsentFile: Bool {
        switch self {
        case .noPermission, .noChart: true
        default: false
        }
    }

    private static let another = "get another copy of it"

    /// The names that programs see.
    public enum Name: String, CaseIterable {
        case noPermission = "no-permission", noChart = "no-chart", notDownloaded = "not-downloaded", outOfDate = "out-of-date"
        case fileGone = "file-gone", fileChanged = "file-changed", fileUnreadable = "file-unreadable"
        case cannotBeOpened = "cannot-be-opened", notCounted = "not-counted", cannotBeDrawn = "cannot-be-drawn"
        case marksCannotBeDrawn = "marks-cannot-be-drawn", contentLost = "content-lost", noRoom = "no-room"
        case notRendered = "not-rendered", imageDamaged = "image-damaged", imageUnreadable = "image-unreadable"
        case marksUnreadable = "marks-unreadable", marksUnread = "marks-unread", marksUnsorted = "marks-unsorted"
        case marksUnseen = "marks-unseen", marksInCopy = "marks-in-copy", marksVanished = "marks-vanished"
        case layerDoubted = "layer-doubted", marksLeftBehind = "marks-left-behind", heldBack = "held-back"
        case nothingChosen = "nothing-chosen", planUnread = "plan-unread", nothingShown = "nothing-shown"
        case catalogueRestored = "catalogue-restored", askedOtherwise = "asked-otherwise"
        case catalogueLost = "catalogue-lost"
    }

    /// The texts about the lack.
    public var row: ReadinessRow {
        switch self {
        // About the chart's file.
        case .noPermission:
            .init(
                Name.noPermission, "the service gives no permission to download it",
                .advice("ask the administrator of your account at the service"))
        case .noChart(let reason):
            .init(Name.noChart, reason, .advice("put the chart into your folders, or correct the set or tonight's changes"))
        case .notDownloaded(let reason):
            .init(
                Name.notDownloaded, "not downloaded" + Self.because(reason), reason == nil ? .work : nil,
                reason == nil ? .turn : .attention)
        case .outOfDate(let reason):
            .init(
                Name.outOfDate, "there is a newer version than the one here" + Self.because(reason), reason == nil ? .work : nil,
                reason == nil ? .turn : .attention)
        case .fileGone(let path): .init(Name.fileGone, "its file was removed: \(path)", .work)
        case .fileChanged(let path):
            .init(
                Name.fileChanged,
                "\(path) was changed or damaged after it was downloaded; the next sync fetches the chart again and keeps what is there beside it",
                .work)
        case .fileUnreadable(_, let reason):
            .init(
                Name.fileUnreadable, "its file cannot be read: \(reason)",
                .advice("see that its disk is connected, and that you may read it"))
        case .cannotBeOpened(let reason): .init(Name.cannotBeOpened, "it cannot be opened: \(reason)", .advice(Self.another))

        // About its pages and images.
        case .notCounted(let reason):
            .init(
                Name.notCounted, "its pages have not been counted yet" + (reason.map { "; it will be tried again: \($0)" } ?? ""),
                reason == nil ? .work : nil, short: "not drawn yet", .turn)
        case .cannotBeDrawn(let pages, let reason):
            .init(
                Name.cannotBeDrawn, "\(Self.words(pages)) cannot be drawn: \(reason)",
                .advice("\(Self.another); it is not tried again by itself"))
        case .marksCannotBeDrawn(let pages, let names, let reason, let chart):
            .init(
                Name.marksCannotBeDrawn,
                "the marks on \(Self.words(pages)) cannot be drawn\(names.isEmpty ? "" : ", of \(names.joined(separator: ", "))"): \(reason); "
                    + "without marks \(pages.count == 1 ? "the page is" : "the pages are") here",
                .advice(
                    "make them fewer or simpler, or hide them with '\(woodshed("layers \(chart) --hide"))'; it is tried again when they change"
                ))
        case .contentLost(let pages, let reason, let lacksPages, let chart):
            .init(
                Name.contentLost,
                lacksPages
                    ? "the file is incomplete: \(reason)"
                    : "\(Self.words(pages)) \(pages.count == 1 ? "is" : "are") damaged, and something may be missing there: \(reason)",
                .advice(
                    "\(Self.another), or look at \(pages.count == 1 ? "the page" : "the pages"), and if everything "
                        + "you need is there, run '\(woodshed("accept \(chart)"))'"))
        case .noRoom(_, let shortage): .init(Name.noRoom, shortage.reason, .advice(shortage.remedy))
        case .notRendered(let pages, let images):
            .init(
                Name.notRendered, "\(Self.count(images)) of \(Self.words(pages)) still to be made", .work, short: "not drawn yet", .turn)
        case .damaged(let pages):
            .init(
                Name.imageDamaged, "\(Self.words(pages)): damaged image",
                .advice("'\(woodshed("cache verify"))' removes it, and the next sync draws it again"))
        case .imagesUnreadable(let pages, let reason):
            .init(
                Name.imageUnreadable, "\(Self.words(pages)): the image cannot be read: \(reason)",
                .advice("give yourself permission to read it"))

        // About the musician's own marks, and other layers.
        case .marksUnreadable(let path, let fault, let keepsFormer):
            .init(
                Name.marksUnreadable, "your marks: \(path) \(fault)" + (keepsFormer ? "; its last good marks are shown" : ""),
                .advice("save it again with the program that wrote it, or remove it"))
        case .marksUnread(let path, let change):
            .init(
                Name.marksUnread, "your marks: \(path) \(change.words)", change.advice(on: path).map { .advice($0) } ?? .work)
        case .moreMarksUnread(let files):
            .init(
                Name.marksUnread, "your marks: \(files == 1 ? "1 more file has" : "\(files) more files have") not been read yet", .work)
        case .marksUnsorted(let files, let path):
            .init(
                Name.marksUnsorted,
                "your marks: \(path)\(files > 1 ? " and \(files - 1) more files" : "") not read yet; they may be for any chart", .work)
        case .marksUnseen(let folder):
            .init(
                Name.marksUnseen, "your marks: the folder \(folder) cannot be read; what was saved in it since is not shown",
                .advice(
                    "see that its disk or network is there, and that you may read it; or, if it holds no marks, exclude it with "
                        + "annotations.folders or annotations.ignore"))
        case .marksInCopy(let path, let other, let marks, let chart):
            .init(
                Name.marksInCopy,
                "your marks: \(path) is a copy of \(other) and is left out, with \(marks == 1 ? "1 mark" : "\(marks) marks") that the "
                    + "other one does not have",
                .advice(
                    "'\(woodshed("layers \(chart) --show"))' draws it as well, and '--hide' leaves it out for good; its name there: \(path)"
                ))
        case .marksVanished(let state, let chart):
            .init(
                Name.marksVanished, ReadinessNote.vanished(state),
                .advice(
                    "'\(woodshed("layers \(chart) --restore \(state.number)"))' brings \(state.missing == 1 ? "it" : "them") back in another file, and "
                        + "'\(woodshed("accept \(chart)"))' says that \(state.missing == 1 ? "it is" : "they are") meant to be gone"))
        case .layerDoubted(let doubt):
            .init(
                Name.layerDoubted, doubt.sentence(in: .local), .advice(doubt.reason.advice(on: doubt.attachment)),
                short: "marks in doubt")
        case .marksLeftBehind(let chart, let whose, let plan):
            .init(
                Name.marksLeftBehind,
                "the marks on '\(chart)', which this plan showed for a song that it still has, are on none of its charts now: from "
                    + whose.joined(separator: ", "),
                .advice("mark the chart that replaced it, then run '\(woodshed("accept \(plan)"))'"))

        // About the plans, and the requests for them.
        case .heldBack(let reason, let plan):
            .init(
                Name.heldBack, "\(reason.sentence(in: .local, of: plan.source)); it is kept as it was and may be out of date",
                .advice(Self.accepting(reason, plan)))
        case .nothingChosen(let files, let rule, let plan):
            .init(
                Name.nothingChosen,
                "your chart settings leave out \(files == 1 ? "the one PDF" : "all \(files) PDFs") of this plan (\(rule))",
                .advice(Self.accepting(.nothingChosen(rule: rule), plan)))
        case .unread(let since, let reason):
            .init(
                Name.planUnread,
                reason.map {
                    "the service lists this plan, but what is in it could not be fetched since \(Self.minute(since)): \($0)"
                } ?? "the service lists this plan, but what is in it has not been fetched yet", .work)
        case .nothingHangs(let files):
            .init(
                Name.nothingShown,
                "the service has \(files == 1 ? "1 PDF" : "\(files) PDFs") for this plan, but no item that uses \(files == 1 ? "it" : "them")",
                .advice("check the plan there; if it has items, the next sync may bring them"))
        case .nothingListed(let songs):
            .init(
                Name.nothingShown,
                (songs == 0
                    ? "the service lists no songs and no files in this plan"
                    : "the service lists no files at all for the \(songs == 1 ? "song" : "\(songs) songs") of this plan")
                    + "; it is accepted if that is still so in an hour",
                .advice("check the plan there; if it has charts, the next sync may bring them"))
        case .restored(let time):
            .init(
                Name.catalogueRestored,
                "what is known of plans here is as it was at \(time.map(Self.minute) ?? "some earlier time"), and nothing has been synced since",
                .work)
        case .askedOtherwise(let settings):
            .init(
                Name.askedOtherwise,
                "\(settings.joined(separator: ", ")) \(settings.count == 1 ? "has" : "have") changed since the last sync; "
                    + "plans may show other charts with the next one",
                .advice("run '\(woodshed("sync"))'; if an agent is running with other settings, restart it with these"))
        case .begunAnew(let charts):
            .init(
                Name.catalogueLost,
                "what was known of plans here was lost, and comes back with the next sync; "
                    + (charts == 0
                        ? "there were no charts beside it"
                        : "\(charts == 1 ? "1 chart stays" : "\(charts) charts stay") and can be opened in the music folder"),
                .work)
        }
    }

    private static func because(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }

    private static func accepting(_ reason: HoldReason, _ plan: PlanID) -> String {
        let accept = "'\(woodshed("accept \(plan)"))'"
        guard case .nothingChosen = reason else { return "\(accept) accepts it" }
        return "correct charts.include and the other chart settings, or run \(accept) if this is intended"
    }

    private static func minute(_ time: Timestamp) -> String { LocalTime.minute(nanosecondsSinceEpoch: time.nanoseconds) }

    /// Whether one of a poll's messages already contains this lack, or the reason in it.
    public func isTold(by messages: Set<String>) -> Bool {
        switch self {
        case .notDownloaded(let reason?), .outOfDate(let reason?), .notCounted(let reason?), .unread(_, let reason?):
            messages.contains(reason)
        case .heldBack: messages.contains(advised)
        case .layerDoubted(let doubt): messages.contains(doubt.advised(in: .local))
        default: false
        }
    }

    /// Whether the disk or the cache has no room, which is told once for all charts.
    public var isOfRoom: Bool { if case .noRoom = self { true } else { false } }

    /// Whether the musician's own files contain marks that are not read yet, or that cannot be read.
    public var isUnreadMarks: Bool {
        switch self {
        case .marksUnreadable, .marksUnread, .moreMarksUnread, .marksUnsorted, .marksUnseen: true
        default: false
        }
    }

    private static let mostNamed = 6

    static func words(_ pages: [PageIndex]) -> String {
        pages.count > mostNamed ? "\(pages.count) pages" : PageIndex.words(pages)
    }

    private static func count(_ images: Int) -> String { images == 1 ? "1 image" : "\(images) images" }
}
