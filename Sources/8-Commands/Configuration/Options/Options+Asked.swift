import Library
package import Model

extension Options {
    /// The settings that decide which plans, charts and marks the service is asked for. The token is not among them: it may be renewed.
    package var asked: AskedSettings {
        let names: Set = ["account.api_url", "account.annotations_url", "account.person", "account.service_types", "plans.ahead"]
        let deciding = Self.settings.filter { names.contains($0.key) || $0.section == "charts" }
        return AskedSettings(Dictionary(uniqueKeysWithValues: deciding.map { ($0.key, "\($0.read(self))") }))
    }
}
