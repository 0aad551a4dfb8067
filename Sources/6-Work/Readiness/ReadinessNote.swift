public import ChartFiles
import Library
public import Model
import Platform

/// Something worth knowing about a chart or a plan that is ready all the same.
public enum ReadinessNote: Hashable, Sendable {
    /// There are marks on these pages made when the pages looked different.
    case olderMarks([PageIndex], chart: AttachmentID)
    /// Marks of one of the user's files, or of a layer, are on pages that the chart, which has this many, does not have.
    case marksBeyond([PageIndex], of: String, path: String?, chartPages: Int)
    /// Not everything in one of the user's mark files is drawn as it was made; what is not, one sentence each.
    case marksLeftOut([String], path: String)
    /// One of the user's mark files is left out: another one draws everything that it draws.
    case copyLeftOut(path: String, of: String, chart: AttachmentID)
    /// One of the user's mark files is not drawn because the user hid it.
    case marksHidden(path: String, chart: AttachmentID)
    /// One of the user's mark files lost many of its marks.
    case marksVanished(FormerMarks, chart: AttachmentID)
    /// One of the user's mark files is not there any more, and its marks are in none of the chart's files now.
    case markFileGone(FormerMarks, chart: AttachmentID)
    /// This many more files or layers have marks that are left out.
    case moreMarksLeftOut(Int)
    /// This many images were made by another renderer, or with another size or paper, and will be made again.
    case formerImages(Int)
    /// Something is missing on these pages, but the user accepted them.
    case damageAccepted([PageIndex])
    /// The plan's page order never shows these pages.
    case shortened([PageIndex])
    /// The service no longer lists these layers; they are kept.
    case layersGone([String])
    /// A link to the chart in the music folder could not be brought up to date.
    case linkLeftBehind(LinkLeftBehind)
    case marksUntold(since: Timestamp, because: String)
    case gone(since: Timestamp)
    /// The plan is past, and what is missing is not made automatically.
    case past
    case far
    case noCharts
    /// The plan has charts, but for these songs only files that are not PDFs.
    case songsWithoutPDF([String])
    /// The service lists these PDFs with the plan, attached to something of a kind that is not known here.
    case filesOfUnknown([String], plan: PlanID)

    /// Its name for programs.
    public var name: String {
        switch self {
        case .olderMarks: "older-marks"
        case .marksBeyond: "marks-beyond"
        case .marksLeftOut, .moreMarksLeftOut: "marks-left-out"
        case .copyLeftOut: "copy-left-out"
        case .marksHidden: "marks-hidden"
        case .marksVanished: "marks-vanished"
        case .markFileGone: "mark-file-gone"
        case .formerImages: "former-images"
        case .damageAccepted: "damage-accepted"
        case .shortened: "shortened"
        case .layersGone: "layers-gone"
        case .linkLeftBehind: "link-left-behind"
        case .marksUntold: "marks-untold"
        case .gone: "gone"
        case .past: "past"
        case .far: "far"
        case .noCharts: "no-charts"
        case .songsWithoutPDF: "songs-without-pdf"
        case .filesOfUnknown: "files-of-unknown"
        }
    }

