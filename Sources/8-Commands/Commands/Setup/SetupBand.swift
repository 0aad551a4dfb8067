import CommandLine
import Configuration
import Host
import Library
import Model
import Platform

/// Asks whether the band shares a folder, once everything else works. A musician without a band only presses Enter.
@LoopActor
struct SetupBand {
    let invocation: Invocation
    let context: CommandContext
    let ask: Questions

    private static let question = "Does your band share a folder? Type it, or its address on a server, or press Enter"

    /// `person` is the musician's name at the service.
    func offer(as person: String?) async throws {
        while true {
            let typed = try await ask.line(Self.question)
            guard !typed.isEmpty else { return }
            do {
                if try await enter(typed, as: person) { return }
            } catch let cancelled as Questions.Cancelled {
                throw cancelled
            } catch {
                print(CommandFailure(of: error).message)
            }
        }
    }

    private func print(_ sentence: String) { context.output.message(sentence.asSentence.printable) }

    /// Joins the band at the typed place, or begins one there. Returns whether the musician is in a band afterwards.
    private func enter(_ typed: String, as person: String?) async throws -> Bool {
        let base = PathBase(home: context.environment.home, folder: PathBase.currentFolder)
        guard case .text(let place) = try InputType.place.parse(typed, base: base) else { return false }
        var membership = try BandMembership(invocation, context)
        // Setup has just written the configuration and kept any former one, so no further copy is needed.
        membership.keepsFormer = false
        let isPlace = try await membership.isPlace(place)
        var name = ""
        if !isPlace {
            name = try await ask.line(
                "\(place) is no band's place yet, or has not arrived. To begin one there, type what the band is called; otherwise press Enter"
            )
            guard !name.isEmpty else { return false }
        }
        let usual = person ?? membership.usualPerson
        let me = try await ask.line("What do the others call you?", usual: usual)
        if isPlace { try await membership.join(at: place, as: me) } else { try await membership.create(at: place, name: name, as: me) }
        return true
    }
}
