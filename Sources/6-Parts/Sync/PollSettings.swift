package import Keeping
import Library
package import Model

/// What decides which things the service is asked for.
package struct PollSettings {
    /// How far ahead plans are kept ready.
    let ahead: Duration
    /// Which charts of the coming plans are kept ready.
    let scope: SyncScope
    /// The same settings by name, if they are known.
    let asked: AskedSettings?

    package init(ahead: Duration, scope: SyncScope, asked: AskedSettings?) {
        self.ahead = ahead
        self.scope = scope
        self.asked = asked
    }
}
