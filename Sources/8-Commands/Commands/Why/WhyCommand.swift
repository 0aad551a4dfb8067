import CommandLine
import Configuration
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Rendering

extension Command {
    static let why = Command(
        name: "why",
        summary: "Explains a page's image: what it is made from, whether it is there, what would redraw it; with -o also writes it",
        details: """
            Without -o nothing is made or changed. With -o the image is taken from the cache, or drawn now. An agent may be running. \
            Times are local; in JSON they are UTC.
            """,
        parameters: [.chart, Parameter("page", "the page's number, from 1", type: .integer(1...10_000))],
        flags: [
            Flag(
                "variant", "VARIANT", type: .choice(Variant.allCases.map(\.rawValue)),
                "plain, annotated (the default) or thumbnail; a page without marks looks the same plain and annotated"),
            Flag("size", "PX", type: .integer(16...20_000), "pixels on the long side instead of the configured size"),
            Flag(
                "output", short: "o", "FILE", type: .path,
                "write the image to FILE, whose name ends in .png; '-' means standard output, and the image alone"),
            OutputFile.force,
        ],
        json: PageStory.form,
        examples: [
            Example("woodshed why riverside 1", "Print whose marks are on the first page and the state of its image."),
            Example("woodshed why 79073916 2 --variant thumbnail --json", "Print the same for a thumbnail, as JSON."),
            Example("woodshed why riverside 1 -o page.png", "Write the first page with everybody's marks, too."),
            Example(
                "woodshed why 79073916 2 --variant plain --size 1200 -o page-2.png",
                "Write the second page without marks, 1200 pixels on the long side."
            ),
        ],
        settings: Options.flags,
        run: { try await WhyCommand(invocation: $0, context: $1).run() })
}

/// Takes no lock: reading the library is safe while an agent is running, and only complete images are published.
@LoopActor
struct WhyCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let configuration = try await context.configurationToRead(invocation)
        let isWritten = invocation.has("output")
        let target = isWritten ? try OutputFile.png.target(invocation, context, configuration.paths, usual: nil) : nil
        let home = try OpenHome(configuration, for: .reading, context)
        defer { home.close() }
        let named = try NamedPage(invocation, in: home.library, settings: configuration.options.renderSettings)
        guard isWritten else { return context.give(try await PageStory(of: named, in: home), to: invocation) }
        let image = try await configuration.options.withRenderer(clock: context.clock) { pool in try await self.image(of: named, home, pool)
        }
        guard let target else {
            image.withUnsafeBytes { context.output.result(bytes: $0) }
            return .fine
        }
        let file = try OutputFile.begin(target, cache: configuration.paths.cache)
        try image.withUnsafeBytes { try file.write($0) }
        var story = try await PageStory(of: named, in: home)
        try OutputFile.finish(file, as: target, invocation, on: context.output)
        story.written = (target, ByteCount(image.count))
        return context.give(story, to: invocation)
    }

    private func image(of named: NamedPage, _ home: OpenHome, _ pool: WorkerPool) async throws -> [UInt8] {
        let (library, chart) = (home.library, named.chart.hash)
        let inputs = named.inputs(by: try await pool.identity())
        let name = ImageName(inputs)
        let (kept, isDamaged) = try look(for: name, in: home.cache)
        if let kept { return kept }
        if isDamaged { context.output.message("The image that was kept was damaged; it is being drawn again.") }

        let path = library.charts.path(of: chart)
        let file = try MemoryFile.create()
        try library.charts.check(chart)
        _ = try await pool.render(
            PageJob(
                chart: path, page: named.page, settings: named.settings,
                outputs: [PageJob.Output(inputs.variant, key: inputs.key, descriptor: file.number)], marks: named.marks))
        let bytes = try MemoryFile.read(file.number, limit: 1 << 30)
        // Do not keep an image of another size, since the agent does not need it and would only trim it. Do not keep an image of a
        // chart whose fonts are not known yet either, since the image's name depends on them. An image that replaces a damaged one
        // needs no further space.
        let isUsual = named.settings == home.configuration.options.renderSettings
        let mayStay = isDamaged ? true : await hasRoom(for: bytes.count, home)
        if isUsual, named.description != nil, mayStay { keep(bytes, of: inputs, in: home.configuration.paths) }
        forgive(chart, isUsual ? name : nil, in: library)
        return bytes
    }

    /// The bytes of the image in the cache if it is intact, otherwise `nil`. `isDamaged` is whether the image is there but damaged.
    private func look(for name: ImageName, in cache: PageCache) throws(PageCacheError) -> (bytes: [UInt8]?, isDamaged: Bool) {
        do throws(PageCacheError) {
            return (try cache.loadIntact(name), false)
        } catch {
            guard case .damaged = error else { throw error }
            return (nil, true)
        }
    }

    /// Whether an image of `count` bytes fits into the cache's limits. An image that does not fit would exceed the limits until an
    /// agent or a sync trims the cache. Also `false` if the disk cannot be checked.
    private func hasRoom(for count: Int, _ home: OpenHome) async -> Bool {
        guard let disk = try? home.keeper.disk() else { return false }
        let limits = home.keeper.limits(on: disk)
        let held = await home.cache.survey().reduce(0) { $0 + $1.size.bytes }
        return held + count <= limits.bytes.bytes && disk.free.bytes - count >= limits.leastFree.bytes
    }

    /// Forgets earlier failures to draw a page that could be drawn now, or to count its chart's pages, so that the agent retries.
    /// `name` is the page's image; `nil` if that does not have the usual size, and then only failures to count are forgotten.
    private func forgive(_ chart: ChartHash, _ name: ImageName?, in library: Library) {
        do {
            let faults = try library.images.faults().filter { fault in
                guard fault.chart == chart else { return false }
                guard let image = fault.image else { return true }
                guard let name, image.page == name.page else { return false }
                // That the page could be drawn without marks does not show that it can be drawn with them.
                return image == name || image.variant != .annotated
            }
            guard !faults.isEmpty else { return }
            try Library.change(in: library.folder) { library throws(LibraryError) in try library.images.remove(faults) }
        } catch {
            context.output.warning("that the page can be drawn after all could not be recorded: \(error)")
        }
    }

    /// Stores the image in the cache, with a record. A failure is only a warning, since the user still gets the image.
    private func keep(_ bytes: [UInt8], of inputs: ImageInputs, in paths: Paths) {
        let name = ImageName(inputs)
        do {
            let cache = try PageCache(folder: paths.cache)
            let file = try cache.begin(name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: name)
            record(
                ImageRecord(
                    name: name, renderer: inputs.rendererName, event: .made, size: cache.size(of: name) ?? ByteCount(0),
                    at: context.clock.timestamp, format: ImageFormat(inputs)), in: paths.data)
        } catch {
            context.output.warning("the image could not be cached: \(error)")
        }
    }

    private func record(_ made: ImageRecord, in data: String) {
        do throws(LibraryError) {
            try Library.change(in: data) { library throws(LibraryError) in try library.images.record([made]) }
        } catch {
            context.output.warning("that the page was drawn could not be recorded: \(error)")
        }
    }
}
