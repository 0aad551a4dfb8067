import Agent
package import Configuration
package import Marks

extension Configuration {
    /// Where the user's own mark files are: beside the charts, in the data folder, and in the folders that they configured.
    package var markSettings: MarkSettings {
        let annotations = options.annotations
        let ours = [paths.music, paths.data + "/annotations"]
        return MarkSettings(
            roots: MarkRoots(ours + annotations.folders, ignoring: annotations.ignore, optional: Set(ours)),
            settle: .milliseconds(annotations.settle), settleMost: .milliseconds(annotations.settleMost),
            history: annotations.history)
    }
}
