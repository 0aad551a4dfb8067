import CommandLine
import Model

/// The values from one source, each with its origin. Higher layers override lower ones.
struct ConfigurationLayer: Sendable {
    private(set) var values: [String: (value: InputValue, origin: Origin)] = [:]
    private(set) var faults: [ConfigurationFault] = []
    /// What counts for nothing, but may be meant for another program or another version of this one.
    private(set) var notes: [ConfigurationFault] = []

    mutating func set(_ setting: Setting, to value: InputValue, from origin: Origin) {
        if let group = setting.group, value != .unset {
            for other in Options.settings where other.group == group && other.key != setting.key {
                guard let former = values[other.key], former.value != .unset else { continue }
                refuse(origin, "\(setting.key) and \(other.key) (\(former.origin.description)) cannot be used together; drop one of them")
                return
            }
        }
        values[setting.key] = (value, origin)
    }

    mutating func refuse(_ origin: Origin, _ message: String, remedy: String? = nil) {
        faults.append(ConfigurationFault(origin: origin, message: message, remedy: remedy))
    }

    /// Drops each setting of a file that other users can change, with a fault, unless the setting only affects what is shown, and
    /// how. Otherwise those users could set commands to run, places to write or send to, files to read, or tokens.
    mutating func refuseWhatIsNotHarmless(_ remedy: String) {
        for setting in Options.settings where !Configuration.isHarmless(setting) {
            guard let (value, origin) = values[setting.key], value != .unset else { continue }
            values[setting.key] = nil
            refuse(origin, "\(setting.key): other users can change this file, and so this setting", remedy: remedy)
        }
    }

    // MARK: - From flags and the environment

    /// `--home` counts as a flag for every folder without its own flag.
    init(flagsOf sources: ConfigurationSources) {
        if let home = sources.home {
            setFolders(in: home, from: .flag("--home"))
        }
        for setting in Options.settings {
            if let value = sources.flags[setting.key] { set(setting, to: value, from: .flag("--" + setting.flag)) }
        }
    }

    /// Derives each folder that has no value of its own from `home`.
    private mutating func setFolders(in home: String, from origin: Origin) {
        for name in ["data", "cache", "runtime", "music"] where values["folders." + name] == nil {
            values["folders." + name] = (.text(home + "/" + name), origin)
        }
    }

    /// Unknown variables with our prefix give notes, not faults: they may belong to another program.
    init(environment: Environment) {
        let base = PathBase(home: environment.home, folder: PathBase.currentFolder)
        let names = environment.variables.keys.sorted().filter { $0.hasPrefix(Setting.variablePrefix) }
        for name in names where ![ConfigurationSources.homeVariable, Environment.machineVariable].contains(name) {
            guard let text = environment[name] else { continue }
            let origin = Origin.environment(name)
            guard let setting = Options.settings.first(where: { $0.variable == name }) else {
                let hint = Suggestion.text(for: name, among: Options.settings.map(\.variable))
                notes.append(ConfigurationFault(origin: origin, message: "no setting has this name\(hint)"))
                continue
            }
            do {
                set(setting, to: try setting.type.parse(text, base: base), from: origin)
            } catch {
                refuse(origin, error.description)
            }
        }
        do {
            if let home = try ConfigurationSources.home(in: environment) {
                setFolders(in: home, from: .environment(ConfigurationSources.homeVariable))
            }
        } catch {
            refuse(.environment(ConfigurationSources.homeVariable), error.description)
        }
    }

    // MARK: - From a file

    /// Reads a configuration file, and collects all its mistakes in `faults`.
    init(file bytes: [UInt8], path: String, base: PathBase) {
        do {
            guard let root = try YAMLReader.read(bytes), !root.isEmpty else { return }
            read(root, path: path, base: base)
        } catch {
            refuse(.file(path, line: error.line, column: error.column), error.message)
        }
    }

