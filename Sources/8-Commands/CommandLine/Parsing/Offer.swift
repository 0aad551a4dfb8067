/// The shell's suggestions for a value.
package enum Offer: Equatable, Sendable {
    case nothing
    case files
    case folders
    case words([String])
    /// The given words, then the plans in the library.
    case plans([String])
    case charts
    /// The given words, then the plans and charts in the library.
    case places([String])
    /// The layers of the chart or plan that the command line names.
    case layers
    /// The layers of the chart or plan that the command line names, and files.
    case layersOrFiles
    /// The songs in the library, and files.
    case songsOrFiles
    /// Pages of the manual, and commands.
    case topics
}

extension InputType {
    /// The suggestions for a value of this type, unless its flag or parameter has its own.
    package var offer: Offer {
        switch self {
        case .path, .paths, .place: .files
        case .choice(let choices), .choices(let choices): .words(choices)
        case .boolean: .words(["true", "false"])
        case .optional(let type): if case .words(let words) = type.offer { .words(words + ["none"]) } else { type.offer }
        default: .nothing
        }
    }
}

extension Flag {
    /// The same flag, with these suggestions for its value.
    package func offering(_ offer: Offer) -> Flag {
        var flag = self
        flag.offer = offer
        return flag
    }
}

extension Parameter {
    /// The same parameter, with these suggestions.
    package func offering(_ offer: Offer) -> Parameter {
        var parameter = self
        parameter.offer = offer
        return parameter
    }
}
