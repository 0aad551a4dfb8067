import Glibc
import Platform

extension Agent {
    /// Somebody else changed the library: looks at it anew, and for charts of files of marks that had none.
    public func noteChange() {
        markKeeper.matchAgain()
        reconcile()
    }

    /// Has `desk` answer who this agent is, and hear of changes.
    public func join(_ desk: ControlDesk, version: String) {
        let since = now
        desk.answer("GET", "/v1/live") { _ in
            ControlReply(json: Array(#"{"version":"\#(version)","pid":\#(getpid()),"since":"\#(since)"}"#.utf8))
        }
        desk.answer("POST", "/v1/changed") { [weak self] _ in
            self?.noteChange()
            return ControlReply(status: 202)
        }
    }
}