    private mutating func read(_ root: YAMLNode, path: String, base: PathBase) {
        func origin(_ node: YAMLNode) -> Origin { .file(path, line: node.line, column: node.column) }
        var sections: [String] = []
        for setting in Options.settings where !sections.contains(setting.section) { sections.append(setting.section) }
        for (key, content) in members(root, path: path, of: "the file", known: sections, areSections: true) {
            guard let section = key.text else { continue }
            // If all options of this section are commented out, there is nothing to read.
            if content.isEmpty { continue }
            let settings = Options.settings.filter { $0.section == section }
            for (key, value) in members(content, path: path, of: section, known: settings.map(\.name)) {
                guard let setting = settings.first(where: { $0.name == key.text }) else { continue }
                read(value, as: setting, path: path, base: base)
            }
        }
    }

    /// The pairs of a map whose keys are known. Of a repeated key, only the first pair is returned. Each other pair is recorded as a
    /// fault; but an unknown section only gives a note, since a newer program may have written it.
    private mutating func members(
        _ node: YAMLNode, path: String, of owner: String, known: [String], areSections: Bool = false
    ) -> [(key: YAMLNode, value: YAMLNode)] {
        func origin(_ node: YAMLNode) -> Origin { .file(path, line: node.line, column: node.column) }
        guard case .map(let pairs) = node.content else {
            refuse(origin(node), "\(owner) must contain lines of the form 'name: value'")
            return []
        }
        var seen: [String: Int] = [:]
        return pairs.filter { key, value in
            guard let name = key.text else {
                refuse(origin(key), "a name is expected here")
                return false
            }
            if let line = seen[name] {
                refuse(origin(key), "'\(name)' is here a second time; the first is on line \(line)")
                return false
            }
            seen[name] = key.line
            if known.contains(name) { return true }
            if areSections, value.isSection {
                // A newer program has other sections, but none that looks like a misspelt one.
                let hint = Suggestion.text(for: name, among: known)
                let message = "unknown section '\(name)'"
                if hint.isEmpty {
                    notes.append(ConfigurationFault(origin: origin(key), message: message + " counts for nothing here"))
                } else {
                    refuse(origin(key), message + hint)
                }
            } else {
                refuse(origin(key), "unknown key '\(name)'" + hint(for: name, in: owner, among: known))
            }
            return false
        }
    }

    private func hint(for name: String, in owner: String, among known: [String]) -> String {
        if let nearest = Suggestion.nearest(to: name, among: known) { return "; did you mean '\(nearest)'?" }
        // The user wrote a valid name in the wrong section, or the full key instead of the name.
        if let setting = Options.settings.first(where: { $0.name == name || $0.key == name }) {
            return "; '\(setting.name)' belongs under '\(setting.section):'"
        }
        return "; known here: \(known.joined(separator: ", "))"
    }

    private mutating func read(_ node: YAMLNode, as setting: Setting, path: String, base: PathBase) {
        func origin(_ node: YAMLNode) -> Origin { .file(path, line: node.line, column: node.column) }
        if node.isEmpty {
            refuse(origin(node), "'\(setting.name)' has no value; put '#' before it to use its default")
            return
        }
        switch node.content {
        case .map:
            refuse(origin(node), "'\(setting.name)' takes a value, not 'name: value' lines")
        case .list(let items):
            guard let type = setting.type.item else { return refuse(origin(node), "'\(setting.name)' takes one value, not a list") }
            var texts: [String] = []
            for item in items {
                guard let text = item.text, !item.isEmpty else {
                    refuse(origin(item), "text is expected in the list")
                    continue
                }
                do {
                    guard case .text(let text) = try type.parse(text, base: base) else { continue }
                    texts.append(text)
                } catch {
                    refuse(origin(item), error.description)
                }
            }
            set(setting, to: .list(texts), from: origin(node))
        case .scalar(let text, let isPlain):
            guard !setting.type.isList else {
                return refuse(origin(node), "'\(setting.name)' takes a list; write \(InputValue.list([text]).yaml)")
            }
            do {
                // 'none' in quotes is ordinary text, and does not unset the setting.
                let type = isPlain ? setting.type : setting.type.wrapped
                set(setting, to: try type.parse(text, base: base), from: origin(node))
            } catch {
                refuse(origin(node), "\(setting.name): \(error)")
            }
        }
    }
}
