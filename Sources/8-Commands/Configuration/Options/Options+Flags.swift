package import CommandLine

extension Options {
    /// The flags that override the settings, one for each.
    package static let flags = settings.map(Flag.init(setting:))
}

extension Flag {
    /// The flag that overrides a setting of the configuration.
    fileprivate init(setting: Setting) {
        self.init(setting.flag, setting.type.placeholder, type: setting.type, setting.summary)
    }
}
