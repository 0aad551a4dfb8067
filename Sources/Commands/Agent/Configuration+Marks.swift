import Agent
import Watching

extension Configuration {
    /// Where the user's own files of marks are: beside the charts, in the data folder, and wherever else they say.
    var markSettings: MarkSettings {
        let annotations = options.annotations
        return MarkSettings(
            roots: MarkRoots([paths.music, paths.data + "/annotations"] + annotations.folders, ignoring: annotations.ignore),
            settle: .milliseconds(annotations.settle), settleMost: .milliseconds(annotations.settleMost))
    }
}

extension WatchedRoot {
    /// A folder with files of marks: what is written in it, and what is removed.
    static func marks(_ folder: String, _ roots: MarkRoots) -> WatchedRoot {
        WatchedRoot(folder, news: [.removals, .writes]) { path in path.split(separator: "/").allSatisfy { roots.admits(folder: $0) } }
    }
}
