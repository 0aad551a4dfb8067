import Catalogue
import CommandLine
import Configuration
import Glibc
import Library
import Model
import PageCache
import Platform

extension CacheCommand {
    /// Checks all images, and removes bad ones. Takes no lock, since any process may remove a bad image at any time.
    func verify() async throws -> ExitCode {
        let paths = try context.configuration(invocation).paths
        let events = ImageEvents()
        // A check must not create the cache's folder, so a cache that is not there is only opened for reading.
        let isThere = access(paths.cache, F_OK) == 0
        let cache = isThere ? try PageCache(folder: paths.cache) : try PageCache(readingFrom: paths.cache)
        cache.setListener { [clock = context.clock] name, event, size in
            events.records.append(ImageRecord(name: name, renderer: "", event: event, size: size, at: clock.timestamp))
        }
        let report = try await cache.verify()
        remember(events.records, in: paths.data)
        return context.give(report, to: invocation)
    }

    @LoopActor
    private final class ImageEvents {
        var records: [ImageRecord] = []
    }

    /// Records what happened to images, so that the reason is known when an image turns out to be missing.
    private func remember(_ records: [ImageRecord], in data: String) {
        do throws(LibraryError) {
            guard !records.isEmpty else { return }
            try Library.change(in: data) { library throws(LibraryError) in try library.images.record(records) }
        } catch {
            // Without a library, no plan needs the images, so it does not matter that nothing was recorded.
            if case .missing = error { return }
            context.output.warning("what happened to the bad images could not be recorded: \(error)".printable)
        }
    }
}

extension VerifyReport: Answer {
    var code: ExitCode { bad.isEmpty && unreadable.isEmpty && unlisted.isEmpty ? .fine : .notReady }

    func print(on output: Output) {
        let left = Set(left)
        for name in bad { output.result("bad, \(left.contains(name) ? "but could not be removed" : "removed"): \(name)") }
        for each in unreadable { output.result("could not be read: \(each.name): \(each.error)".printable) }
        for error in unlisted { output.result("not checked: \(error); make it readable, and run this again".printable) }
        for stranger in strangers { output.result("not made by Woodshed, left alone: \(stranger)".printable) }
        output.result(
            "\(intact.counted("image")) intact, \(bad.count) bad" + (unreadable.isEmpty ? "" : ", \(unreadable.count) unreadable")
                + (unlisted.isEmpty ? "" : ", \(unlisted.count.counted("chart")) not checked")
                + (strangers.isEmpty ? "" : ", \(strangers.count.counted("other file"))"))
        if bad.count > left.count { output.message("The next sync or the agent draws the ones that are needed again.") }
        if !left.isEmpty {
            output.message("What could not be removed is in the way: make its folder writable, or empty it, and run this again.")
        }
    }

    /// The JSON of `woodshed cache verify`.
    static let form = JSONForm<VerifyReport>([
        .init("whole", "how many images are intact", \.intact),
        .list(
            "bad",
            of: JSONForm<(name: ImageName, isLeft: Bool)>([
                .init("image", "an image that is not", \.name.description), .init("removed", "whether it could be removed") { !$0.isLeft },
            ])
        ) { report in
            let left = Set(report.left)
            return report.bad.map { ($0, left.contains($0)) }
        },
        .list(
            "unreadable",
            of: JSONForm<Unreadable>([
                .init("image", "an image that could not be read", \.name.description), .init("message", "why not", \.error.description),
            ])
        ) { $0.unreadable },
        .init("unlisted", "folders of images that could not be listed, with the reason") { $0.unlisted.map(\.description) },
        .init("strangers", "files that Woodshed did not make", \.strangers),
    ])
}
