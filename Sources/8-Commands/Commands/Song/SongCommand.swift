import CommandLine
import Configuration
import Glibc
import Host
import Library
import Model
import Platform
import Rendering
import Songs

extension Command {
    static let song = Command(
        name: "song",
        summary: "Draws a song in any key, from its words and chords",
        details: """
            A song of a plan that the service has words and chords of, or a file: ChordPro (.cho, .chopro, .pro, or any file with its \
            directives), or anything else as the service writes it. Chords move by the interval between the keys, so that they are spelt as \
            musicians write them; what is no chord stays as it is, and is named. In every key, each word is at the same place on the page. A \
            file of several songs is written as a whole with --as chordpro, where --key holds for each; songs that cannot be moved are named, \
            with code 3. A PDF has the first.
            """,
        parameters: [
            Parameter("song", "the title of a song, or a part of it, or a file with words and chords").offering(.songsOrFiles)
        ],
        flags: [
            Flag("key", "D", type: .text, "the key in which it is to sound, instead of the one that the plan has it in").offering(keys),
            Flag("from", "G", type: .text, "the key that its chords are written in, if the text does not say").offering(keys),
            Flag("capo", "2", type: .integer(SongView.frets), "the fret of a capo: the chords are those to be played behind it"),
            Flag("numbers", "write chords by their place in the scale: 1 4 5 6-"),
            Flag("german", "write H for B, and B for B flat"),
            Flag("as", "FORM", type: .choice(["pdf", "chordpro"]), "a PDF, which is the default, or its text in ChordPro"),
            Flag(
                "output", short: "o", "FILE", type: .path,
                "write to FILE instead of a file named after the song here; '-' means standard output"),
            OutputFile.force,
        ],
        json: SongAnswer.form,
        examples: [
            Example("woodshed song riverside --key D --capo 2", "Draw it in D, for a guitar with a capo at the second fret."),
            Example("woodshed song riverside --numbers -o numbers.pdf", "Draw it with numbers."),
            Example("woodshed song riverside --as chordpro -o -", "Print its text for another program."),
        ],
        settings: Options.flags,
        run: { try await SongCommand(invocation: $0, context: $1).run() })

    /// The usual keys, as they are typed.
    private static let keys = Offer.words(["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"])
}

