import Agent
import CommandLine
import Configuration
import Freshness
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform
import Readiness
import Rendering

extension Command {
    static let page = Command(
        name: "page",
        summary: "Writes the image of one page: from the cache if it is there, otherwise drawn now",
        parameters: NamedPage.parameters,
        flags: [
            NamedPage.variant,
            Flag("size", "PX", type: .integer(16...20_000), "pixels on the long side instead of the configured size"),
            Flag(
                "output", short: "o", "FILE", type: .path,
                "write the PNG to FILE, whose name ends in .png; '-' means standard output, which is the default"),
            OutputFile.force,
        ],
        json: WrittenPage.form,
        examples: [
            Example("woodshed page riverside 1 -o page.png", "Write the first page with everybody's marks."),
            Example(
                "woodshed page 79073916 2 --variant plain --size 1200 -o page-2.png",
                "Write the second page without marks, 1200 pixels on the long side."
            ),
        ],
        settings: Options.flags,
        run: { try await PageCommand(invocation: $0, context: $1).run() })
}

/// It takes no lock: it reads the library beside a running agent, and only complete images are published.
@LoopActor
struct PageCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        let target = try OutputFile.png.target(invocation, context, configuration.paths, usual: nil)
        let home = try OpenHome(configuration, for: .reading, context)
        defer { home.close() }
        let image = try await configuration.options.withRenderer(clock: context.clock) { pool in try await self.image(home, pool) }
        return try deliver(image, to: target)
    }

    private func image(_ home: OpenHome, _ pool: WorkerPool) async throws -> (bytes: [UInt8], isKept: Bool) {
        let (library, cache, configuration) = (home.library, home.cache, home.configuration)
        let named = try NamedPage(invocation, in: library)
        let chart = named.chart.hash
        var settings = configuration.options.renderSettings
        let configured = settings
        if let size: Int = invocation.value("size") {
            if named.variant == .thumbnail { settings.thumbnailSize = size } else { settings.fullSize = size }
        }
        let inputs = named.inputs(settings, by: try await pool.identity())
        let name = ImageName(inputs)
        let (kept, isDamaged) = try look(for: name, in: cache)
        if let kept { return (kept, true) }
        if isDamaged { context.output.message("The image in the cache was damaged; it is being redrawn.") }

        let path = library.charts.path(of: chart)
        let file = try MemoryFile.create()
        try library.charts.check(chart)
        _ = try await pool.render(
            PageJob(
                chart: path, page: named.page, settings: settings,
                outputs: [PageJob.Output(inputs.variant, key: inputs.key, descriptor: file.number)], marks: named.marks))
        let bytes = try MemoryFile.read(file.number, limit: 1 << 30)
        // An image of another size is useless to the agent, which would only have to trim it. So is an image of a chart whose fonts
        // it does not know yet, since its name will be different then. A damaged image's place is free to be used again.
        let mayStay = isDamaged ? true : await hasRoom(for: bytes.count, home)
        if settings == configured, named.description != nil, mayStay {
            keep(bytes, of: inputs, in: configuration.paths)
        }
        forgive(chart, settings == configured ? name : nil, in: library)
        return (bytes, false)
    }

    /// The image in the cache if it is intact, or whether there is one that is damaged.
    private func look(for name: ImageName, in cache: PageCache) throws(PageCacheError) -> (bytes: [UInt8]?, isDamaged: Bool) {
        do throws(PageCacheError) {
            return (try cache.loadIntact(name), false)
        } catch {
            guard case .damaged = error else { throw error }
            return (nil, true)
        }
    }

    /// The cache has room for an image of `count` bytes, which would stay until an agent or a sync trims the cache.
    private func hasRoom(for count: Int, _ home: OpenHome) async -> Bool {
        guard let disk = try? home.keeper.disk() else { return false }
        let limits = home.keeper.limits(on: disk)
        let held = await home.cache.survey().reduce(0) { $0 + $1.size.bytes }
        return held + count <= limits.bytes.bytes && disk.free.bytes - count >= limits.leastFree.bytes
    }

    /// A page that could not be drawn before was drawn now, so the agent may try it again. `name` is its image, if it is of the usual size.
    private func forgive(_ chart: ChartHash, _ name: ImageName?, in library: Library) {
        do {
            let faults = try library.images.faults().filter { fault in
                guard fault.chart == chart else { return false }
                guard let image = fault.image else { return true }
                guard let name, image.page == name.page else { return false }
                // An annotated image is more than the plain page; that the plain one works proves nothing about the marks.
                return image == name || image.variant != .annotated
            }
            guard !faults.isEmpty else { return }
            try Library.change(in: library.folder) { library throws(LibraryError) in try library.images.remove(faults) }
        } catch {
            context.output.warning("that the page can be drawn after all could not be recorded: \(error)")
        }
    }

    /// Keeps the image in the cache, and that it was made; if that cannot be written, the page is shown all the same.
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

    private func deliver(_ image: (bytes: [UInt8], isKept: Bool), to target: String?) throws -> ExitCode {
        guard let target else {
            image.bytes.withUnsafeBytes { context.output.result(bytes: $0) }
            return .fine
        }
        // With the permissions of any file that the user makes.
        let file = try TemporaryFile.create(inFolderOf: target, mode: 0o666)
        try image.bytes.withUnsafeBytes { try file.write($0) }
        try OutputFile.finish(file, as: target, invocation, on: context.output)
        return context.tell(WrittenPage(file: target, bytes: image.bytes.count, isKept: image.isKept), to: invocation)
    }
}

private struct WrittenPage: Answer {
    let file: String
    let bytes: Int
    let isKept: Bool

    static let form = JSONForm<WrittenPage>([
        .init("file", "the image's file", \.file), .init("bytes", "how large it is", \.bytes),
        .init("from", "where the image came from: cache, or rendered just now") { $0.isKept ? "cache" : "rendered" },
    ])

    func print(on output: Output) { output.result("\(file): \(ByteCount(bytes))".printable) }
}
