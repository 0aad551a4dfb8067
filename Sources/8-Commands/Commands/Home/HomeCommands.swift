import CommandLine
import Configuration
import Glibc
import Host
import Marks
import Model
import Moving
import Platform

extension Command {
    private static let archive = Parameter("file", "the archive; a plain .tar, which any file manager opens", type: .path)

    static let exportHome = Command(
        name: "export-home",
        summary: "Writes one archive of what no other place has: settings without secrets, catalogue, charts, your own files",
        details: """
            To back up, or to move to another laptop with 'woodshed import-home'. The token stays here, and so do the images, which are \
            drawn again. Whoever has the archive can speak to your band as this device, so keep it to yourself. No agent may be running. What was written is read again and compared before the archive gets its name; \
            nothing is ever replaced.
            """,
        parameters: [archive],
        examples: [Example("woodshed export-home /media/usb/anna.tar", "Back up everything to a USB stick.")],
        settings: Options.flags,
        run: HomeCommands.exportHome)

    static let importHome = Command(
        name: "import-home",
        summary: "Takes what 'woodshed export-home' wrote into a home that is still empty",
        details: """
            Everything in the archive is checked before anything is placed. A home that has a catalogue is never written over, nor is \
            any file that differs; a configuration that is there already stays. Of the settings in the archive, those that say what is run, \
            opened or sent become comments. It says where the token belongs, which is not in the archive. It asks whether the home was moved \
            here, and is the same device from now on, or is a copy, which is another one.
            """,
        parameters: [archive],
        flags: [
            Flag("moved", "this is the same device, in the band and where your marks are kept; the former laptop is not used any more"),
            Flag("copy", "this is another device: the former laptop goes on, or may do so"),
        ],
        examples: [
            Example("woodshed import-home /media/usb/anna.tar --moved", "Go on with it on a new laptop."),
            Example("woodshed import-home anna.tar --copy --home ~/try", "See what is in it, in one folder."),
        ],
        settings: Options.flags,
        run: HomeCommands.importHome)
}

enum HomeCommands {
    @LoopActor
    static func exportHome(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        try await refuseUnlessMusicAnswers(configuration, context)
        let path: String = invocation.argument("file") ?? ""
        let settings = try Configuration.portable(ConfigurationSources(invocation, environment: context.environment))
        let export = try HomeExport(of: configuration.paths, configuration: settings, to: path)
        context.output.result(
            "\(path.printable): \(ByteCount(export.bytes)) with the catalogue, \(export.charts.counted("chart")) and "
                + "\(export.ownFiles.counted("file")) of yours; written, read again and compared.")
        let options = configuration.options
        for (folder, setting) in options.annotations.folders.map({ ($0, "annotations.folders") })
            + options.plans.folders.map({ ($0, "plans.folders") })
        {
            context.output.message("Not in it: your files in \(folder.printable) (\(setting)).")
        }
        for (path, why) in export.leftOut { context.output.message("Not in it: \(path.printable) (\(why)).") }
        if export.missingCharts > 0 {
            context.output.warning(
                "not in it: \(export.missingCharts.counted("chart")) whose \(export.missingCharts == 1 ? "file is" : "files are") not here, "
                    + "nor the images that are kept of \(export.missingCharts == 1 ? "it" : "them"); '\(woodshed("sync"))' fetches what the service still has"
            )
        }
        for path in export.changedCharts {
            context.output.warning(
                "\(path) is not what the service sent: it is damaged, or something was saved over it; it is in the archive as it is")
        }
        let account = configuration.options.account
        if account.apiURL != Options().account.apiURL {
            context.output.message(
                "Not in it: the address of the service, which you set anew (account.api_url: \(account.apiURL.printable)).")
        }
        if let marks = account.annotationsURL {
            context.output.message(
                "Not in it: where other people's marks are, which you set anew (account.annotations_url: \(marks.printable)).")
        }
        context.output.message(
            "Not in it: your token. 'woodshed import-home' on the other laptop takes the archive, and says where the token belongs.")
        return .fine
    }

