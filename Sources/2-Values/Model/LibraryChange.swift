/// One difference that a poll found between the service and the library.
public enum LibraryChange: Hashable, Sendable, Codable {
    case planAdded(PlanReference)
    /// Its times are different from before.
    case planMoved(PlanReference, from: Timestamp?, to: Timestamp?)
    /// It has fewer charts than before, but not so few that it is held back.
    case planShrunk(PlanReference, from: Int, to: Int)
    /// What the service sent is doubtful: the plan stays as it was until somebody accepts the change, or time confirms it.
    case planHeldBack(PlanReference, HoldReason)
    /// The same for a plan that lost charts, in older journals.
    case planShrinkHeldBack(PlanReference, from: Int, to: Int)
    /// The service no longer names it; it is kept until it is past.
    case planGone(PlanReference)
    /// The musician declined it; it is kept all the same.
    case planDeclined(PlanReference)
    case itemMoved(PlanReference, item: String, from: Int, to: Int)
    case chartAdded(PlanReference, ChartReference)
    /// The service has other bytes for it.
    case chartReplaced(PlanReference, ChartReference)
    /// The service has the same file under another name.
    case chartRenamed(PlanReference, ChartReference, from: String)
    /// It is no longer part of the plan; its bytes stay.
    case chartRemoved(PlanReference, ChartReference)
    case layerAdded(LayerReference)
    case layerChanged(LayerReference)
    /// Its owner deleted it.
    case layerDeleted(LayerReference)
    /// The service no longer names it, though nobody said that it was deleted; it is kept.
    case layerGone(LayerReference)
    /// What the service sent is doubtful, or cannot be read: what is here is kept.
    case layerDoubted(LayerReference, LayerDoubt.Reason)
    /// One of the user's programs had saved something over its file, which was set aside when the chart was downloaded again.
    case chartSetAside(ChartReference, path: String)
    /// There are marks on pages of it that looked different when they were made.
    case marksOutdated(ChartReference, pages: [PageIndex])
    /// One of the user's mark files was saved without this many marks that it had, or is gone with them; the chart is the one that it is
    /// for.
    case marksVanished(ChartReference?, path: String, marks: Int)

    /// A plan, by its id and by what people call it.
    public struct PlanReference: Hashable, Sendable, Codable {
        public var id: PlanID
        /// Without the day if `time` gives that; older journals have the day in here.
        private var name: String
        /// When it is, as people put it.
        private var time: Timestamp?

        /// Names a plan.
        public init(_ plan: Plan) {
            id = plan.id
            time = plan.mainTime
            // The service words the dates in its own time zone, so they may name another day than the music folder does.
            name = time == nil && !plan.dates.isEmpty ? "\(plan.displayName) (\(plan.dates))" : plan.displayName
        }

        /// What people call it, with its day.
        public func name(telling times: TimeWords) -> String { time.map { "\(name) (\(times.day($0)))" } ?? name }
    }

    /// A chart, by its attachment and by what people call it.
    public struct ChartReference: Hashable, Sendable, Codable {
        public var id: AttachmentID
        public var name: String

        /// Names a chart.
        public init(_ attachment: Attachment) {
            id = attachment.id
            name = attachment.filename
        }

        /// Names a chart of which nothing else is known.
        public init(id: AttachmentID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A layer, by its id and by its names.
    public struct LayerReference: Hashable, Sendable, Codable {
        public var id: LayerID
        public var attachment: AttachmentID
        public var name: String
        /// Whose it is, and empty if that is not known; `nil` in an entry of the journal in which the name says it.
        public var person: String?
        /// The name of the chart that it is on; empty if that is not known.
        public var chart: String

        /// Names a layer.
        public init(_ layer: Layer, chart: String = "") {
            id = layer.id
            attachment = layer.attachment
            self.chart = chart
            (name, person) = (layer.name, layer.personName)
        }
    }
}
