public import Freshness
public import Keeping
import Library
public import Marks
public import Model

/// What the user can configure about the agent's work.
public struct AgentSettings: Hashable, Sendable {
    /// What pages look like.
    public var render: RenderSettings
    /// How far ahead plans are kept ready. Four weeks cover a month's schedule.
    public var ahead: Duration
    /// Downloads at a time: enough to hide a slow host's answer times, few enough to leave the line usable.
    public var downloads: Int
    /// Which charts and images are kept ready for coming plans.
    public var scope: SyncScope
    /// Where the user's own mark files are.
    public var marks: MarkSettings
    /// How much the page cache may take.
    public var cache: CacheSettings
    /// How much memory may be used for images that are about to be shown.
    public var memory: ByteCount

    /// How often the service is asked.
    public var rhythm: PollRhythm
    /// The settings that decide what the service is asked for, by name, if they are known.
    public var asked: AskedSettings?

    /// Makes settings; the defaults are the documented ones.
    public init(
        render: RenderSettings = RenderSettings(), ahead: Duration = .seconds(28 * 86_400), downloads: Int = 4, scope: SyncScope = .all,
        marks: MarkSettings = MarkSettings(),
        cache: CacheSettings = CacheSettings(), memory: ByteCount = ByteCount(64_000_000), rhythm: PollRhythm = PollRhythm(),
        asked: AskedSettings? = nil
    ) {
        self.render = render
        self.ahead = ahead
        self.downloads = downloads
        self.scope = scope
        self.marks = marks
        self.cache = cache
        self.memory = memory
        self.rhythm = rhythm
        self.asked = asked
    }
}
