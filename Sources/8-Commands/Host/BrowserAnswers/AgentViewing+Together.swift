import Agent
import Model
import Viewer

/// Turning pages together: who leads, on this agent's browsers and in the band.
extension AgentViewing {
    var together: ViewerNews? { agent.together.state.map { .together($0, silence: agent.together.silence) } }

    func turn(_ wish: Together.Wish, from browser: String, named name: String) async throws(Trouble) {
        try agent.together.take(wish, from: browser, named: name)
    }

    func hear(_ word: TogetherWord) async throws(Trouble) -> TogetherWord? { try agent.together.hear(word) }
}
