import CommandLine

/// The settings that go along when a home is moved to another machine.
extension Configuration {
    /// The user's own settings as a file: without what must stay secret, and without where things are on this machine. `nil` if there is none.
    package static func portable(_ sources: ConfigurationSources) throws(ConfigurationError) -> String? {
        let machine = machineLayer(sources)
        let own = layer(file: Paths.configurationFile(sources), isDemanded: sources.file != nil, environment: sources.environment)
        let faults = machine.faults + own.faults
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        guard !own.values.isEmpty else { return nil }
        let usual = combined([machine]).options
        var options = combined([machine, own]).options
        for setting in Options.settings where !isPortable(setting) { _ = setting.write(&options, setting.read(usual)) }
        let home = sources.environment.home
        guard home != "/" else { return options.explainedFile(besides: usual) }
        // Only where a path begins.
        return [" ", "\"", "'", "["].reduce(options.explainedFile(besides: usual)) { $0.replacing("\($1)\(home)/", with: "\($1)~/") }
    }

    /// Checks such a file; an archive comes from elsewhere, and must neither name a command to run nor places to write to.
    package static func checkPortable(_ bytes: [UInt8], called path: String) throws(ConfigurationError) {
        var layer = ConfigurationLayer(file: bytes, path: path, base: PathBase(home: "/", folder: nil))
        for setting in Options.settings where !isPortable(setting) {
            guard let (value, origin) = layer.values[setting.key], value != .unset else { continue }
            layer.refuse(origin, "\(setting.key) is for one machine alone, and is not taken from elsewhere")
        }
        guard layer.faults.isEmpty else { throw ConfigurationError(faults: layer.faults) }
    }

    /// Nor does an archive say where the token is sent: it comes from elsewhere, and the token is read from a file that is here.
    private static func isPortable(_ setting: Setting) -> Bool {
        setting.isShown && setting.section != "folders"
            && !["account.api_url", "account.annotations_url", "account.allow_http_loopback"].contains(setting.key)
    }
}
