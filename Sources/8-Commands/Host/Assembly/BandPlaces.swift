import BandFolder
package import BandLayout
package import BandStorage
package import CommandLine
package import Configuration
import Model
package import Platform

extension Configuration {
    /// How long a command waits for a folder that may not respond.
    package static var patience: Duration { .seconds(5) }

    /// Creates the carrier that transfers a band's files to and from `place`, a folder or an address. `patience` limits the wait
    /// for a folder; for a command it is shorter than for an agent. `serverPatience` limits a command's wait for a server;
    /// several carriers may share it. An agent passes its own `transport`, whose time limits apply to the server instead.
    @LoopActor
    package func bandCarrier(
        to place: String, transport: (any HTTPTransport)? = nil, patience: Duration = Configuration.patience,
        serverPatience: ServerPatience? = nil, environment: Environment, clock: any TimeKeeper
    ) throws -> any BandCarrier {
        guard StorageAddress.isOne(place) else { return FolderCarrier(place, patience: patience, time: clock) }
        let server = storageServer(environment)
        let address = try StorageAddress(place, endpoint: server.endpoint, region: server.region)
        let key = BandKey(self, host: address.isSigned ? nil : address.host)
        return StorageCarrier(
            address, transport: transport ?? options.transport(clock: clock),
            key: { _ in try await key.read(environment: environment, clock: clock).map { StorageKey($0.secret, session: $0.session) } },
            rest: ServerRest("\(paths.runtime)/rests-\(BandKey.fileName(for: address.host))", time: clock),
            patience: transport == nil ? serverPatience ?? ServerPatience() : nil, time: clock)
    }

    /// The endpoint and region of S3. The defaults come from the environment variables that other programs use, too.
    package func storageServer(_ environment: Environment) -> (endpoint: String?, region: String?) {
        (
            options.band.endpoint ?? environment["AWS_ENDPOINT_URL"],
            options.band.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        )
    }
}

/// Stands in for the carrier if the band's address is not valid. Every access fails with the reason why it is not.
@LoopActor
final class NoCarrier: BandCarrier {
    nonisolated let place: String
    nonisolated let canList = false
    private let trouble: Trouble

    init(_ place: String, _ error: any Error) { (self.place, trouble) = (place, Trouble(.away, "band.place: \(error)")) }

    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? { throw trouble }
    func put(_ bytes: [UInt8], as path: String) async throws(Trouble) { throw trouble }
    func remove(_ path: String) async throws(Trouble) { throw trouble }
    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing { throw trouble }
    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? { throw trouble }
    func doubt() {}
}
