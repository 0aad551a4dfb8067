package import Configuration
package import Platform
package import Rendering

extension Options {
    /// Runs `work` with a renderer whose processes have ended when this returns.
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
