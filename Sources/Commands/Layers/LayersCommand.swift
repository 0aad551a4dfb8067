import CommandLine
import Configuration
import Host
import Library
import Model
import Platform
import Reports

extension Command {
    /// `woodshed layers`
    static let layers: Command = Command(
        name: "layers",
        summary: "Lists, hides and shows the layers of marks on a chart: everybody's and your own",
        details: """
            A hidden layer is not drawn on this chart's annotated pages; nothing in it is lost. A running agent redraws the \
            pages at once.
            """,
        parameters: [Parameter("chart", "the attachment's id, the start of the chart's hash, or part of its name")],
        flags: [
            Flag("show", "NAME", isRepeated: true, "draw this layer again: its name, its owner, its file, or its id"),
            Flag("hide", "NAME", isRepeated: true, "stop drawing this layer"),
        ],
        json: .layers,
        examples: [
            Example("woodshed layers riverside", "Print whose marks are on which pages."),
            Example("woodshed layers 79073916 --hide bowings", "Leave the bowings out of the annotated pages."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await LayersCommand(invocation, context).run() })
}

/// What `woodshed layers` does. It takes no lock: hiding a layer is one small change, made beside a running agent.
@LoopActor
struct LayersCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let paths: Paths
    private var data: String { paths.data }

    init(_ invocation: Invocation, _ context: CommandContext) throws(CommandFailure) {
        self.invocation = invocation
        self.context = context
        paths = try context.configuration(invocation).paths
    }

    func run() async throws(CommandFailure) -> ExitCode {
        do {
            let library = try Library(readingFrom: data)
            defer { library.close() }
            let chart = try ChartFinder(library).findOrExplain(invocation.argument("chart") ?? "")
            let list = try LayerList(library, of: chart)
            // All names are looked up before anything is changed.
            let changes = try wishes("show", in: list, hidden: false) + wishes("hide", in: list, hidden: true)
            for (layer, isHidden) in changes {
                try DrawingStore.setHidden(isHidden, layer: layer, of: chart.attachment, inLibraryAt: data)
            }
            tell(try LayerList(library, of: chart), of: chart)
            if !changes.isEmpty { await ControlClient.tellChange(paths, context) }
            return .fine
        } catch {
            throw error as? CommandFailure ?? CommandFailure(.failed, "\(error)")
        }
    }

    private func wishes(_ flag: String, in list: LayerList, hidden: Bool) throws(CommandFailure) -> [(LayerID, Bool)] {
        let names: [String] = invocation.values(flag)
        var found: [(LayerID, Bool)] = []
        for name in names {
            do throws(LayerList.Failure) {
                found.append((try list.find(name).id, hidden))
            } catch {
                throw CommandFailure(.failed, message(error, name))
            }
        }
        return found
    }

    private func message(_ failure: LayerList.Failure, _ name: String) -> String {
        switch failure {
        case .unknown(let layers) where layers.isEmpty: "this chart has no layers"
        case .unknown(let layers): "no layer of this chart is called '\(name)'; these are:\n  " + layers.joined(separator: "\n  ")
        case .ambiguous(let layers): "'\(name)' matches several layers; name one by its id:\n  " + layers.joined(separator: "\n  ")
        }
    }

    private func tell(_ list: LayerList, of chart: ChartFinder.Candidate) {
        if invocation.has("json") {
            context.output.result(
                [
                    "attachment": .text(chart.attachment.text), "chart": .text(chart.hash.digest.hex), "filename": .text(chart.filename),
                    "layers": list.json,
                ], as: .layers)
        } else if list.entries.isEmpty {
            context.output.message("There are no marks on \(chart.filename).".printable)
        } else {
            list.table.print(on: context.output)
            for remark in list.remarks(accept: woodshed("accept \(chart.attachment)")) {
                context.output.result(context.output.paint(remark.printable, .yellow, on: .results))
            }
        }
    }
}
