import CommandLine
import Configuration
import Host
import Library
import Model
import Platform
import Reports

/// What `woodshed select` does.
@LoopActor
struct SelectCommand {
    private let invocation: Invocation
    private let context: CommandContext

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.invocation = invocation
        self.context = context
    }

    func run() async throws(CommandFailure) -> ExitCode {
        let paths = try context.configuration(invocation).paths
        let chart = try chart(in: paths.data)
        let page: Int = invocation.argument("page") ?? 1
        let agent = try ControlClient.required(paths, context)
        var query = [("chart", chart.text), ("page", "\(page - 1)")]
        if invocation.has("plain") { query.append(("plain", "1")) }
        let shown: Shown
        do {
            let answer = try await agent.ask(.post, "/v1/select", query: query, patience: ControlClient.patience)
            shown = try JSONReader.decode(Shown.self, from: answer)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
        if invocation.has("json") {
            context.output.result(shown, as: Self.form)
        } else {
            let origin = shown.from == "rendered" ? "drawn just now" : "from \(shown.from == "disk" ? "the cache" : shown.from)"
            context.output.result("Page \(page) is on screen: \(origin), \(ByteCount(shown.bytes))")
        }
        return .fine
    }

    /// What the agent answers.
    struct Shown: Decodable {
        let from: String
        let bytes: Int
    }

    nonisolated static let form = JSONForm<Shown>([
        .init("from", "where the page's image came from: memory, disk or rendered", \.from), .init("bytes", "how large it is", \.bytes),
    ])

    private func chart(in data: String) throws(CommandFailure) -> AttachmentID {
        do {
            let library = try Library(readingFrom: data)
            defer { library.close() }
            return try ChartFinder(library).findOrExplain(invocation.argument("chart") ?? "").attachment
        } catch {
            throw CommandFailure(of: error)
        }
    }
}
