import Testing

@testable import Model

@Suite(.timeLimit(.minutes(60)))
struct OwnCommandTests {
    @Test func optionsComeBeforeACommandsOwn() {
        func line(_ words: String, _ options: String = "--home '/my home'") -> String { OwnCommand.line(words, carrying: options) }
        #expect(line("sync") == "woodshed sync --home '/my home'")
        #expect(line("accept 67810002") == "woodshed accept 67810002 --home '/my home'")
        // The reader is to add a name behind the last option.
        #expect(line("layers 7 --show") == "woodshed layers 7 --home '/my home' --show")
        #expect(line("accept --gone '/a  b'") == "woodshed accept --home '/my home' --gone '/a  b'")
        #expect(line("cache verify", "") == "woodshed cache verify")
    }
}
