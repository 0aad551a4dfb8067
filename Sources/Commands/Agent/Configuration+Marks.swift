import Agent

extension Configuration {
    /// Where the user's own files of marks are: beside the charts, in the data folder, and wherever else they say.
    var markSettings: MarkSettings {
        let annotations = options.annotations
        return MarkSettings(
            roots: MarkRoots([paths.music, paths.data + "/annotations"] + annotations.folders, ignoring: annotations.ignore),
            settle: .milliseconds(annotations.settle), settleMost: .milliseconds(annotations.settleMost))
    }
}