/// Takes no lock: it only reads the library, which is safe while an agent is running.
@LoopActor
private struct SongCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let configuration = try await context.configurationToRead(invocation)
        let found = try FoundSong(invocation.argument("song") ?? "", configuration, now: context.clock.timestamp)
        let song = found.song
        let isText = invocation.value("as") == "chordpro"
        let readings = (try? song.read()) ?? []
        var view = SongView(key: found.key, capo: invocation.value("capo") ?? found.capo, writing: try writing(configuration))
        if let key: String = invocation.value("from") { (view.from, view.prevails) = (try checked(key), true) }
        if let key: String = invocation.value("key") {
            view.key = try checked(key)
            if !invocation.has("capo") { view.capo = 0 }
            // In a file of several songs, each song moves from its own key, and remarks list the songs that cannot be moved. A PDF has only
            // the first song.
            if readings.count < 2 || !isText {
                if view.from == nil, let reading = readings.first { try expectKey(of: reading.song, toMoveTo: key) }
                let own = (view.from ?? song.key).flatMap { Key($0) } ?? readings.first?.song.key
                if let own, let wanted = view.key.flatMap({ Key($0) }), own.isMinor != wanted.isMinor {
                    throw CommandFailure(.usage, "\(Trouble.otherMode(own, wanted))")
                }
            }
        }
        let remarks = [found.remark, isText ? nil : readings.first.flatMap { leftCapo(of: $0.song) }].compactMap(\.self)
        guard isText else { return try await writePDF(SongSheet(song, view), configuration, remarks) }
        return try writeText(song, view, configuration, remarks)
    }

    /// A remark that the text's capo is left out, because it is right only for the text's own key and --key asks for another one.
    private func leftCapo(of song: Song) -> String? {
        guard song.capo > 0, invocation.has("key"), !invocation.has("capo") else { return nil }
        let fret = song.capo
        return "The text has a capo at fret \(fret) for its own key; with --key it is left out, and --capo \(fret) brings it back."
    }

    /// The English name of a key on the command line.
    private func checked(_ text: String) throws -> String {
        guard let key = Key(typed: text, naming: invocation.has("german") ? .german : .english) else {
            throw CommandFailure(.usage, "'\(text)' is no key; a key is written as in G, Bb or F#m")
        }
        return key.description
    }

    /// A song in an unknown key cannot be moved. If it were written anyway, it would stay in its own key under the name of another key.
    private func expectKey(of song: Song, toMoveTo key: String) throws {
        guard song.key == nil else { return }
        if let stated = song.detail("key") {
            let fault = "the song says that it is written in '\(stated)', which is no key, so it cannot be moved to \(key)"
            throw CommandFailure(.notReady, "\(fault); say it with --from, as in --from G")
        }
        let advice = song.likelyKey.map { "\($0.reason). If that is right, add --from \($0.key)" } ?? "say it with --from, as in --from G"
        throw CommandFailure(.notReady, "the song does not say which key it is written in, so it cannot be moved to \(key); \(advice)")
    }

    private func writing(_ configuration: Configuration) throws -> SongView.Writing {
        // Write ChordPro with letters by default, whatever the configuration says, since other programs expect letters.
        let usual = invocation.value("as") == "chordpro" ? .letters : configuration.options.chartChoice.usual.writing
        guard invocation.has("numbers") else { return invocation.has("german") ? .german : usual }
        guard !invocation.has("german") else { throw CommandFailure(.usage, "--numbers and --german exclude each other") }
        return usual == .minorNumbers ? usual : .numbers
    }

    // MARK: - As a PDF

    private func writePDF(_ sheet: SongSheet, _ configuration: Configuration, _ remarks: [String]) async throws -> ExitCode {
        let target = try target(for: sheet, as: .pdf, configuration)
        let file = try OutputFile.begin(target, cache: configuration.paths.cache)
        let drawn = try await draw(sheet, to: file, configuration)
        try OutputFile.finish(file, as: target, invocation, on: context.output)
        return give(sheet, target, pages: drawn.pages, remarks: remarks + drawn.warnings)
    }

    private func draw(_ sheet: SongSheet, to file: TemporaryFile, _ configuration: Configuration) async throws -> PDFOutcome {
        do {
            return try await configuration.options.withRenderer(clock: context.clock) { pool in
                try await pool.draw(SongJob(sheet, output: file.descriptor), in: .live)
            }
        } catch let failure as RenderFailure {
            throw CommandFailure(.failed, "the song could not be drawn: \(failure)")
        }
    }

    // MARK: - As text

    private func writeText(
        _ text: SongText, _ view: SongView, _ configuration: Configuration, _ own: [String]
    ) throws -> ExitCode {
        let readings: [SongReading]
        do throws(Trouble) {
            readings = try text.read()
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        var remarks = own + readings.flatMap(\.remarks).map(\.description)
        var code = ExitCode.fine
        let songs = readings.enumerated().map { place, reading in
            // In a file of several songs, each keeps its own capo, unless the user asked for a capo or a key.
            let areSeveral = readings.count > 1
            let capo = areSeveral && !invocation.has("capo") && !invocation.has("key") ? reading.song.capo : view.capo
            // In a file of several songs, --from does not override the key that a song itself states.
            let song = view.from.map { areSeveral ? reading.song.stating(key: $0) : reading.song.corrected(key: $0) } ?? reading.song
            let naming = view.writing == .german ? Naming.german : song.naming
            let name = areSeveral ? "\(song.title ?? "song \(place + 1)"): " : ""
            if let capo = leftCapo(of: song) { remarks.append(name + capo) }
            do throws(Trouble) {
                let key = view.key.flatMap { Key($0) }
                if try song.written(in: key, capo: capo).hasLeftTablature(of: song) {
                    remarks.append(name + Song.leftTablature)
                }
                return try song.written(in: key, capo: capo, as: view.chords).named(naming)
            } catch {
                remarks.append(name + "\(error)")
                if invocation.has("key") { code = .notReady }
                return song.named(naming)
            }
        }
        let chordPro = songs.map(\.chordPro).joined(separator: "{new_song}\n")
        let sheet = SongSheet(text, view)
        let target = try target(for: sheet, as: .chordPro, configuration)
        if let target {
            let file = try TemporaryFile.create(inFolderOf: target, mode: 0o666)
            try Array(chordPro.utf8).withUnsafeBytes { try file.write($0) }
            try OutputFile.finish(file, as: target, invocation, on: context.output)
        } else {
            context.output.result(asItIs: chordPro.plain)
        }
        return give(sheet, target, pages: nil, remarks: remarks, code)
    }

    // MARK: - The target

    /// The file to write; `nil` for standard output.
    private func target(for sheet: SongSheet, as form: OutputFile, _ configuration: Configuration) throws -> String? {
        let name = sheet.usualName(isText: invocation.value("as") == "chordpro")
        return try form.target(invocation, context, configuration.paths, usual: name)
    }

    private func give(_ sheet: SongSheet, _ target: String?, pages: Int?, remarks: [String], _ code: ExitCode = .fine) -> ExitCode {
        guard let target else {
            for remark in remarks { context.output.warning(remark.printable) }
            return code
        }
        context.give(SongAnswer(sheet, file: target, pages: pages, remarks: remarks), to: invocation)
        return code
    }
}

extension SongSheet {
    /// The name of a file with this sheet, without an ending. Unless it is a text, a sheet in numbers names no key: numbers are the same in
    /// every key.
    func usualName(isText: Bool) -> String {
        let isInNumbers = !isText && (view.writing == .numbers || view.writing == .minorNumbers)
        let key = isInNumbers ? " in numbers" : (view.key ?? view.from ?? song.key).map { " in \($0)" } ?? ""
        let capo = view.capo > 0 ? ", capo \(view.capo)" : ""
        return (song.title.isEmpty ? "Song" : song.title) + key + capo
    }
}
