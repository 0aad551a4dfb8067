import CommandLine

/// What a command found out: told in words to people, and in one form to programs.
protocol Answer {
    static var form: JSONForm<Self> { get }
    /// How a command ends that tells it.
    var code: ExitCode { get }
    func print(on output: Output)
}

extension Answer {
    var code: ExitCode { .fine }
}

extension Output {
    func tell<Told: Answer>(_ answer: Told, asJSON: Bool) -> ExitCode {
        if asJSON { result(answer, as: Told.form) } else { answer.print(on: self) }
        return answer.code
    }
}

extension CommandContext {
    @discardableResult
    func tell(_ answer: some Answer, to invocation: Invocation) -> ExitCode { output.tell(answer, asJSON: invocation.has("json")) }
}
