import Library
public import Model
import Platform

/// Something that a chart or a plan still needs before it can be played from offline.
public enum ReadinessLack: Hashable, Sendable {
    case noPermission
    /// It was never downloaded; with what the service or the disk said, if that is known.
    case notDownloaded(because: String?)
    case outOfDate(because: String?)
    /// It was downloaded, but its file is no longer there.
    case fileGone(path: String)
    /// Its file does not have the bytes that were downloaded.
    case fileChanged(path: String)
    case fileUnreadable(path: String, reason: String)
    /// No renderer can open it.
    case cannotBeOpened(reason: String)
    /// Its pages have not been counted yet; with the reason, if it is known.
    case notCounted(because: String?)
    case cannotBeDrawn([PageIndex], reason: String)
    /// These pages can be drawn without marks but not with them; the marks are from these files and layers.
    case marksCannotBeDrawn([PageIndex], of: [String], reason: String, chart: AttachmentID)
    /// These pages are drawn, but something that they should show is missing.
    case contentLost([PageIndex], reason: String, chart: AttachmentID)
    /// There is no room for this many of its images.
    case noRoom(images: Int, reason: String)
    case notRendered([PageIndex], images: Int)
    case damaged([PageIndex])
    case imagesUnreadable([PageIndex], reason: String)
    /// One of the user's mark files cannot be understood; `fault` says where in it.
    case marksUnreadable(path: String, fault: String, keepsFormer: Bool)
    /// One of the user's mark files has changed, and what is shown is from before that.
    case marksUnread(path: String, Unread)
    /// This many more files of the user's have changed.
    case moreMarksUnread(files: Int)
    /// This many of the user's mark files were not looked into, starting with this one: they may be for any chart.
    case marksUnsorted(files: Int, path: String)
    /// A folder of the user's marks cannot be read: what was saved in it since it last could be is not known.
    case marksUnseen(inFolder: String)
    /// One of the user's mark files is left out as a copy of another one, but has this many marks that the other one does not have.
    case marksInCopy(path: String, of: String, marks: Int, chart: AttachmentID)
    /// Many marks went from files of the user's at once, and nobody said that this is right.
    case marksVanished(FormerMarks, chart: AttachmentID)
    case layerDoubted(LayerDoubt)
    /// The service's word about the plan is doubtful, and was not accepted.
    case heldBack(HoldReason, plan: PlanID)
    /// The service lists the plan, but what is in it could not be read; `nil` if it was not asked for that yet.
    case unread(since: Timestamp, because: String?)
    /// The configuration leaves out every PDF of the plan, this many, by this rule.
    case nothingChosen(files: Int, rule: String, plan: PlanID)
    /// The plan shows nothing, while the service has this many PDFs of songs for it that none of its items uses.
    case nothingHangs(files: Int)
    /// The plan has this many songs, and the service has listed no file for any of them, but not for long enough to be believed.
    case nothingListed(songs: Int)
    /// The catalogue is from this time, and the service has not been asked since: what came later is not known.
    case restored(from: Timestamp?)
    /// The plan showed this chart for a song that it still has, and the marks on it, from these files and layers, are carried over to
    /// none of its charts.
    case marksLeftBehind(chart: String, of: [String], plan: PlanID)
    /// These settings have changed since the service was last asked.
    case askedOtherwise(settings: [String])
    /// The catalogue was lost, with this many charts beside it, and the service has not been asked since.
    case begunAnew(charts: Int)

    /// A change of a mark file since it was read.
    public enum Unread: Hashable, Sendable {
        case new
        case saved
        case removed
        /// It was read before its chart was here.
        case unmatched
        case leftOut
        /// It was saved again, in a folder that is not configured any more.
        case savedOutside
        /// It went with its folder or its disk: what was saved in it since is not known.
        case away

        /// Follows the file's path in a sentence.
        fileprivate var words: String {
            switch self {
            case .new: "is new and has not been read yet"
            case .saved: "was saved and has not been read since"
            case .removed: "was removed, but its marks are still shown"
            case .unmatched: "is for this chart, but its marks are not shown yet"
            case .leftOut: "is no longer in a configured folder, or is ignored there, but its marks are still shown"
            case .savedOutside: "was saved, and is not read any more: it is in no configured folder"
            case .away: "is away with its folder or disk; its marks are shown as they were last read, and may have changed since"
            }
        }
    }

    public enum Remedy: Hashable, Sendable {
        /// The next sync does it, or a running agent in time.
        case work
        /// Advice to the musician, in words that follow a semicolon.
        case advice(String)
    }

