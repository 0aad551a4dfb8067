public import ChartFiles
import Library
public import Model
import Platform

/// Something worth knowing about a chart or a plan that does not keep it from being ready.
public enum ReadinessNote: ReadinessRemark {
    /// There are marks on these pages that were made on another version of the page.
    case olderMarks([PageIndex], chart: AttachmentID)
    /// The marks of one of the user's files, or of a layer, are on these pages, but the chart has only `chartPages`.
    case marksBeyond([PageIndex], of: String, path: String?, chartPages: Int)
    /// Some marks in one of the user's files are not drawn as they were made; one sentence each.
    case marksLeftOut([String], path: String)
    /// One of the user's mark files is omitted: another one draws all its marks.
    case copyLeftOut(path: String, of: String, chart: AttachmentID)
    /// One of the user's mark files is not drawn because the user hid it.
    case marksHidden(path: String, chart: AttachmentID)
    /// One of the user's mark files lost at least half of its marks, but too few marks vanished together for a lack.
    case marksVanished(FormerMarks, chart: AttachmentID)
    /// One of the user's mark files is missing, and its marks are in none of the chart's files now.
    case markFileGone(FormerMarks, chart: AttachmentID)
    /// This many more files or layers have omitted marks.
    case moreMarksLeftOut(Int)
    /// This many images were made by another renderer, or with another size or paper, and will be made again.
    case formerImages(Int)
    /// Part of these pages is missing, but the user accepted that.
    case damageAccepted([PageIndex])
    /// The plan's page order omits these pages.
    case shortened([PageIndex])
    /// The service no longer lists these layers; they are kept.
    case layersGone([String])
    /// A link to the chart in the music folder could not be updated.
    case linkLeftBehind(LinkLeftBehind)
    case marksUntold(since: Timestamp, because: String)
    /// The source no longer has the plan.
    case gone(since: Timestamp, from: PlanID.Owner = .service)
    /// The plan is past, and its missing images are not made automatically.
    case past
    case far
    case noCharts
    /// The plan has charts, but the files of these songs are no PDFs.
    case songsWithoutPDF([String])
    /// The service lists these PDFs with the plan, attached to an object of an unknown kind.
    case filesOfUnknown([String])
    /// The musician has changed the plan for tonight, in these words.
    case tonight(String)
    /// What the musician has changed for tonight cannot be read.
    case tonightUnreadable

    /// The names that programs see.
    public enum Name: String, CaseIterable {
        case olderMarks = "older-marks", marksBeyond = "marks-beyond", marksLeftOut = "marks-left-out"
        case copyLeftOut = "copy-left-out", marksHidden = "marks-hidden", marksVanished = "marks-vanished"
        case markFileGone = "mark-file-gone", formerImages = "former-images", damageAccepted = "damage-accepted"
        case shortened, layersGone = "layers-gone", linkLeftBehind = "link-left-behind", marksUntold = "marks-untold"
        case gone, past, far, noCharts = "no-charts", songsWithoutPDF = "songs-without-pdf"
        case filesOfUnknown = "files-of-unknown", tonight, tonightUnreadable = "tonight-unreadable"
    }

