/// Why an image was made.
public enum ImageCause: Hashable, Sendable, Codable {
    /// There never was one of the page; the plan is the nearest that shows it.
    case firstNeeded(by: PlanID?)
    /// The page is one of a chart that took another's place.
    case chartReplaced
    /// The page was there without marks, and has some now.
    case firstMarks
    /// What is drawn on the page changed; `layers` tells whose, `nil` where nobody knows.
    case marks(layers: [LayerChange]?)
    /// The same marks by the same layers, drawn in another order.
    case order
    case renderer
    /// The machine's fonts.
    case fonts
    case size
    case paper
    /// The same image was there before, and went for this reason.
    case again(MissReason)
    /// It differs from the last one in what nobody remembers.
    case forgotten

    /// What became of one layer on a page.
    public struct LayerChange: Hashable, Sendable, Codable {
        public enum Kind: String, Hashable, Sendable, Codable {
            /// It is new, or is shown again.
            case came
            case changed
            /// It was deleted or hidden, or has nothing on this page any more.
            case went
        }

        public var layer: LayerID
        public var kind: Kind

        /// Says what became of a layer.
        public init(_ layer: LayerID, _ kind: Kind) {
            self.layer = layer
            self.kind = kind
        }
    }

    /// How things stood when an image was made.
    public struct Circumstances: Hashable, Sendable {
        /// The nearest plan that shows the page.
        public var plan: PlanID?
        /// Whether the page's plain image was there before.
        public var hasPlain: Bool
        /// Whether there were images of the chart that this one took the place of.
        public var isReplacement: Bool

        /// Describes how things stood.
        public init(plan: PlanID? = nil, hasPlain: Bool = false, isReplacement: Bool = false) {
            self.plan = plan
            self.hasPlain = hasPlain
            self.isReplacement = isReplacement
        }
    }
}
