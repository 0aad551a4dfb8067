public import Model

/// What is worth knowing of a chart or a plan that is ready all the same.
public enum ReadinessNote: Hashable, Sendable {
    /// There are marks on these pages that were made when the pages looked different.
    case olderMarks([PageIndex], chart: AttachmentID)
    /// So many images were made by another renderer, or in another size or on another paper, and will be made anew.
    case formerImages(Int)
    /// The service does not name the plan any more.
    case gone(since: Timestamp)
    /// The plan is past, and what is missing is not made by itself.
    case past
    /// The plan is too far ahead to be kept ready yet.
    case far
    /// The plan has no charts.
    case noCharts

    /// Names it for programs.
    public var name: String {
        switch self {
        case .olderMarks: "older-marks"
        case .formerImages: "former-images"
        case .gone: "gone"
        case .past: "past"
        case .far: "far"
        case .noCharts: "no-charts"
        }
    }

    /// For people, without a full stop.
    public var sentence: String {
        switch self {
        case .olderMarks(let pages, let chart):
            "marks on \(ReadinessLack.words(pages)) were made on an older version; 'woodshed accept \(chart)' takes them as right"
        case .formerImages(let count): "\(count == 1 ? "1 image is" : "\(count) images are") of a former rendering, and made anew"
        case .gone: "the service does not name this plan any more; it is kept until it is past"
        case .past: "this plan is past; what it lacks is not made by itself"
        case .far: "this plan is too far ahead to be kept ready yet"
        case .noCharts: "no charts"
        }
    }
}
