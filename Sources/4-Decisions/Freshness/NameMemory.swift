import Model

/// The images of charts with the names that were derived last time: a name is a digest, and a thousand charts have tens of
/// thousands of them.
public struct NameMemory: Sendable {
    struct Image: Sendable {
        let inputs: ImageInputs
        let name: ImageName

        init(_ inputs: ImageInputs) {
            self.inputs = inputs
            name = ImageName(inputs)
        }
    }

    /// The part of a chart that its images are made from. Which attachment it belongs to is not part of that.
    private struct Chart: Hashable {
        let hash: ChartHash
        let pages: Int
        let needsFonts: Bool
        let marks: [PageIndex: MarkDigest]

        init(_ chart: ChartSnapshot) {
            hash = chart.hash
            pages = chart.pageCount
            needsFonts = chart.needsFonts
            marks = chart.marks
        }
    }

    private struct Rules: Equatable {
        let settings: RenderSettings
        let renderer: RendererIdentity
    }

    private var rules: Rules?
    private var former: [Chart: [Image]] = [:]
    private var current: [Chart: [Image]] = [:]

    /// Remembers nothing yet.
    public init() {}

    mutating func begin(_ rules: WantedSet.Rules) {
        let rules = Rules(settings: rules.settings, renderer: rules.renderer)
        if self.rules != rules { former = [:] }
        self.rules = rules
        current = [:]
    }

    mutating func images(of chart: ChartSnapshot, otherwise derive: () -> [Image]) -> [Image] {
        let key = Chart(chart)
        if let known = current[key] { return known }
        let images = former[key] ?? derive()
        current[key] = images
        return images
    }

    /// Forgets what was not used this time.
    mutating func end() {
        former = current
        current = [:]
    }
}
