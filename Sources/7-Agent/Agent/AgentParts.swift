public import Library
import Model
public import PageCache
public import PlanningCenter
public import Platform
public import Rendering
public import Watching

extension Agent {
    /// What an agent works with; each part can be replaced by a simulated one.
    public struct Parts {
        let library: Library
        let cache: PageCache
        let renderer: any PageRenderer
        let service: PlanningCenterClient
        let time: any TimeKeeper
        let log: Log
        let fileEvents: (any ListingEventSource)?

        /// Gathers the parts.
        ///
        /// `fileEvents` reports images that somebody else removed, and mark files that were written; without it, that is found out at the
        /// next look.
        public init(
            library: Library, cache: PageCache, renderer: any PageRenderer, service: PlanningCenterClient, time: any TimeKeeper,
            log: Log, fileEvents: (any ListingEventSource)? = nil
        ) {
            self.library = library
            self.cache = cache
            self.renderer = renderer
            self.service = service
            self.time = time
            self.log = log
            self.fileEvents = fileEvents
        }

        /// The time of day.
        @LoopActor var now: Timestamp { time.timestamp }
    }
}
