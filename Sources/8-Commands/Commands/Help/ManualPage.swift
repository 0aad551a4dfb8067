import CommandLine
import Manual

/// A page of the manual that is embedded in the program.
struct ManualPage {
    /// As in `woodshed help marks`.
    let topic: String
    /// The page in Markdown.
    let text: String

    /// All pages, in the order in which a reader wants them.
    static let all: [ManualPage] = UnsafeBufferPointer(start: woodshed_manual_pages(), count: manual_pages_count).map { page in
        ManualPage(
            topic: String(cString: page.name),
            text: String(decoding: UnsafeBufferPointer(start: page.bytes, count: page.length), as: UTF8.self))
    }

    static func on(_ topic: String) -> ManualPage? { all.first { $0.topic == topic } }

    /// What it is about, in one line: its heading.
    var title: String {
        String(text.prefix { !$0.isNewline }.drop { $0 == "#" || $0 == " " })
    }

    /// The pages as a list for the general help.
    static func list(width: Int) -> String {
        "Manual:\n" + HelpText.rows(all.map { ($0.topic, $0.title) }, width: width)
            + "\n\n'woodshed help TOPIC' prints a page of the manual.\n"
    }
}
