/// Why an image was made.
public enum ImageCause: Hashable, Sendable, Codable {
    /// There was no image of the page before; `by` is the nearest plan that shows it.
    case firstNeeded(by: PlanID?)
    /// The page is in a chart that replaced another.
    case chartReplaced
    /// The page was there without marks, and has some now.
    case firstMarks
    /// What is drawn on the page changed; `layers` tells whose marks, `nil` if that is not known.
    case marks(layers: [LayerChange]?)
    /// The same marks by the same layers, drawn in another order.
    case order
    case renderer
    /// The machine's fonts changed.
    case fonts
    case size
    case paper
    /// The same image was there before, but disappeared for this reason.
    case again(MissReason)
    /// It differs from the last one in something that was not recorded.
    case forgotten

    /// What happened to one layer on a page.
    public struct LayerChange: Hashable, Sendable, Codable {
        public enum Kind: String, Hashable, Sendable, Codable {
            /// It is new, or shown again.
            case came
            case changed
            /// It was deleted or hidden, or has nothing on this page any more.
            case went
        }

        public var layer: LayerID
        public var kind: Kind

        /// Says what happened to a layer.
        public init(_ layer: LayerID, _ kind: Kind) { (self.layer, self.kind) = (layer, kind) }
    }

    /// The circumstances in which an image was made.
    public struct Circumstances: Hashable, Sendable {
        /// The nearest plan that shows the page.
        public var plan: PlanID?
        /// Whether the page's plain image was there before.
        public var hasPlain: Bool
        /// Whether there were images of the chart that this one replaced.
        public var isReplacement: Bool

        public init(plan: PlanID? = nil, hasPlain: Bool = false, isReplacement: Bool = false) {
            (self.plan, self.hasPlain, self.isReplacement) = (plan, hasPlain, isReplacement)
        }
    }
}
