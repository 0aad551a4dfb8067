import CommandLine
import Configuration
import Model
import Platform

extension Command {
    static let why = Command(
        name: "why",
        summary: "Explains a page's image: what it is made from, whether it is there, and what would redraw it",
        details: "Nothing is made or changed; an agent may be running. Times are local; in JSON they are UTC.",
        parameters: NamedPage.parameters,
        flags: [NamedPage.variant],
        json: PageStory.form,
        examples: [
            Example("woodshed why riverside 1", "Print whose marks are on the first page and the state of its image."),
            Example("woodshed why 79073916 2 --variant thumbnail --json", "Print the same for a thumbnail, as JSON."),
        ],
        settings: Options.flags,
        run: { invocation, context in
            let home = try OpenHome(try context.configuration(invocation), for: .reading, context)
            defer { home.close() }
            return context.tell(try await PageStory(of: try NamedPage(invocation, in: home.library), in: home), to: invocation)
        })
}
