import Testing

@testable import Model

@Suite(.timeLimit(.minutes(5)))
struct OwnCommandTests {
    @Test func optionsComeBeforeACommandsOwn() {
        func line(_ words: String, _ options: String = "--home '/my home'") -> String { OwnCommand.line(words, carrying: options) }
        #expect(line("sync") == "woodshed sync --home '/my home'")
        #expect(line("accept 67810002") == "woodshed accept 67810002 --home '/my home'")
        // The last option stays last, since the reader must add a name after it.
        #expect(line("layers 7 --show") == "woodshed layers 7 --home '/my home' --show")
        #expect(line("accept --gone '/a  b'") == "woodshed accept --home '/my home' --gone '/a  b'")
        #expect(line("cache verify", "") == "woodshed cache verify")
    }

    /// One of the names has a combining accent after a quote, which Swift joins with the quote to one character.
    @Test(arguments: [
        ("/media/stick/Übung", "/media/stick/Übung"), ("/a b", "'/a b'"), ("", "''"), ("~", "'~'"), ("/it's $HOME", #"'/it'\''s $HOME'"#),
        ("/a'\u{301}", "'/a'\\''\u{301}'"),
    ])
    func aPathIsOneWordOfAShell(path: String, word: String) {
        #expect(path.shellQuoted.unicodeScalars.elementsEqual(word.unicodeScalars), "\(path.shellQuoted)")
    }
}