    /// The sentence for people, without a full stop.
    public var sentence: String {
        switch self {
        case .olderMarks(let pages, let chart):
            "marks on \(ReadinessLack.words(pages)) were made on an older version; '\(woodshed("accept \(chart)"))' accepts them"
        case .marksBeyond(let pages, let layer, let path, let chartPages):
            Self.beyond(pages, of: layer, path: path, "this chart of \(chartPages == 1 ? "1 page" : "\(chartPages) pages") does not have")
        case .marksLeftOut(let what, let path):
            "your marks: \(path) is not all drawn as it was made: \(what.joined(separator: "; ")); '\(woodshed("help marks"))' says what "
                + "can be drawn"
        case .copyLeftOut(let path, let other, let chart):
            "your marks: \(path) is a copy of \(other), which is drawn, and is left out; '\(woodshed("layers \(chart)"))' shows both"
        case .marksHidden(let path, let chart):
            "your marks: \(path) is hidden, as you asked; '\(woodshed("layers \(chart) --show"))' with its name draws it again"
        case .marksVanished(let state, let chart):
            Self.vanished(state) + "; "
                + "'\(woodshed("layers \(chart) --restore \(state.number)"))' writes them to a file of their own, and "
                + "'\(woodshed("accept \(chart)"))' ends this note"
        case .markFileGone(let state, let chart):
            "your marks: \(state.path) is gone since \(TimeWords.local.day(state.vanishedAt)), and \(Self.marks(state)) in it "
                + "\(state.missing == 1 ? "is" : "are") in none of your files for this chart now; "
                + "'\(woodshed("layers \(chart) --restore \(state.number)"))' writes \(state.missing == 1 ? "it" : "them") to a file again"
        case .moreMarksLeftOut(let count):
            "\(count == 1 ? "1 more file or layer has" : "\(count) more files or layers have") marks that are not drawn as they were made"
        case .formerImages(let count): "\(count == 1 ? "1 image is" : "\(count) images are") of an older rendering and being redrawn"
        case .damageAccepted(let pages):
            "\(ReadinessLack.words(pages)) \(pages.count == 1 ? "is" : "are") damaged, which you accepted"
        case .shortened(let pages):
            "\(ReadinessLack.words(pages)) \(pages.count == 1 ? "is" : "are") here but not played, as the plan's page order has it"
        case .layersGone(let names):
            "the service no longer lists the marks of \(names.joined(separator: ", ")); they are kept and shown as they were"
        case .linkLeftBehind(let link):
            (link.isThere ? "\(link.path) leads to another version" : "\(link.path) is missing")
                + "; make sure that its folder is writable, then run '\(woodshed("sync"))'"
        case .marksUntold(let since, let reason):
            "the service has not sent the marks on this plan since \(TimeWords.local.day(since)), so new ones are not shown: \(reason)"
        case .gone: "the service no longer lists this plan; it is kept until it is past"
        case .past: "this plan is past; what is missing is not made automatically"
        case .far: "this plan is too far ahead to be kept ready yet"
        case .noCharts: "no charts"
        case .songsWithoutPDF(let songs):
            "no PDF for \(songs.prefix(Self.mostSongs).map { "'\($0)'" }.joined(separator: ", "))"
                + (songs.count > Self.mostSongs ? " and \(songs.count - Self.mostSongs) more songs" : "")
                + ", only other files, which are not kept here"
        case .filesOfUnknown(let files, let plan):
            "not shown, because the service does not say which item \(files.count == 1 ? "it is" : "they are") for: "
                + files.prefix(Self.mostSongs).map { "'\($0)'" }.joined(separator: ", ")
                + (files.count > Self.mostSongs ? " and \(files.count - Self.mostSongs) more files" : "")
                + "; '\(woodshed("plans \(plan)"))' lists what is left out"
        }
    }

    private static func marks(_ state: FormerMarks) -> String {
        let all = state.marks == 1 ? "the one mark" : "\(state.marks) marks"
        return state.missing == state.marks ? all : "\(state.missing) of \(all)"
    }

    private static let mostSongs = 5

    static func vanished(_ state: FormerMarks) -> String {
        "your marks: \(state.missing) of \(state.marks == 1 ? "the one mark" : "\(state.marks) marks") vanished from \(state.path)"
    }

    /// For example `your marks: /music/x.xopp has some on page 50, which …`.
    static func beyond(_ pages: [PageIndex], of layer: String, path: String?, _ which: String) -> String {
        let own = path.map { "your marks: \($0)" }
        // The file itself says one less than everything else here.
        let isCountedFromZero = path?.lowercased().hasSuffix(".marks.json") == true
        return
            "\(own ?? "the marks of \(layer)") \(path == nil ? "are partly" : "has some") on \(ReadinessLack.words(pages)), which \(which)"
            + (isCountedFromZero ? " (page \(pages.map { "\($0.value)" }.joined(separator: ", ")) in the file, which counts from 0)" : "")
    }

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
