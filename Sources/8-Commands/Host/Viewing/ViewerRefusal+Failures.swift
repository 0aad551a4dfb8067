import Agent
import Catalogue
import Library
import Viewer

extension ViewerRefusal {
    /// What the agent could not show.
    init(_ failure: ShowFailure) {
        let kind: Kind =
            switch failure {
            case .noSuchPage: .unknown
            case .notWanted: .gone
            case .superseded: .overtaken
            case .notDownloaded, .notCounted, .unreadable, .cannotBeDrawn, .stopped, .library: .unavailable
            }
        self.init(kind, "\(failure)")
    }

    /// What the library could not do.
    init(_ error: LibraryError) {
        if case .unknownPlan = error { self = .unknownPlan } else { self.init(.unavailable, "\(error)") }
    }

    static let unknownPlan = ViewerRefusal(.unknown, "There is no such plan here.")
    static let unknownChart = ViewerRefusal(.unknown, "There is no such chart here.")
    static let unknownLayer = ViewerRefusal(.unknown, "There are no such marks on this chart.")
}
