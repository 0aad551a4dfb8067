package import Keeping
import Library
package import Model

/// What decides what the service is asked for.
package struct PollSettings {
    /// How far ahead plans are kept ready.
    let ahead: Duration
    /// What charts are kept ready of what is coming.
    let scope: SyncScope
    /// The same by name, where it is known.
    let asked: AskedSettings?

    package init(ahead: Duration, scope: SyncScope, asked: AskedSettings?) {
        self.ahead = ahead
        self.scope = scope
        self.asked = asked
    }
}