    /// Throws if the music folder does not answer, since the musician's own files are read or placed there.
    @LoopActor
    private static func refuseUnlessMusicAnswers(_ configuration: Configuration, _ context: CommandContext) async throws {
        let asked = await configuration.asking(by: context.clock)
        guard !asked.markSettings.roots.isSilent(configuration.paths.music) else {
            throw CommandFailure(.notReady, FolderReach.word(configuration.paths.music))
        }
    }

    @LoopActor
    static func importHome(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        try await refuseUnlessMusicAnswers(configuration, context)
        let paths = configuration.paths
        let path: String = invocation.argument("file") ?? ""
        // The music folder may be missing: without files of the musician's own, only the first sync creates it.
        func places() -> String { [paths.data, paths.music].filter { access($0, F_OK) == 0 }.joined(separator: " and ") }
        let archive = try HomeArchive(path)
        guard let isMoved = try await isMoved(invocation, context) else {
            context.output.message("Nothing was changed.")
            return .failed
        }
        let imported = try HomeImport(of: archive, to: paths, home: context.environment.home, isMoved: isMoved)
        context.output.result("The catalogue and \(imported.files.counted("file")) are in place, in \(places()).")
        if isMoved, !imported.knowsWhoItWas {
            context.output.warning(
                "an older program made the archive, which does not say who the home is: to a band, and where marks are kept, this is a new device"
            )
        }
        if imported.keptConfiguration { context.output.message("Your configuration stays as it was: \(paths.configuration).") }
        if !imported.offeredSettings.isEmpty {
            context.output.message(
                "Not in effect, since they say what is run, opened or sent: \(imported.offeredSettings.joined(separator: ", ")). "
                    + "In \(paths.configuration), remove the '#' before those that are yours.")
        }
        let options = try context.configuration(invocation).options
        if !isMoved, options.band.place != nil || imported.offeredSettings.contains(where: { $0.hasPrefix("band.") }) {
            context.output.message(
                "To the band this is another device: '\(woodshed("band mine"))', here and on the former laptop, makes you one musician to the others."
            )
        }
        context.output.message(
            "\(secrets(options)) Then '\(woodshed("sync"))' fetches what has changed.")
        return .fine
    }

    /// Whether the home was moved here rather than copied, by the flags or by asking the user. `nil` if the user cancels the question.
    @LoopActor
    private static func isMoved(_ invocation: Invocation, _ context: CommandContext) async throws -> Bool? {
        let (isMoved, isCopy): (Bool, Bool) = (invocation.has("moved"), invocation.has("copy"))
        guard !isMoved || !isCopy else { throw CommandFailure(.usage, "it was moved or copied: say one of --moved and --copy") }
        if isMoved || isCopy { return isMoved }
        let ask = Questions(output: context.output)
        guard ask.canAsk else {
            throw CommandFailure(
                .usage, "say whether the home was moved here (--moved: the former laptop is not used any more), or is a copy (--copy)")
        }
        do {
            return try await ask.isYes("Was this home moved here, so that the laptop it comes from is not used any more", usual: false)
        } catch is Questions.Cancelled {
            context.output.message("")
            return nil
        }
    }

    /// Explains where the token comes from now, and names the missing files with passwords, since the archive has none of them.
    private static func secrets(_ options: Options) -> String {
        let others = [options.account.signInSecret, options.viewer.tokenFile, options.band.keyFile].compactMap(\.self).filter {
            access($0, F_OK) != 0
        }
        let more = others.isEmpty ? "" : " Bring \(others.joined(separator: " and ")), too."
        switch SecretSource(options.account) {
        case .file(let path):
            return "The token is not in the archive: write it to \(path) as app_id:secret, and run chmod 600 on it.\(more)"
        case .signIn: return "Sign in with '\(woodshed("sign-in"))'.\(more)"
        case .credential, .command: return "The token comes from where this laptop has it.\(more)"
        case nil: return "The token is not in the archive: '\(woodshed("setup"))' asks for it.\(more)"
        }
    }
}
