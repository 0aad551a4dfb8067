import CommandLine

/// A command's result: in words for people, and in one form for programs.
protocol Answer {
    static var form: JSONForm<Self> { get }
    /// The exit code of a command with this answer.
    var code: ExitCode { get }
    func print(on output: Output)
}

extension Answer {
    var code: ExitCode { .fine }
}

extension Output {
    func give<Printed: Answer>(_ answer: Printed, asJSON: Bool) -> ExitCode {
        if asJSON { result(answer, as: Printed.form) } else { answer.print(on: self) }
        return answer.code
    }
}

extension CommandContext {
    @discardableResult
    func give(_ answer: some Answer, to invocation: Invocation) -> ExitCode { output.give(answer, asJSON: invocation.has("json")) }
}