    /// Its name for programs.
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
        case .marksVanished: "marks-vanished"
        case .layerDoubted: "layer-doubted"
        case .heldBack: "held-back"
        case .unread: "plan-unread"
        case .nothingChosen: "nothing-chosen"
        case .nothingHangs, .nothingListed: "nothing-shown"
        case .restored: "catalogue-restored"
        case .begunAnew: "catalogue-lost"
        case .marksLeftBehind: "marks-left-behind"
        case .askedOtherwise: "asked-otherwise"
        }
    }

    /// The sentence for people, without a full stop.
    public var sentence: String {
        switch self {
        case .noPermission: "the service gives no permission to download it"
        case .notDownloaded(let reason): "not downloaded" + (reason.map { ": \($0)" } ?? "")
        case .outOfDate(let reason): "the service has a newer version than the one here" + (reason.map { ": \($0)" } ?? "")
        case .fileGone(let path): "its file was removed: \(path)"
        case .fileChanged(let path):
            "\(path) was changed after it was downloaded; the next sync fetches the chart again and keeps the changed file beside it"
        case .fileUnreadable(_, let reason): "its file cannot be read: \(reason)"
        case .cannotBeOpened(let reason): "it cannot be opened: \(reason)"
        case .notCounted(let reason):
            "its pages have not been counted yet" + (reason.map { "; it will be tried again: \($0)" } ?? "")
        case .cannotBeDrawn(let pages, let reason): "\(Self.words(pages)) cannot be drawn: \(reason)"
        case .marksCannotBeDrawn(let pages, let names, let reason, _):
            "the marks on \(Self.words(pages)) cannot be drawn\(names.isEmpty ? "" : ", of \(names.joined(separator: ", "))"): \(reason); "
                + "without marks \(pages.count == 1 ? "the page is" : "the pages are") here"
        case .contentLost(_, let reason, _) where PageDamage.isOfMissingPages(reason): "the file is incomplete: \(reason)"
        case .contentLost(let pages, let reason, _):
            "\(Self.words(pages)) \(pages.count == 1 ? "is" : "are") damaged, and something may be missing there: \(reason)"
        case .noRoom(_, let reason): reason
        case .notRendered(let pages, let images): "\(Self.count(images)) of \(Self.words(pages)) still to be made"
        case .damaged(let pages): "\(Self.words(pages)): damaged image"
        case .imagesUnreadable(let pages, let reason): "\(Self.words(pages)): the image cannot be read: \(reason)"
        case .marksLeftBehind(let chart, let whose, _):
            "the marks on '\(chart)', which this plan showed for a song that it still has, are on none of its charts now: from "
                + whose.joined(separator: ", ")
        case .marksUnreadable(let path, let fault, let keepsFormer):
            "your marks: \(path) \(fault)" + (keepsFormer ? "; its last good marks are shown" : "")
        case .marksUnread(let path, let change): "your marks: \(path) \(change.words)"
        case .moreMarksUnread(let files): "your marks: \(files == 1 ? "1 more file has" : "\(files) more files have") not been read yet"
        case .marksUnsorted(let files, let path):
            "your marks: \(path)\(files > 1 ? " and \(files - 1) more files" : "") not read yet; they may be for any chart"
        case .marksUnseen(let folder):
            "your marks: the folder \(folder) cannot be read; what was saved in it since is not shown"
        case .marksInCopy(let path, let other, let marks, _):
            "your marks: \(path) is a copy of \(other) and is left out, with \(marks == 1 ? "1 mark" : "\(marks) marks") that the "
                + "other one does not have"
        case .marksVanished(let state, _): ReadinessNote.vanished(state)
        case .layerDoubted(let doubt): doubt.sentence(telling: .local)
        case .heldBack(let reason, _): "\(reason.sentence(telling: .local)); it is kept as it was and may be out of date"
        case .unread(_, nil): "the service lists this plan, but what is in it has not been fetched yet"
        case .unread(let since, let reason?):
            "the service lists this plan, but what is in it could not be fetched since "
                + "\(LocalTime.minute(nanosecondsSinceEpoch: since.nanoseconds)): \(reason)"
        case .nothingChosen(let files, let rule, _):
            "your chart settings leave out \(files == 1 ? "the one PDF" : "all \(files) PDFs") of this plan (\(rule))"
        case .nothingHangs(let files):
            "the service has \(files == 1 ? "1 PDF" : "\(files) PDFs") for this plan, but no item that uses \(files == 1 ? "it" : "them")"
        case .nothingListed(songs: 0): "the service lists no songs and no files in this plan; it is accepted if that is still so in an hour"
        case .nothingListed(let songs):
            "the service lists no files at all for the \(songs == 1 ? "song" : "\(songs) songs") of this plan; it is accepted if that is still so in an hour"
        case .restored(let time):
            "the catalogue is as it was at \(time.map { LocalTime.minute(nanosecondsSinceEpoch: $0.nanoseconds) } ?? "some earlier time"), "
                + "and has not been synced since"
        case .askedOtherwise(let settings):
            "\(settings.joined(separator: ", ")) \(settings.count == 1 ? "has" : "have") changed since the last poll; "
                + "what \(settings.count == 1 ? "it brings" : "they bring") is not known yet"
        case .begunAnew(let charts):
            "the catalogue was lost, and the new one knows no plans until the next sync; "
                + (charts == 0
                    ? "there were no charts beside it"
                    : "\(charts == 1 ? "1 chart stays" : "\(charts) charts stay") and can be opened in the music folder")
        }
    }

    private static func givingUp(_ path: String) -> String { woodshed("accept --gone \(Folder.parent(of: path).shellQuoted)") }

    /// The way to mend it; `nil` if the sentence says that already.
    public var remedy: Remedy? {
        switch self {
        case .noPermission: .advice("ask the administrator of your account at the service")
        case .marksUnread(let path, .savedOutside):
            .advice("add its folder to annotations.folders, or run: \(Self.givingUp(path))")
        case .marksUnread(let path, .away):
            .advice("mount its disk or put it back, or, if it is gone for good, run: \(Self.givingUp(path))")
        case .notDownloaded(nil), .outOfDate(nil), .fileGone, .fileChanged, .notCounted(nil), .notRendered, .marksUnread, .moreMarksUnread,
            .marksUnsorted, .restored, .begunAnew, .unread:
            .work
        case .askedOtherwise: .advice("run '\(woodshed("sync"))'; if an agent is running with other settings, restart it with these")
        case .notDownloaded, .outOfDate, .notCounted, .noRoom: nil
        case .damaged: .advice("'\(woodshed("cache verify"))' removes it, and the next sync draws it again")
        case .fileUnreadable, .imagesUnreadable: .advice("give yourself permission to read it")
        case .cannotBeOpened: .advice("ask for another copy of it at the service")
        case .cannotBeDrawn: .advice("ask for another copy of it at the service; it is not retried automatically")
        case .contentLost(let pages, _, let chart):
            .advice(
                "ask for another copy of it at the service, or look at \(pages.count == 1 ? "the page" : "the pages"), and if everything "
                    + "you need is there, run '\(woodshed("accept \(chart)"))'")
        case .marksCannotBeDrawn(_, _, _, let chart):
            .advice(
                "make them fewer or simpler, or hide them with '\(woodshed("layers \(chart) --hide"))'; it is tried again when they change")
        case .marksUnseen:
            .advice(
                "give yourself permission to read it, or, if it holds no marks, exclude it with annotations.folders or annotations.ignore")
        case .marksUnreadable: .advice("save it again with the program that wrote it, or remove it")
        case .marksInCopy(let path, _, _, let chart):
            .advice(
                "'\(woodshed("layers \(chart) --show"))' draws it as well, and '--hide' leaves it out for good; its name there: \(path)")
        case .marksVanished(let state, let chart):
            .advice(
                "'\(woodshed("layers \(chart) --restore \(state.number)"))' brings them back in a file of their own, and "
                    + "'\(woodshed("accept \(chart)"))' says that they are meant to be gone")
        case .layerDoubted(let doubt): .advice(doubt.reason.advice(on: doubt.attachment))
        case .heldBack(.nothingChosen, let plan), .nothingChosen(_, _, let plan):
            .advice("correct charts.include and the other chart settings, or run '\(woodshed("accept \(plan)"))' if this is intended")
        case .heldBack(_, let plan): .advice("'\(woodshed("accept \(plan)"))' accepts it")
        case .marksLeftBehind(_, _, let plan):
            .advice("mark the chart that replaced it, then run '\(woodshed("accept \(plan)"))'")
        case .nothingListed: .advice("check the plan there; if it has charts, the next sync may bring them")
        case .nothingHangs: .advice("check the plan there; if it has items, the next sync may bring them")
        }
    }

    /// The sentence, with what to do if a sync alone does not help.
    public var advised: String {
        if case .advice(let advice) = remedy { "\(sentence); \(advice)" } else { sentence }
    }

    private static let mostNamed = 6

    static func words(_ pages: [PageIndex]) -> String {
        pages.count > mostNamed ? "\(pages.count) pages" : PageIndex.words(pages)
    }

    private static func count(_ images: Int) -> String { images == 1 ? "1 image" : "\(images) images" }
}