    /// The texts about the note.
    public var row: ReadinessRow {
        switch self {
        case .olderMarks(let pages, let chart):
            .init(
                Name.olderMarks, "marks on \(ReadinessLack.words(pages)) were made on an older version",
                .advice("'\(woodshed("accept \(chart)"))' accepts them"), short: "check your marks")
        case .marksBeyond(let pages, let layer, let path, let chartPages):
            .init(
                Name.marksBeyond,
                Self.beyond(
                    pages, of: layer, path: path, "this chart of \(chartPages == 1 ? "1 page" : "\(chartPages) pages") does not have"), nil,
                short: "marks on pages it lacks")
        case .marksLeftOut(let what, let path):
            .init(
                Name.marksLeftOut, "your marks: \(path) is not all drawn as it was made: \(what.joined(separator: "; "))",
                .advice("'\(woodshed("help marks"))' says what can be drawn"), short: "some marks not drawn")
        case .moreMarksLeftOut(let count):
            .init(
                Name.marksLeftOut,
                "\(count == 1 ? "1 more file or layer has" : "\(count) more files or layers have") marks that are not drawn as they were made",
                nil, short: "some marks not drawn")
        case .copyLeftOut(let path, let other, let chart):
            .init(
                Name.copyLeftOut, "your marks: \(path) is a copy of \(other), which is drawn, and is left out",
                .advice("'\(woodshed("layers \(chart)"))' shows both"))
        case .marksHidden(let path, let chart):
            .init(
                Name.marksHidden, "your marks: \(path) is hidden, as you asked",
                .advice("'\(woodshed("layers \(chart) --show"))' with its name draws it again"), short: "marks hidden", .aside)
        case .marksVanished(let state, let chart):
            .init(
                Name.marksVanished, Self.vanished(state),
                .advice(
                    "'\(woodshed("layers \(chart) --restore \(state.number)"))' writes \(state.missing == 1 ? "it" : "them") to another file, and "
                        + "'\(woodshed("accept \(chart)"))' ends this note"))
        case .markFileGone(let state, let chart):
            .init(
                Name.markFileGone,
                "your marks: \(state.path) is gone since \(TimeWords.local.day(state.vanishedAt)), and \(Self.marks(state)) in it "
                    + "\(state.missing == 1 ? "is" : "are") in none of your files for this chart now",
                .advice(
                    "'\(woodshed("layers \(chart) --restore \(state.number)"))' writes \(state.missing == 1 ? "it" : "them") to a file again"
                ))
        case .formerImages(let count):
            .init(
                Name.formerImages, "\(count == 1 ? "1 image is" : "\(count) images are") of an older kind and being drawn again", nil,
                short: "being redrawn", .aside)
        case .damageAccepted(let pages):
            .init(
                Name.damageAccepted,
                "\(ReadinessLack.words(pages)) \(pages.count == 1 ? "is" : "are") damaged, which you accepted", nil,
                short: "damage accepted", .aside)
        case .shortened(let pages):
            .init(
                Name.shortened,
                "\(ReadinessLack.words(pages)) \(pages.count == 1 ? "is" : "are") here but not played, as the plan's page order has it",
                nil,
                .aside)
        case .layersGone(let names):
            .init(
                Name.layersGone,
                "the service no longer lists the marks of \(names.joined(separator: ", ")); they are kept and shown as they were", nil,
                short: "marks no longer listed", .aside)
        case .linkLeftBehind(let link) where link.away != nil:
            .init(
                Name.linkLeftBehind, "\(link.path) is a link to \(link.away ?? ""), which is away, with the links to the charts",
                .advice("connect that disk, or remove the link if the disk is gone for good"), short: "link out of date", .aside)
        case .linkLeftBehind(let link):
            .init(
                Name.linkLeftBehind, link.isThere ? "\(link.path) leads to another version" : "\(link.path) is missing",
                .advice("make sure that its folder is writable, then run '\(woodshed("sync"))'"), short: "link out of date", .aside)
        case .marksUntold(let since, let reason):
            .init(
                Name.marksUntold,
                "the service has not sent the marks on this plan since \(TimeWords.local.day(since)), so new ones are not shown: \(reason)",
                nil)
        case .gone(_, let owner): .init(Name.gone, "\(Self.gone(from: owner)); it is kept until it is past", nil, .aside)
        case .past: .init(Name.past, "this plan is past; what is missing is not made automatically", nil, .aside)
        case .far: .init(Name.far, "this plan is too far ahead to be kept ready yet", nil, .aside)
        case .noCharts: .init(Name.noCharts, "no charts", nil, .aside)
        case .songsWithoutPDF(let songs):
            .init(
                Name.songsWithoutPDF, "no PDF for \(Self.some(songs, "songs")), only other files, which are not kept here", nil, .aside)
        case .filesOfUnknown(let files):
            .init(
                Name.filesOfUnknown, "not shown: \(Self.some(files, "files")) (\(LeftOut.Reason.ofNoItem(owner: "").words))", nil, .aside)
        case .tonight(let words): .init(Name.tonight, "tonight's set differs from the plan: \(words)", nil, .aside)
        case .tonightUnreadable:
            .init(
                Name.tonightUnreadable,
                "what was changed in this plan for tonight is damaged, or was written by a newer woodshed, and counts for nothing",
                .advice("install the newer version again, or make the changes anew under \"Tonight\" on the plan's page"))
        }
    }

