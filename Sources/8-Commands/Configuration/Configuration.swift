import CommandLine
import Glibc
import Platform

/// The options in effect and where each came from, and the folders that follow from them.
package struct Configuration: Sendable {
    package let options: Options
    package let paths: Paths
    /// What is unusual but not a mistake.
    package let notes: [ConfigurationFault]
    private let origins: [String: Origin]

    /// Larger than any sensible file; anything beyond that is not a configuration.
    static let greatestSize = 256 << 10

    /// Where a setting's value came from.
    package func origin(of setting: Setting) -> Origin { origins[setting.key] ?? .standard }

    /// Combines all sources: flags override environment, which overrides the file, which overrides the machine's, which overrides defaults.
    /// Throws all faults at once.
    package static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        var notes: [ConfigurationFault] = []
        let file = Paths.configurationFile(sources)
        let layers = [
            machineLayer(sources),
            layer(file: file, isDemanded: sources.file != nil, environment: sources.environment),
            ConfigurationLayer(environment: sources.environment, notes: &notes),
            ConfigurationLayer(flagsOf: sources),
        ]
        let (options, origins) = combined(layers)
        let faults = ConfigurationFault.inOrder(
            layers.flatMap(\.faults) + addressFaults(options, origins) + viewerFaults(options, origins),
            files: [sources.machineFile, file].compactMap(\.self))
        let paths = Paths(options: options, configuration: file, sources: sources)
        guard faults.isEmpty else { throw ConfigurationError(faults: faults, paths: paths) }
        return Configuration(options: options, paths: paths, notes: notes, origins: origins)
    }

    /// What holds on this machine for everybody who sets nothing else.
    package static func machineOptions(_ sources: ConfigurationSources) throws(ConfigurationError) -> Options {
        let layer = machineLayer(sources)
        guard layer.faults.isEmpty else { throw ConfigurationError(faults: layer.faults) }
        return combined([layer]).options
    }

    static func combined(_ layers: [ConfigurationLayer]) -> (options: Options, origins: [String: Origin]) {
        var options = Options()
        var origins: [String: Origin] = [:]
        for layer in layers {
            for setting in Options.settings {
                guard let (value, origin) = layer.values[setting.key] else { continue }
                // A setting of a group replaces the group's other settings from lower layers.
                for other in Options.settings where setting.group != nil && other.group == setting.group && value != .unset {
                    _ = other.write(&options, .unset)
                    origins[other.key] = nil
                }
                _ = setting.write(&options, value)
                origins[setting.key] = origin
            }
        }
        return (options, origins)
    }

    /// Whoever can write the machine's file can have a command run as every user (`account.token_command`), so that must be root or ourselves.
    static func machineLayer(_ sources: ConfigurationSources) -> ConfigurationLayer {
        let base = PathBase(home: sources.environment.home, folder: nil)
        guard let path = sources.machineFile else { return ConfigurationLayer(file: [], path: "", base: base) }
        var layer = ConfigurationLayer(file: [], path: path, base: base)
        do throws(SystemError) {
            // Non-blocking, since a pipe without a writer would block us for ever.
            let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw SystemError("read", path: path) }
            guard status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
                let quoted = path.shellQuoted
                layer.refuse(
                    .wholeFile(path), "others may write it, so it is not used; run: sudo chown root: \(quoted) && sudo chmod 644 \(quoted)")
                return layer
            }
            return ConfigurationLayer(file: try file.readAll(limit: greatestSize, path: path), path: path, base: base)
        } catch {
            if error.code != ENOENT, error.code != ENOTDIR { layer.refuse(.wholeFile(path), "\(error)") }
            return layer
        }
    }

    static func layer(file: String, isDemanded: Bool, environment: Environment) -> ConfigurationLayer {
        let base = PathBase(home: environment.home, folder: nil)
        do {
            return ConfigurationLayer(file: try AtomicFile.read(file, limit: greatestSize), path: file, base: base)
        } catch {
            var layer = ConfigurationLayer(file: [], path: file, base: base)
            // Nobody has to have a configuration, but a file that was named must be there.
            if error.code != ENOENT || isDemanded { layer.refuse(.wholeFile(file), "\(error)") }
            return layer
        }
    }

    /// The address decides where the token goes, so plain http is accepted only for this machine, and only on request.
    private static func addressFaults(_ options: Options, _ origins: [String: Origin]) -> [ConfigurationFault] {
        let addresses = [
            ("account.api_url", options.account.apiURL), ("account.annotations_url", options.account.annotationsURL ?? ""),
        ]
        return addresses.compactMap { key, text in
            guard let address = try? WebAddress(text), address.scheme == .http else { return nil }
            let origin = origins[key] ?? .standard
            if !address.isLoopback {
                return ConfigurationFault(origin: origin, message: "\(key): only https:// is accepted, because the token is sent there")
            }
            guard !options.account.allowHTTPLoopback else { return nil }
            let message = "\(key): plain http to this machine needs account.allow_http_loopback: true"
            return ConfigurationFault(origin: origin, message: message)
        }
    }
}
