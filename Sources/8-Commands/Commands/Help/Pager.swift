import CommandLine
import Glibc

/// The program through which a long text is read where the output is a terminal: what PAGER names, otherwise `less` or `more`.
enum Pager {
    /// Prints `text`. The pager takes this process's place, since nothing is left to do: so the terminal and all its keys are the pager's.
    static func show(_ text: String, on output: Output, environment: Environment) {
        // An empty PAGER means that none is wanted.
        if output.terminal.showsResults, !output.terminal.isDumb, environment.variables["PAGER"] != "" {
            become(environment["PAGER"], reading: text)
        }
        output.result(text: text)
    }

    /// Returns only where there is no such program.
    private static func become(_ chosen: String?, reading text: String) {
        var name = Array("/tmp/woodshed-help-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { return }
        unlink(name)
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, lseek(file, 0, SEEK_SET) == 0, dup2(file, STDIN_FILENO) >= 0 else { return }
        // One screen is just printed; bold letters stay bold.
        setenv("LESS", "FRX", 0)
        for words in chosen.map({ [["sh", "-c", $0]] }) ?? [["less"], ["more"]] {
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            execvp(words[0], &arguments)
            for each in arguments { free(each) }
        }
    }
}
