import Agent
import BandLayout
import BandStorage
import Catalogue
import CommandLine
package import Configuration
package import Freshness
import Glibc
package import HTTPClient
import ImageKeeping
package import Marks
package import Model
package import Platform
package import Rendering
import Sets

extension Options {
    package var renderSettings: RenderSettings {
        RenderSettings(fullSize: render.fullSize, thumbnailSize: render.thumbnailSize, paper: render.paper)
    }

    package var rhythm: PollRhythm { PollRhythm(near: polling.near, soon: polling.soon, far: polling.far) }

    package var workers: WorkerOptions {
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return WorkerOptions(program: Self.programs.renderer, width: render.workers > 0 ? render.workers : max(cores, 1))
    }

    /// An HTTP client, which uses plain http only to this machine, and only if the configuration allows it.
    @LoopActor
    package func transport(clock: any TimeKeeper) -> CurlTransport {
        CurlTransport(userAgent: Release.userAgent, allowsInsecureLoopback: account.allowHTTPLoopback, time: clock)
    }

    /// The paths of this program and of the renderer. The renderer is where packages put internal programs, otherwise beside this program.
    package static var programs: (program: String, renderer: String) {
        let own = ownProgram
        let beside = Folder.parent(of: own) + "/woodshed-render"
        let packaged = Folder.parent(of: Folder.parent(of: own)) + "/libexec/woodshed/woodshed-render"
        return (own, access(packaged, X_OK) == 0 ? packaged : beside)
    }

    private static var ownProgram: String {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { text in
                count = text.baseAddress.map { max(readlink("/proc/self/exe", $0, text.count), 0) } ?? 0
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Runs `work` with a renderer. The renderer's processes have ended when this returns.
    @LoopActor
    package func withRenderer<Result>(clock: any TimeKeeper, _ work: @LoopActor (WorkerPool) async throws -> Result) async throws -> Result
    {
        let pool = WorkerPool(workers, clock: clock)
        do {
            let result = try await work(pool)
            await pool.stop()
            return result
        } catch {
            await pool.stop()
            throw error
        }
    }
}

extension Configuration {
    /// The settings of an agent that handles the plans in `scope`.
    func agentSettings(scope: SyncScope) -> AgentSettings {
        let roots = markSettings.roots
        return AgentSettings(
            render: options.renderSettings, ahead: options.plans.ahead, scope: scope, marks: markSettings, cache: options.cacheSettings,
            memory: options.cache.memory, rhythm: options.rhythm, asked: asked,
            tidying: TidySettings(
                music: paths.music, isMusicSilent: roots.isSilent(paths.music), keptAfter: options.plans.keptAfter,
                historyAge: options.annotations.historyAge),
            pdfFolder: options.export.folder.flatMap { silent.contains($0) ? nil : $0 }, sets: sets)
    }

    private var sets: SetSettings {
        SetSettings(
            options.plans.folders, silent: silent.intersection(options.plans.folders), options.chartChoice.usual,
            music: silent.contains(paths.music) ? nil : paths.music)
    }

    /// The musician's own layers: in the first configured folder, otherwise in the data folder.
    @LoopActor
    package var ownLayers: OwnLayers {
        OwnLayers(options.annotations.folders, ours: paths.data + "/annotations", roots: markSettings.roots, home: HomeID(in: paths.data))
    }

    /// The folders with the user's own mark files: next to the charts, in the data folder, and in the configured folders. In the folders of
    /// sets, they are only read.
    package var markSettings: MarkSettings {
        let annotations = options.annotations
        let ours = [paths.music, paths.data + "/annotations"]
        return MarkSettings(
            roots: MarkRoots(
                ours + annotations.folders, ignoring: annotations.ignore, optional: Set(ours), charts: options.plans.folders, silent: silent
            ),
            settle: .milliseconds(annotations.settle), settleMost: .milliseconds(annotations.settleMost),
            history: annotations.history, home: HomeID(in: paths.data),
            ownFolder: annotations.folders.first ?? paths.data + "/annotations")
    }
}

extension Configuration {
    /// The parts for the agent's band; nil if none is configured.
    @LoopActor
    func bandParts(transport: any HTTPTransport, environment: Environment, clock: any TimeKeeper) -> BandParts? {
        guard let place = options.band.place else { return nil }
        let carrier: any BandCarrier
        do {
            carrier = try bandCarrier(to: place, transport: transport, patience: .seconds(20), environment: environment, clock: clock)
        } catch {
            carrier = NoCarrier(place, error)
        }
        return BandParts(
            carrier: carrier, home: HomeID(in: paths.data), person: options.bandPerson, name: options.bandDevice,
            isSilent: { StorageAddress.isOne(place) || Folder.isOnNetwork(place) }, together: options.band.isTogether ? transport : nil)
    }
}

extension Options {
    /// This musician's name in the band: the configured one, otherwise the account's full name, otherwise its login name.
    package var bandPerson: String {
        if let person = band.person { return person }
        guard let entry = getpwuid(getuid()) else { return "somebody" }
        let name = String(cString: entry.pointee.pw_gecos).split(separator: ",").first.map { String($0) } ?? ""
        return name.isEmpty ? String(cString: entry.pointee.pw_name) : name
    }

    /// This device's name in the band: the configured one, otherwise the host's name. Empty if neither is known.
    package var bandDevice: String {
        if let device = band.device { return device }
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}

/// This program's version.
package enum Release {
    package static let version = "0.1.0"
    /// The user agent: the service rejects clients without one.
    package static let userAgent = "woodshed/\(version)"
}
