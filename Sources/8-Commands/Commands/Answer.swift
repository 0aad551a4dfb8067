import CommandLine

/// A command's result, which is printed in words for people, or as JSON in the same `form` for all programs.
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