    public var isTonight: Bool { if case .tonight = self { true } else { false } }

    private static func some(_ names: [String], _ what: String) -> String {
        names.prefix(mostSongs).map { "'\($0)'" }.joined(separator: ", ")
            + (names.count > mostSongs ? " and \(names.count - mostSongs) more \(what)" : "")
    }

    private static func gone(from owner: PlanID.Owner) -> String {
        switch owner {
        case .service: "the service no longer lists this plan"
        case .folder: "it is no longer in its folder"
        case .band: "it is no longer shared in the band"
        }
    }

    private static func marks(_ state: FormerMarks) -> String {
        let all = state.marks == 1 ? "the one mark" : "\(state.marks) marks"
        return state.missing == state.marks ? all : "\(state.missing) of \(all)"
    }

    private static let mostSongs = 5

    static func vanished(_ state: FormerMarks) -> String {
        "your marks: \(state.marks == 1 ? "the only mark" : "\(state.missing) of \(state.marks) marks") vanished from \(state.path)"
    }

    /// For example `your marks: /music/x.xopp has some on page 50, which …`.
    static func beyond(_ pages: [PageIndex], of layer: String, path: String?, _ which: String) -> String {
        let own = path.map { "your marks: \($0)" }
        // A `.marks.json` file itself counts pages from zero, so give its own numbers, too.
        let isCountedFromZero = path?.lowercased().hasSuffix(".marks.json") == true
        return
            "\(own ?? "the marks of \(layer)") \(path == nil ? "are partly" : "has some") on \(ReadinessLack.words(pages)), which \(which)"
            + (isCountedFromZero ? " (page \(pages.map { "\($0.value)" }.joined(separator: ", ")) in the file, which counts from 0)" : "")
    }

    /// Whether all charts have this note, and in the same words.
    public var isOfLinkFolder: Bool { if case .linkLeftBehind(let link) = self { link.away != nil } else { false } }

    public var pages: [PageIndex] {
        switch self {
        case .olderMarks(let pages, _), .marksBeyond(let pages, _, _, _), .damageAccepted(let pages), .shortened(let pages): pages
        default: []
        }
    }

    public var path: String? {
        switch self {
        case .marksBeyond(_, _, let path, _): path
        case .linkLeftBehind(let link): link.path
        case .marksLeftOut(_, let path), .copyLeftOut(let path, _, _), .marksHidden(let path, _): path
        case .marksVanished(let state, _), .markFileGone(let state, _): state.path
        default: nil
        }
    }
}

extension LeftOut.Reason {
    /// The reason in plain words, the same wherever the file is named.
    public var words: String {
        switch self {
        case .notAPDF: "not a PDF"
        case .notChosen(let rule): "not chosen: \(rule)"
        case .ofNoItem: "not used by any item in this plan"
        case .noPermission: "no permission"
        case .noChart(let reason): reason
        }
    }

    /// What the plan lacks because of it; `nil` if it lacks nothing.
    package var lack: ReadinessLack? {
        switch self {
        case .noPermission: .noPermission
        case .noChart(let reason): .noChart(because: reason)
        case .notAPDF, .notChosen, .ofNoItem: nil
        }
    }
}
